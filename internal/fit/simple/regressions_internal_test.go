package simple

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distmv"

	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/random"
	"github.com/acqnp/acqnp/internal/test/must"
)

// someRegressions is a mixture of two regressions in one standardised x.
func someRegressions() *Regressions {
	return &Regressions{Units: Units{X: []scaling{{0, 1}}, Y: scaling{0, 1}}, Powers: 2, Edges: []Edge{{Low: -100, High: 100}}, Cov: []float64{0.4, 0.1, 0.1, 0.2},
		Classes: []class{{0.3, 0.2, []float64{-1, 0.3, 0.1}}, {0.7, 0.4, []float64{1, -0.2, 0.05}}}}
}

// logDensity returns the log density of a group by all ways to assign classes to its points, each a
// multivariate normal distribution.
func (m *Regressions) logDensity(g points.Points) float64 {
	n, k := g.Len(), len(m.Classes)
	total := 0.0
	for code := range int(math.Pow(float64(k), float64(n))) {
		mean, cov, share := make([]float64, n), mat.NewSymDense(n, nil), 1.0
		features := make([][]float64, n)
		before := make([]float64, k)
		for i, c := 0, code; i < n; i, c = i+1, c/k {
			class := m.Classes[c%k]
			p, q := m.features(g.Row(i))
			mean[i], features[i], share = dot(class.Beta, p), q, share*m.share(c%k, before, i)
			before[c%k]++
			for j := range i + 1 {
				v := 0.0
				for a, x := range q {
					for b, y := range features[j] {
						v += x * m.Cov[a*len(q)+b] * y
					}
				}
				if i == j {
					v += class.Noise * class.Noise
				}
				cov.SetSym(i, j, v)
			}
		}
		normal, _ := distmv.NewNormal(mean, cov, nil)
		total += share * math.Exp(normal.LogProb(g.Y))
	}
	return math.Log(total)
}

// With as many assignments as there are, the density is exact: that of a group, and that of a point
// given a context.
func TestRegressionsAreExactForFewPoints(t *testing.T) {
	m := someRegressions()
	g := points.New(1, 1, []float64{-1, 0.2, 0.9, 1.4}, []float64{-0.8, 1.3, 0.4, 1.1})
	for _, m.Alpha = range []float64{0, 3} {
		_, _, log := m.given(m.describe(g), mostAssignments)
		if want := m.logDensity(g); math.Abs(log-want) > 1e-6 { // assignments of e^−12 of the first are left out
			t.Errorf("alpha %g: log density %.9f, want %.9f", m.Alpha, log, want)
		}
		context := points.New(1, 1, g.X[:3], g.Y[:3])
		got := m.Given(context, g.Cut(3, g.Len()))[0].LogDensity(g.Y[3])
		if want := m.logDensity(g) - m.logDensity(context); math.Abs(got-want) > 1e-5 {
			t.Errorf("alpha %g: log density of a point %.9f, want %.9f", m.Alpha, got, want)
		}
	}
}

// Fitted to 60 groups of 20 points of a known mixture, the model predicts new groups nearly as well
// as the mixture itself. The bound is three times what 12 seeds had as their largest loss.
func TestRegressionsFindTheClasses(t *testing.T) {
	truth := someRegressions()
	groups := drawn(truth, 80, 20)
	m := must.Get(FitRegressions(groups[:60]))(t)
	loss, n := 0.0, 0.0
	for _, g := range groups[60:] {
		context := points.New(1, 1, g.X[:5], g.Y[:5])
		fitted, known := m.Given(context, g.Cut(5, g.Len())), truth.Given(context, g.Cut(5, g.Len()))
		for i, y := range g.Y[5:] {
			loss += known[i].LogDensity(y) - fitted[i].LogDensity(y)
			n++
		}
	}
	if loss/n > 0.05 {
		t.Errorf("a point is predicted %.3f nats worse than by the mixture that made it, want at most 0.05", loss/n)
	}
}

// drawn draws groups of a mixture of regressions in one x.
func drawn(m *Regressions, groups, each int) []points.Group {
	var chol mat.Cholesky
	chol.Factorize(mat.NewSymDense(2, m.Cov))
	var root mat.TriDense
	chol.LTo(&root)
	g := random.New(3, random.Validation)
	all := make([]points.Group, groups)
	for k := range all {
		a, b := g.Normal(uint64(k), 0), g.Normal(uint64(k), 1)
		own := []float64{root.At(0, 0) * a, root.At(1, 0)*a + root.At(1, 1)*b}
		all[k].DX, all[k].DY = 1, 1
		for i := range each {
			x := 4*g.Float(uint64(k), uint64(1000+i)) - 2
			class := m.Classes[0]
			if g.Float(uint64(k), uint64(2000+i)) > class.Share {
				class = m.Classes[1]
			}
			p, q := m.features([]float64{x})
			all[k].X = append(all[k].X, x)
			all[k].Y = append(all[k].Y, dot(class.Beta, p)+dot(own, q)+class.Noise*g.Normal(uint64(k), uint64(3000+i)))
		}
	}
	return all
}
