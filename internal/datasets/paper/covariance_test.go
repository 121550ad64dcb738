package paper

import (
	"math"
	"runtime"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/random"
	"github.com/acqnp/acqnp/internal/test/must"
)

// plain draws y of a Gaussian process as the definition says, a number at a time, with gonum's Cholesky
// factor. k is the kernel.
func plain(t *testing.T, f randomness, s []float64, k func(d float64) float64, noise float64) []float64 {
	t.Helper()
	n := len(s)
	a, z := make([]float64, n*n), make([]float64, n)
	for i := range n {
		for j := i; j < n; j++ {
			a[i*n+j] = k(s[i] - s[j])
		}
		a[i*n+i] += noise
		z[i] = f.g.Normal(f.step, (f.base+rest)/2+uint64(i))
	}
	upper, ok := lapack64.Potrf(blas64.Symmetric{Uplo: blas.Upper, N: n, Data: a, Stride: n})
	if !ok {
		t.Fatal("no Cholesky factor")
	}
	blas64.Trmv(blas.Trans, upper, blas64.Vector{N: n, Inc: 1, Data: z})
	return z
}

// The draws have the bits of the plain form, at sizes around those of vectors and blocks, small after
// large. Elsewhere than on amd64, gonum adds in another order.
func TestGaussianProcessesHaveTheBitsOfThePlainForm(t *testing.T) {
	d := config.Data{Length: 0.25, Amplitude: 0.75, Noise: 0.02}
	variance, scale := 0.75*0.75, math.Sqrt(5)/0.25
	for name, c := range map[string]struct {
		draw process
		k    func(d float64) float64
	}{
		"rbf": {rbf(d), func(d float64) float64 { return variance * math.Exp(-1/(2*0.25*0.25)*d*d) }},
		"matern52": {matern52(d), func(d float64) float64 {
			r := scale * math.Abs(d)
			return variance * (1 + r + r*r/3) * math.Exp(-r)
		}},
	} {
		for step, n := range []int{200, 1, 2, 7, 8, 9, 53, 63, 64, 65, 100, 129, 6} {
			f := randomness{random.New(43, random.Data), uint64(step), 5 * groupWords}
			s, x, y := make([]float64, n), make([]float32, n), make([]float32, n)
			f.positions(s)
			for i := range s {
				s[i] = 4*s[i] - 2
			}
			must.Do(t, c.draw(f, s, x, y))
			bound := 0.0
			if runtime.GOARCH != "amd64" {
				bound = 1e-6 // of float32
			}
			for i, want := range plain(t, f, s, c.k, 0.02*0.02) {
				if x[i] != float32(s[i]) || !(math.Abs(float64(y[i]-float32(want))) <= bound) {
					t.Fatalf("%s of %d points: y[%d] is %v, want %v", name, n, i, y[i], float32(want))
				}
			}
		}
	}
}

// A matrix that is not positive definite is an error, even with jitter.
func TestCovarianceRefusesWhatHasNoFactor(t *testing.T) {
	c := covariance{}
	c.fill([]float64{0, 1, 2}, func(covariances, distances []float64) {
		for i, d := range distances {
			covariances[i] = 1 - d*d // negative eigenvalues
		}
	}, 0)
	if err := c.factorize(); err == nil {
		t.Error("no error")
	}
}
