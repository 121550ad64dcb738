package datasets_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/acqnp/acqnp/internal/test/must"
)

// kernels are the kernels with the paper's parameters, and values computed by hand for d = 0, ℓ/2,
// ℓ and 2ℓ.
var kernels = map[string]struct {
	k      func(d float64) float64
	values map[float64]float64
}{
	"rbf": {
		func(d float64) float64 { return 0.75 * 0.75 * math.Exp(-d*d/(2*0.25*0.25)) },
		map[float64]float64{0: 0.5625, 0.125: 0.5625 * 0.8824969, 0.25: 0.5625 * 0.6065307, 0.5: 0.5625 * 0.1353353},
	},
	"matern52": {
		func(d float64) float64 {
			return 0.75 * 0.75 * (1 + math.Sqrt(5)*d/0.25 + 5*d*d/(3*0.25*0.25)) * math.Exp(-math.Sqrt(5)*d/0.25)
		},
		map[float64]float64{0: 0.5625, 0.125: 0.5625 * 0.8286492, 0.25: 0.5625 * 0.5239941, 0.5: 0.5625 * 0.1386602},
	},
}

const noiseVariance = 4e-4

func TestGaussianProcessCovariance(t *testing.T) {
	for name, kernel := range kernels {
		for d, want := range kernel.values {
			if got := kernel.k(d); math.Abs(got-want) > 1e-6 {
				t.Errorf("%s: the test's own kernel has k(%v) = %v, want %v", name, d, got, want)
			}
		}
		e := syntheticExperiment(name)
		e.Data.Points = []int{100, 100}
		source := open(t, e, "")
		const bins = 8 // of the distance, each of width 0.1
		var variance, fourth, noise, variogram []float64
		covariance := make([][]float64, bins)
		for step := range 20 {
			b := made(t, source, step, false)
			for f := range b.Functions {
				x, y := b.X[f*b.Points:(f+1)*b.Points], b.Y[f*b.Points:(f+1)*b.Points]
				var square, quartic, rise, near float64
				var sum, count [bins]float64
				for i := range x {
					a := float64(y[i])
					square += a * a / 100
					quartic += a * a * a * a / 100
					for j := range i {
						d, c := math.Abs(float64(x[i])-float64(x[j])), float64(y[j])
						if bin := int(d / 0.1); bin < bins {
							sum[bin] += a*c - kernel.k(d)
							count[bin]++
						}
						if d < 0.2 { // most sensitive to the length scale
							rise += (a - c) * (a - c) / (2*noiseVariance + 2*(kernel.k(0)-kernel.k(d)))
							near++
						}
						if d < 0.002 { // nearly only noise
							noise = append(noise, (a-c)*(a-c)-2*(kernel.k(0)-kernel.k(d)))
						}
					}
				}
				variance, fourth, variogram = append(variance, square), append(fourth, quartic), append(variogram, rise/near)
				for bin := range bins {
					covariance[bin] = append(covariance[bin], sum[bin]/count[bin])
				}
			}
		}
		expect(t, name+" variance", variance, 0.5625+noiseVariance)
		expect(t, name+" fourth moment", fourth, 3*(0.5625+noiseVariance)*(0.5625+noiseVariance))
		expect(t, name+" variogram over what it should be", variogram, 1)
		expect(t, name+" noise", noise, 2*noiseVariance)
		for bin := range bins {
			expect(t, name+" covariance less the kernel", covariance[bin], 0)
		}
	}
}

// yᵀC⁻¹y of a normal vector with covariance C is χ² with N degrees of freedom: mean N, variance 2N.
func TestGaussianProcessIsWhiteUnderItsOwnCovariance(t *testing.T) {
	for name, kernel := range kernels {
		e := syntheticExperiment(name)
		e.Eval.BatchSize = 8
		b := made(t, open(t, e, ""), 0, true)
		n := b.Points
		for f := range b.Functions {
			x, y := b.X[f*n:(f+1)*n], mat.NewVecDense(n, nil)
			c := mat.NewSymDense(n, nil)
			for i := range n {
				y.SetVec(i, float64(b.Y[f*n+i]))
				for j := range i {
					c.SetSym(i, j, kernel.k(math.Abs(float64(x[i])-float64(x[j]))))
				}
				c.SetSym(i, i, kernel.k(0)+noiseVariance)
			}
			var factor mat.Cholesky
			if !factor.Factorize(c) {
				t.Fatal("no Cholesky factor")
			}
			var solved mat.VecDense
			must.Do(t, factor.SolveVecTo(&solved, y))
			if chi2, mean := mat.Dot(y, &solved), float64(n); math.Abs(chi2-mean) > 5*math.Sqrt(2*mean) {
				t.Errorf("%s, function %d: yᵀC⁻¹y = %v, want %v ± %v", name, f, chi2, mean, 5*math.Sqrt(2*mean))
			}
		}
	}
}

func TestGaussianProcessParametersAreTheConfigurations(t *testing.T) {
	e := syntheticExperiment("matern52")
	e.Data.Points, e.Data.Length, e.Data.Amplitude, e.Data.Noise = []int{50, 50}, 1e-6, 2, 0.5 // nearly white
	b := made(t, open(t, e, ""), 0, false)
	squares := make([]float64, len(b.Y))
	for i, y := range b.Y {
		squares[i] = float64(y) * float64(y)
	}
	expect(t, "white variance", squares, 4.25)
}

// Without noise the covariance of 500 points has eigenvalues far below float64's rounding.
func TestGaussianProcessWithoutNoise(t *testing.T) {
	e := syntheticExperiment("rbf")
	e.Data.Noise, e.Eval.BatchSize = 0, 2
	b := made(t, open(t, e, ""), 0, true)
	for f := range b.Functions {
		x, y := b.X[f*b.Points:(f+1)*b.Points], b.Y[f*b.Points:(f+1)*b.Points]
		for i := range x {
			for j := range i {
				// The slope is normal with deviation σ/ℓ = 3. A jitter of at most 1e-6 of the
				// variance moves y by 0.001.
				if d := math.Abs(float64(x[i] - x[j])); d < 0.01 && !(math.Abs(float64(y[i]-y[j])) < 18*d+0.01) {
					t.Fatalf("y jumps from %v to %v within %v", y[j], y[i], d)
				}
			}
		}
	}
}
