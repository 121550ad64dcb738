package simple

import (
	"gonum.org/v1/gonum/mat"

	"github.com/acqnp/acqnp/internal/points"
)

// MostOfOuter bounds the points of siblings in a context.
const MostOfOuter = 100

// covariancesOf returns the covariances of points a with points b, which may be of several groups.
func covariancesOf(f field, a, b points.Points) *mat.Dense {
	own := f.covariances(a, b)
	if a.Sibling == nil {
		return own
	}
	across := f.across(a, b)
	n, m := own.Dims()
	for i := range n {
		for j := range m {
			to := 0 // a target is of the group itself
			if b.Sibling != nil {
				to = b.Sibling[j]
			}
			if a.Sibling[i] != to {
				own.Set(i, j, across.At(i, j))
			}
		}
	}
	return own
}

// factorsOf returns the factor of the noise of each point: that of the group for its own, and 1 for those of others.
func factorsOf(factor float64, of []int, n int) []float64 {
	all := make([]float64, n)
	for i := range all {
		if all[i] = factor; of != nil && of[i] != 0 {
			all[i] = 1
		}
	}
	return all
}

// outerGroups returns the indices of the groups of each outer group, nil unless there are two outer groups and one of
// them has several.
func outerGroups(groups []points.Group) (all [][]int) {
	at, several := map[string]int{}, false
	for i, g := range groups {
		name := g.Outer
		if name == "" {
			return nil
		}
		k, known := at[name]
		if !known {
			k, at[name] = len(all), len(all)
			all = append(all, nil)
		}
		all[k] = append(all[k], i)
		several = several || known
	}
	if !several || len(all) < 2 {
		return nil
	}
	return all
}
