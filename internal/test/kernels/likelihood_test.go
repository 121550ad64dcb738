//go:build simt || gpu

package kernels

import (
	"math"
	"testing"

	"github.com/acqnp/acqnp/internal/models/ops"
)

// likely is the tolerance for densities whose terms are at most about 100: a few units in the last
// place of each.
const likely = 1e-5

// many has more levels than a warp has lanes, but no multiple of them.
var many = ops.Extents{Groups: 2, Context: 1, Points: 3, Levels: 67}

func TestGaussian(t *testing.T) {
	d, r := newDevice(t), newSource(8)
	const dy = 3
	for _, e := range []ops.Extents{one, odd} {
		for _, s := range []ops.Space{ops.Point, ops.Row} {
			n := e.Rows(s)
			decoded, y, grad := r.uniform(n*2*dy, -4, 4), r.uniform(e.Rows(ops.Point)*dy, -4, 4), r.uniform(n, -1, 1)
			got := d.sameAtAnyGrid(func(grid int) [][]float32 {
				return d.run("gaussian", grid, 256, e, decoded, y, result(n), s, ops.Point, dy, float32(floor))
			})
			o := &ops.Op{Kind: ops.GaussianLik, In: []ops.Space{s, ops.Point}, Widths: []int{2 * dy, dy}, Out: s, Width: 1, Floor: floor}
			near(t, name("gaussian over ", s), got[0], reference(o, e, decoded, y), likely)
			got = d.sameAtAnyGrid(func(grid int) [][]float32 {
				return d.run("gaussian_grad", grid, 256, e, grad, decoded, y, result(n*2*dy), s, ops.Point, dy, float32(floor))
			})
			o = &ops.Op{Kind: ops.GaussianLikGrad, In: []ops.Space{s, s, ops.Point}, Widths: []int{1, 2 * dy, dy}, Out: s, Width: 2 * dy, Floor: floor}
			near(t, name("gradient of gaussian over ", s), got[0], reference(o, e, grad, decoded, y), likely)
		}
	}
}

// floor is a lower bound of σ, exact in float32.
const floor = 0.0625

// mixtures holds the inputs of the mixture's kernels.
type mixtures struct {
	e                      ops.Extents
	dy                     int
	components, z, y, grad []float32
	natural                int // 1 for the natural form of the scale
}

func newMixtures(seed uint64, e ops.Extents, dy int, spread, logits float64) mixtures {
	r, n, points := newSource(seed), e.Rows(ops.Row), e.Rows(ops.Point)
	return mixtures{e, dy, r.uniform(n*3*dy, -4, 4), r.uniform(n, -logits, logits), r.uniform(points*dy, -spread, spread),
		r.uniform(points, -1, 1), 0}
}

// inForm returns the mixtures with the natural form of the scale, or 1, or the paper's, 0.
func (m mixtures) inForm(natural int) mixtures {
	m.natural = natural
	return m
}

func (m mixtures) likelihoods() []float64 {
	o := &ops.Op{Kind: ops.MixtureLik, In: []ops.Space{ops.Row, ops.Row, ops.Point}, Widths: []int{3 * m.dy, 1, m.dy},
		Out: ops.Point, Width: 1, Floor: floor, Natural: m.natural == 1}
	return reference(o, m.e, m.components, m.z, m.y)
}

func (m mixtures) check(t *testing.T, d *device) {
	t.Helper()
	n, points := m.e.Rows(ops.Row), m.e.Rows(ops.Point)
	got := d.sameAtAnyGrid(func(grid int) [][]float32 {
		return d.run("mixture", grid, 128, m.e, m.components, m.z, m.y, result(points), m.dy, float32(floor), m.natural)
	})
	near(t, "mixture", got[0], m.likelihoods(), likely)

	got = d.sameAtAnyGrid(func(grid int) [][]float32 {
		return d.run("mixture_grad", grid, 128, m.e, m.grad, m.components, m.z, m.y, result(n*3*m.dy), result(n), result(points), m.dy, float32(floor), m.natural)
	})
	near(t, "mixture, with its gradient", got[2], m.likelihoods(), likely)
	// A gradient is a posterior weight times a slope. The weight has the error of a logarithm of up
	// to 1e2.
	for part, width := range []int{3 * m.dy, 1} {
		o := &ops.Op{Kind: ops.MixtureLikGrad, Part: part, In: []ops.Space{ops.Point, ops.Row, ops.Row, ops.Point},
			Widths: []int{1, 3 * m.dy, 1, m.dy}, Out: ops.Row, Width: width, Floor: floor, Natural: m.natural == 1}
		near(t, name("gradient of mixture, part ", part), got[part], reference(o, m.e, m.grad, m.components, m.z, m.y), 5*likely)
	}
}

func TestMixture(t *testing.T) {
	d := newDevice(t)
	for _, e := range []ops.Extents{one, odd, many} {
		for _, dy := range []int{1, 3} {
			for natural := range 2 {
				newMixtures(uint64(10+dy), e, dy, 4, 6).inForm(natural).check(t, d)
			}
		}
	}
}

// TestMixtureAtExtremes has levels that the sigmoid rounds to 0 and 1.
func TestMixtureAtExtremes(t *testing.T) {
	d := newDevice(t)
	for natural := range 2 {
		newMixtures(20, odd, 1, 4, 100).inForm(natural).check(t, d)
	}
}

// In the natural form the short side of a component at a logit of ±100 has a scale below the least
// float32. All numbers stay finite for a point beyond it, also where no other component is near.
func TestNaturalMixtureBesideItsShortSide(t *testing.T) {
	d := newDevice(t)
	for _, z := range []float32{-100, 100} {
		for _, y := range []float32{-1e6, -1, 0, 1e-9, 1, 1e6} {
			m := mixtures{one, 1, make([]float32, 3), []float32{z}, []float32{y}, []float32{1}, 1}
			for _, numbers := range d.run("mixture_grad", 1, 128, m.e, m.grad, m.components, m.z, m.y, result(3), result(1), result(1), 1, float32(floor), 1) {
				for i, v := range numbers {
					if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
						t.Errorf("logit %g, y %g: number %d is %g", z, y, i, v)
					}
				}
			}
		}
	}
}

func TestMixtureWithoutLogitGradient(t *testing.T) {
	d, m := newDevice(t), newMixtures(21, odd, 3, 4, 6)
	n := m.e.Rows(ops.Row) * 3 * m.dy
	both := d.run("mixture_grad", 2, 128, m.e, m.grad, m.components, m.z, m.y, result(n), result(n/9), null, m.dy, float32(floor), m.natural)
	alone := d.run("mixture_grad", 2, 128, m.e, m.grad, m.components, m.z, m.y, result(n), null, null, m.dy, float32(floor), m.natural)
	for i, v := range alone[0] {
		if !sameBits(v, both[0][i]) {
			t.Fatalf("number %d is %g alone, and %g if the gradient of the logit is computed too", i, v, both[0][i])
		}
	}
}

// TestMixtureFarAway: far from all components the log-likelihood falls with the distance and stays
// finite.
func TestMixtureFarAway(t *testing.T) {
	d, m := newDevice(t), newMixtures(22, many, 1, 1e6, 6)
	points := m.e.Rows(ops.Point)
	got := d.run("mixture", 2, 128, m.e, m.components, m.z, m.y, result(points), 1, float32(floor), m.natural)[0]
	near(t, "mixture", got, m.likelihoods(), likely)
}

// TestLikelihoodsKeepNaN: a NaN reaches the likelihood of its point and of no other.
func TestLikelihoodsKeepNaN(t *testing.T) {
	d, m := newDevice(t), newMixtures(23, many, 1, 4, 6)
	const point, level = 1, 40 // not the first level of its lane
	nan, points, row := float32(math.NaN()), m.e.Rows(ops.Point), point*many.Levels+level
	m.components[3*row+2] = nan
	ll := newSource(24).uniform(m.e.Rows(ops.Row), -9, 5)
	ll[row] = nan
	for kernel, got := range map[string][]float32{
		"mixture":      d.run("mixture", 1, 128, m.e, m.components, m.z, m.y, result(points), 1, float32(floor), m.natural)[0],
		"log_mean_exp": d.run("log_mean_exp", 1, 128, m.e, ll, result(points))[0],
	} {
		for p, v := range got {
			if isNaN := v != v; isNaN != (p == point) {
				t.Errorf("%s: point %d is %g", kernel, p, v)
			}
		}
	}
}

func TestLogMeanExp(t *testing.T) {
	d, r := newDevice(t), newSource(30)
	for _, e := range []ops.Extents{one, odd, many} {
		ll := r.uniform(e.Rows(ops.Row), -90, 5)
		got := d.sameAtAnyGrid(func(grid int) [][]float32 {
			return d.run("log_mean_exp", grid, 128, e, ll, result(e.Rows(ops.Point)))
		})
		near(t, "log_mean_exp", got[0], reference(&ops.Op{Kind: ops.LogMeanExp, Out: ops.Point, Width: 1}, e, ll), likely)
	}
}

func TestNegMean(t *testing.T) {
	d, r := newDevice(t), newSource(31)
	for _, e := range []ops.Extents{one, odd, {Groups: 7, Context: 1, Points: 101, Levels: 1}} {
		n := e.Rows(ops.Point)
		a, b := r.uniform(n, -3, 3), r.uniform(n, -3, 3)
		o := &ops.Op{Kind: ops.NegMean, Out: ops.Scalar, Width: 1}
		first := d.run("neg_mean", 2, 128, e, a, null, result(1), ops.Point, ops.Point)[0]
		near(t, "neg_mean", first, reference(o, e, a), few)
		near(t, "neg_mean of two", d.run("neg_mean", 1, 128, e, a, b, result(1), ops.Point, ops.Point)[0], reference(o, e, a, b), few)
	}
}
