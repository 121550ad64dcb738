// Package simple has the statistical models of a fit: they are fitted in seconds, and few data are enough
// for them. Each learns from the points of many groups, and predicts the
// distribution of y at any x of a new group from a context, the known points of that group.
//
// A [Model] returns mixtures of Gaussians, in the units of the data.
package simple

import (
	"errors"
	"math"

	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/points"
)

// A Model predicts the y of new groups.
type Model interface {
	// Given returns the distribution of y at the x of each target in a group with this context,
	// which may be empty. The distributions are those of single points, not of all together.
	Given(context, targets points.Points) []likelihood.GaussianMixture
	// Columns returns DX.
	Columns() int
	// Check returns an error unless the numbers make a model, as those of a damaged file may not.
	Check() error
	// Work returns about how much work Given takes beside the factors of matrices of all known points, in evaluations of
	// a component of a distribution, some tens of nanoseconds.
	Work(known, targets int) float64
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
