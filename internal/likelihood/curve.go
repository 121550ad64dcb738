package likelihood

import (
	"cmp"
	"math"
	"slices"

	"github.com/acqnp/acqnp/internal/simd"
)

// A curve is the density of a distribution of y in a coordinate z, for the search of its extrema
// and levels. z is log y if all terms are of log y, and the density in y is p_Z(z)·exp(−z); otherwise z is y.
type curve struct {
	d       Distribution // of z
	terms   []term
	scale   Scale // that z is on: y or log y
	central bool  // a central interval is a highest-density region

	normal *normalSums // of a GaussianMixture of z

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
	of              Scale // of z: if it is another one, a Gaussian at location, whose height is that of its density there
	location, scale float64
	height          float64 // the logarithm of the weighted density at the location
	up, down        float64 // slopes of the logarithm left and right of the location, unless gaussian
	quantile        func(p float64) float64
}

// negligible is the weight below which a component has no effect on a set's mass.
const negligible = 1e-12

func (m Mixture) curve() (curve, bool) {
	c := curve{d: m.plain(), scale: m.scale}
	for k, l := range m.components {
		if m.weights[k] > negligible {
			c.terms = append(c.terms, term{false, OfY, l.Location, l.Scale, m.logWeights[k] + l.logDensity(l.Location), l.rest / l.Scale, -l.tau / l.Scale, l.quantile})
		}
	}
	if !c.finite() {
		return c, false
	}
	c.addUp(m)
	return c, true
}

func (m GaussianMixture) curve() (curve, bool) {
	of, n := m.unbounded(), len(m.components)
	c := curve{terms: make([]term, 0, n)}
	if m.isLog() {
		of, c.scale = m.plain(), LogY
	}
	c.d, c.central = of, n == 1 && m.isPlain()
	for k, g := range of.components {
		if of.weight(k) <= negligible {
			continue
		}
		on := of.scaleOf(k)
		quantile := func(p float64) float64 { return on.Value(g.Quantile(p)) }
		c.terms = append(c.terms, term{true, on, g.Mean, g.Scale, g.LogDensity(g.Mean) + math.Log(of.weight(k)), 0, 0, quantile})
	}
	if of.bent == 0 {
		c.normal = newNormalSums(of)
	}
	return c, c.finite()
}

// finite reports whether there are terms, and all their numbers are finite.
func (c curve) finite() bool {
	for _, t := range c.terms {
		sum := t.location + t.scale + 1/t.scale + t.height + t.up + t.down
		if t.of == LogY {
			sum += t.quantile(1 - 1e-9)
		}
		if math.IsNaN(sum) || math.IsInf(sum, 0) {
			return false
		}
	}
	return len(c.terms) > 0
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
	if c.scale == LogY {
		return log - z, left - 1, right - 1
	}
	return log, left, right
}

// sums returns the density at z and its derivatives from the left and from the right.
func (c curve) sums(z float64) (sum, rising, falling float64) {
	of := c.terms[len(c.terms)-1].of
	if of == RootY && z == 0 {
		z = 1e-100 // where the density of a term is finite
	}
	bent := of.Place(z) // log z or √z: all such terms are of one of the two
	for i := range c.terms {
		t := &c.terms[i]
		if t.of != OfY {
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

// bent returns the density of a term of log y or √y at y, and its derivative. z is log y or √y.
func (t *term) bent(y, z float64) (p, slope float64) {
	e := (z - t.location) / t.scale
	if t.of == RootY {
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
// exponentials, which is convex, and so is that of exp. Gaussians have no such places; those at 1, 2 and
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
	value, first := t.of.Value, len(dst)
	add := func(at float64) { dst = append(dst, place{at: at}) }
	if t.of == LogY {
		add(math.Exp(t.location - t.scale*t.scale)) // its mode
	}
	if root := t.location*t.location - 4*t.scale*t.scale; t.of == RootY && root > 0 { // its valley and its mode on one side
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
