package fit

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/acqnp/acqnp/internal/datasets/rows"
	"github.com/acqnp/acqnp/internal/fit/stack"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/invalid/warning"
	"github.com/acqnp/acqnp/internal/predict"
)

// A keptGroup is the rows of a group of the data. They are known points when the group is asked about.
type keptGroup struct {
	Name string  `json:"name"`
	X    numbers `json:"x"` // [n, columns of x], raw
	Y    numbers `json:"y"` // [n, columns of y]
	// What plot effects needs: the row weights, and the fold that held out each y, see stack.FoldsOf.
	Times numbers `json:"times,omitempty"` // [n]
	Folds []int   `json:"folds"`           // [n, columns of y]
}

// Bounds of the rows that are kept: of a group, of which predictions take as many at most, and of all, so that a file
// stays far below maxFile. A group keeps one at least.
const (
	mostKeptOfGroup = 1000
	mostKept        = 200_000
)

// keep returns the rows that a file keeps, evenly spread over those of each group. It adds a line if they are not all.
func (f Fitted) keep(points []rows.Group, seed uint64, w *warning.Record) (all []keptGroup) {
	each, kept := max(1, min(mostKeptOfGroup, mostKept/len(points))), 0
	if f.Rows <= mostKept {
		each = mostKeptOfGroup
	}
	folds := f.foldsOf(points, seed)
	for i, p := range points {
		g, n := keptGroup{Name: p.Name}, min(p.N, each)
		for k := range n {
			k = k * p.N / n
			g.add(f, p.X, p.Y, k)
			if p.Weights != nil {
				g.Times = append(g.Times, p.Weights[k])
			}
			g.Folds = append(g.Folds, folds[i][k*len(f.Y):][:len(f.Y)]...)
		}
		kept += n
		all = append(all, g)
	}
	if kept < f.Rows {
		w.Add("%s keeps %d of %d rows, evenly spread: no more are known points when the same groups are asked about", File, kept, f.Rows)
	}
	return all
}

// foldsOf returns the fold that held out each y, [n, columns of y] of each group, 0 for one that is missing.
func (f Fitted) foldsOf(points []rows.Group, seed uint64) [][]int {
	all := make([][]int, len(points))
	for i, p := range points {
		all[i] = make([]int, len(p.Y))
	}
	for c := range f.Y {
		of := stack.FoldsOf(groupsOf(f, points, c), seed)
		for i, p := range points {
			var own []int
			for k := c; k < len(p.Y); k += len(f.Y) {
				if math.IsNaN(p.Y[k]) {
					continue
				}
				if own == nil {
					own, of = of[0], of[1:]
				}
				all[i][k], own = own[0], own[1:]
			}
		}
	}
	return all
}

// add adds row k of x and y.
func (g *keptGroup) add(f Fitted, x, y []float64, k int) {
	dx, dy := len(f.X), len(f.Y)
	g.X, g.Y = append(g.X, x[k*dx:][:dx]...), append(g.Y, y[k*dy:][:dy]...)
}

// check returns an error unless the rows are those of columns as the fit has.
func (g keptGroup) check(f Fitted) error {
	if n := len(g.X) / len(f.X); len(g.X) != n*len(f.X) || len(g.Y) != n*len(f.Y) || len(g.Folds) != len(g.Y) || g.Times != nil && len(g.Times) != n {
		return fmt.Errorf("%d numbers of x and %d of y of %s", len(g.X), len(g.Y), g.Name)
	}
	if slices.ContainsFunc(g.Folds, func(fold int) bool { return fold < 0 || fold >= stack.Folds }) {
		return fmt.Errorf("the folds %v of %s", g.Folds, g.Name)
	}
	for i, v := range g.X {
		if names := f.XForms[i%len(f.X)].Categories; names != nil && (v < 0 || v >= float64(len(names))) {
			return fmt.Errorf("the name %g of %d, of %s", v, len(names), g.Name)
		}
	}
	return nil
}

// Recall implements [predict.Predictor]: a group of the data knows its own rows. A known point that is given again
// counts once.
func (f Fitted) Recall(functions []predict.Function, asNew bool, w *warning.Record) []predict.Function {
	kept := map[string]keptGroup{}
	if asNew {
		f.Kept = nil
	}
	for _, g := range f.Kept {
		kept[g.Name] = g
	}
	var r recall
	all := slices.Clone(functions)
	for i := range all {
		name := all[i].Name
		if f.Group == "" { // all rows are one group, whatever a request calls it
			name = ""
		}
		if g, is := kept[name]; is {
			all[i] = r.add(f, g, all[i])
		}
		r.count(all[i])
	}
	r.note(f, w)
	if f.Outer != "" {
		f.putBeside(all)
		f.noteLost(all, w)
	}
	return all
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
		asked[fn.Name] = true
		if outer := f.outerOf(fn.Name); outer != "" && len(fn.ContextY) > 0 {
			in[outer] = append(in[outer], named{fn.Name, predict.Points{X: fn.ContextX, Y: fn.ContextY}})
		}
	}
	for _, g := range f.Kept {
		if outer := f.outerOf(g.Name); !asked[g.Name] {
			in[outer] = append(in[outer], named{g.Name, predict.Points{X: g.X, Y: g.Y}})
		}
	}
	for i := range functions {
		for _, other := range in[f.outerOf(functions[i].Name)] {
			if other.name != functions[i].Name {
				functions[i].Beside = append(functions[i].Beside, other.Points)
			}
		}
	}
}

// noteLost adds a line about groups with targets of whose outer group, too, nothing is known: its name may be mistyped.
func (f Fitted) noteLost(functions []predict.Function, w *warning.Record) {
	var lost []string
	for _, fn := range functions {
		if fn.Name != "" && len(fn.TargetX) > 0 && len(fn.ContextY) == 0 && len(fn.Beside) == 0 {
			lost = append(lost, fn.Name)
		}
	}
	if lost != nil {
		w.Add("of %s (%s) and of its %s no point is known", invalid.Plural(len(lost), "group", "groups"), invalid.First(lost), f.Outer)
	}
}

// A recall counts what Recall finds.
type recall struct {
	names               []string // of the groups with rows of the data
	rows, twice, scored int      // of the data; given again; and scored
	context, nothing    int      // groups with known points of the context alone, and with none
}

// add returns a function with the rows of its group before its own context.
func (r *recall) add(f Fitted, g keptGroup, fn predict.Function) predict.Function {
	given, asked := rowsIn(f, fn.ContextX, fn.ContextY), rowsIn(f, fn.TargetX, fn.TargetY)
	own := keptGroup{}
	for k := range len(g.Y) / len(f.Y) {
		key := rowKey(f, g.X, g.Y, k)
		if asked[key] > 0 {
			asked[key]--
			r.scored++
		}
		if given[key] > 0 {
			given[key]--
			r.twice++
		}
		own.add(f, g.X, g.Y, k)
	}
	fn.Recalled = len(own.Y) / len(f.Y)
	left := rowsIn(f, fn.ContextX, fn.ContextY)
	for k := range len(fn.ContextY) / len(f.Y) {
		key := rowKey(f, fn.ContextX, fn.ContextY, k)
		if left[key] > given[key] { // a row of the data
			left[key]--
			continue
		}
		own.add(f, fn.ContextX, fn.ContextY, k)
	}
	fn.ContextX, fn.ContextY = own.X, own.Y
	return fn
}

// count counts a function that has targets.
func (r *recall) count(fn predict.Function) {
	switch {
	case len(fn.TargetX) == 0:
	case fn.Recalled > 0:
		r.names, r.rows = append(r.names, fn.Name), r.rows+fn.Recalled
	case len(fn.ContextX) > 0:
		r.context++
	default:
		r.nothing++
	}
}

// note adds lines about what was found, if any of the groups is one of the data. Without groups all rows are always
// known.
func (r *recall) note(f Fitted, w *warning.Record) {
	if r.rows > 0 && f.Group != "" {
		w.Add("known points: of %s (%s) the %s of the fit's data, beside those of the context; of %d those of the context alone; of %d none",
			invalid.Plural(len(r.names), "group", "groups"), invalid.First(r.names), invalid.Plural(r.rows, "row", "rows"), r.context, r.nothing)
	}
	if r.twice > 0 {
		w.Add("of the context, %s in the fit's data too, and counted once", invalid.Plural(r.twice, "known point is", "known points are"))
	}
	if r.scored > 0 {
		w.Add("%s of the fit's data and known: these scores say nothing of new rows; --as-new forgets them", invalid.Plural(r.scored, "target is a row", "targets are rows"))
	}
}

// rowsIn counts rows of x and y by rowKey; none if there is no y.
func rowsIn(f Fitted, x, y []float64) map[string]int {
	count := map[string]int{}
	for k := range len(y) / len(f.Y) {
		count[rowKey(f, x, y, k)]++
	}
	return count
}

// rowKey returns a text that is the same for equal rows.
func rowKey(f Fitted, x, y []float64, k int) string {
	var b strings.Builder
	for _, v := range slices.Concat(x[k*len(f.X):][:len(f.X)], y[k*len(f.Y):][:len(f.Y)]) {
		b.WriteString(strconv.FormatFloat(v, 'g', -1, 64))
		b.WriteByte(' ')
	}
	return b.String()
}

// numbers are numbers that JSON writes as null where they are missing.
type numbers []float64

// MarshalJSON writes null for NaN.
func (n numbers) MarshalJSON() ([]byte, error) {
	b := []byte{'['}
	for i, v := range n {
		if i > 0 {
			b = append(b, ',')
		}
		if math.IsNaN(v) {
			b = append(b, "null"...)
		} else {
			b = strconv.AppendFloat(b, v, 'g', -1, 64)
		}
	}
	return append(b, ']'), nil
}

// UnmarshalJSON reads what MarshalJSON writes.
func (n *numbers) UnmarshalJSON(content []byte) error {
	var all []*float64
	if err := json.Unmarshal(content, &all); err != nil {
		return err
	}
	for _, v := range all {
		if v == nil {
			*n = append(*n, math.NaN())
		} else {
			*n = append(*n, *v)
		}
	}
	return nil
}
