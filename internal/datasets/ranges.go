package datasets

import (
	"math"
	"slices"
	"strconv"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/config/catalogue"
	"github.com/acqnp/acqnp/internal/datasets/rows"
	"github.com/acqnp/acqnp/internal/points"
)

// A Range is where most of a column's training data lie, in raw units. The zero value means that this
// is not known.
type Range struct{ Low, High float64 }

// Ranges are those of the columns of x and y. A column of names has none.
type Ranges struct{ X, Y []Range }

// RangesOf returns the ranges of an experiment's columns. They follow from the scaling: from two
// deviations below the mean to two above it for data.scale standard, from the least to the greatest
// number for range. With none they are not known. Functions of a random process are drawn. If the CSV
// file is still there, its ranges reach no further than its numbers: two deviations below the mean of
// prices may lie below 0.
func RangesOf(e config.Experiment, s Scaling, dataDir string) (Ranges, error) {
	b, _ := catalogue.Find(e.Benchmark)
	switch b.Kind {
	case catalogue.CSV:
		switch e.Data.Scale {
		case "standard":
			return s.ranges(Range{-2, 2}, Range{-2, 2}).within(e.Data, s, dataDir), nil
		case "range":
			return s.ranges(Range{0, 1}, Range{0, 1}), nil
		}
		return s.ranges(Range{}, Range{}), nil
	case catalogue.SpeedFlow:
		return s.ranges(Range{e.Data.FlowRange[0], e.Data.FlowRange[1]}, Range{0, 1}), nil
	case catalogue.Images:
		return s.ranges(Range{-1, 1}, Range{-0.5, 0.5}), nil
	}
	source, err := Open(e, dataDir)
	if err != nil {
		return Ranges{}, err
	}
	var drawn Batch
	if err := source.Eval(0, &drawn); err != nil {
		return Ranges{}, err
	}
	return s.ranges(widest(drawn.X), widest(drawn.Y)), nil
}

func widest(v []float32) Range { return Range{float64(slices.Min(v)), float64(slices.Max(v))} }

// ranges returns the ranges of all columns, of which the model sees numbers within x and y.
func (s Scaling) ranges(x, y Range) Ranges {
	return Ranges{rawRanges(x, s.XOffset, s.XScale, s.XForms), rawRanges(y, s.YOffset, s.YScale, s.YForms)}
}

func rawRanges(model Range, offset, scale []float64, forms []rows.Form) []Range {
	all := make([]Range, len(scale))
	for c := range scale {
		f := rows.FormAt(forms, c)
		if f.Categories != nil || model == (Range{}) {
			continue
		}
		all[c] = Range{f.Restore(offset[c] + model.Low*scale[c]), f.Restore(offset[c] + model.High*scale[c])}
		if f.Log {
			all[c].Low = math.Max(0, all[c].Low) // a shift may lead below it
		}
	}
	return all
}

// within returns the ranges without what lies beyond the numbers of the data's files. It returns the ranges
// as they are if the files cannot be read: they may have moved since the training.
func (r Ranges) within(d config.Data, s Scaling, dataDir string) Ranges {
	layout := rows.Layout{X: d.XColumns, Y: d.YColumns, XForms: s.XForms, YForms: s.YForms, DropMissing: d.Missing == config.Drop}
	read, err := layout.ReadAll(d.File, dataDir)
	if err != nil {
		return r
	}
	var all points.Points
	for _, g := range read.Groups {
		all.Append(g.Points)
	}
	return Ranges{overlap(r.X, all.X), overlap(r.Y, all.Y)}
}

// overlap returns the parts of the ranges of columns in which there are numbers.
func overlap(ranges []Range, all []float64) []Range {
	seen := slices.Repeat([]Range{{math.Inf(1), math.Inf(-1)}}, len(ranges))
	for i, v := range all {
		c := &seen[i%len(ranges)]
		c.Low, c.High = min(c.Low, v), max(c.High, v)
	}
	found := slices.Clone(ranges)
	for c, r := range ranges {
		low, high := max(r.Low, seen[c].Low), min(r.High, seen[c].High)
		if r != (Range{}) && low < high {
			found[c] = Range{low, high}
		}
	}
	return found
}

// UnitOf returns the unit of a benchmark's column of form f, or "" if it is not known. That of dates
// is days, that of times of day is hours.
func UnitOf(name, column string, f rows.Form) string {
	if f.Origin != "" {
		return "days since " + f.Origin
	}
	if unit := map[string]string{rows.Clock: "hours since midnight", rows.Percent: "%"}[f.Format]; unit != "" {
		return unit
	}
	if b, _ := catalogue.Find(name); b.Kind == catalogue.SpeedFlow {
		return map[string]string{"flow": "vehicles/h", "speed": "mph"}[column]
	}
	return ""
}

// Names returns the names of a benchmark's columns of x and y, for files, plots and messages.
func Names(name string, dx, dy int) (x, y []string) {
	switch b, _ := catalogue.Find(name); b.Kind {
	case catalogue.SpeedFlow:
		return []string{"flow"}, []string{"speed"}
	case catalogue.Images:
		if dy == 3 {
			return []string{"row", "column"}, []string{"red", "green", "blue"}
		}
		return []string{"row", "column"}, []string{"value"}
	}
	return numbered("x", dx), numbered("y", dy)
}

// numbered returns n names, x for one and x1, x2, … for several.
func numbered(letter string, n int) []string {
	if n == 1 {
		return []string{letter}
	}
	names := make([]string, n)
	for i := range names {
		names[i] = letter + strconv.Itoa(i+1)
	}
	return names
}
