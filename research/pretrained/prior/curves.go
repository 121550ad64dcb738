package prior

import (
	"math"

	"github.com/acqnp/acqnp/research/pretrained/dice"
)

// A curve is a function of a column, mapped to [0, 1] over the rows. Groups may shift and stretch it.
type curve func(u float64) float64

// The kinds from growing up to grown are shapes of growth, decay and saturation, which the groups of a
// data set go through at rates and to sizes of their own.
const (
	growing = 3
	grown   = 11
)

// kinds draw curves. Their weights are often.
var kinds = []func(d *dice.Dice) curve{
	line, bow, smooth,
	logistic, gompertz, rise, decay, saturation, compartment, power, stick,
	periodic, steps, jagged,
}

var often = []float64{2, 1, 5, 1, 1, 1, 1, 1, 1, 1, 1, 3, 1, 1}

func line(*dice.Dice) curve { return func(u float64) float64 { return u } }

// bow draws a square.
func bow(d *dice.Dice) curve {
	at := d.Uniform(-0.2, 1.2)
	return func(u float64) float64 { return (u - at) * (u - at) }
}

// smooth draws a random curve, from hardly bent to wild.
func smooth(d *dice.Dice) curve { return newWaves(d, 16, d.LogUniform(0.06, 1.2)).of }

func logistic(d *dice.Dice) curve {
	rate, at := d.LogUniform(4, 30), d.Uniform(0.2, 0.8)
	return func(u float64) float64 { return 1 / (1 + math.Exp(-rate*(u-at))) }
}

func gompertz(d *dice.Dice) curve {
	rate, at := d.LogUniform(3, 20), d.Uniform(0, 0.7)
	return func(u float64) float64 { return math.Exp(-math.Exp(-rate * (u - at))) }
}

// rise draws an exponential approach to a limit, at times after a delay.
func rise(d *dice.Dice) curve {
	rate, delay := d.LogUniform(1.5, 15), max(d.Uniform(-0.3, 0.3), 0)
	return func(u float64) float64 { return 1 - math.Exp(-rate*max(u-delay, 0)) }
}

// decay draws an exponential decay, at times of two rates.
func decay(d *dice.Dice) curve {
	rate, slow, share := d.LogUniform(1, 15), 0.0, 1.0
	if d.Chance(0.4) {
		slow, share = rate*d.Uniform(0.02, 0.4), d.Uniform(0.3, 0.9)
	}
	return func(u float64) float64 {
		u = max(u, 0)
		return share*math.Exp(-rate*u) + (1-share)*math.Exp(-slow*u)
	}
}

// saturation draws the curve of Michaelis and Menten, or Hill's with the power 2.
func saturation(d *dice.Dice) curve {
	half := d.LogUniform(0.05, 1)
	if d.Chance(0.4) {
		return func(u float64) float64 { u = max(u, 0); return u * u / (u*u + half*half) }
	}
	return func(u float64) float64 { u = max(u, 0); return u / (u + half) }
}

// compartment draws the concentration of a drug in one compartment: a rise and a decay.
func compartment(d *dice.Dice) curve {
	out := d.LogUniform(1, 6)
	in := out * d.LogUniform(1.5, 12)
	return func(u float64) float64 { u = max(u, 0); return math.Exp(-out*u) - math.Exp(-in*u) }
}

func power(d *dice.Dice) curve {
	p := d.LogUniform(0.3, 3)
	return func(u float64) float64 { return math.Exp(p * math.Log(max(u, 0)+1e-3)) }
}

// stick draws two lines that meet.
func stick(d *dice.Dice) curve {
	at, turn := d.Uniform(0.15, 0.85), d.Uniform(-4, 4)
	return func(u float64) float64 { return u + turn*max(u-at, 0) }
}

// periodic draws a wave with one overtone, through one to eight cycles.
func periodic(d *dice.Dice) curve {
	cycles, at := d.LogUniform(0.8, 8), d.Uniform(0, 1)
	if d.Chance(0.4) {
		cycles = math.Floor(cycles + 0.5)
	}
	over, shift := d.Uniform(0, 0.6), d.Uniform(0, 1)
	return func(u float64) float64 {
		v := 2 * math.Pi * (cycles*u + at)
		return math.Sin(v) + over*math.Sin(2*v+2*math.Pi*shift)
	}
}

// steps draws up to four jumps.
func steps(d *dice.Dice) curve {
	at, up := make([]float64, 1+d.Below(4)), [4]float64{}
	for i := range at {
		at[i], up[i] = d.Uniform(0.05, 0.95), d.Normal()
	}
	return func(u float64) float64 {
		y := 0.0
		for i, a := range at {
			if u > a {
				y += up[i]
			}
		}
		return y
	}
}

// jagged draws lines between points of unrelated heights, as good and bad years make them.
func jagged(d *dice.Dice) curve {
	heights := make([]float64, 5+d.Below(40))
	for i := range heights {
		heights[i] = d.Normal()
	}
	last := len(heights) - 1
	return func(u float64) float64 {
		at := min(max(u, 0), 1) * float64(last)
		k := min(int(at), last-1)
		return heights[k] + (at-float64(k))*(heights[k+1]-heights[k])
	}
}

// waves are a sum of cosines with random frequencies: a draw from a Gaussian process, nearly.
type waves struct{ frequency, phase, height []float64 }

// newWaves draws n cosines. length is the length scale: the Gaussian process has the squared
// exponential kernel and variance 1.
func newWaves(d *dice.Dice, n int, length float64) waves {
	all := make([]float64, 3*n)
	w := waves{all[:n:n], all[n : 2*n : 2*n], all[2*n:]}
	for i := range n {
		w.frequency[i] = d.Normal() / length
		w.phase[i] = d.Uniform(0, 2*math.Pi)
		w.height[i] = math.Sqrt(2/float64(n)) * d.Normal()
	}
	return w
}

func (w waves) of(u float64) float64 {
	y := 0.0
	for i, f := range w.frequency {
		y += w.height[i] * math.Cos(f*u+w.phase[i])
	}
	return y
}
