package datasets

import (
	"math"

	"github.com/acqnp/acqnp/internal/random/dice"
)

// A curve is the noiseless part of a function.
type curve func(x float64) float64

// A shape is a kind of curves with a few parameters. It draws the parameters of a family, and returns
// a function that draws the curve of one of its functions. spread is the deviation of a function's
// parameters from the family's, relative to that among families; without it all curves are the same.
type shape func(d *dice.Dice, spread float64) func(d *dice.Dice) curve

// shapes are all shapes, with how often a family has them.
var (
	shapes = []shape{lines, polynomials, smooth, sigmoids, exponentials, waves, steps, peaks, hinges}
	often  = []float64{4, 3, 5, 2, 2, 2, 1.5, 1.5, 1}
)

// about draws a family's number of deviation 1, and returns a function that draws one near it.
func about(d *dice.Dice, spread float64) func(d *dice.Dice) float64 {
	centre := d.Normal()
	return func(d *dice.Dice) float64 { return centre + spread*d.Normal() }
}

func lines(d *dice.Dice, spread float64) func(d *dice.Dice) curve {
	slope := about(d, spread)
	return func(d *dice.Dice) curve {
		b := slope(d)
		return func(x float64) float64 { return b * x }
	}
}

// polynomials are of degree 3, in Hermite's form, and constant beyond 3 deviations of x.
func polynomials(d *dice.Dice, spread float64) func(d *dice.Dice) curve {
	b1, b2, b3 := about(d, spread), about(d, spread), about(d, spread)
	cubic := 0.4 * float64(d.Choose(1, 1))
	return func(d *dice.Dice) curve {
		b, c, e := b1(d), 0.7*b2(d), cubic*b3(d)
		return func(x float64) float64 {
			x = min(max(x, -3), 3)
			return b*x + c*(x*x-1) + e*(x*x*x-3*x)
		}
	}
}

// features is the number of frequencies of smooth curves.
const features = 24

// smooth are Gaussian processes with a random length and a kernel that is squared-exponential or
// Matérn's. Random frequencies of the kernel's spectrum (Rahimi and Recht, 2007) make a process of a
// sum of waves with normal weights.
func smooth(d *dice.Dice, spread float64) func(d *dice.Dice) curve {
	var frequency, centre [2 * features]float64
	length, freedom := d.LogUniform(0.15, 3), []int{0, 1, 3, 5}[d.Choose(4, 1, 2, 2)]
	for k := range features {
		frequency[k] = spectral(d, freedom) / length
	}
	for k := range centre {
		centre[k] = d.Normal()
	}
	total := math.Sqrt(features * (1 + spread*spread))
	return func(d *dice.Dice) curve {
		var weight [2 * features]float64
		for k := range weight {
			weight[k] = (centre[k] + spread*d.Normal()) / total
		}
		return func(x float64) float64 {
			y := 0.0
			for k := range features {
				sin, cos := math.Sincos(frequency[k] * x)
				y += weight[2*k]*sin + weight[2*k+1]*cos
			}
			return y
		}
	}
}

// spectral draws a frequency of a kernel of length 1: of Matérn's with smoothness freedom/2, or of the
// squared-exponential one if freedom is 0. It is at most 40.
func spectral(d *dice.Dice, freedom int) float64 {
	z, squares := d.Normal(), 0.0
	if freedom == 0 {
		return z
	}
	for range freedom {
		v := d.Normal()
		squares += v * v
	}
	return min(max(z*math.Sqrt(float64(freedom)/squares), -40), 40)
}

// sigmoids grow from one level to another: logistic curves, or Gompertz's.
func sigmoids(d *dice.Dice, spread float64) func(d *dice.Dice) curve {
	height, centre, rate := about(d, spread), about(d, spread), about(d, spread)
	high, gompertz := 2+d.Uniform(0, 2), d.Chance(0.4)
	return func(d *dice.Dice) curve {
		a, t, k := high+0.7*height(d), 0.6*centre(d), math.Exp(0.7+0.5*rate(d))
		if gompertz {
			return func(x float64) float64 { return a * math.Exp(-math.Exp(-min(k*(x-t), 30))) }
		}
		return func(x float64) float64 { return a / (1 + math.Exp(-k*(x-t))) }
	}
}

// exponentials grow, or decay to a level.
func exponentials(d *dice.Dice, spread float64) func(d *dice.Dice) curve {
	height, rate := about(d, spread), about(d, spread)
	base := 0.8 * d.Normal()
	return func(d *dice.Dice) curve {
		a, k := 1+0.5*height(d), min(max(base+0.4*rate(d), -2), 2)
		return func(x float64) float64 { return a * math.Exp(k*min(max(x, -3), 3)) }
	}
}

// waves have two harmonics.
func waves(d *dice.Dice, spread float64) func(d *dice.Dice) curve {
	height, second, phase, speed := about(d, spread), about(d, spread), about(d, spread), about(d, spread)
	w, over := d.LogUniform(0.7, 8), 0.4*float64(d.Choose(1, 1))
	return func(d *dice.Dice) curve {
		a, b, f, v := 1+0.5*height(d), over*second(d), phase(d), w*math.Exp(0.1*speed(d))
		return func(x float64) float64 { return a*math.Sin(v*x+f) + b*math.Sin(2*v*x+f) }
	}
}

// steps jump at one to three places.
func steps(d *dice.Dice, spread float64) func(d *dice.Dice) curve {
	count := 1 + d.Choose(3, 2, 1)
	var at, jump [3]func(d *dice.Dice) float64
	for k := range count {
		at[k], jump[k] = about(d, spread), about(d, spread)
	}
	return func(d *dice.Dice) curve {
		var t, h [3]float64
		for k := range count {
			t[k], h[k] = at[k](d), jump[k](d)
		}
		return func(x float64) float64 {
			y := 0.0
			for k := range count {
				if x > t[k] {
					y += h[k]
				}
			}
			return y
		}
	}
}

// peaks rise and fall once.
func peaks(d *dice.Dice, spread float64) func(d *dice.Dice) curve {
	height, centre, width := about(d, spread), about(d, spread), about(d, spread)
	high := 1 + d.Uniform(0, 2)
	return func(d *dice.Dice) curve {
		a, t, w := high+0.7*height(d), 0.7*centre(d), math.Exp(-0.5+0.4*width(d))
		return func(x float64) float64 { return a * math.Exp(-(x-t)*(x-t)/(2*w*w)) }
	}
}

// hinges are two lines that meet.
func hinges(d *dice.Dice, spread float64) func(d *dice.Dice) curve {
	left, right, at := about(d, spread), about(d, spread), about(d, spread)
	return func(d *dice.Dice) curve {
		a, b, t := left(d), right(d), 0.7*at(d)
		return func(x float64) float64 { return a*min(x-t, 0) + b*max(x-t, 0) }
	}
}
