package paper_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/acqnp/acqnp/internal/datasets/datatest"
	"github.com/acqnp/acqnp/internal/test/must"
)

// kernels are the kernels with the paper's parameters.
var kernels = map[string]func(d float64) float64{
	"rbf": func(d float64) float64 { return 0.75 * 0.75 * math.Exp(-d*d/(2*0.25*0.25)) },
	"matern52": func(d float64) float64 {
		return 0.75 * 0.75 * (1 + math.Sqrt(5)*d/0.25 + 5*d*d/(3*0.25*0.25)) * math.Exp(-math.Sqrt(5)*d/0.25)
	},
}

const noiseVariance = 4e-4

// yᵀC⁻¹y of a normal vector with covariance C is χ² with N degrees of freedom: mean N, variance 2N.
func TestGaussianProcessIsWhiteUnderItsOwnCovariance(t *testing.T) {
	for name, kernel := range kernels {
		e := syntheticExperiment(name)
		e.Eval.BatchSize = 8
		b := datatest.Made(t, datatest.Open(t, e, "").Eval, 0)
		n := b.Points
		for f := range b.Groups {
			x, y := b.X[f*n:(f+1)*n], mat.NewVecDense(n, nil)
			c := mat.NewSymDense(n, nil)
			for i := range n {
				y.SetVec(i, float64(b.Y[f*n+i]))
				for j := range i {
					c.SetSym(i, j, kernel(math.Abs(float64(x[i])-float64(x[j]))))
				}
				c.SetSym(i, i, kernel(0)+noiseVariance)
			}
			var factor mat.Cholesky
			if !factor.Factorize(c) {
				t.Fatal("no Cholesky factor")
			}
			var solved mat.VecDense
			must.Do(t, factor.SolveVecTo(&solved, y))
			if chi2, mean := mat.Dot(y, &solved), float64(n); math.Abs(chi2-mean) > 5*math.Sqrt(2*mean) {
				t.Errorf("%s, group %d: yᵀC⁻¹y = %v, want %v ± %v", name, f, chi2, mean, 5*math.Sqrt(2*mean))
			}
		}
	}
}

func TestGaussianProcessParametersAreTheConfigurations(t *testing.T) {
	e := syntheticExperiment("matern52")
	e.Data.Points, e.Data.Length, e.Data.Amplitude, e.Data.Noise = []int{50, 50}, 1e-6, 2, 0.5 // nearly white
	b := datatest.Made(t, datatest.Open(t, e, "").Train, 0)
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
	b := datatest.Made(t, datatest.Open(t, e, "").Eval, 0)
	for f := range b.Groups {
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
