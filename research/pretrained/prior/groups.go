package prior

import (
	"math"
	"slices"
)

// deviations adds the main component and what the groups have of their own: intercepts, slopes,
// parameters of the main component, curves.
func (s *sketch) deviations() {
	var odd, own, curves bool // effects that are not normal; own parameters; own curves
	if s.plan[deviant] {
		k := s.Choose(3, 2, 4)
		odd, own, curves = k == 0 || s.Chance(0.2), k == 1, k == 2 || s.Chance(0.2)
	}
	s.addMain(own)
	s.effects(odd)
	if curves && s.varying > 0 {
		s.paths()
	}
}

// addMain adds the main component. Where it is a shape of growth, groups mostly have their own sizes,
// rates and delays of it; else they may have phases, if own is true.
func (s *sketch) addMain(own bool) {
	m := s.main
	if m.f == nil {
		return
	}
	var size, rate, place float64 // deviations of the logarithms and of the shift
	if m.growing && (own || s.Chance(0.7)) {
		size, rate = s.Uniform(0, 0.5), max(s.Uniform(-0.3, 0.5), 0)
		place = max(s.Uniform(-0.1, 0.1), 0)
	} else if own && m.bent {
		place = s.LogUniform(0.01, 0.2)
	}
	scale := m.weight / m.deviation
	s.each(func(from, to int) {
		large, fast, late := math.Exp(size*s.Normal()), math.Exp(rate*s.Normal()), place*s.Normal()
		for i := from; i < to; i++ {
			s.y[i] += scale * (large*m.f(fast*(m.u[i]-late)) - m.mean)
		}
	})
}

// effects adds random intercepts, and random slopes of the first varying columns.
func (s *sketch) effects(odd bool) {
	if len(s.groups) == len(s.y) {
		return
	}
	var intercept, within float64
	var slope [2]float64
	if s.Chance(0.95) {
		intercept = s.LogUniform(0.1, 1.5)
	}
	for j := range min(s.varying, 2) {
		if s.Chance(0.7 - 0.4*float64(j)) {
			slope[j] = s.LogUniform(0.05, 1)
		}
	}
	start := 0.0 // where the slopes change nothing
	if s.varying > 0 && s.Chance(0.3) {
		start = slices.Min(s.columns[0].z)
		intercept *= s.Uniform(0, 0.5)
	}
	if s.varying > 0 && s.Chance(0.1) { // groups at other places of x have other intercepts
		within = 0.7 * s.Normal()
	}
	correlation := s.Uniform(-0.9, 0.9)
	own := math.Sqrt(1 - correlation*correlation)
	draw := s.newEffect(odd)
	s.each(func(from, to int) {
		first, second := draw()
		a, b, c := intercept*first, slope[0]*(correlation*first+own*second), 0.0
		if within != 0 {
			mean, _ := moments(s.columns[0].z[from:to])
			a += within * mean
		}
		if slope[1] > 0 {
			c = slope[1] * s.Normal()
		}
		for i := from; i < to; i++ {
			s.y[i] += a
			if b != 0 {
				s.y[i] += b * (s.columns[0].z[i] - start)
			}
			if c != 0 {
				s.y[i] += c * s.columns[1].z[i]
			}
		}
	})
}

// newEffect draws how the groups' effects are distributed, in pairs of numbers of mean 0 and deviation
// near 1: normal or, if they are odd, with heavy tails, skewed, or in two or three classes.
func (s *sketch) newEffect(odd bool) func() (first, second float64) {
	kind := 0
	if odd {
		kind = 1 + s.Choose(3, 3, 4)
	}
	switch kind {
	case 1:
		return func() (float64, float64) {
			r := math.Sqrt(2 / s.gamma(2)) // t with 4 degrees of freedom, divided by its deviation
			return r * s.Normal() / math.Sqrt2, r * s.Normal() / math.Sqrt2
		}
	case 2:
		k := s.LogUniform(1, 6)
		return func() (float64, float64) { return (s.gamma(k) - k) / math.Sqrt(k), s.Normal() }
	case 3:
		centres, weights := make([][2]float64, 2+s.Below(2)), make([]float64, 0, 3)
		for i := range centres {
			centres[i] = [2]float64{1.5 * s.Normal(), 1.5 * s.Normal()}
			weights = append(weights, s.Uniform(0.2, 1))
		}
		close := s.Uniform(0.05, 0.5)
		return func() (float64, float64) {
			c := centres[s.Choose(weights...)]
			return c[0] + close*s.Normal(), c[1] + close*s.Normal()
		}
	}
	return func() (float64, float64) { return s.Normal(), s.Normal() }
}

// paths adds curves of the groups' own along the first column: sums of a few curves that the groups
// share, smooth ones, or rough ones.
func (s *sketch) paths() {
	height := s.LogUniform(0.05, 1)
	z := s.columns[0].z
	grow := 0.0 // they may be larger on one side
	if s.Chance(0.3) {
		grow = 0.5 * s.Normal()
	}
	w := newWaves(s.Dice, []int{1, 2, 3, 12}[s.Choose(1, 1, 1, 3)], s.LogUniform(0.2, 3))
	each := math.Sqrt(2 / float64(len(w.height)))
	rough, length, start := s.Chance(0.4), s.LogUniform(0.05, 4), s.Chance(0.4)
	s.each(func(from, to int) {
		for k := range w.height {
			w.height[k] = each * s.Normal()
		}
		walk := walker{s: s, length: length, walks: rough && start, at: z[from]}
		for i := from; i < to; i++ {
			var v float64
			if rough {
				v = walk.to(z[i])
			} else {
				v = w.of(z[i])
			}
			if grow != 0 {
				v *= math.Exp(grow * z[i])
			}
			s.y[i] += height * v
		}
	})
}

// A walker makes an Ornstein–Uhlenbeck process of variance 1: correlation exp(−gap/length). It may start
// at 0 instead.
type walker struct {
	s         *sketch
	length    float64
	at, value float64
	walks     bool // has been at a place
}

// to returns the process at x, which is not below that of the call before.
func (w *walker) to(x float64) float64 {
	keep := 0.0
	if w.walks {
		keep = math.Exp((w.at - x) / w.length)
	}
	w.value = keep*w.value + math.Sqrt(1-keep*keep)*w.s.Normal()
	w.at, w.walks = x, true
	return w.value
}
