// Package simple has the statistical models that need no network: they are fitted in seconds, and few
// data are enough for them. Each learns from the points of many groups, and predicts the
// distribution of y at any x of a new group from a context, the known points of that group.
//
// A [Model] returns mixtures of Gaussians, in the units of the data.
package simple

import (
	"errors"
	"math"

	"github.com/acqnp/acqnp/internal/likelihood"
)

// A Group is the known points of a group.
type Group struct {
	X  []float64 // [n, DX]
	Y  []float64 // [n]
	DX int       // columns of x, at least one
}

// Points returns n.
func (g Group) Points() int { return len(g.Y) }

// row returns x of point i, [DX].
func (g Group) row(i int) []float64 { return g.X[i*g.DX:][:g.DX] }

// A Model predicts the y of new groups.
type Model interface {
	// Given returns the distribution of y at each row of x [m, DX] in a group with this context,
	// which may be empty. The distributions are those of single points, not of all together.
	Given(context Group, x []float64) []likelihood.GaussianMixture
	// Columns returns DX.
	Columns() int
	// Check returns an error unless the numbers make a model, as those of a damaged file may not.
	Check() error
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

// A scaling standardises a column: (v − centre)/width.
type scaling struct {
	Centre float64 `json:"centre"`
	Width  float64 `json:"width"`
}

func (s scaling) of(v float64) float64   { return (v - s.Centre) / s.Width }
func (s scaling) back(z float64) float64 { return s.Centre + s.Width*z }

// scalingOf returns the scaling to mean 0 and deviation 1. A column without a width keeps its units.
func scalingOf(values func(yield func(float64) bool)) scaling {
	n, sum := 0.0, 0.0
	for v := range values {
		n, sum = n+1, sum+v
	}
	if n == 0 {
		return scaling{0, 1}
	}
	mean, squares := sum/n, 0.0
	for v := range values {
		squares += (v - mean) * (v - mean)
	}
	if width := math.Sqrt(squares / n); width > 0 && !math.IsInf(width, 0) {
		return scaling{mean, width}
	}
	return scaling{mean, 1}
}

// units are the scalings of the columns of x and of y.
type units struct {
	X []scaling `json:"x"` // [DX]
	Y scaling   `json:"y"`
}

// check returns an error unless all widths are above 0.
func (u units) check() error {
	for _, s := range append([]scaling{u.Y}, u.X...) {
		if !(s.Width > 0) || sound(lengthOf{[]float64{s.Centre, s.Width}, 2}) != nil {
			return errDamaged
		}
	}
	if len(u.X) == 0 {
		return errDamaged
	}
	return nil
}

// unitsOf returns the units in which all points of the groups have mean 0 and deviation 1.
func unitsOf(groups []Group) units {
	u := units{X: make([]scaling, groups[0].DX)}
	for c := range u.X {
		u.X[c] = scalingOf(func(yield func(float64) bool) {
			for _, g := range groups {
				for i := range g.Points() {
					if !yield(g.row(i)[c]) {
						return
					}
				}
			}
		})
	}
	u.Y = scalingOf(func(yield func(float64) bool) {
		for _, g := range groups {
			for _, v := range g.Y {
				if !yield(v) {
					return
				}
			}
		}
	})
	return u
}

// points returns x [n, DX] standardised.
func (u units) points(x []float64) []float64 {
	z, dx := make([]float64, len(x)), len(u.X)
	for i, v := range x {
		z[i] = u.X[i%dx].of(v)
	}
	return z
}

// group returns a group standardised.
func (u units) group(g Group) Group {
	z := Group{X: u.points(g.X), Y: make([]float64, len(g.Y)), DX: g.DX}
	for i, v := range g.Y {
		z.Y[i] = u.Y.of(v)
	}
	return z
}

// normal returns a Gaussian of standardised y, in the units of the data.
func (u units) normal(mean, deviation float64) likelihood.Gaussian {
	return likelihood.Gaussian{Mean: u.Y.back(mean), Scale: u.Y.Width * deviation}
}
