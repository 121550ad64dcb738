package datasets

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/engine/simd"
)

// A kernel sets covariances to those of the points at these distances. The length of both is a
// multiple of simd.DoubleLanes.
type kernel func(covariances, distances []float64)

// rbf draws from the Gaussian process with the covariance σ² exp(−d²/2ℓ²) at distance d, and noise
// of standard deviation δ.
func rbf(d config.Data) process {
	variance, scale := d.Amplitude*d.Amplitude, -1/(2*d.Length*d.Length)
	return gaussianProcess(d, func(covariances, distances []float64) {
		simd.SquaredExponential(covariances, distances, scale, variance)
	})
}

// matern52 draws from the Gaussian process with the covariance σ² (1 + √5d/ℓ + 5d²/3ℓ²) exp(−√5d/ℓ)
// at distance d, and noise of standard deviation δ.
func matern52(d config.Data) process {
	variance, scale := d.Amplitude*d.Amplitude, math.Sqrt(5)/d.Length
	return gaussianProcess(d, func(covariances, distances []float64) {
		simd.Matern52(covariances, distances, scale, variance)
	})
}

// gaussianProcess draws y = Uᵀz, where z [N] is standard normal and UᵀU is the covariance of y at
// the N points, with δ² added to the diagonal.
func gaussianProcess(d config.Data, k kernel) process {
	var c covariance
	var z []float64
	noise := d.Noise * d.Noise
	return func(f randomness, s []float64, x, y []float32) error {
		n := len(s)
		c.fill(s, k, noise)
		if err := c.factorize(); err != nil {
			return err
		}
		z = slices.Grow(z[:0], n)[:n]
		f.normals(z)
		blas64.Trmv(blas.Trans, blas64.Triangular{Uplo: blas.Upper, Diag: blas.NonUnit, N: n, Data: c.factor, Stride: c.stride},
			blas64.Vector{N: n, Inc: 1, Data: z})
		for i, s := range s {
			x[i], y[i] = float32(s), float32(z[i])
		}
		return nil
	}
}
