package fit

import (
	"math"
	"slices"

	"github.com/acqnp/acqnp/internal/fit/file"
	"github.com/acqnp/acqnp/internal/likelihood"
)

// Bounds of the rows of a copula. Spans of known points with fewer share one, unless none has as many.
const (
	leastTogether = 20
	mostTogether  = 1000
)

// joinColumns sets how several columns of y vary together. It adds a line if no row says so.
func (f *fitting) joinColumns() {
	if len(f.Y) < 2 {
		return
	}
	spans := f.askedTogether()
	if len(spans) == 0 {
		f.o.Warnings.Add("draws take the columns of y as independent, since no row has all of them")
		return
	}
	enough := leastTogether
	if most := slices.MaxFunc(spans, func(a, b askedSpan) int { return a.rows() - b.rows() }); most.rows() < enough {
		enough = most.rows()
	}
	var merged []askedSpan
	for _, s := range spans {
		if last := len(merged) - 1; last >= 0 && (s.rows() < enough || merged[last].rows() < enough) {
			merged[last].shares, merged[last].levels = append(merged[last].shares, s.shares...), append(merged[last].levels, s.levels...)
		} else {
			merged = append(merged, s)
		}
	}
	orders := f.orders()
	for _, s := range merged {
		f.Together = append(f.Together, file.Together{From: s.from, Copula: likelihood.CopulaOf(s.drawn(len(f.Y)), len(f.Y), orders)})
	}
}

// An askedSpan is the rows that models of every y were asked for with numbers of known points of a span.
type askedSpan struct {
	from   int
	shares []float64
	levels []float64 // [rows, columns of y]
}

func (s askedSpan) rows() int { return len(s.shares) }

// askedTogether returns the spans in order.
func (f *fitting) askedTogether() (spans []askedSpan) {
	type question struct{ row, from int }
	levels := map[question][]float64{}
	for c, s := range f.Stacks {
		for _, a := range s.Asked {
			if q := (question{a.Row, a.From}); len(levels[q]) == c {
				levels[q] = append(levels[q], a.PIT)
			}
		}
	}
	for _, a := range f.Stacks[0].Asked {
		q := question{a.Row, a.From}
		if len(levels[q]) < len(f.Y) {
			continue
		}
		at, found := slices.BinarySearchFunc(spans, a.From, func(s askedSpan, from int) int { return s.from - from })
		if !found {
			spans = slices.Insert(spans, at, askedSpan{from: a.From})
		}
		spans[at].shares, spans[at].levels = append(spans[at].shares, a.Share), append(spans[at].levels, levels[q]...)
		delete(levels, q) // a row that is asked for again
	}
	return spans
}

// drawn returns the levels of at most mostTogether rows, drawn evenly over the sum of the shares.
func (s askedSpan) drawn(columns int) (levels []float64) {
	all := 0.0
	for _, share := range s.shares {
		all += share
	}
	n, sum := float64(min(s.rows(), mostTogether)), 0.0
	for i, share := range s.shares {
		before := math.Floor(sum + 0.5)
		sum += share / all * n
		for range int(math.Floor(sum+0.5) - before) {
			levels = append(levels, s.levels[i*columns:][:columns]...)
		}
	}
	return levels
}

// orders returns the pairs of columns of y of which the first is never above the second, of the rows that have all.
// Columns that are equal have no order.
func (f *fitting) orders() (all [][2]int) {
	above := make([]bool, len(f.Y)*len(f.Y)) // whether the first is above the second somewhere
	for _, g := range f.groups {
		p := g.Seen()
		for k := range p.Len() {
			row := p.RowY(k)
			if slices.ContainsFunc(row, math.IsNaN) {
				continue
			}
			for i := range row {
				for j := range row {
					above[i*len(f.Y)+j] = above[i*len(f.Y)+j] || row[i] > row[j]
				}
			}
		}
	}
	for i := range f.Y {
		for j := range f.Y {
			if !above[i*len(f.Y)+j] && above[j*len(f.Y)+i] {
				all = append(all, [2]int{i, j})
			}
		}
	}
	return all
}
