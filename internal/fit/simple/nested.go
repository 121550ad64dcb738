package simple

import "gonum.org/v1/gonum/mat"

// mostOfOuter bounds the points of other groups in a context.
const mostOfOuter = 100

// Own returns the points of a context that are of the group itself.
func (g Group) Own() Group {
	if g.Of == nil {
		return g
	}
	var own []int
	for i, of := range g.Of {
		if of == 0 {
			own = append(own, i)
		}
	}
	g = g.Pick(own)
	g.Of = nil
	return g
}

// Beside returns the group with points of other groups in the same outer one, at most 100, evenly spread over all.
func (g Group) Beside(others []Group) Group {
	all := Group{DX: g.DX}
	for k, other := range others {
		all.X, all.Y = append(all.X, other.X...), append(all.Y, other.Y...)
		for range other.Y {
			all.Of = append(all.Of, k+1)
		}
	}
	if all.Points() == 0 {
		return g
	}
	all = Thin(all, mostOfOuter)
	both := Group{DX: g.DX, Outer: g.Outer, Of: make([]int, g.Points(), g.Points()+all.Points())}
	both.X, both.Y = append(append(both.X, g.X...), all.X...), append(append(both.Y, g.Y...), all.Y...)
	both.Of = append(both.Of, all.Of...)
	return both
}

// An outerField is a field of groups in groups: the functions of two groups in the same outer one go together.
type outerField interface {
	field
	across(a, b []float64) *mat.Dense // covariances of points a of one group with b of another one in the same outer group
}

// covariancesOf returns the covariances of points a with points b, which are of the groups ofA and ofB; nil: all of one.
func covariancesOf(f field, a []float64, ofA []int, b []float64, ofB []int) *mat.Dense {
	own := f.covariances(a, b)
	outer, is := f.(outerField)
	if ofA == nil || !is {
		return own
	}
	across := outer.across(a, b)
	n, m := own.Dims()
	for i := range n {
		for j := range m {
			to := 0 // a target is of the group itself
			if ofB != nil {
				to = ofB[j]
			}
			if ofA[i] != to {
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
func outerGroups[G interface{ outer() string }](groups []G) (all [][]int) {
	at, several := map[string]int{}, false
	for i, g := range groups {
		name := g.outer()
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

func (g Group) outer() string { return g.Outer }
