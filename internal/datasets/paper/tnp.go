package paper

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"github.com/acqnp/acqnp/internal/config"
)

// The functions here are those on which transformer neural processes are measured: Hassan et al.,
// Efficient Autoregressive Inference for Transformer Probabilistic Models (ICLR 2026), appendix D.2.

// tnpSawtooth draws y = ω(ux − φ) mod 1 + ε, with u = ±1, ω ~ U[3, 5), φ ~ U[0, 1) and ε ~ N(0, σ²),
// σ ~ U[0.05, 0.1).
func tnpSawtooth(d config.Data) process {
	var z []float64
	spread := sobol(d)
	return func(f randomness, s []float64, x, y []float32) error {
		frequency, shift, noise := f.parameter(0, 3, 5), f.parameter(1, 0, 1), f.parameter(2, 0.05, 0.1)
		if f.parameter(3, 0, 1) < 0.5 {
			frequency, shift = -frequency, -shift
		}
		z = slices.Grow(z[:0], len(s))[:len(s)]
		f.normals(z)
		spread(f, s)
		for i, s := range s {
			_, tooth := math.Modf(frequency * (s - shift))
			if tooth < 0 {
				tooth++
			}
			x[i], y[i] = float32(s), float32(tooth+noise*z[i])
		}
		return nil
	}
}

// tnpGaussian draws from Gaussian processes with noise of variance 10⁻⁵. All groups of a batch have
// the same kernel, squared-exponential, Matérn 3/2 or Matérn 5/2 with probabilities 0.4, 0.3 and 0.3.
// Each has its own variance ~ U[0.5, 1.5) and length scale ~ U[0.1, 1).
func tnpGaussian(d config.Data) process {
	draw, spread := drawGaussian(), sobol(d)
	return func(f randomness, s []float64, x, y []float32) error {
		variance, length := f.parameter(0, 0.5, 1.5), f.parameter(1, 0.1, 1)
		ofBatch := randomness{f.g, f.step, 0}
		spread(f, s)
		var k kernel
		switch which := ofBatch.parameter(2, 0, 1); {
		case which < 0.4:
			k = rbfKernel(variance, length)
		case which < 0.7:
			k = matern32Kernel(variance, length)
		default:
			k = matern52Kernel(variance, length)
		}
		return draw(f, k, 1e-5, s, x, y)
	}
}

// matern32Kernel is the kernel σ² (1 + √3d/ℓ) exp(−√3d/ℓ), where variance is σ² and length ℓ.
func matern32Kernel(variance, length float64) kernel {
	scale := math.Sqrt(3) / length
	return func(covariances, distances []float64) {
		for i, d := range distances {
			r := scale * math.Abs(d)
			covariances[i] = variance * (1 + r) * math.Exp(-r)
		}
	}
}

// sobol returns a function that replaces positions by the points of a Sobol sequence over data.interval,
// in random order and with a random digital shift. So they keep apart, more than independent points do.
// It takes the order from the positions.
func sobol(d config.Data) func(f randomness, s []float64) {
	lo, hi := d.Interval[0], d.Interval[1]
	var order []int
	return func(f randomness, s []float64) {
		order = slices.Grow(order[:0], len(s))[:len(s)]
		for i := range order {
			order[i] = i
		}
		slices.SortFunc(order, func(a, b int) int { return cmp.Compare(s[a], s[b]) })
		shift := uint32(f.parameter(7, 0, 1<<32))
		for rank, i := range order {
			s[i] = lo + (hi-lo)*float64(bits.Reverse32(uint32(rank))^shift)/(1<<32)
		}
	}
}
