package answer

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/acqnp/acqnp/internal/fit/file"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/invalid/warning"
	"github.com/acqnp/acqnp/internal/points"
)

// warnOfMissing adds a line about the missing cells of x: what stands in for them, and which columns the data have in
// every row, so that models do not know what it means if they are missing.
func (f Predictor) warnOfMissing(questions []points.Question, w *warning.Record) {
	all := points.Points{DX: len(f.X)}
	for _, q := range questions {
		all.X = append(append(all.X, q.Known.X...), q.Targets.X...)
	}
	var filled, new, names []string
	for c, n := range file.MissingIn(all) {
		switch text := fmt.Sprintf("%d of %s", n, f.X[c]); {
		case n == 0:
		case f.Missing[c] > 0:
			filled = append(filled, text)
		case f.XForms[c].Categories != nil:
			names = append(names, text)
		default:
			new = append(new, text)
		}
	}
	for _, line := range []struct {
		columns []string
		what    string
	}{{filled, "each gets the median of its group's known cells, or of the data, as in the data"},
		{new, "each gets the median of its group's known cells, or of the data; the data have none missing, so predictions are too certain"},
		{names, "each is read as the group's most frequent name or, without one, may be any name of the data"}} {
		if line.columns != nil {
			w.Add("missing cells in %s: %s; %s", invalid.Plural(all.Len(), "known point and target", "known points and targets"), strings.Join(line.columns, ", "), line.what)
		}
	}
}

// anyName is added to the number of known names for a name that is missing, and may be any of them.
const anyName = 1 << 20

// named returns a question with a name for each missing one of a column that the data have in every row: the most
// frequent of the group's known points or, if these miss it too, one that the data lack.
func (f Predictor) named(q points.Question) points.Question {
	q.Known, q.Targets, q.Siblings = f.namedBy(q.Known, q.Known), f.namedBy(q.Known, q.Targets), slices.Clone(q.Siblings)
	for i, p := range q.Siblings {
		q.Siblings[i] = f.namedBy(p, p)
	}
	return q
}

// namedBy returns points with names by the known points of their group.
func (f Predictor) namedBy(known, p points.Points) points.Points {
	raw := p.X
	for i, v := range raw {
		c := i % len(f.X)
		if names := len(f.XForms[c].Categories); names == 0 || f.Missing[c] > 0 || !math.IsNaN(v) {
			continue
		} else if v = mostFrequent(known, c); math.IsNaN(v) {
			v = float64(names + anyName)
		}
		if &p.X[0] == &raw[0] {
			p.X = slices.Clone(raw)
		}
		p.X[i] = v
	}
	return p
}

// mostFrequent returns the most frequent number of column c of x, the first of several, and NaN for none.
func mostFrequent(p points.Points, c int) float64 {
	count, best := map[float64]int{}, math.NaN()
	for _, v := range p.Column(c) {
		if !math.IsNaN(v) {
			if count[v]++; count[v] > count[best] { // of NaN 0
				best = v
			}
		}
	}
	return best
}
