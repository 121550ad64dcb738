// Package points has the points (x, y) of groups, and the questions that are asked about them.
package points

import (
	"cmp"
	"math"
	"slices"
)

// Points are points (x, y), row by row. The zero value has none.
type Points struct {
	X      []float64 // [n, DX]
	Y      []float64 // [n, DY]; nil if no y is known, and NaN where one of several is not
	DX, DY int       // columns

	// Censored is what is known of each Y: Below, AtMost, AtLeast or Above, if y lies on that side of this number, the limit, and
	// no more is known of it; 0, y itself. nil if every Y is y itself.
	Censored []int8 // [n, DY]

	// Weights is how often each point counts, a row weight; nil for once. The points of a context count once.
	Weights []float64 // [n]
	Rows    []int     // [n]: the numbers of the points among all of a file or of the data; nil if they do not matter

	// Of what the models of a fit see: Factor is that of Y from their units to those of the data; nil for 1.
	Factor []float64 // [n]
	// Beyond is by how much each point is beyond a bound, with its sign: the outcome is the bound, and all that is known of
	// the number behind it is the side. Y is a guess. 0 for a point whose Y is seen; nil if all are.
	Beyond  []float64 // [n]
	Sibling []int     // [n], of a context: 0 for a point of the group itself, another number for each sibling; nil: all are its own
}

// What is known of a y beside its limit. Of numbers with a density, AtMost and Below are the same; of whole numbers they are
// not.
const (
	Below   int8 = -2
	AtMost  int8 = -1
	AtLeast int8 = 1
	Above   int8 = 2
)

// A Group is the points of a group.
type Group struct {
	Name  string // "" if no column has names
	Outer string // the outer group that this one is in; "" without groups in groups
	Points
}

// A Question asks for y at the targets of a group of which some points are known.
type Question struct {
	Name     string // of the group
	Known    Points
	Recalled int      // known points, the first ones, that come from the data of a fit
	Siblings []Points // known points of the other groups in its outer group, if groups are in groups
	Targets  Points   // whose y is nil if it is not known

	// Codes are what crossed names that the data of a fit lack may mean, as stack.Coding has it: of each column of y, CodeWays
	// numbers for each name, of which it is not known which holds. nil without such names.
	Codes    [][]float64
	CodeWays int
}

// KnownOfSiblings returns the number of known points of the siblings.
func (q Question) KnownOfSiblings() (n int) {
	for _, s := range q.Siblings {
		n += s.Len()
	}
	return n
}

// New returns points of x [n, dx] and y [n, dy].
func New(dx, dy int, x, y []float64) Points { return Points{X: x, Y: y, DX: dx, DY: dy} }

// Len returns n.
func (p Points) Len() int { return len(p.X) / max(p.DX, 1) }

// Row returns x of point i, [DX].
func (p Points) Row(i int) []float64 { return p.X[i*p.DX:][:p.DX] }

// RowY returns y of point i, [DY].
func (p Points) RowY(i int) []float64 { return p.Y[i*p.DY:][:p.DY] }

// Column returns a copy of column c of x, [n].
func (p Points) Column(c int) []float64 { return column(p.X, c, p.DX) }

// ColumnY returns a copy of column c of y, [n].
func (p Points) ColumnY(c int) []float64 { return column(p.Y, c, p.DY) }

// CensoredY returns a copy of column c of Censored, [n]; nil if every y of the column is known itself.
func (p Points) CensoredY(c int) []int8 {
	if sides := column(p.Censored, c, p.DY); slices.ContainsFunc(sides, func(side int8) bool { return side != 0 }) {
		return sides
	}
	return nil
}

// Limit returns the side of column c of y of point i, as Censored has it.
func (p Points) Limit(i, c int) int8 {
	if p.Censored == nil {
		return 0
	}
	return p.Censored[i*p.DY+c]
}

// Limits returns how many y of column c lie below and above a limit.
func (p Points) Limits(c int) (below, above int) {
	for _, side := range p.CensoredY(c) {
		switch {
		case side < 0:
			below++
		case side > 0:
			above++
		}
	}
	return below, above
}

// AppendY appends a y, or its limit and the side of it, to Y and Censored.
func (p *Points) AppendY(y float64, side int8) {
	if side != 0 && p.Censored == nil {
		p.Censored = make([]int8, len(p.Y))
	}
	if p.Y = append(p.Y, y); p.Censored != nil {
		p.Censored = append(p.Censored, side)
	}
}

// Seen returns the points of which every y is known itself, or missing.
func (p Points) Seen() Points {
	if p.Censored == nil {
		return p
	}
	var seen []int
	for i := range p.Len() {
		if !slices.ContainsFunc(p.Censored[i*p.DY:][:p.DY], func(side int8) bool { return side != 0 }) {
			seen = append(seen, i)
		}
	}
	p = p.Take(seen)
	p.Censored = nil
	return p
}

func column[T any](all []T, c, width int) (values []T) {
	for at := c; at < len(all); at += max(width, 1) {
		values = append(values, all[at])
	}
	return values
}

// Weight returns how often point i counts.
func (p Points) Weight(i int) float64 {
	if p.Weights == nil {
		return 1
	}
	return p.Weights[i]
}

// Side returns the side of a bound on which point i is, 0 if it is seen.
func (p Points) Side(i int) float64 {
	if p.Beyond == nil || p.Beyond[i] == 0 {
		return 0
	}
	return math.Copysign(1, p.Beyond[i])
}

// BeyondLimits returns Beyond of the censored points alone, nil if there are none.
func (p Points) BeyondLimits() (beyond []float64) {
	if p.Beyond == nil || p.CensoredY(0) == nil {
		return nil
	}
	for i, v := range p.Beyond {
		if p.Limit(i, 0) == 0 {
			v = 0
		}
		beyond = append(beyond, v)
	}
	return beyond
}

// Take returns a copy of the points at some places, in the order given.
func (p Points) Take(at []int) Points {
	return Points{X: Pick(p.X, p.DX, at), Y: Pick(p.Y, p.DY, at), DX: p.DX, DY: p.DY, Censored: Pick(p.Censored, p.DY, at), Weights: Pick(p.Weights, 1, at), Rows: Pick(p.Rows, 1, at),
		Factor: Pick(p.Factor, 1, at), Beyond: Pick(p.Beyond, 1, at), Sibling: Pick(p.Sibling, 1, at)}
}

// Cut returns points first to end−1. They share their memory with p, and appending to them leaves p as it is.
func (p Points) Cut(first, end int) Points {
	return Points{X: cut(p.X, p.DX, first, end), Y: cut(p.Y, p.DY, first, end), DX: p.DX, DY: p.DY, Censored: cut(p.Censored, p.DY, first, end), Weights: cut(p.Weights, 1, first, end),
		Rows: cut(p.Rows, 1, first, end), Factor: cut(p.Factor, 1, first, end), Beyond: cut(p.Beyond, 1, first, end), Sibling: cut(p.Sibling, 1, first, end)}
}

func cut[T any](all []T, width, first, end int) []T {
	if all == nil {
		return nil
	}
	return all[first*width : end*width : end*width]
}

// Append appends other points, which must state of each what these do. If only one of the two has Censored, every Y of the
// other is y itself.
func (p *Points) Append(others Points) {
	if p.Censored != nil || others.Censored != nil {
		if p.Censored == nil {
			p.Censored = make([]int8, len(p.Y))
		}
		if p.Censored = append(p.Censored, others.Censored...); others.Censored == nil {
			p.Censored = append(p.Censored, make([]int8, len(others.Y))...)
		}
	}
	p.DX, p.DY = cmp.Or(p.DX, others.DX), cmp.Or(p.DY, others.DY)
	p.X, p.Y, p.Weights, p.Rows = append(p.X, others.X...), append(p.Y, others.Y...), append(p.Weights, others.Weights...), append(p.Rows, others.Rows...)
	p.Factor, p.Beyond, p.Sibling = append(p.Factor, others.Factor...), append(p.Beyond, others.Beyond...), append(p.Sibling, others.Sibling...)
}

// Pick returns the rows of all [n, width] at some places; nil of nil.
func Pick[T any](all []T, width int, at []int) []T {
	if all == nil {
		return nil
	}
	some := make([]T, 0, len(at)*width)
	for _, i := range at {
		some = append(some, all[i*width:][:width]...)
	}
	return some
}

// Spread returns at most most of n places, evenly spread.
func Spread(n, most int) []int {
	at := make([]int, min(n, most))
	for k := range at {
		at[k] = k * n / len(at)
	}
	return at
}

// Thin returns at most n points, evenly spread over all in the order of their x and y, so that they do not depend on
// the order in which they come.
func (p Points) Thin(n int) Points {
	if p.Len() <= n {
		return p
	}
	return p.Take(Pick(p.Order(), 1, Spread(p.Len(), n)))
}

// Ordered returns the points in the order of their x and y.
func (p Points) Ordered() Points { return p.Take(p.Order()) }

// Order returns the places of the points in the order of their x and y.
func (p Points) Order() []int {
	at := Spread(p.Len(), p.Len())
	slices.SortStableFunc(at, func(a, b int) int {
		return cmp.Or(slices.Compare(p.Row(a), p.Row(b)), slices.Compare(p.RowY(a), p.RowY(b)))
	})
	return at
}

// OfGroup returns the points of a context that are of the group itself.
func (p Points) OfGroup() Points {
	if p.Sibling == nil {
		return p
	}
	var own []int
	for i, of := range p.Sibling {
		if of == 0 {
			own = append(own, i)
		}
	}
	p = p.Take(own)
	p.Sibling = nil
	return p
}

// WithSiblings returns the x, y and factors of the points with those of siblings, at most most of these, evenly spread over
// all.
func (p Points) WithSiblings(siblings []Points, most int) Points {
	var all Points
	for k, s := range siblings {
		s = Points{X: s.X, Y: s.Y, Censored: s.Censored, Factor: s.Factor, DX: s.DX, DY: s.DY}
		s.Sibling = slices.Repeat([]int{k + 1}, s.Len())
		all.Append(s)
	}
	if all.Len() == 0 {
		return p
	}
	both := Points{X: slices.Clone(p.X), Y: slices.Clone(p.Y), Censored: slices.Clone(p.Censored), Factor: slices.Clone(p.Factor), DX: p.DX, DY: p.DY}
	both.Sibling = make([]int, p.Len())
	both.Append(all.Thin(most))
	return both
}
