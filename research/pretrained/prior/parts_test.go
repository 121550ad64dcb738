package prior

import (
	"math"
	"slices"
	"testing"

	"github.com/acqnp/acqnp/internal/random"
	"github.com/acqnp/acqnp/research/pretrained/dice"
)

// throw returns a dice of its own for a test.
func throw(step int) *dice.Dice { return dice.New(random.New(11, random.Data), uint64(step), 0) }

// sample returns the mean and the variance of n numbers.
func sample(n int, draw func() float64) (mean, variance float64) {
	values := make([]float64, n)
	for i := range values {
		values[i] = draw()
	}
	mean, deviation := moments(values)
	return mean, deviation * deviation
}

// correlation returns the correlation of two lists.
func correlation(a, b []float64) float64 {
	ma, da := moments(a)
	mb, db := moments(b)
	sum := 0.0
	for i := range a {
		sum += (a[i] - ma) * (b[i] - mb)
	}
	return sum / (da * db * float64(len(a)))
}

// Three in ten plans have no harder part, the others one to three, and each part is in a share of all
// plans. The bounds are four standard errors of 4,000 plans.
func TestPlans(t *testing.T) {
	const plans = 4000
	var numbers [parts + 1]int
	var shares [parts]float64
	for i := range plans {
		n := 0
		for k, has := range newPlan(throw(i)) {
			if has {
				n++
				shares[k] += 1.0 / plans
			}
		}
		numbers[n]++
	}
	if plain := float64(numbers[0]) / plans; math.Abs(plain-0.3) > 4*math.Sqrt(0.21/plans) {
		t.Errorf("%.3f of the plans are plain, want 0.3", plain)
	}
	for k := 1; k <= 3; k++ {
		if share := float64(numbers[k]) / plans; math.Abs(share-0.7/3) > 4*math.Sqrt(0.18/plans) {
			t.Errorf("%.3f of the plans have %d parts, want %.3f", share, k, 0.7/3)
		}
	}
	for k, share := range shares {
		if share < 0.04 || share > 0.4 {
			t.Errorf("part %d is in %.3f of the plans", k, share)
		}
	}
}

// Sizes add up, stay within their limits, and are mostly those of a user: 12 to 60 groups.
func TestSizes(t *testing.T) {
	typical, alone, ones, balanced := 0, 0, 0, 0
	const sets = 2000
	for i := range sets {
		rows := []int{8, 60, 500, 2000}[i%4]
		groups := sizes(throw(i), rows)
		total := 0
		for _, n := range groups {
			total += n
		}
		if total != rows || slices.Min(groups) < 1 {
			t.Fatalf("%d rows in groups of %v", rows, groups)
		}
		plain := len(groups) == rows
		if !plain && len(groups) > mostGroups || len(groups) > 2 && slices.Max(groups) > mostRows {
			t.Fatalf("%d groups, the largest of %d rows", len(groups), slices.Max(groups))
		}
		if rows != 500 {
			continue
		}
		switch {
		case plain:
			ones++
		case len(groups) <= 2:
			alone++
		default:
			if n := len(groups); n >= 12 && n <= 60 {
				typical++
			}
			if groups[0] == groups[len(groups)-2] && groups[0] == slices.Max(groups) {
				balanced++
			}
		}
	}
	share := func(n int) float64 { return 4 * float64(n) / sets }
	// The weights are 0.07 for tables and 0.08 for one group or two. Four standard errors of 500 sets are
	// below 0.05. Other sets of 500 rows end at such sizes too, a few in a hundred.
	if p := share(ones); p < 0.02 || p > 0.14 {
		t.Errorf("%.3f are tables without groups", p)
	}
	if p := share(alone); p < 0.03 || p > 0.16 {
		t.Errorf("%.3f are one group or two", p)
	}
	if p := share(typical); p < 0.45 {
		t.Errorf("%.3f have 12 to 60 groups", p)
	}
	if p := share(balanced); p < 0.3 || p > 0.65 {
		t.Errorf("%.3f are balanced", p)
	}
}

// Columns are as many as the set says; the first rises within each group of a sketch, columns of levels
// are exclusive, z is standardised.
func TestColumns(t *testing.T) {
	none, shared, several, constant := 0, 0, 0, 0
	const sets = 1000
	for i := range sets {
		s := newSketch(throw(i), plan{}, 300)
		if s.varying == 0 {
			none++
		}
		if s.varying > 1 {
			several++
		}
		if len(s.columns) > s.varying {
			constant++
		}
		for j, c := range s.columns {
			mean, deviation := moments(c.z)
			if math.Abs(mean) > 1e-9 || math.Abs(deviation-1) > 1e-9 {
				t.Fatalf("set %d: z of mean %g and deviation %g", i, mean, deviation)
			}
			if j == 0 && s.varying > 0 {
				s.each(func(from, to int) {
					if !slices.IsSorted(c.z[from:to]) || !slices.IsSorted(c.shown[from:to]) {
						t.Fatalf("set %d: the first column does not rise", i)
					}
				})
				distinct := slices.Compact(slices.Sorted(slices.Values(c.shown)))
				if len(distinct) < len(s.y)/2 {
					shared++
				}
			}
		}
	}
	// Four standard errors of 1,000 sets are 0.03 around 0.06 and 0.063 around a half. Tables without
	// groups have a column that varies, and no constant ones.
	for _, c := range []struct {
		what   string
		n      int
		lo, hi float64
	}{
		{"have no varying column", none, 0.02, 0.1},
		{"have several", several, 0.36, 0.52},
		{"have constant columns", constant, 0.3, 0.5},
		{"share places of x", shared, 0.45, 0.8},
	} {
		if p := float64(c.n) / sets; p < c.lo || p > c.hi {
			t.Errorf("%.3f %s, want %g to %g", p, c.what, c.lo, c.hi)
		}
	}
}

// A category has at most one level in each row, the same in all rows of a group if it is constant, and
// all levels where there are enough rows.
func TestCategories(t *testing.T) {
	for i := range 100 {
		s := &sketch{Dice: throw(i), y: make([]float64, 400), groups: slices.Repeat([]int{4}, 100)}
		columns := 2 + i%3
		s.category(columns, i%2 == 0)
		var used [4]bool
		s.each(func(from, to int) {
			for r := from; r < to; r++ {
				sum := 0.0
				for j, c := range s.columns {
					sum += c.shown[r]
					used[j] = used[j] || c.shown[r] == 1
					if i%2 == 0 && c.shown[r] != c.shown[from] {
						t.Fatalf("set %d: levels differ within a group", i)
					}
				}
				if sum != 0 && sum != 1 {
					t.Fatalf("set %d: a row of %g levels", i, sum)
				}
			}
		})
		if len(s.columns) != columns || slices.Contains(used[:columns], false) {
			t.Errorf("set %d: levels %v of %d columns", i, used, columns)
		}
	}
}

// Points of a grid are those of all groups, and a group has each once.
func TestGrid(t *testing.T) {
	for i := range 300 {
		s := &sketch{Dice: throw(i), y: make([]float64, 200), groups: slices.Repeat([]int{10}, 20)}
		x := s.grid()
		distinct := slices.Compact(slices.Sorted(slices.Values(x)))
		s.each(func(from, to int) {
			for r := from + 1; r < to; r++ {
				if x[r] <= x[r-1] {
					t.Fatalf("set %d: %v after %v", i, x[r], x[r-1])
				}
			}
		})
		if n := len(distinct); n > 20 && n < 150 { // else it has a jitter of each point
			t.Errorf("set %d: %d points for groups of 10", i, n)
		}
	}
}

// Curves are finite around the range of x, and shapes of growth and decay go one way.
func TestCurves(t *testing.T) {
	rising := map[string]func(*dice.Dice) curve{"line": line, "logistic": logistic, "gompertz": gompertz, "rise": rise,
		"saturation": saturation, "power": power}
	for i := range 200 {
		for name, kind := range rising {
			f := kind(throw(i))
			for u := 0.01; u <= 1; u += 0.01 {
				if f(u) < f(u-0.01) {
					t.Fatalf("%s %d falls at %g", name, i, u)
				}
			}
			if f(1) <= f(0) {
				t.Errorf("%s %d does not rise", name, i)
			}
		}
		f, up := decay(throw(i)), compartment(throw(i))
		turns := 0
		for u := 0.01; u <= 1; u += 0.01 {
			if f(u) >= f(u-0.01) {
				t.Fatalf("decay %d rises at %g", i, u)
			}
			if u > 0.02 && (up(u) > up(u-0.01)) != (up(u-0.01) > up(u-0.02)) {
				turns++
			}
		}
		if up(0) != 0 || up(0.5) <= 0 || turns > 1 {
			t.Errorf("compartment %d: %g at 0, %g at 0.5, %d turns", i, up(0), up(0.5), turns)
		}
		for k, kind := range kinds {
			f := kind(throw(i))
			for u := -1.0; u <= 2; u += 0.05 {
				if v := f(u); math.IsNaN(v) || math.Abs(v) > 1e3 {
					t.Fatalf("kind %d is %g at %g", k, v, u)
				}
			}
		}
	}
	if len(often) != len(kinds) {
		t.Errorf("%d weights of %d kinds", len(often), len(kinds))
	}
}

// Waves are a draw from a Gaussian process of variance 1 with the squared exponential kernel: the
// covariance over 4,000 draws is within 5 standard errors (below 0.02 each).
func TestWaves(t *testing.T) {
	const draws = 4000
	var square, near, far float64
	for i := range draws {
		w := newWaves(throw(i), 16, 0.5)
		a := w.of(0.2)
		square += a * a / draws
		near += a * w.of(0.7) / draws // one length away
		far += a * w.of(2.2) / draws  // four lengths away
	}
	if math.Abs(square-1) > 0.12 || math.Abs(near-math.Exp(-0.5)) > 0.1 || math.Abs(far) > 0.1 {
		t.Errorf("covariances %.3f, %.3f, %.3f; want 1, 0.607, 0", square, near, far)
	}
}

// A walker has variance 1 and the correlation exp(−gap/length), or starts at 0.
func TestWalker(t *testing.T) {
	s := &sketch{Dice: throw(1)}
	const n = 20000
	w := walker{s: s, length: 2}
	path := make([]float64, n)
	for i := range path {
		path[i] = w.to(float64(i))
	}
	// Variance and correlation of n values have the effective number n·(1−r²)/(1+r²) = 4,600 at r = 0.61.
	if _, deviation := moments(path); math.Abs(deviation*deviation-1) > 0.1 {
		t.Errorf("variance %.3f", deviation*deviation)
	}
	if r := correlation(path[1:], path[:n-1]); math.Abs(r-math.Exp(-0.5)) > 0.05 {
		t.Errorf("correlation %.3f, want %.3f", r, math.Exp(-0.5))
	}
	started := walker{s: s, length: 2, walks: true, at: 3}
	if v := started.to(3); v != 0 {
		t.Errorf("starts at %g, want 0", v)
	}
}
