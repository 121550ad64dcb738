package simple

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// fewGroups is the largest number of groups of which a mixed model takes the deviations as uncertain, and spreads how
// many factors stand for them.
const (
	fewGroups = 20
	spreads   = 5
)

// spreadOf returns the factors of the deviations of a number of groups, as if these were known from that many
// independent normal ones: √(ν/χ²) with ν = groups − 1 degrees of freedom, at evenly spaced probabilities. Predictions
// are then nearly Student's t, as those from a few observations are. Factors are nil if groups are many.
func spreadOf(groups int) (factors []float64) {
	if groups < 2 || groups > fewGroups {
		return nil
	}
	square := distuv.ChiSquared{K: float64(groups - 1)}
	for i := range spreads {
		factors = append(factors, math.Sqrt(square.K/square.Quantile((float64(i)+0.5)/spreads)))
	}
	return factors
}

// fields returns the model with each of its factors of the deviations of groups and of outer groups.
func (m *Mixed) fields() (all []field) {
	p, q := m.Model.Form.count()
	for _, inner := range orOne(m.Spread) {
		for _, outer := range orOne(m.OuterSpread) {
			one := *m
			one.Model.Factor, one.Model.Outer = slices.Clone(m.Model.Factor), slices.Clone(m.Model.Outer)
			for i := range q {
				for j := range i + 1 {
					one.Model.Factor[i*(p+q)+j] *= inner
				}
			}
			for i := range one.Model.Outer {
				one.Model.Outer[i] *= outer
			}
			all = append(all, &one)
		}
	}
	return all
}

func orOne(factors []float64) []float64 {
	if factors == nil {
		return []float64{1}
	}
	return factors
}

// checkSpread returns errDamaged unless the factors are those of groups.
func checkSpread(factors []float64) error {
	for _, v := range factors {
		if !(v > 0) || math.IsInf(v, 0) || len(factors) > spreads {
			return errDamaged
		}
	}
	return nil
}
