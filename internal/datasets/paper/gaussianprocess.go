package paper

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/simd"
)

// A kernel sets covariances to those of the points at these distances. The length of both is a
// multiple of simd.DoubleLanes.
type kernel func(covariances, distances []float64)

// rbfKernel is the kernel σ² exp(−d²/2ℓ²), where variance is σ² and length ℓ.
func rbfKernel(variance, length float64) kernel {
	scale := -1 / (2 * length * length)
	return func(covariances, distances []float64) {
		simd.SquaredExponential(covariances, distances, scale, variance)
	}
}

// matern52Kernel is the kernel σ² (1 + √5d/ℓ + 5d²/3ℓ²) exp(−√5d/ℓ), where variance is σ² and length ℓ.
func matern52Kernel(variance, length float64) kernel {
	scale := math.Sqrt(5) / length
	return func(covariances, distances []float64) {
		simd.Matern52(covariances, distances, scale, variance)
	}
}

// rbf draws from the Gaussian process with the squared-exponential kernel of data.amplitude σ and
// data.length_scale ℓ, and noise of standard deviation data.noise.
func rbf(d config.Data) process {
	return gaussianProcess(d, rbfKernel(d.Amplitude*d.Amplitude, d.Length))
}

// matern52 is rbf with the Matérn 5/2 kernel.
func matern52(d config.Data) process {
	return gaussianProcess(d, matern52Kernel(d.Amplitude*d.Amplitude, d.Length))
}

func gaussianProcess(d config.Data, k kernel) process {
	draw := drawGaussian()
	return func(f randomness, s []float64, x, y []float32) error {
		return draw(f, k, d.Noise*d.Noise, s, x, y)
	}
}

// drawGaussian returns a function that sets x = s and y = Uᵀz, where z [N] is standard normal and UᵀU
// is the covariance of y at the N points, with the noise's variance added to the diagonal.
func drawGaussian() func(f randomness, k kernel, noise float64, s []float64, x, y []float32) error {
	var c covariance
	var z []float64
	return func(f randomness, k kernel, noise float64, s []float64, x, y []float32) error {
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
