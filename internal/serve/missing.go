package serve

import (
	"math"
	"slices"

	"github.com/acqnp/acqnp/internal/datasets/rows"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/invalid/warning"
	"github.com/acqnp/acqnp/internal/points"
)

// A missingY counts the known points of a request that lack a y. A point is used for the columns of y that it has, as the
// rows of a file are, and left out if it has none.
type missingY struct {
	names        []string // of the columns of y
	points, left int
	partial      []int // by column of y: points that are used without it
}

func newMissingY(names []string) *missingY {
	return &missingY{names: names, partial: make([]int, len(names))}
}

// outcomeOrGap returns what outcome returns, and NaN for null.
func outcomeOrGap(c int, value cell, f rows.Form) (v float64, expected string) {
	if string(value) == "null" {
		return math.NaN(), ""
	}
	return outcome(c, value, f)
}

// leaveOut returns the points that have a y.
func (m *missingY) leaveOut(all points.Points) points.Points {
	m.points += all.Len()
	if !slices.ContainsFunc(all.Y, math.IsNaN) {
		return all
	}
	var some []int
	for i := range all.Len() {
		own := all.RowY(i)
		if !slices.ContainsFunc(own, func(v float64) bool { return !math.IsNaN(v) }) {
			m.left++
			continue
		}
		for c, v := range own {
			if math.IsNaN(v) {
				m.partial[c]++
			}
		}
		some = append(some, i)
	}
	return all.Take(some)
}

// warn adds lines about what is missing, and about limits among the known points.
func (m *missingY) warn(questions []points.Question, w *warning.Record) {
	all := make([]points.Points, len(questions))
	for i, q := range questions {
		all[i] = q.Known
	}
	for c, name := range m.names {
		rows.WarnOfLimits("known points", name, all, c, w)
	}
	if m.left > 0 {
		w.Add("left out %d of %s, without a value of y", m.left, invalid.Plural(m.points, "known point", "known points"))
	}
	for c, n := range m.partial {
		if n > 0 {
			w.Add("%s without a value of %s, used for the other columns of y", invalid.Plural(n, "known point", "known points"), m.names[c])
		}
	}
}
