// Package simple has the statistical models of a fit: they are fitted in seconds, and few data are enough
// for them. Each learns from the points of many groups, and predicts the
// distribution of y at any x of a new group from a context, the known points of that group.
//
// A [Model] returns mixtures of Gaussians, in the units of the data.
package simple

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"github.com/acqnp/acqnp/internal/likelihood"
)

// A Group is the known points of a group.
type Group struct {
	X  []float64 // [n, DX]
	Y  []float64 // [n]
	DX int       // columns of x, at least one

	// Times is how often each point counts, a row weight; nil for once. Models are fitted to such groups; the points of a
	// context count once.
	Times []float64 // [n]
	// Of groups that a stack is fitted to: Factor is that of Y from the units that models see to those of the data;
	// nil for 1.
	Factor []float64 // [n]
	Rows   []int     // [n]: the numbers of the points among all of the data; nil if they do not matter

	// Beyond is by how much each point is beyond a bound, with its sign: the outcome is the bound, and all that is known of
	// the number behind it is the side. Y is a guess. 0 for a point whose Y is seen; nil if all are.
	Beyond []float64 // [n]

	Outer string // the outer group that this one is in; "" without groups in groups
	Of    []int  // [n], of a context: 0 for a point of the group itself, another number for each other group in Outer; nil: all are its own
}

// Points returns n.
func (g Group) Points() int { return len(g.Y) }

// times returns how often point i counts.
func (g Group) times(i int) float64 {
	if g.Times == nil {
		return 1
	}
	return g.Times[i]
}

// side returns the side of a bound on which point i is, 0 if it is seen.
func (g Group) side(i int) float64 {
	if g.Beyond == nil || g.Beyond[i] == 0 {
		return 0
	}
	return math.Copysign(1, g.Beyond[i])
}

// row returns x of point i, [DX].
func (g Group) row(i int) []float64 { return g.X[i*g.DX:][:g.DX] }

// Pick returns some points of the group, in the order given.
func (g Group) Pick(points []int) Group {
	picked := Group{Y: pick(g.Y, points), DX: g.DX}
	if g.Times != nil {
		picked.Times = pick(g.Times, points)
	}
	if g.Factor != nil {
		picked.Factor = pick(g.Factor, points)
	}
	if g.Beyond != nil {
		picked.Beyond = pick(g.Beyond, points)
	}
	if g.Rows != nil {
		picked.Rows = pick(g.Rows, points)
	}
	for _, i := range points {
		picked.X = append(picked.X, g.row(i)...)
	}
	if picked.Outer = g.Outer; g.Of != nil {
		picked.Of = pick(g.Of, points)
	}
	return picked
}

// Thin returns a group of at most n points, evenly spread over all in the order of their x and y, so that it does not
// depend on the order in which they come.
func Thin(g Group, n int) Group {
	if g.Points() <= n {
		return g
	}
	return g.Pick(pick(g.order(), spread(g.Points(), n)))
}

// Ordered returns the group with its points in the order of their x and y.
func (g Group) Ordered() Group { return g.Pick(g.order()) }

// order returns the places of the points in the order of their x and y.
func (g Group) order() []int {
	places := make([]int, g.Points())
	for i := range places {
		places[i] = i
	}
	slices.SortStableFunc(places, func(a, b int) int {
		return cmp.Or(slices.Compare(g.X[a*g.DX:][:g.DX], g.X[b*g.DX:][:g.DX]), cmp.Compare(g.Y[a], g.Y[b]))
	})
	return places
}

// spread returns at most most of n places, evenly spread.
func spread(n, most int) []int {
	places := make([]int, min(n, most))
	for k := range places {
		places[k] = k * n / len(places)
	}
	return places
}

// pick returns the values at some places.
func pick[T any](all []T, places []int) []T {
	some := make([]T, len(places))
	for i, at := range places {
		some[i] = all[at]
	}
	return some
}

// A Model predicts the y of new groups.
type Model interface {
	// Given returns the distribution of y at each row of x [m, DX] in a group with this context,
	// which may be empty. The distributions are those of single points, not of all together.
	Given(context Group, x []float64) []likelihood.GaussianMixture
	// Columns returns DX.
	Columns() int
	// Check returns an error unless the numbers make a model, as those of a damaged file may not.
	Check() error
	// SeesOuter reports whether the model learns of a group from points of others in the same outer one.
	SeesOuter() bool
	// AddFarTails adds the far tails of Student's t with 2 degrees of freedom to all that a model of y predicts:
	// parts of 10, 1,000, … 10⁹ deviations. The weights are 0.0001 in all, and such that each part adds a
	// hundredth to the variance. A value that no model foresees then has a log density of −20 to −70, and not
	// of about minus its square. So it does not decide the weights of a mixture alone. AddFarTails is not for
	// models of log y: the exponentials would have no useful mean.
	AddFarTails()
}

// errDamaged is the error of numbers that do not make a model.
var errDamaged = errors.New("numbers that do not make a model")

// sound returns errDamaged unless lists have their lengths and all numbers are finite.
func sound(lists ...lengthOf) error {
	for _, l := range lists {
		if len(l.list) != l.n {
			return errDamaged
		}
		for _, v := range l.list {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return errDamaged
			}
		}
	}
	return nil
}

// A lengthOf is a list and how many numbers it must have.
type lengthOf struct {
	list []float64
	n    int
}
