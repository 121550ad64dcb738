package paper

import (
	"math"
	"slices"

	"github.com/acqnp/acqnp/internal/config"
)

// processes are the processes of the synthetic benchmarks, by name.
var processes = map[string]func(config.Data) process{
	"sawtooth":    sawtooth,
	"double-sine": doubleSine,
	"circle":      circle,
	"lissajous":   lissajous,
	"rbf":         rbf,
	"matern52":    matern52,

	"tnp-sawtooth": tnpSawtooth,
	"tnp-gp":       tnpGaussian,
}

// doubleSine draws points with y = α₁ sin(ω₁x) or y = α₂ cos(ω₂x), each with probability ½; x = s,
// α ~ U[0.5, 1.5), ω ~ U[1, 3).
func doubleSine(config.Data) process {
	var coins []uint32
	return func(f randomness, s []float64, x, y []float32) error {
		a1, a2 := f.parameter(0, 0.5, 1.5), f.parameter(1, 0.5, 1.5)
		w1, w2 := f.parameter(2, 1, 3), f.parameter(3, 1, 3)
		coins = slices.Grow(coins[:0], len(s))[:len(s)]
		f.coins(coins)
		for i, s := range s {
			x[i] = float32(s)
			if coins[i] < 1<<31 {
				y[i] = float32(a1 * math.Sin(w1*s))
			} else {
				y[i] = float32(a2 * math.Cos(w2*s))
			}
		}
		return nil
	}
}

// circle draws x = α cos s + δ, y = α sin s + δ with the same δ; α ~ U[0.5, 1.5), δ ~ U[−0.5, 0.5).
func circle(config.Data) process {
	return func(f randomness, s []float64, x, y []float32) error {
		radius, shift := f.parameter(0, 0.5, 1.5), f.parameter(1, -0.5, 0.5)
		for i, s := range s {
			sin, cos := math.Sincos(s)
			x[i], y[i] = float32(radius*cos+shift), float32(radius*sin+shift)
		}
		return nil
	}
}

// lissajous draws x = α₁ sin(ωs+δ), y = α₂ sin s; α ~ U[1, 2), ω ~ U[0.5, 2), δ ~ U[0, 2).
func lissajous(config.Data) process {
	return func(f randomness, s []float64, x, y []float32) error {
		a1, a2 := f.parameter(0, 1, 2), f.parameter(1, 1, 2)
		w, shift := f.parameter(2, 0.5, 2), f.parameter(3, 0, 2)
		for i, s := range s {
			x[i], y[i] = float32(a1*math.Sin(w*s+shift)), float32(a2*math.Sin(s))
		}
		return nil
	}
}

// sawtooth draws y = −(α/π) Σ_{k=1..K} (−1)^k sin(2πkω(x+δ))/k, plus α/2 if data.zero_mean is
// false; x = s, α ~ U[1, 2), ω ~ U[1, 3), δ ~ U[−2, 2), K ~ U{harmonics}.
func sawtooth(d config.Data) process {
	level := 0.0
	if d.ZeroMean != nil && !*d.ZeroMean {
		level = 0.5
	}
	lo, hi := d.Harmonics[0], d.Harmonics[1]
	return func(f randomness, s []float64, x, y []float32) error {
		a, w, shift := f.parameter(0, 1, 2), f.parameter(1, 1, 3), f.parameter(2, -2, 2)
		k := f.g.Between(f.step, f.base+3, lo, hi)
		for i, s := range s {
			x[i] = float32(s)
			// (−1)^k sin(kθ) is sin(k(θ+π)).
			y[i] = float32(a*level - a/math.Pi*sineSeries(2*math.Pi*w*(s+shift)+math.Pi, k))
		}
		return nil
	}
}

// sineSeries returns Σ_{k=1..n} sin(kθ)/k. It computes one sine and one cosine, and uses
// sin((k+1)θ) = 2 cos θ sin(kθ) − sin((k−1)θ).
func sineSeries(theta float64, n int) float64 {
	sin, cos := math.Sincos(theta)
	previous, sum := 0.0, 0.0
	for k := 1; k <= n; k++ {
		sum += sin / float64(k)
		previous, sin = sin, 2*cos*sin-previous
	}
	return sum
}
