package answer

import (
	"slices"

	"github.com/acqnp/acqnp/internal/fit/stack"
	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/random"
)

// mostReadings bounds the known names, or pairs of names and so on, that unseen ones are read as.
const mostReadings = 64

// A reading is a question about some of the targets, raw, with every name that the data lack read as
// one that they have. There is one entry for each way to read the known points, with one or several ways to read the targets: a name that nothing is known of may be like
// any of the names that are known. Then it is as uncertain as these differ, and not more.
type reading struct {
	columns []bool // that have unseen names, among the known points, those of siblings or in each of the targets
	places  []int  // of the targets among all
	targets points.Points
	entries []stack.Reading // raw
}

// mostRows bounds the rows of targets of an entry with several ways.
const mostRows = 512

// alike returns the readings of a question: one for all targets that have unseen names in the same columns.
func (f Predictor) alike(q points.Question) (all []reading) {
	q = f.named(q)
	unseen := f.unseenIn(known(q)...)
	for t := range q.Targets.Len() {
		row := q.Targets.Cut(t, t+1)
		columns := f.unseenIn(row)
		for c, is := range unseen {
			columns[c] = columns[c] || is
		}
		i := slices.IndexFunc(all, func(r reading) bool { return slices.Equal(r.columns, columns) })
		if i < 0 {
			i, all = len(all), append(all, reading{columns: columns})
		}
		all[i].places = append(all[i].places, t)
		all[i].targets.Append(row)
	}
	for i := range all {
		r, together := &all[i], 1
		if !slices.Contains(unseen, true) { // all ways read the known points alike, so models condition on them once
			together = max(1, mostRows/len(all[i].places))
		}
		for names := range slices.Chunk(f.readings(r.columns), together) {
			e := stack.Reading{Question: points.Question{Known: f.read(q.Known, names[0])}, Ways: len(names)}
			for _, p := range q.Siblings {
				e.Siblings = append(e.Siblings, f.read(p, names[0]))
			}
			for _, way := range names {
				e.Targets.Append(f.read(r.targets, way))
			}
			r.entries = append(r.entries, e)
		}
	}
	return all
}

// unseenIn returns which columns of x have a name that the data lack.
func (f Predictor) unseenIn(lists ...points.Points) []bool {
	in := make([]bool, len(f.X))
	for _, p := range lists {
		for i, v := range p.X {
			c := i % len(f.X)
			names := f.XForms[c].Categories
			in[c] = in[c] || names != nil && v >= float64(len(names))
		}
	}
	return in
}

// readings returns the known name of each column that its first unseen name is read as, for each reading: all
// combinations, or a sample if they are many.
func (f Predictor) readings(columns []bool) (all [][]int) {
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
func (f Predictor) combinations(columns []bool) int {
	number := 1
	for c, is := range columns {
		if is && number <= mostReadings {
			number *= len(f.XForms[c].Categories)
		}
	}
	return number
}

// readingsOf returns in how many ways a question is read.
func (f Predictor) readingsOf(q points.Question) int {
	q = f.named(q)
	return min(f.combinations(f.unseenIn(append(known(q), q.Targets)...)), mostReadings)
}

// known returns the known points of a group, and those of each sibling.
func known(q points.Question) []points.Points { return append([]points.Points{q.Known}, q.Siblings...) }

// read returns points with their unseen names read as known ones. Different names are read as different ones.
func (f Predictor) read(p points.Points, names []int) points.Points {
	known := slices.Clone(p.X)
	for i, v := range p.X {
		c := i % len(f.X)
		if n := len(f.XForms[c].Categories); n > 0 && v >= float64(n) {
			known[i] = float64((names[c] + int(v) - n) % n)
		}
	}
	p.X = known
	return p
}
