package fit

import (
	"fmt"
	"slices"

	"github.com/acqnp/acqnp/internal/datasets/rows"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/invalid/warning"
	"github.com/acqnp/acqnp/internal/predict"
)

// Recall implements [predict.Predictor]: a group of the data knows its own rows. A known point that is one of them
// counts once.
func (f Fitted) Recall(functions []predict.Function, asNew bool, w *warning.Record) []predict.Function {
	kept, names := map[string]keptGroup{}, []string(nil)
	if asNew {
		f.Kept = nil
	}
	for _, g := range f.Kept {
		kept[rows.Name(g.Name)], names = g, append(names, g.Name)
	}
	var r recall
	all := slices.Clone(functions)
	for i := range all {
		name := rows.Name(all[i].Name)
		if f.Group == "" { // all rows are one group, whatever a request calls it
			name = ""
		}
		if g, is := kept[name]; is {
			all[i] = r.add(f, g, all[i])
		}
		r.count(f, all[i])
	}
	r.note(f, w)
	if f.Outer != "" {
		f.putBeside(all)
	}
	f.warnOfUnknown(all, names, w)
	return all
}

// warnOfUnknown adds lines about groups with targets that are unknown: their names may be mistyped. In groups in groups,
// those of an outer group of which nothing is known have a line of their own.
func (f Fitted) warnOfUnknown(functions []predict.Function, kept []string, w *warning.Record) {
	var lost []string
	others := functions
	if f.Outer != "" {
		isLost := func(fn predict.Function) bool {
			return fn.Name != "" && len(fn.TargetX) > 0 && len(fn.ContextY) == 0 && len(fn.Beside) == 0
		}
		for _, fn := range functions {
			if isLost(fn) {
				lost = append(lost, fn.Name)
			}
		}
		others = slices.DeleteFunc(slices.Clone(functions), isLost)
	}
	predict.WarnOfUnknown(others, kept, w)
	if lost != nil {
		w.Add("of %s (%s) and of its %s no point is known%s", invalid.Plural(len(lost), "group", "groups"), invalid.First(lost), f.Outer, predict.NearestNames(lost, kept))
	}
}

// putBeside puts the known points of the other groups in the same outer group beside each function: those of functions
// and of the data.
func (f Fitted) putBeside(functions []predict.Function) {
	type named struct {
		name string
		predict.Points
	}
	in, asked := map[string][]named{}, map[string]bool{}
	for _, fn := range functions {
		name := rows.Name(fn.Name)
		asked[name] = true
		if outer := f.outerOf(name); outer != "" && len(fn.ContextY) > 0 {
			in[outer] = append(in[outer], named{name, predict.Points{X: fn.ContextX, Y: fn.ContextY}})
		}
	}
	for _, g := range f.Kept {
		name := rows.Name(g.Name)
		if outer := f.outerOf(name); !asked[name] {
			in[outer] = append(in[outer], named{name, predict.Points{X: g.X, Y: g.Y}})
		}
	}
	for i := range functions {
		name := rows.Name(functions[i].Name)
		for _, other := range in[f.outerOf(name)] {
			if other.name != name {
				functions[i].Beside = append(functions[i].Beside, other.Points)
			}
		}
	}
}

// A recall counts what Recall finds.
type recall struct {
	names       []string // of the groups with rows of the data
	rows, given int      // of these: those of the data, and those of the context
	again       int      // known points that are equal to rows of the data
	scored      int      // targets that are
	alone       int      // groups with known points of the context alone
}

// add returns a function with the rows of its group before its own context.
func (r *recall) add(f Fitted, g keptGroup, fn predict.Function) predict.Function {
	own := f.matcher(g)
	fn.Recalled = len(g.Y) / len(f.Y)
	x, y := slices.Clone(g.X), slices.Clone(g.Y)
	for k := range len(fn.ContextY) / len(f.Y) {
		px, py := fn.ContextX[k*len(f.X):][:len(f.X)], fn.ContextY[k*len(f.Y):][:len(f.Y)]
		row := own.match(px, py)
		if row >= 0 {
			r.again++
		}
		if row >= 0 && f.tellsRowsApart() {
			fill(y[row*len(f.Y):][:len(f.Y)], py)
		} else {
			x, y = append(x, px...), append(y, py...)
		}
	}
	fn.ContextX, fn.ContextY = x, y
	scored := f.matcher(g)
	for k := range len(fn.TargetY) / len(f.Y) {
		if scored.match(fn.TargetX[k*len(f.X):][:len(f.X)], fn.TargetY[k*len(f.Y):][:len(f.Y)]) >= 0 {
			r.scored++
		}
	}
	return fn
}

// count counts a function that has targets.
func (r *recall) count(f Fitted, fn predict.Function) {
	switch {
	case len(fn.TargetX) == 0:
	case fn.Recalled > 0:
		r.names, r.rows = append(r.names, fn.Name), r.rows+fn.Recalled
		r.given += len(fn.ContextY)/len(f.Y) - fn.Recalled
	case len(fn.ContextX) > 0:
		r.alone++
	}
}

// note adds lines about what was found, if any of the groups is one of the data. Without groups all rows are always
// known.
func (r *recall) note(f Fitted, w *warning.Record) {
	if r.rows > 0 && f.Group != "" {
		line := fmt.Sprintf("known points: of %s (%s) the %s of the fit's data", invalid.Plural(len(r.names), "group", "groups"), invalid.First(r.names), invalid.Plural(r.rows, "row", "rows"))
		if r.given > 0 {
			line += fmt.Sprintf(" and %d of the context", r.given)
		}
		if r.alone > 0 {
			line += fmt.Sprintf("; of %s those of the context alone", invalid.Plural(r.alone, "group", "groups"))
		}
		w.Add("%s", line)
	}
	also := fmt.Sprintf("(of the data, %d of %d rows are equal to another of their group)", f.EqualRows, f.Rows)
	switch {
	case r.again > 0 && f.tellsRowsApart():
		w.Add("of the context, %s in the fit's data too, and counted once", invalid.Plural(r.again, "known point is", "known points are"))
	case r.again > 0:
		w.Add("of the context, %s may be in the fit's data too, and counted as new %s: leave out rows that the fit has", invalid.Plural(r.again, "known point", "known points"), also)
	}
	switch {
	case r.scored > 0 && f.tellsRowsApart():
		w.Add("%s of the fit's data and known: these scores say nothing of new rows; --as-new forgets them", invalid.Plural(r.scored, "target is a row", "targets are rows"))
	case r.scored > 0:
		w.Add("%s may be of the fit's data, which are known %s: their scores say nothing of new rows then; --as-new forgets them", invalid.Plural(r.scored, "target", "targets"), also)
	}
}
