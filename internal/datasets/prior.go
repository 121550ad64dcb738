package datasets

import (
	"math"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/random/dice"
)

// The prior over functions. A function belongs to a family, as those of a data set do, and a family is
// drawn first: where the points lie, the shapes of curves with the family's parameters and how far a
// function's own lie from them, and the noise. x and y are standardised over the family, as training
// on a CSV file does it. In a batch, familySize functions in a row are of one family.
const (
	familySize = 4

	references      = 48 // functions from which the standardisation of a family is estimated
	referencePoints = 4  // of each
)

// The words of a family, within the parameters of its first function, and those of a function within
// its own. A point has pointWords words.
const (
	referenceWords = 4096 // the first word of the references
	eachReference  = 1024
	memberWords    = part - 4096 // the first word of a function
	pointWords     = 32
)

// The references fit below the functions' own words: if they did not, this would not compile.
const _ = uint64(memberWords - referenceWords - references*eachReference)

// prior draws functions of families. s is uniform on [0, 1): the share of x below the point's.
func prior(config.Data) process {
	var f family
	var drawn randomness // the first function of the family f
	return func(r randomness, s []float64, x, y []float32) error {
		first := r
		first.base -= r.base % (familySize * functionWords)
		if first != drawn || f.curves == nil {
			f, drawn = newFamily(first), first
		}
		m := f.member(dice.New(r.g, r.step, r.base+memberWords))
		for i, u := range s {
			d := dice.New(r.g, r.step, r.base+rest+uint64(i)*pointWords)
			px, py := m.point(d, min(max(u, 0), 1-1.0/(1<<24)))
			x[i], y[i] = float32(px), float32(py)
		}
		return nil
	}
}

// A family makes functions that are alike.
type family struct {
	layout   layout
	branches float64                  // the share of points on the first curve, 1 if there is one curve
	curves   func(d *dice.Dice) curve // of a function
	second   func(d *dice.Dice) curve // nil unless there are two
	noise    noise
	skew     float64 // if it is not 0, y is (exp(skew·y) − 1)/skew

	signal, loudness, y moments
}

// moments are a mean and a deviation, by which values are standardised.
type moments struct{ mean, deviation float64 }

func (m moments) of(v float64) float64 { return (v - m.mean) / m.deviation }

// momentsOf returns the moments of values. A deviation of 0 counts as 1.
func momentsOf(values []float64) moments {
	var m moments
	for _, v := range values {
		m.mean += v / float64(len(values))
	}
	for _, v := range values {
		m.deviation += (v - m.mean) * (v - m.mean) / float64(len(values))
	}
	if m.deviation = math.Sqrt(m.deviation); !(m.deviation > 1e-9) {
		m.deviation = 1
	}
	return m
}

// newFamily draws the family whose first function has these words.
func newFamily(r randomness) family {
	d := dice.New(r.g, r.step, r.base)
	f := family{layout: newLayout(d), noise: newNoise(d), branches: 1}
	f.curves = newCurves(d)
	if d.Chance(0.08) {
		f.branches, f.second = d.Uniform(0.2, 0.8), newCurves(d)
		f.noise.share = min(f.noise.share, 0.3)
	}
	if d.Chance(0.12) {
		f.skew = d.Uniform(0.2, 1) * float64(1-2*d.Choose(2, 1))
	}
	f.standardise(r)
	return f
}

// newCurves draws the curves of a family: one or two shapes, a random intercept and a random slope, so
// that a function of it is that of a mixed model around a curve of the population.
func newCurves(d *dice.Dice) func(d *dice.Dice) curve {
	one := shapes[d.Choose(often...)](d, newSpread(d))
	two, weight := one, 0.0
	if d.Chance(0.35) {
		two, weight = shapes[d.Choose(often...)](d, newSpread(d)), d.Uniform(0.2, 1.5)
	}
	effects := newEffects(d)
	return func(d *dice.Dice) curve {
		a, line := one(d), effects(d)
		if weight == 0 {
			return func(x float64) float64 { return a(x) + line(x) }
		}
		b := two(d)
		return func(x float64) float64 { return a(x) + weight*b(x) + line(x) }
	}
}

// newSpread draws how far the parameters of a family's functions lie from the family's: not at all, a
// little, or so far that the functions have little in common.
func newSpread(d *dice.Dice) float64 {
	switch d.Choose(3, 5, 3) {
	case 0:
		return 0
	case 1:
		return d.LogUniform(0.05, 1)
	}
	return d.LogUniform(1, 10)
}

// newEffects draws the deviations of a random intercept and a random slope, their correlation, and
// whether the functions form two groups.
func newEffects(d *dice.Dice) func(d *dice.Dice) curve {
	var intercept, slope, groups float64
	if d.Chance(0.75) {
		intercept = d.LogUniform(0.1, 4)
	}
	if d.Chance(0.5) {
		slope = d.LogUniform(0.05, 2)
	}
	if d.Chance(0.12) {
		groups = intercept * d.Uniform(1, 4)
	}
	correlation := d.Uniform(-1, 1)
	own := math.Sqrt(1 - correlation*correlation)
	return func(d *dice.Dice) curve {
		z, side := d.Normal(), float64(1-2*d.Choose(1, 1))
		a, b := intercept*z+groups*side, slope*(correlation*z+own*d.Normal())
		return func(x float64) float64 { return a + b*x }
	}
}

// A member is a function of a family.
type member struct {
	*family
	place  place
	factor float64  // of the noise
	branch [2]curve // the second is nil unless there are two
}

// member draws a function.
func (f *family) member(d *dice.Dice) member {
	m := member{family: f, place: f.layout.place(d), factor: math.Exp(f.noise.loud * d.Normal())}
	m.branch[0] = f.curves(d)
	if f.second != nil {
		m.branch[1] = f.second(d)
	}
	return m
}

// point draws the point at a share u of the function's x.
func (m *member) point(d *dice.Dice, u float64) (x, y float64) {
	x = m.layout.x(m.place, u)
	return x, m.family.y.of(m.raw(d, x))
}

// raw draws y before its last standardisation.
func (m *member) raw(d *dice.Dice, x float64) float64 {
	signal := m.signal.of(m.value(d, x))
	scale := m.noise.scale(x, signal, m.factor) / m.loudness.deviation
	y := math.Sqrt(1-m.noise.share)*signal + math.Sqrt(m.noise.share)*scale*m.noise.draw(d)
	if m.skew != 0 {
		y = math.Expm1(min(m.skew*y, 2.5)) / m.skew
	}
	return y
}

// value returns the curve at x: on two branches one of them by chance.
func (m *member) value(d *dice.Dice, x float64) float64 {
	if m.branch[1] != nil && !d.Chance(m.branches) {
		return m.branch[1](x)
	}
	return m.branch[0](x)
}

// standardise sets offsets and scales so that x, the curve and y have about mean 0 and deviation 1 over
// the family's functions, and the noise its share. It estimates them from the references, as training
// does from a data set.
func (f *family) standardise(r randomness) {
	f.signal, f.loudness, f.y = moments{0, 1}, moments{0, 1}, moments{0, 1}
	members, dices := make([]member, references), make([]*dice.Dice, references)
	var u, x [references * referencePoints]float64
	values := make([]float64, len(x))
	each := func(draw func(m *member, d *dice.Dice, i int) float64) []float64 {
		for i := range values {
			values[i] = draw(&members[i/referencePoints], dices[i/referencePoints], i)
		}
		return values
	}
	for k := range members {
		dices[k] = dice.New(r.g, r.step, r.base+referenceWords+uint64(k)*eachReference)
		members[k] = f.member(dices[k])
	}
	m := momentsOf(each(func(m *member, d *dice.Dice, i int) float64 {
		u[i] = d.Uniform(0, 1)
		return f.layout.x(m.place, u[i])
	}))
	f.layout.offset, f.layout.deviation = m.mean, m.deviation
	f.signal = momentsOf(each(func(m *member, d *dice.Dice, i int) float64 {
		x[i] = f.layout.x(m.place, u[i])
		return m.value(d, x[i])
	}))
	squares := 0.0
	for _, v := range each(func(m *member, d *dice.Dice, i int) float64 {
		return f.noise.scale(x[i], f.signal.of(m.value(d, x[i])), m.factor)
	}) {
		squares += v * v / float64(len(values))
	}
	f.loudness.deviation = math.Sqrt(squares)
	f.y = momentsOf(each(func(m *member, d *dice.Dice, i int) float64 { return m.raw(d, x[i]) }))
}
