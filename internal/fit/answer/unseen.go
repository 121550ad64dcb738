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
		for names := range slices.Chunk(f.readings(r.columns, max(q.CodeWays, 1)), together) {
			e := stack.Reading{Question: points.Question{Known: f.read(q.Known, names[0], q.CodeWays)}, Ways: len(names)}
			for _, p := range q.Siblings {
				e.Siblings = append(e.Siblings, f.read(p, names[0], q.CodeWays))
			}
			for _, way := range names {
				e.Targets.Append(f.read(r.targets, way, q.CodeWays))
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
			in[c] = in[c] || f.isUnseen(c, v)
		}
	}
	return in
}

// isUnseen reports whether a number of column c of x is a name that the data lack.
func (f Predictor) isUnseen(c int, v float64) bool {
	names := f.XForms[c].Categories
	return names != nil && v >= float64(len(names))
}

// readings returns the known name of each column that its first unseen name is read as, for each reading: all
// combinations, or a sample if they are many. Of crossed names it is one of their ways, see newCodes.
func (f Predictor) readings(columns []bool, ways int) (all [][]int) {
	number := f.combinations(columns)
	g := random.New(0, random.Evaluation)
	crossed := f.CrossedAt()
	for i := range f.waysOf(columns, ways) {
		names, rest := make([]int, len(columns)), i
		for rank, c := range f.Order {
			if n := len(f.XForms[c].Categories); columns[c] && c == crossed {
				names[c] = i % ways
			} else if columns[c] && number > mostReadings {
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
		if is && !f.XForms[c].Crossed && number <= mostReadings {
			number *= len(f.XForms[c].Categories)
		}
	}
	return number
}

// waysOf returns in how many ways the columns are read, of which crossed names have so many.
func (f Predictor) waysOf(columns []bool, ways int) int {
	n := min(f.combinations(columns), mostReadings)
	if c := f.CrossedAt(); c >= 0 && columns[c] {
		n = max(n, ways)
	}
	return n
}

// readingsOf returns in how many ways a question is read.
func (f Predictor) readingsOf(q points.Question) int {
	q = f.named(q)
	return f.waysOf(f.unseenIn(append(known(q), q.Targets)...), codeWays)
}

// known returns the known points of a group, and those of each sibling.
func known(q points.Question) []points.Points { return append([]points.Points{q.Known}, q.Siblings...) }

// read returns points with their unseen names read as known ones. Different names are read as different ones. A crossed name
// gets the number of its code: each has so many ways.
func (f Predictor) read(p points.Points, names []int, ways int) points.Points {
	known := slices.Clone(p.X)
	for i, v := range p.X {
		c := i % len(f.X)
		if n := len(f.XForms[c].Categories); f.isUnseen(c, v) && f.XForms[c].Crossed {
			known[i] = float64(n + (int(v)-n)*max(ways, 1) + names[c])
		} else if f.isUnseen(c, v) {
			known[i] = float64((names[c] + int(v) - n) % n)
		}
	}
	p.X = known
	return p
}
