package fit

import (
	"slices"

	"github.com/acqnp/acqnp/internal/predict"
	"github.com/acqnp/acqnp/internal/random"
)

// mostReadings bounds the known names, or pairs of names and so on, that unseen ones are read as.
const mostReadings = 64

// A reading is a function's context and some of its targets, and the points beside these, in raw x, with every name that the data lack read as
// one that they have. There is one entry for each way to read them: a name that nothing is known of may be like
// any of the names that are known. Then it is as uncertain as these differ, and not more.
type reading struct {
	columns []bool // that have unseen names, in the context, beside it or in each of the targets
	places  []int  // of the targets among all
	x       []float64
	entries []entry
}

// An entry is a way to read the known points, and one or several ways to read the targets.
type entry struct {
	context, targets []float64
	beside           [][]float64 // x of the points of each other group
	ways             int
}

// mostRows bounds the rows of targets of an entry with several ways.
const mostRows = 512

// alike returns the readings of targets x of a function: one for all that have unseen names in the same columns.
func (f Fitted) alike(fn predict.Function, x []float64) (all []reading) {
	points, x := f.knownX(fn), f.named(fn.ContextX, x)
	width, known := len(f.X), f.unseenIn(points...)
	for t := range len(x) / width {
		row := x[t*width:][:width]
		columns := f.unseenIn(row)
		for c, is := range known {
			columns[c] = columns[c] || is
		}
		i := slices.IndexFunc(all, func(r reading) bool { return slices.Equal(r.columns, columns) })
		if i < 0 {
			i, all = len(all), append(all, reading{columns: columns})
		}
		all[i].places, all[i].x = append(all[i].places, t), append(all[i].x, row...)
	}
	for i := range all {
		r, together := &all[i], 1
		if !slices.Contains(known, true) { // all ways read the known points alike, so models condition on them once
			together = max(1, mostRows/len(all[i].places))
		}
		for names := range slices.Chunk(f.readings(r.columns), together) {
			e := entry{context: f.read(points[0], names[0]), ways: len(names)}
			for _, x := range points[1:] {
				e.beside = append(e.beside, f.read(x, names[0]))
			}
			for _, way := range names {
				e.targets = append(e.targets, f.read(r.x, way)...)
			}
			r.entries = append(r.entries, e)
		}
	}
	return all
}

// unseenIn returns which columns have a name that the data lack, in rows of x.
func (f Fitted) unseenIn(lists ...[]float64) []bool {
	in := make([]bool, len(f.X))
	for _, x := range lists {
		for i, v := range x {
			c := i % len(f.X)
			names := f.XForms[c].Categories
			in[c] = in[c] || names != nil && v >= float64(len(names))
		}
	}
	return in
}

// readings returns the known name of each column that its first unseen name is read as, for each reading: all
// combinations, or a sample if they are many.
func (f Fitted) readings(columns []bool) (all [][]int) {
	number := f.combinations(columns)
	g := random.New(0, random.Evaluation)
	for i := range min(number, mostReadings) {
		names, rest := make([]int, len(columns)), i
		for rank, c := range f.Order {
			if n := len(f.XForms[c].Categories); columns[c] && number > mostReadings {
				names[c] = g.IntN(uint64(i), uint64(rank), n)
			} else if columns[c] {
				names[c], rest = rest%n, rest/n
			}
		}
		all = append(all, names)
	}
	return all
}

// combinations returns in how many ways the columns can be read, or a number above mostReadings if they are more.
func (f Fitted) combinations(columns []bool) int {
	number := 1
	for c, is := range columns {
		if is && number <= mostReadings {
			number *= len(f.XForms[c].Categories)
		}
	}
	return number
}

// Readings implements [predict.Predictor].
func (f Fitted) Readings(fn predict.Function) int {
	return min(f.combinations(f.unseenIn(append(f.knownX(fn), f.named(fn.ContextX, fn.TargetX))...)), mostReadings)
}

// knownX returns the x of the known points of a function, and of those beside them.
func (f Fitted) knownX(fn predict.Function) [][]float64 {
	all := [][]float64{f.named(fn.ContextX, fn.ContextX)}
	for _, p := range fn.Beside {
		all = append(all, f.named(p.X, p.X))
	}
	return all
}

// read returns x with its unseen names read as known ones. Different names are read as different ones.
func (f Fitted) read(x []float64, names []int) []float64 {
	known := slices.Clone(x)
	for i, v := range x {
		c := i % len(f.X)
		if n := len(f.XForms[c].Categories); n > 0 && v >= float64(n) {
			known[i] = float64((names[c] + int(v) - n) % n)
		}
	}
	return known
}
