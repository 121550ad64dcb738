package prior

import (
	"math"
	"slices"
	"testing"
)

// Gamma and Poisson numbers have their means and variances: of 20,000, bounds of 5 standard errors.
func TestGammaAndPoisson(t *testing.T) {
	const n = 20000
	for i, k := range []float64{0.5, 1, 3.7, 40} {
		s := &sketch{Dice: throw(i)}
		mean, variance := sample(n, func() float64 { return s.gamma(k) })
		if math.Abs(mean-k) > 5*math.Sqrt(k/n) || math.Abs(variance-k) > 5*math.Sqrt((2*k*k+6*k)/n) {
			t.Errorf("gamma of shape %g: mean %.3f, variance %.3f", k, mean, variance)
		}
		mean, variance = sample(n, func() float64 { return s.poisson(2 * k) })
		if r := 2 * k; math.Abs(mean-r) > 5*math.Sqrt(r/n) || math.Abs(variance-r-1.0/12) > 0.1+5*math.Sqrt((2*r*r+r)/n) {
			t.Errorf("Poisson of rate %g: mean %.3f, variance %.3f", r, mean, variance)
		}
	}
}

// Every kind of noise has mean 0 and variance 1. Of 4,000 numbers the mean has the standard error 0.016.
// The variance has one only without heavy tails, so the median over the kinds is tested.
func TestErrors(t *testing.T) {
	var variances []float64
	skewed, heavy, modes := 0, 0, 0
	const kinds = 200
	for i := range kinds {
		s := &sketch{Dice: throw(i)}
		values := make([]float64, 4000)
		draw := s.newError(true)
		mean, variance := sample(len(values), func() float64 { return draw() })
		if math.Abs(mean) > 0.1 {
			t.Errorf("noise %d has mean %.3f", i, mean)
		}
		variances = append(variances, variance)
		for k := range values {
			values[k] = draw()
		}
		standardise(values)
		third, fourth := 0.0, 0.0
		for _, v := range values {
			third += v * v * v / float64(len(values))
			fourth += v * v * v * v / float64(len(values))
		}
		switch {
		case fourth < 2.5:
			modes++
		case math.Abs(third) > 0.5:
			skewed++
		case fourth > 3.5:
			heavy++
		}
	}
	slices.Sort(variances)
	if m := variances[kinds/2]; math.Abs(m-1) > 0.05 {
		t.Errorf("the median of the variances is %.3f", m)
	}
	// Weights: 3 of 11 have heavy tails, 4 a skew, 4 two modes, of which some are skewed. Four standard
	// errors of 200 are 0.13.
	if skewed < kinds/5 || heavy < kinds/10 || modes < kinds/10 {
		t.Errorf("of %d, %d are skewed, %d heavy, %d of two modes", kinds, skewed, heavy, modes)
	}
}

// Effects of groups have mean 0 and deviation 1, and odd ones have classes, a skew or heavy tails.
func TestEffects(t *testing.T) {
	s := &sketch{Dice: throw(1)}
	draw := s.newEffect(false)
	mean, variance := sample(20000, func() float64 { v, _ := draw(); return v })
	if math.Abs(mean) > 0.035 || math.Abs(variance-1) > 0.05 { // five standard errors
		t.Errorf("normal effects: mean %.3f, variance %.3f", mean, variance)
	}
	odd := 0
	const kinds = 100
	for i := range kinds {
		s := &sketch{Dice: throw(i)}
		draw := s.newEffect(true)
		values := make([]float64, 4000)
		for k := range values {
			values[k], _ = draw()
		}
		standardise(values)
		third, fourth := 0.0, 0.0
		for _, v := range values {
			third += v * v * v / float64(len(values))
			fourth += v * v * v * v / float64(len(values))
		}
		if math.Abs(third) > 0.2 || math.Abs(fourth-3) > 0.4 { // five standard errors of a normal sample
			odd++
		}
	}
	if odd < 9*kinds/10 {
		t.Errorf("%d of %d odd effects look normal", kinds-odd, kinds)
	}
}

// Intercepts are equal within a group, and differ between groups. Slopes of the groups differ too where
// there are any.
func TestInterceptsAndSlopes(t *testing.T) {
	intercepts, slopes := 0, 0
	const sets = 300
	for i := range sets {
		s := &sketch{Dice: throw(i), y: make([]float64, 400), groups: slices.Repeat([]int{10}, 40), varying: 1}
		s.columns = []column{s.first()}
		s.effects(false)
		var between []float64
		line := true
		s.each(func(from, to int) {
			z, y := s.columns[0].z[from:to], s.y[from:to]
			mean, _ := moments(y)
			between = append(between, mean)
			if _, d := moments(z); d < 1 && d > 1e-3 {
				r := correlation(z, y)
				_, dy := moments(y)
				line = line && (dy < 1e-9 || dy == 1 || math.Abs(math.Abs(r)-1) < 1e-6)
			}
		})
		if !line {
			t.Fatalf("set %d: effects are no lines within groups", i)
		}
		if _, d := moments(between); d < 1 || slices.Max(between)-slices.Min(between) > 1e-9 {
			intercepts++
		}
		if math.Abs(s.y[0]-s.y[9]) > 1e-9 {
			slopes++
		}
	}
	if intercepts < 280 || slopes < 150 || slopes > 260 { // 0.95 and 0.7, four standard errors 0.05 and 0.11
		t.Errorf("of %d sets, %d have intercepts and %d slopes", sets, intercepts, slopes)
	}
}

// Scales of noise are one number in plain sets, or nearly, and differ by column, mean or group by plan.
func TestScales(t *testing.T) {
	const sets = 400
	equal, by := 0, [3]int{}
	for i := range 2 * sets {
		s := &sketch{Dice: throw(i), y: make([]float64, 200), groups: slices.Repeat([]int{10}, 20), varying: 1}
		s.columns = []column{s.first()}
		for r := range s.y {
			s.y[r] = s.Normal()
		}
		s.plan[spread] = i >= sets
		scale := s.scales(0.3)
		for r, v := range scale {
			if v < 0.3*math.Exp(-3) || v > 0.3*math.Exp(3.001) {
				t.Fatalf("scale %g", v)
			}
			scale[r] = math.Log(v / 0.3)
		}
		same := slices.Max(scale)-slices.Min(scale) < 1e-9
		if !s.plan[spread] {
			if same {
				equal++
			} else if _, d := moments(scale); d > 0.8 {
				t.Errorf("set %d: the logarithm of a plain scale has deviation %.2f", i, d)
			}
			continue
		}
		if same {
			t.Errorf("set %d: equal scales against the plan", i)
		}
		for k, v := range [][]float64{s.columns[0].z, s.y} {
			if math.Abs(correlation(scale, v)) > 0.999 {
				by[k]++
			}
		}
		if within := slices.Max(scale[:10]) - slices.Min(scale[:10]); within < 1e-12 {
			by[2]++
		}
	}
	if math.Abs(float64(equal)/sets-0.7) > 0.1 { // four standard errors
		t.Errorf("%d of %d plain sets have one scale", equal, sets)
	}
	for k, n := range by { // 0.3 each, but large values are cut; four standard errors 0.09
		if n < sets/8 {
			t.Errorf("%d of %d sets have scales of way %d", n, sets, k)
		}
	}
}

// Autocorrelated noise is so along x within groups, and between them not.
func TestMemory(t *testing.T) {
	within, across, plain := 0.0, 0.0, 0.0
	const sets = 200
	for i := range sets {
		for _, with := range []bool{true, false} {
			s := &sketch{Dice: throw(i), y: make([]float64, 400), groups: slices.Repeat([]int{20}, 20), varying: 1}
			z := make([]float64, 400)
			for r := range z {
				z[r] = float64(r % 20)
			}
			standardise(z)
			s.columns = []column{{shown: z, z: z}}
			s.plan[memory] = with
			s.disturb()
			var first, second, other []float64
			for r := range 399 {
				if r%20 < 19 {
					first, second = append(first, s.y[r]), append(second, s.y[r+1])
					other = append(other, s.y[(r+20)%400])
				}
			}
			if r := correlation(first, second); with {
				within, across = within+r/sets, across+correlation(first, other)/sets
			} else {
				plain += r / sets
			}
		}
	}
	// A correlation of 380 pairs has the standard error 0.05, its mean over 200 sets 0.004.
	if within < 0.3 || math.Abs(across) > 0.03 || math.Abs(plain) > 0.03 {
		t.Errorf("correlations %.3f within groups, %.3f across, %.3f without memory", within, across, plain)
	}
}

// Outliers are 1 to 5% of the rows and lie far away.
func TestStrays(t *testing.T) {
	share := 0.0
	const sets = 100
	for i := range sets {
		s := &sketch{Dice: throw(i), y: make([]float64, 500)}
		s.stray(0.1)
		for _, v := range s.y {
			if v == 0 {
				continue
			}
			share += 1.0 / 500 / sets
			if a := math.Abs(v); a < 0.2 || a > 2.25 {
				t.Fatalf("an outlier %g away", a)
			}
		}
	}
	if share < 0.015 || share > 0.035 { // (0.05 − 0.01)/ln 5 = 0.025
		t.Errorf("%.4f of the rows are outliers", share)
	}
}

// Branches move a share of the rows of a group by a gap.
func TestBranches(t *testing.T) {
	moved := 0
	const sets = 200
	for i := range sets {
		s := &sketch{Dice: throw(i), y: make([]float64, 400), groups: slices.Repeat([]int{20}, 20)}
		scale := slices.Repeat([]float64{0.1}, 400)
		s.branch(scale)
		distinct := slices.Compact(slices.Sorted(slices.Values(s.y)))
		if len(distinct) == 2 {
			moved++
		}
		for r, v := range s.y {
			if (v != 0) != (scale[r] != 0.1) || v != 0 && (math.Abs(v) < 0.149 || math.Abs(v) > 1.21) {
				t.Fatalf("set %d: a gap of %g, a scale of %g", i, v, scale[r])
			}
		}
	}
	if moved < 190 {
		t.Errorf("%d of %d sets have two branches", moved, sets)
	}
}
