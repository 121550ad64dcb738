package datasets

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/input"
)

// rbf draws from the Gaussian process with the covariance σ² exp(−d²/2ℓ²) at distance d, and noise
// of standard deviation δ.
func rbf(d config.Data) process {
	variance, scale := d.Amplitude*d.Amplitude, -1/(2*d.Length*d.Length)
	return gaussianProcess(d, func(distance float64) float64 {
		return variance * math.Exp(scale*distance*distance)
	})
}

// matern52 draws from the Gaussian process with the covariance σ² (1 + √5d/ℓ + 5d²/3ℓ²) exp(−√5d/ℓ)
// at distance d, and noise of standard deviation δ.
func matern52(d config.Data) process {
	variance, scale := d.Amplitude*d.Amplitude, math.Sqrt(5)/d.Length
	return gaussianProcess(d, func(distance float64) float64 {
		t := scale * math.Abs(distance)
		return variance * (1 + t + t*t/3) * math.Exp(-t)
	})
}

// gaussianProcess draws y = Uᵀz, where z [N] is standard normal and UᵀU is the covariance of y at
// the N points, with δ² added to the diagonal.
func gaussianProcess(d config.Data, kernel func(distance float64) float64) process {
	var covariance, factor, z []float64
	noise := d.Noise * d.Noise
	return func(f randomness, s []float64, x, y []float32) error {
		n := len(s)
		if len(z) < n {
			covariance, factor, z = make([]float64, n*n), make([]float64, n*n), make([]float64, n)
		}
		for i, a := range s {
			row := covariance[i*n : (i+1)*n]
			for j := i; j < n; j++ {
				row[j] = kernel(a - s[j])
			}
			row[i] += noise
		}
		upper, err := factorize(n, factor, covariance)
		if err != nil {
			return err
		}
		for i := range s {
			z[i] = f.normal(i)
		}
		blas64.Trmv(blas.Trans, upper, blas64.Vector{N: n, Inc: 1, Data: z[:n]})
		for i, s := range s {
			x[i], y[i] = float32(s), float32(z[i])
		}
		return nil
	}
}

// factorize computes the Cholesky factor of the covariance [n, n], of which it reads the upper half,
// in the memory of factor [n, n]. With little noise and close points, rounding can make the matrix
// singular. It then adds as little to the diagonal as is needed, up to about 10⁻⁶ of the variance. It
// calls LAPACK itself, because gonum's Cholesky also estimates a condition number, which takes as long
// as the factor.
func factorize(n int, factor, covariance []float64) (blas64.Triangular, error) {
	variance := covariance[0]
	for jitter := 1e-12; ; jitter *= 100 {
		copy(factor, covariance[:n*n])
		upper, ok := lapack64.Potrf(blas64.Symmetric{Uplo: blas.Upper, N: n, Data: factor[:n*n], Stride: n})
		if ok {
			return upper, nil
		}
		if jitter > 2e-6 {
			return upper, &input.Error{
				Key:      "data",
				Found:    fmt.Sprintf("a covariance of %d points that is not positive definite", n),
				Expected: "a shorter data.length_scale or more data.noise",
			}
		}
		for i := range n {
			covariance[i*n+i] += jitter * variance
		}
	}
}
