package likelihood

import (
	"cmp"
	"math"
	"slices"

	"github.com/acqnp/acqnp/internal/simd"
)

// A curve is the density of a distribution of y in a coordinate z, for the search of its extrema
// and levels. z is y, or log y for an [Exp], whose density in y is p_Z(z)·exp(−z). A [TwoScales] has terms
// of y and of log y or √y, a [Squared] of √y, and z is y.
type curve struct {
	d     Distribution // of z
	terms []term
	exp   bool

	normal *normalSums // of a GaussianMixture

	// Of a Mixture, unless its numbers leave float64.
	density, all simd.LaplaceTerms // of the terms, and of all components
	kinks        []kink            // in increasing order
}

// A kink is a location, and by how much the slope of the density falls there.
type kink struct{ at, fall float64 }

// A term is a component of a mixture, times its weight. Left and right of its location, the
// logarithm of its density is linear, or a parabola for a Gaussian.
type term struct {
	gaussian        bool
	log, root       bool // of log y or √y: a Gaussian at location, whose height is that of its density there
	location, scale float64
	height          float64 // the logarithm of the weighted density at the location
	up, down        float64 // slopes of the logarithm left and right of the location, unless gaussian
	quantile        func(p float64) float64
}

// negligible is the weight below which a component has no effect on a set's mass.
const negligible = 1e-12

// curveOf returns the curve of a mixture or of its Exp.
func curveOf(d Distribution) (curve, bool) {
	c := curve{d: d}
	if e, ok := d.(Exp); ok {
		c.d, c.exp = e.z, true
	}
	switch m := c.d.(type) {
	case Mixture:
		for k, l := range m.components {
			if m.weights[k] > negligible {
				c.terms = append(c.terms, term{false, false, false, l.Location, l.Scale, m.logWeights[k] + l.logDensity(l.Location), l.rest / l.Scale, -l.tau / l.Scale, l.quantile})
			}
		}
	case GaussianMixture:
		c.addGaussians(m, 1, false, false)
		c.normal = newNormalSums(m)
	case Squared:
		c.addGaussians(m.z, 1, false, true)
	case TwoScales:
		c.addGaussians(m.parts[0].(GaussianMixture), m.weights[0], false, false)
		switch other := m.parts[1].(type) {
		case Exp:
			c.addGaussians(other.z.(GaussianMixture), m.weights[1], true, false)
		case Squared:
			c.addGaussians(other.z, m.weights[1], false, true)
		}
	}
	finite := len(c.terms) > 0
	for _, t := range c.terms {
		sum := t.location + t.scale + 1/t.scale + t.height + t.up + t.down
		if t.log {
			sum += t.quantile(1 - 1e-9)
		}
		finite = finite && !math.IsNaN(sum) && !math.IsInf(sum, 0)
	}
	if m, ok := c.d.(Mixture); ok && finite {
		c.addUp(m)
	}
	return c, finite
}

// addGaussians adds the terms of a mixture of y, of log y or of √y, times a weight.
func (c *curve) addGaussians(m GaussianMixture, weight float64, log, root bool) {
	c.terms = slices.Grow(c.terms, len(m.components))
	for k, g := range m.components {
		value := Component{Log: log, Root: root}.value
		quantile := func(p float64) float64 { return value(g.Quantile(p)) }
		c.terms = append(c.terms, term{true, log, root, g.Mean, g.Scale, g.LogDensity(g.Mean) + math.Log(weight*m.weight(k)), 0, 0, quantile})
	}
}

// addUp prepares the sums of a mixture.
func (c *curve) addUp(m Mixture) {
	all, ok := m.sums()
	if !ok {
		return
	}
	density, finite := simd.NewLaplaceTerms(len(c.terms)), true
	for k, t := range c.terms {
		height := math.Exp(t.height)
		density.Set(k, &simd.LaplaceTerm{Location: t.location, Up: t.up, Down: -t.down, Height: height})
		c.kinks = append(c.kinks, kink{t.location, height * (t.up - t.down)})
		finite = finite && !math.IsInf(height*(t.up-t.down), 0)
	}
	if finite {
		c.density, c.all = density, all
		slices.SortFunc(c.kinks, func(a, b kink) int { return cmp.Compare(a.at, b.at) })
	}
}

// fall returns by how much the slope of the density falls at z.
func (c curve) fall(z float64) float64 {
	k, _ := slices.BinarySearchFunc(c.kinks, z, func(k kink, z float64) int { return cmp.Compare(k.at, z) })
	sum := 0.0
	for ; k < len(c.kinks) && c.kinks[k].at == z; k++ {
		sum += c.kinks[k].fall
	}
	return sum
}

// at returns the logarithm of the density at z and its slopes left and right of z. The slopes are 0
// where the density is too small for a float64.
func (c curve) at(z float64) (log, left, right float64) {
	var sum, rising, falling float64
	switch {
	case c.normal != nil && !math.IsInf(z, 0):
		sum, rising = c.normal.density(z)
		falling = rising
	case c.density != nil && !math.IsInf(z, 0):
		sum, falling = simd.LaplaceSlope(c.density, z)
		rising = falling + c.fall(z)
	default:
		sum, rising, falling = c.sums(z)
	}
	if sum == 0 {
		return math.Inf(-1), 0, 0
	}
	log, left, right = math.Log(sum), rising/sum, falling/sum
	if c.exp {
		return log - z, left - 1, right - 1
	}
	return log, left, right
}

// sums returns the density at z and its derivatives from the left and from the right.
func (c curve) sums(z float64) (sum, rising, falling float64) {
	var bent float64 // log z or √z: all such terms are of one of the two
	if last := len(c.terms) - 1; last >= 0 {
		bent = c.terms[last].bend(z)
	}
	for i := range c.terms {
		t := &c.terms[i]
		if t.log || t.root {
			p, slope := t.bent(z, bent)
			sum, rising, falling = sum+p, rising+slope, falling+slope
			continue
		}
		e := z - t.location
		up, down := t.up, t.down
		var exponent float64
		switch {
		case t.gaussian:
			up = -e / (t.scale * t.scale)
			down, exponent = up, up*e/2
		case e < 0:
			down, exponent = up, up*e
		case e > 0:
			up, exponent = down, down*e
		}
		p := math.Exp(t.height + exponent)
		sum += p
		rising += p * up
		falling += p * down
	}
	return sum, rising, falling
}

// bend returns log y or √y, of a term of these.
func (t *term) bend(y float64) float64 {
	switch {
	case t.root:
		return squareRoot(awayFromZero(y))
	case t.log && y > 0:
		return math.Log(y)
	}
	return 0
}

// awayFromZero returns a y at which the density of a term of √y is finite.
func awayFromZero(y float64) float64 {
	if y == 0 {
		return 1e-100
	}
	return y
}

// bent returns the density of a term of log y or √y at y, and its derivative. z is log y or √y.
func (t *term) bent(y, z float64) (p, slope float64) {
	e := (z - t.location) / t.scale
	if t.root {
		y = awayFromZero(y)
		p = math.Exp(t.height-e*e/2) / (2 * math.Abs(z))
		return p, -p * (e/t.scale*z + 1) / (2 * y)
	}
	if !(y > 0) {
		return 0, 0
	}
	p = math.Exp(t.height - e*e/2 - z)
	return p, -p * (e/t.scale + 1) / y
}

// cdf returns the distribution function at z, with the absolute error of rounding.
func (c curve) cdf(z float64) float64 {
	var p float64
	switch {
	case math.IsInf(z, 0):
		return c.d.CDF(z)
	case c.normal != nil:
		p, _ = c.normal.probability(z)
	case c.all != nil:
		p, _ = simd.LaplaceSums(c.all, z)
	default:
		return c.d.CDF(z)
	}
	return p
}

// near is the part of the distance to the nearest break of its own term within which a break of another one is as good.
// No sum of Gaussians, of which one is not much narrower, has two extrema so near each other that a set would tell.
const near = 1. / 16

// A place is a break, and its distance to the nearest one of its term, 0 if it must stay.
type place struct{ at, apart float64 }

// breaks returns places between which the density has at most one extremum, in increasing order.
// The first and the last leave at most the mass tail outside each.
//
// Between neighbouring locations, a mixture of asymmetric Laplace distributions is a sum of
// exponentials, which is convex, and so is its Exp. Gaussians have no such places; those at 1, 2 and
// 4 standard deviations divide them finely enough.
func (c curve) breaks(tail float64) []float64 {
	low, high := math.Inf(1), math.Inf(-1)
	places := make([]place, 0, 8*len(c.terms))
	for i := range c.terms {
		t := &c.terms[i]
		low, high = math.Min(low, t.quantile(tail)), math.Max(high, t.quantile(1-tail))
		places = t.appendPlaces(places)
	}
	places = slices.DeleteFunc(places, func(p place) bool { return p.at <= low || p.at >= high })
	slices.SortFunc(places, func(a, b place) int { return cmp.Compare(a.at, b.at) })
	all, last := []float64{low}, place{at: low}
	for _, p := range places {
		if p.at-last.at > near*math.Min(p.apart, last.apart) {
			all, last = append(all, p.at), p
		}
	}
	return append(all, high)
}

// appendPlaces appends the breaks of a term.
func (t *term) appendPlaces(dst []place) []place {
	value, first := Component{Log: t.log, Root: t.root}.value, len(dst)
	add := func(at float64) { dst = append(dst, place{at: at}) }
	if t.log {
		add(math.Exp(t.location - t.scale*t.scale)) // its mode
	}
	if root := t.location*t.location - 4*t.scale*t.scale; t.root && root > 0 { // its valley and its mode on one side
		for _, s := range []float64{-1, 1} {
			add(value((t.location + s*math.Sqrt(root)) / 2))
		}
	}
	add(value(t.location))
	if !t.gaussian {
		return dst
	}
	for _, s := range []float64{1, 2, 4} {
		add(value(t.location - s*t.scale))
		add(value(t.location + s*t.scale))
	}
	own := dst[first:]
	slices.SortFunc(own, func(a, b place) int { return cmp.Compare(a.at, b.at) })
	for i := range own {
		own[i].apart = math.Inf(1)
		if i > 0 {
			own[i].apart = own[i].at - own[i-1].at
		}
		if i+1 < len(own) {
			own[i].apart = math.Min(own[i].apart, own[i+1].at-own[i].at)
		}
	}
	return dst
}

// value returns the y of a coordinate.
func (c curve) value(z float64) float64 {
	if c.exp {
		return math.Exp(z)
	}
	return z
}
