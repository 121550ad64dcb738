package simple

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/random"
	"github.com/acqnp/acqnp/internal/test/must"
)

// zeroGroups returns groups of a tobit model: y is 2x − 0.8 + 0.6a + 0.5ε, or 0 where that is below, which is so for 40%.
// As a stack does, it moves zeros by a deviation. sign −1 mirrors all.
func zeroGroups(groups, each int, sign float64) (all []points.Group) {
	for k := range uint64(groups) {
		r, g := random.New(5, random.Data), points.Group{Points: points.New(1, 1, nil, nil)}
		for i := range uint64(each) {
			x := r.Float(k, 100+i)
			y, beyond := 2*x-0.8+0.6*r.Normal(k, 1)+0.5*r.Normal(k, 300+i), 0.0
			if y < 0 {
				y, beyond = -0.8, -0.8
			}
			g.X, g.Y, g.Beyond = append(g.X, x), append(g.Y, sign*y), append(g.Beyond, sign*beyond)
		}
		all = append(all, g)
	}
	return all
}

// tobit fits a line with a level of each group.
func tobit(groups []points.Group) (*Mixed, error) {
	m := &Mixed{Units: unitsOf(groups)}
	all := m.Units.groups(groups, math.MaxInt)
	return m, m.fit(all, pressedOf(all), degreesOf(pressedOf(all), 1, 0))
}

// A mixed model recovers the numbers that a bound hides, of 100 groups within four errors: of the mean (0.6/√100), of the
// deviation of groups (0.6/√200), and of the noise (0.5/√2400, by the 60% of points that are seen). An upper bound is the
// mirror of a lower one.
func TestBeyondABoundIsRecovered(t *testing.T) {
	for _, sign := range []float64{1, -1} {
		m := must.Get(tobit(zeroGroups(100, 20, sign)))(t)
		if !m.Sides {
			t.Fatal("zeros of a tobit model are taken as seen")
		}
		for _, x := range []float64{0, 1} {
			z, w, v := m.Units.group(points.New(1, 0, []float64{x}, nil)), m.Units.Y.Width, 0.0
			for _, p := range m.Noise.Parts {
				v += p.Weight * (p.Scale*p.Scale + p.Shift*p.Shift)
			}
			for _, c := range []struct {
				what              string
				found, want, four float64
			}{
				{"mean", sign * m.Units.Y.restore(m.mean(z)[0]), 2*x - 0.8, 0.24},
				{"deviation of groups", w * math.Sqrt(m.variances(z)[0]), 0.6, 0.17},
				{"deviation of noise", w * m.Noise.scales(z)[0] * math.Sqrt(v), 0.5, 0.04},
			} {
				if math.Abs(c.found-c.want) > c.four {
					t.Errorf("sign %g, x of %g: %s %.4f, want %g ± %g", sign, x, c.what, c.found, c.want, c.four)
				}
			}
		}
	}
}

// Of groups whose zeros say nothing of the level, as where nothing was bought, and whose other values are far above, the
// guesses are the more likely: they are a part of the noise that other values hardly reach.
func TestZerosOfTheirOwnAreSeen(t *testing.T) {
	var groups []points.Group
	for k := range uint64(60) {
		r, g := random.New(6, random.Data), points.Group{Points: points.New(1, 1, nil, nil)}
		for i := range uint64(20) {
			x := r.Float(k, 100+i)
			y, beyond := 6+x+0.3*r.Normal(k, 1)+0.2*r.Normal(k, 300+i), 0.0
			if r.Float(k, 500+i) < 0.3 {
				y, beyond = -2.8, -2.8
			}
			g.X, g.Y, g.Beyond = append(g.X, x), append(g.Y, y), append(g.Beyond, beyond)
		}
		groups = append(groups, g)
	}
	if m := must.Get(tobit(groups))(t); m.Sides {
		t.Error("zeros are taken for a side")
	}
}

// levels returns a model of a level of each group, N(0.3, 0.7²), and noise with these parts, of scale 0.5.
func levels(parts ...part) *Mixed {
	n := normalNoise(newBasis([]points.Group{{Points: points.New(1, 1, []float64{0}, []float64{0})}}, 6), 0.5)
	n.Parts = parts
	return &Mixed{Units: Units{X: []scaling{{0, 1}}, Y: scaling{0, 1}}, Noise: n,
		Sides: true,
		Model: linear{Form: degrees{Fixed: []int{0}, Random: []int{0}, Edges: []Edge{{0, 0}}}, Beta: []float64{0.3}, Factor: []float64{0.7, 0, 0, 0}, Noise: 0.5}}
}

// up returns P(noise ≤ v), and its density, of levels.
func (m *Mixed) up(v float64) (p, density float64) {
	for _, one := range m.Noise.Parts {
		z := (v/0.5 - one.Shift) / one.Scale
		p += one.Weight * math.Erfc(-z/math.Sqrt2) / 2
		density += one.Weight * math.Exp(-z*z/2) / math.Sqrt(2*math.Pi) / (0.5 * one.Scale)
	}
	return p, density
}

// exactly returns the mean, the deviation and P(y ≤ 0) of a new point of a group by quadrature, to 1e-9.
func (m *Mixed) exactly(known points.Points) (mean, sd, below float64) {
	var sums [4]float64
	for level := -6.0; level < 6; level += 0.001 {
		z := (level - 0.3) / 0.7
		w := math.Exp(-z * z / 2)
		for i, y := range known.Y {
			p, density := m.up(y - known.Beyond[i] - level)
			switch known.Side(i) {
			case -1:
				w *= p
			case 1:
				w *= 1 - p
			default:
				w *= density
			}
		}
		p, _ := m.up(-level)
		for k, v := range []float64{1, level, level * level, p} {
			sums[k] += w * v
		}
	}
	shift, square := 0.0, 0.0
	for _, p := range m.Noise.Parts {
		shift += p.Weight * 0.5 * p.Shift
		square += p.Weight * 0.25 * (p.Scale*p.Scale + p.Shift*p.Shift)
	}
	mean = sums[1] / sums[0]
	return mean + shift, math.Sqrt(sums[2]/sums[0] - mean*mean + square - shift*shift), sums[3] / sums[0]
}

// Given points beyond bounds, predictions have the mean and the deviation that numerical integration has: with normal
// noise and one such point, they are those of the truncated normal distribution itself, and the tolerance is the step of
// the integration. With several, expectation propagation approximates them: of two sides to 0.005, of ten alike, which
// have a skew together, to 0.02. Among points that are seen, noise of three parts was an approximation before. P(y ≤ 0)
// is that of a Gaussian, without the skew of one side: to 0.005, and as the mean is off, otherwise.
func TestBeyondABoundIsConditionedOn(t *testing.T) {
	normal, tailed := []part{{0, 1, 1}}, []part{{0.1, 0.6, 0.35}, {0, 1.1, 0.5}, {-0.2, 2.2, 0.15}}
	low := func(n int) []float64 { return slices.Repeat([]float64{-0.8}, n) } // guesses, and how far they are beyond 0
	for name, c := range map[string]struct {
		y, beyond []float64
		parts     []part
		moments   float64 // tolerance of mean and deviation, which are about 0.5
		atom      float64 // of P(y ≤ 0)
	}{
		"one":                      {low(1), low(1), normal, 1e-6, 0.005},
		"one above":                {[]float64{2}, []float64{0.8}, normal, 1e-6, 0.005},
		"one, one seen":            {[]float64{-0.8, 0.4}, []float64{-0.8, 0}, normal, 1e-6, 0.005},
		"two":                      {low(2), low(2), normal, 0.005, 0.005},
		"two, three seen":          {[]float64{-0.8, 0.4, 0.1, -0.8, 0.9}, []float64{-0.8, 0, 0, -0.8, 0}, normal, 0.005, 0.005},
		"below and above":          {[]float64{-0.8, 2}, []float64{-0.8, 0.8}, normal, 0.005, 0.005},
		"ten":                      {low(10), low(10), normal, 0.02, 0.005},
		"one of parts":             {low(1), low(1), tailed, 1e-6, 0.005},
		"one of parts, far above":  {[]float64{9}, []float64{0.8}, tailed, 1e-5, 0.005},
		"two of parts, three seen": {[]float64{-0.8, 0.4, 0.1, -0.8, 0.9}, []float64{-0.8, 0, 0, -0.8, 0}, tailed, 0.02, 0.02},
		"200 of parts":             {low(200), low(200), tailed, 0.02, 0.005},
		"150 of parts, 50 seen":    {append(low(150), slices.Repeat([]float64{0.1, 0.3, 0.5, 0.7, 0.02}, 10)...), append(low(150), make([]float64, 50)...), tailed, 0.005, 0.005},
	} {
		m, known := levels(c.parts...), points.New(1, 1, make([]float64, len(c.y)), c.y)
		known.Beyond = c.beyond
		d := m.Given(known, points.New(1, 0, []float64{0}, nil))[0]
		mean, sd, below := m.exactly(known)
		found := []float64{d.Mean() - mean, math.Sqrt(d.Variance()) - sd, d.CDF(0) - below}
		if !(math.Abs(found[0]) <= c.moments && math.Abs(found[1]) <= c.moments && math.Abs(found[2]) <= c.atom) {
			t.Errorf("%s: mean %.6f, sd %.6f, P(0) %.6f; off by %.2g", name, mean, sd, below, found)
		}
	}
}

// Without a point beyond a bound, a model is bit for bit that of points that are all seen.
func TestNothingBeyondABound(t *testing.T) {
	seen := zeroGroups(12, 8, 1)
	marked := slices.Clone(seen)
	for i := range seen {
		seen[i].Beyond, marked[i].Beyond = nil, make([]float64, 8)
	}
	a, b := must.Get(FitMixed(seen))(t), must.Get(FitMixed(marked))(t)
	if string(must.Get(json.Marshal(a))(t)) != string(must.Get(json.Marshal(b))(t)) {
		t.Error("two models")
	}
	x := []float64{0.1, 0.9}
	if p, q := fmt.Sprint(a.Given(seen[0].Points, points.New(1, 0, x, nil))), fmt.Sprint(a.Given(marked[0].Points, points.New(1, 0, x, nil))); p != q {
		t.Errorf("%s and %s", p, q)
	}
}

// The parts of the noise learn from sides as from errors: the derivatives that its scale is fitted by are those of the
// log density, by differences with steps of 1e-5.
func TestSidesHaveTheirDerivatives(t *testing.T) {
	b := newBasis([]points.Group{{Points: points.New(1, 1, []float64{-1, 1}, []float64{0, 0})}}, 6)
	n := normalNoise(b, 0.7)
	n.Parts = []part{{0.1, 0.6, 0.4}, {-0.1, 1.4, 0.6}}
	misses := []miss{{0.3, 0.2, 0, -1}, {-0.4, 0.3, 1, 1}, {0.5, 0.1, 0, 0}, {-6, 0.1, 0, -1}, {9, 0.1, 0, -1}}
	g := points.New(1, 1, []float64{-1, -0.5, 0, 0.4, 1}, make([]float64, 5))
	f := noiseFit{noise: &n, misses: [][]miss{misses}, tau: []float64{0}, scale: [][]float64{make([]float64, 5)}}
	f.phi = append(f.phi, b.evaluate(g))
	prior := slices.Repeat([]float64{1}, len(n.Eta))
	_, gradient, _ := f.slope(prior)
	for i := range n.Eta {
		at := n.Eta[i]
		n.Eta[i] = at + 1e-5
		above, _, _ := f.slope(prior)
		n.Eta[i] = at - 1e-5
		below, _, _ := f.slope(prior)
		n.Eta[i] = at
		if want := (above - below) / 2e-5; math.Abs(gradient[i]-want) > 1e-6*(1+math.Abs(want)) {
			t.Errorf("by η[%d]: %v, want %v", i, gradient[i], want)
		}
	}
}
