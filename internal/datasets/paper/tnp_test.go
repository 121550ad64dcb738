package paper_test

import (
	"math"
	"math/cmplx"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/datasets/datatest"
	"github.com/acqnp/acqnp/internal/test/must"
)

// The points of a Sobol sequence of 2ᵏ points lie one in each of 2ᵏ equal parts of the interval, whatever
// their digital shift, and the first of them are a sample of these.
func TestPointsAreASobolSequenceInRandomOrder(t *testing.T) {
	for _, name := range []string{"tnp-sawtooth", "tnp-gp"} {
		e := syntheticExperiment(name)
		e.Eval.NumPoints = 256
		var context, first []float64
		for step := range 60 {
			b := datatest.Made(t, datatest.Open(t, e, "").Eval, step)
			if want := e.Eval.Contexts[step%5]; b.Context != want {
				t.Fatalf("%s: batch %d has a context of %d, want %d", name, step, b.Context, want)
			}
			for f := range b.Groups {
				x := b.X[f*b.Points:][:b.Points]
				var taken [256]bool
				for _, v := range x {
					part := int((float64(v) + 2) / 4 * 256)
					if taken[part] {
						t.Fatalf("%s: two points in part %d", name, part)
					}
					taken[part] = true
				}
				context, first = append(context, float64(x[0])), append(first, float64(x[0]*x[0]))
			}
		}
		expect(t, name+" mean of x", context, 0)
		expect(t, name+" mean of x²", first, 4.0/3)
	}
}

// wave finds u·ω of a sawtooth: y − uωx is constant modulo 1, so that the numbers exp(2πi(y − uωx))
// point to one side. It returns how far they do, too.
func wave(x, y []float32) (frequency, resultant float64) {
	for _, sign := range []float64{-1, 1} {
		for w := 2.5; w < 5.5; w += 0.01 {
			sum := complex(0, 0)
			for i := range x {
				sum += cmplx.Exp(complex(0, 2*math.Pi*(float64(y[i])-sign*w*float64(x[i]))))
			}
			if r := cmplx.Abs(sum) / float64(len(x)); r > resultant {
				frequency, resultant = sign*w, r
			}
		}
	}
	return frequency, resultant
}

func TestTransformerSawtooth(t *testing.T) {
	e := syntheticExperiment("tnp-sawtooth")
	e.Eval.NumPoints = 140
	source := datatest.Open(t, e, "")
	var up, speed, noise, level, phase []float64
	for step := range 20 {
		b := datatest.Made(t, source.Eval, step)
		for f := range b.Groups {
			x, y := b.X[f*b.Points:][:b.Points], b.Y[f*b.Points:][:b.Points]
			w, r := wave(x, y)
			if math.Abs(w) < 2.98 || math.Abs(w) > 5.02 || r < 0.7 {
				t.Fatalf("a wave of frequency %.2f, resultant %.2f", w, r)
			}
			up, speed = append(up, math.Copysign(1, w)), append(speed, math.Abs(w))
			// A normal angle of deviation 2πσ has the resultant exp(−(2πσ)²/2).
			noise = append(noise, -2*math.Log(r)/(4*math.Pi*math.Pi))
			level = append(level, float64(y[0]))
			turn := math.Mod(float64(y[0])-w*float64(x[0]), 1)
			phase = append(phase, math.Cos(2*math.Pi*turn))
		}
	}
	expect(t, "direction", up, 0)
	expect(t, "frequency", speed, 4)
	// σ ~ U[0.05, 0.1): the mean of σ² is (0.1³ − 0.05³)/0.15. The best frequency and
	// phase of 140 points take away two of 140 degrees of freedom.
	expect(t, "variance of the noise", noise, (0.001-0.000125)/0.15*(138.0/140))
	expect(t, "y", level, 0.5)
	// φ ~ U[0, 1) makes ωφ uniform on [0, ω): the mean of cos(2πωφ) is E[sin(2πω)/(2πω)], 0.003 here.
	expect(t, "cosine of the phase", phase, 0.003)
}

// logDensity returns that of y under a normal distribution with the kernel's covariance.
func logDensity(t *testing.T, x, y []float32, variance float64, k func(d float64) float64) float64 {
	n := len(x)
	c, v := mat.NewSymDense(n, nil), mat.NewVecDense(n, nil)
	for i := range n {
		v.SetVec(i, float64(y[i]))
		for j := range i {
			c.SetSym(i, j, variance*k(math.Abs(float64(x[i])-float64(x[j]))))
		}
		c.SetSym(i, i, variance+1e-5)
	}
	var factor mat.Cholesky
	if !factor.Factorize(c) {
		t.Fatal("no Cholesky factor")
	}
	var solved mat.VecDense
	must.Do(t, factor.SolveVecTo(&solved, v))
	return -(mat.Dot(v, &solved) + factor.LogDet()) / 2
}

// For each batch, the kernel is found that explains its groups best, each with the best of a few
// length scales and variances. The shares of batches are those of the kernels.
func TestTransformerGaussianProcesses(t *testing.T) {
	shapes := []func(r float64) float64{
		func(r float64) float64 { return math.Exp(-r * r / 2) },
		func(r float64) float64 { return (1 + math.Sqrt(3)*r) * math.Exp(-math.Sqrt(3)*r) },
		func(r float64) float64 { return (1 + math.Sqrt(5)*r + 5*r*r/3) * math.Exp(-math.Sqrt(5)*r) },
	}
	e := syntheticExperiment("tnp-gp")
	e.Eval.NumPoints, e.Eval.Contexts, e.Eval.MaxContext, e.Eval.BatchSize = 32, nil, 10, 8
	source := datatest.Open(t, e, "")
	shares, squares := make([][]float64, len(shapes)), []float64{}
	for step := range 150 {
		b := datatest.Made(t, source.Eval, step)
		totals := make([]float64, len(shapes))
		for f := range b.Groups {
			for s, shape := range shapes {
				totals[s] += bestFit(t, b, f, shape)
			}
			squares = append(squares, float64(b.Y[f*b.Points])*float64(b.Y[f*b.Points]))
		}
		best := slices.Index(totals, slices.Max(totals))
		for s := range shares {
			share := 0.0
			if s == best {
				share = 1
			}
			shares[s] = append(shares[s], share)
		}
	}
	for s, want := range []float64{0.4, 0.3, 0.3} {
		expect(t, "share of a kernel", shares[s], want)
	}
	expect(t, "variance", squares, 1)
}

func bestFit(t *testing.T, b *datasets.Batch, f int, shape func(r float64) float64) float64 {
	best := math.Inf(-1)
	for length := 0.1; length < 1.01; length += 0.1 {
		for _, variance := range []float64{0.5, 1, 1.5} {
			best = max(best, logDensity(t, b.X[f*b.Points:][:b.Points], b.Y[f*b.Points:][:b.Points], variance,
				func(d float64) float64 { return shape(d / length) }))
		}
	}
	return best
}
