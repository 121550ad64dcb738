package benchmark

import (
	"math"
	"slices"
	"strconv"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/config/catalogue"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/datasets/rows"
	"github.com/acqnp/acqnp/internal/points"
)

// RangesOf returns the ranges of an experiment's columns. They follow from the scaling: from two
// deviations below the mean to two above it for data.scale standard, from the least to the greatest
// number for range. With none they are not known. Groups of a random process are drawn. If the CSV
// file is still there, its ranges reach no further than its numbers: two deviations below the mean of
// prices may lie below 0.
func RangesOf(e config.Experiment, s datasets.Scaling, dataDir string) (datasets.Ranges, error) {
	b, _ := catalogue.Find(e.Benchmark)
	switch b.Kind {
	case catalogue.CSV:
		switch e.Data.Scale {
		case "standard":
			return within(s.Ranges(span(-2, 2), span(-2, 2)), e.Data, s, dataDir), nil
		case "range":
			return s.Ranges(span(0, 1), span(0, 1)), nil
		}
		return s.Ranges(datasets.Range{}, datasets.Range{}), nil
	case catalogue.Tasks: // their simulator may be elsewhere
		return s.Ranges(datasets.Range{}, datasets.Range{}), nil
	case catalogue.SpeedFlow:
		return s.Ranges(span(e.Data.FlowRange[0], e.Data.FlowRange[1]), span(0, 1)), nil
	case catalogue.Images:
		return s.Ranges(span(-1, 1), span(-0.5, 0.5)), nil
	}
	source, err := Open(e, dataDir)
	if err != nil {
		return datasets.Ranges{}, err
	}
	var drawn datasets.Batch
	if err := source.Eval.Make(0, &drawn); err != nil {
		return datasets.Ranges{}, err
	}
	return s.Ranges(widest(drawn.X), widest(drawn.Y)), nil
}

func span(low, high float64) datasets.Range { return datasets.Range{Low: low, High: high} }

func widest(v []float32) datasets.Range { return span(float64(slices.Min(v)), float64(slices.Max(v))) }

// within returns the ranges without what lies beyond the numbers of the data's files. It returns the ranges
// as they are if the files cannot be read: they may have moved since the training.
func within(r datasets.Ranges, d config.Data, s datasets.Scaling, dataDir string) datasets.Ranges {
	layout := rows.Layout{X: d.XColumns, Y: d.YColumns, XForms: s.XForms, YForms: s.YForms, DropMissing: d.Missing == config.Drop}
	read, err := layout.ReadAll(d.File, dataDir)
	if err != nil {
		return r
	}
	var all points.Points
	for _, g := range read.Groups {
		all.Append(g.Points)
	}
	return datasets.Ranges{X: overlap(r.X, all.X), Y: overlap(r.Y, all.Y)}
}

// overlap returns the parts of the ranges of columns in which there are numbers.
func overlap(ranges []datasets.Range, all []float64) []datasets.Range {
	seen := slices.Repeat([]datasets.Range{span(math.Inf(1), math.Inf(-1))}, len(ranges))
	for i, v := range all {
		c := &seen[i%len(ranges)]
		c.Low, c.High = min(c.Low, v), max(c.High, v)
	}
	found := slices.Clone(ranges)
	for c, r := range ranges {
		low, high := max(r.Low, seen[c].Low), min(r.High, seen[c].High)
		if r != (datasets.Range{}) && low < high {
			found[c] = span(low, high)
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
