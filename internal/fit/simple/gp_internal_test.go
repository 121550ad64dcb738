package simple

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/diff/fd"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distmv"

	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/random"
	"github.com/acqnp/acqnp/internal/test/must"
)

// someGroups returns groups of a smooth function with a level of their own, in dx columns of x.
func someGroups(n, dx int) []points.Group {
	g := random.New(7, random.Validation)
	var groups []points.Group
	for k := range n {
		group := points.New(dx, 1, nil, nil)
		level := g.Normal(uint64(k), 0)
		for i := range 3 + k%4 {
			y := level
			for c := range dx {
				x := 4*g.Float(uint64(k), uint64(10+i*dx+c)) - 2
				group.X = append(group.X, x)
				y += math.Sin(2 * x)
			}
			group.Y = append(group.Y, y+0.2*g.Normal(uint64(k), uint64(100+i)))
		}
		groups = append(groups, points.Group{Points: group})
	}
	return groups
}

// dense returns the covariance of y of all points, B + ΦΛΦᵀ, and y.
func dense(groups []points.Group, b basis, h hyper) (*mat.SymDense, []float64) {
	lambda := b.prior(h.Spread, h.Wave, h.Ridge, h.Blend, h.Cells).variance
	var x, y []float64
	var of []int
	dx := groups[0].DX
	for k, g := range groups {
		x, y = append(x, g.X...), append(y, g.Y...)
		for range g.Y {
			of = append(of, k)
		}
	}
	phi := b.evaluate(points.New(dx, 0, x, nil))
	cov := mat.NewSymDense(len(y), nil)
	for i := range y {
		for j := range i + 1 {
			v := 0.0
			for m, l := range lambda {
				v += phi.At(i, m) * l * phi.At(j, m)
			}
			if of[i] == of[j] {
				v += h.kernel(x[i*dx:][:dx], x[j*dx:][:dx])
			}
			if i == j {
				v += h.Noise * h.Noise
			}
			cov.SetSym(i, j, v)
		}
	}
	return cov, y
}

// The marginal likelihood by blocks is that of the whole covariance, and its gradient the
// difference quotient.
func TestEvidenceIsThatOfTheWholeCovariance(t *testing.T) {
	for dx := 1; dx <= 3; dx++ {
		groups := someGroups(5, dx)
		for _, g := range groups {
			for i := 2; i < len(g.X); i += 3 { // a third column has two values
				g.X[i] = math.Copysign(1, g.X[i])
			}
		}
		b := newBasis(groups, 24)
		b.Products = b.products()
		if want := dx * (dx - 1) / 2; len(b.Products) != want {
			t.Fatalf("%d products of %d columns, want %d", len(b.Products), dx, want)
		}
		b.Crossings = []crossing{{{[]int{0, dx - 1}, []float64{-1, 0}}, {[]int{0, dx - 1}, []float64{-0.5, 0.1}}}}
		e := newEvidence(groups, b)
		theta := append([]float64{-1, -0.4, -0.3, -0.2, 0.3, -0.9, -0.8}, [][]float64{{-0.7, -0.5, 0.3}, {-0.7, -0.6, -0.5, 0.2, 0.3, -0.4},
			{-0.7, -0.6, -0.4, -0.5, 0.2, 0.1, 0.3, -0.4, 0.2}}[dx-1]...)
		theta = append(theta, -0.6)
		got, ok := e.evaluate(theta, true)
		if !ok {
			t.Fatal("the evidence cannot be computed")
		}
		cov, y := dense(groups, b, hyperOf(theta, e.of))
		normal, ok := distmv.NewNormal(make([]float64, len(y)), cov, nil)
		if !ok {
			t.Fatal("the covariance is not positive definite")
		}
		want := normal.LogProb(y)
		for i, v := range theta {
			z := (v - priorOf(i, dx).Centre) / priorOf(i, dx).Width
			want -= z * z / 2
		}
		// The flat directions of f have variances of 100 beside a noise of 0.1.
		if math.Abs(got.log-want) > 1e-8*math.Abs(want) {
			t.Errorf("dx %d: evidence %.10f, want %.10f", dx, got.log, want)
		}
		numeric := fd.Gradient(nil, func(theta []float64) float64 {
			r, _ := e.evaluate(theta, false)
			return r.log
		}, theta, &fd.Settings{Formula: fd.Central})
		for i, v := range numeric {
			if math.Abs(got.gradient[i]-v) > 1e-5*(1+math.Abs(v)) {
				t.Errorf("dx %d: derivative %d is %.8f, want %.8f", dx, i, got.gradient[i], v)
			}
		}
	}
}

// A prediction is the conditional distribution of the normal distribution of all points: those of
// the other groups, the context and the target.
func TestPredictionConditionsOnAllPoints(t *testing.T) {
	groups := someGroups(6, 1)
	context, others := groups[5], groups[:5]
	theta := []float64{-1, -0.4, -0.3, -0.2, 0.3, -0.9, 0, -0.7, -0.5, 0.3}
	b := newBasis(groups, 24)
	ev := newEvidence(others, b)
	e, ok := ev.evaluate(theta, false)
	if !ok {
		t.Fatal("the evidence cannot be computed")
	}
	m := &GP{Units: Units{X: []scaling{{0, 1}}, Y: scaling{0, 1}}, Basis: b, Hyper: hyperOf(theta, ev.of), Noise: normalNoise(b, math.Exp(theta[0]))}
	m.W, m.Cov = e.coefficients()
	const at = 0.37
	for _, known := range []points.Points{context.Points, points.New(1, 1, nil, nil)} {
		target := points.New(1, 1, append(append([]float64{}, known.X...), at), append(append([]float64{}, known.Y...), 0))
		cov, y := dense(append(append([]points.Group{}, others...), points.Group{Points: target}), b, hyperOf(theta, ev.of))
		n := len(y)
		normal, ok := distmv.NewNormal(make([]float64, n), cov, nil)
		if !ok {
			t.Fatal("the covariance is not positive definite")
		}
		observed := make([]int, n-1)
		for i := range observed {
			observed[i] = i
		}
		conditional, ok := normal.ConditionNormal(observed, y[:n-1], nil)
		if !ok {
			t.Fatal("the covariance cannot be conditioned")
		}
		got := m.Given(known, points.New(1, 0, []float64{at}, nil))[0]
		mean := conditional.Mean(nil)[0]
		var c mat.SymDense
		conditional.CovarianceMatrix(&c)
		if math.Abs(got.Mean()-mean) > 1e-6 || math.Abs(got.Variance()-c.At(0, 0)) > 1e-6*c.At(0, 0) {
			t.Errorf("%d known points: N(%.8f, %.8f), want N(%.8f, %.8f)", known.Len(), got.Mean(), got.Variance(), mean, c.At(0, 0))
		}
	}
}

// Where the curve along one column depends on another, the model finds it: a new group is predicted about as well
// as the noise allows.
func TestCurvesThatDependOnAnotherColumn(t *testing.T) {
	for name, f := range map[string]func(a, b float64) float64{
		"two values":  func(a, b float64) float64 { return math.Sin(2*a) * math.Copysign(1, b) },
		"many values": func(a, b float64) float64 { return 1.5 * math.Sin(a) * math.Cos(b) },
	} {
		g := random.New(3, random.Data)
		var groups []points.Group
		for k := range uint64(25) {
			group := points.New(2, 1, nil, nil)
			for i := range uint64(12) {
				a, b := 4*g.Float(k, 2*i)-2, 4*g.Float(k, 2*i+1)-2
				if name == "two values" {
					b = math.Copysign(1, b)
				}
				group.X, group.Y = append(group.X, a, b), append(group.Y, f(a, b)+0.1*g.Normal(k, i))
			}
			groups = append(groups, points.Group{Points: group})
		}
		m := must.Get(FitGP(groups[:20]))(t)
		sum, n := 0.0, 0
		for _, one := range groups[20:] {
			for i, d := range m.Given(points.New(2, 1, nil, nil), one.Points) {
				sum += math.Pow(d.Mean()-f(one.X[2*i], one.X[2*i+1]), 2)
				n++
			}
		}
		// The noise of 240 points and some 30 functions leave about 0.1·√(30/240) = 0.035; sums alone leave 0.7.
		if rms := math.Sqrt(sum / float64(n)); rms > 0.1 {
			t.Errorf("%s: an error of %.3f", name, rms)
		}
	}
}
