package prior

import (
	"math"
	"slices"
	"testing"
)

// crossed returns a sketch of 40 groups of 10 rows with columns of normal numbers that vary, the first
// in rising order.
func crossed(step, columns int) *sketch {
	s := &sketch{Dice: throw(step), y: make([]float64, 400), groups: slices.Repeat([]int{10}, 40), varying: columns}
	for j := range columns {
		z := make([]float64, 400)
		for r := range z {
			z[r] = s.Normal()
		}
		if j == 0 {
			s.each(func(from, to int) { slices.Sort(z[from:to]) })
		}
		standardise(z)
		s.columns = append(s.columns, column{shown: z, z: z})
	}
	return s
}

// The main component has mean 0 and the deviation that was asked for where groups have no parameters of
// their own, and follows its curve.
func TestMainComponent(t *testing.T) {
	for i := range 200 {
		s := crossed(i, 1)
		s.columns[0].smooth = true
		s.plan[shape] = i%2 == 0
		s.main = s.newComponent(s.columns[0], -1.5)
		s.main.growing = false
		s.addMain(false)
		mean, deviation := moments(s.y)
		if math.Abs(mean) > 1e-9 || math.Abs(deviation-1.5) > 1e-9 {
			t.Errorf("curve %d: mean %g, deviation %g; want 0, 1.5", i, mean, deviation)
		}
		curve := make([]float64, len(s.y))
		for r, u := range s.main.u {
			curve[r] = s.main.f(u)
		}
		if r := correlation(curve, s.y); math.Abs(r+1) > 1e-9 {
			t.Errorf("curve %d: correlation %g with the component, want -1", i, r)
		}
	}
}

// Groups go through growth at sizes of their own: what is proportional to a curve of growth in one group
// is so in all, by other factors.
func TestGrowthOfGroups(t *testing.T) {
	differ := 0
	const sets = 100
	for i := range sets {
		s := crossed(i, 1)
		s.main = component{f: rise(s.Dice), growing: true, u: s.columns[0].unit(), weight: 1, deviation: 1}
		s.addMain(true)
		var ends []float64
		s.each(func(from, to int) {
			if !slices.IsSorted(s.y[from:to]) || s.y[from] < 0 {
				t.Fatalf("set %d: growth is no longer one", i)
			}
			ends = append(ends, s.y[to-1])
		})
		if slices.Max(ends) > 1.1*slices.Min(ends) {
			differ++
		}
	}
	if differ < 90 {
		t.Errorf("groups end at other sizes in %d of %d sets", differ, sets)
	}
}

// A column adds what its weight says.
func TestColumnsAdd(t *testing.T) {
	s := crossed(1, 2)
	s.add(s.columns[1], 0.7)
	s.add(s.columns[0], 0)
	for r, y := range s.y {
		if math.Abs(y-0.7*s.columns[1].z[r]) > 1e-12 {
			t.Fatalf("row %d: %g, want %g", r, y, 0.7*s.columns[1].z[r])
		}
	}
}

// Columns that act together do so as a product, along a direction, or as a tree.
func TestTogether(t *testing.T) {
	products, curves, trees, deep := 0, 0, 0, 0
	const sets = 300
	for i := range sets {
		s := crossed(i, 2)
		s.plan[joint] = true
		s.together(1)
		product := make([]float64, len(s.y))
		for r := range product {
			product[r] = s.columns[0].z[r] * s.columns[1].z[r]
		}
		leaves := len(slices.Compact(slices.Sorted(slices.Values(s.y))))
		switch {
		case math.Abs(correlation(product, s.y)) > 1-1e-9:
			products++
		case leaves <= 8:
			trees++
			if leaves > 4 {
				deep++
			}
		default:
			curves++
		}
		if _, d := moments(s.y); leaves > 1 && (d == 0 || d > 4.5) {
			t.Errorf("set %d: deviation %g", i, d)
		}
	}
	for what, n := range map[string]int{"products": products, "curves": curves, "trees": trees} {
		if n < sets/6 { // 3, 2 and 2 of 7, less four standard errors
			t.Errorf("%d of %d are %s", n, sets, what)
		}
	}
	if deep < trees/10 {
		t.Errorf("%d of %d trees have more than four leaves", deep, trees)
	}
}

// Curves of the groups differ between groups and are correlated within them; some start at 0 together.
func TestPaths(t *testing.T) {
	along, started, smoothOnes := 0.0, 0, 0
	const sets = 200
	for i := range sets {
		s := crossed(i, 1)
		s.paths()
		var first, second, starts []float64
		jumps, all := 0.0, 0.0
		s.each(func(from, to int) {
			starts = append(starts, math.Abs(s.y[from]))
			for r := from; r < to-1; r++ {
				first, second = append(first, s.y[r]), append(second, s.y[r+1])
				jumps += (s.y[r+1] - s.y[r]) * (s.y[r+1] - s.y[r])
				all += s.y[r] * s.y[r]
			}
		})
		along += correlation(first, second) / sets
		if all == 0 {
			t.Fatalf("set %d has no curves", i)
		}
		if slices.Max(starts) == 0 {
			started++
		}
		if jumps < 0.5*all {
			smoothOnes++
		}
	}
	// 0.4·0.4 of the sets start at 0, four standard errors 0.1. Lengths go from short to long, so at least a
	// quarter of the sets change little from row to row.
	if along < 0.4 || started < sets*6/100 || started > sets*26/100 || smoothOnes < sets/4 {
		t.Errorf("correlation %.2f along x; of %d sets, %d start at 0 and %d are smooth", along, sets, started, smoothOnes)
	}
}

// Half of the units turn the sign.
func TestUnitsTurn(t *testing.T) {
	s := &sketch{Dice: throw(1)}
	negative := 0
	const units = 1000
	for range units {
		if _, scale := s.unit(); scale < 0 {
			negative++
		}
	}
	if math.Abs(float64(negative)/units-0.5) > 4*math.Sqrt(0.25/units) {
		t.Errorf("%d of %d scales are negative", negative, units)
	}
}
