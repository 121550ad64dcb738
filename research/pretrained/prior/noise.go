package prior

import "math"

// disturb adds the noise.
func (s *sketch) disturb() {
	level := s.LogUniform(0.03, 1.4)
	switch {
	case s.kind.counts():
		level *= s.Uniform(0, 0.5)
	case s.plan != plan{} && s.Chance(0.07): // hardly any
		level = s.LogUniform(0.003, 0.03)
	}
	scale := s.scales(level)
	draw := s.Normal
	if s.plan[errors] {
		branches := s.Chance(0.35)
		if branches {
			s.branch(scale)
		}
		if !branches || s.Chance(0.5) {
			draw = s.newError(!branches)
		}
	}
	share, length := 0.0, 1.0
	if s.plan[memory] && s.varying > 0 {
		share, length = s.Uniform(0.3, 0.95), s.LogUniform(0.1, 3)
	}
	own, kept := math.Sqrt(1-share), math.Sqrt(share)
	s.each(func(from, to int) {
		walk := walker{s: s, length: length}
		for i := from; i < to; i++ {
			e := own * draw()
			if share > 0 {
				e += kept * walk.to(s.columns[0].z[i])
			}
			s.y[i] += scale[i] * e
		}
	})
	if s.plan[strays] {
		s.stray(level)
	}
}

// scales returns the scale of each row's noise: the same or nearly or, by the plan, by a column, by the
// mean and by group.
func (s *sketch) scales(level float64) []float64 {
	scale := make([]float64, len(s.y))
	var byColumn, byMean, byGroup float64
	var z []float64
	if s.plan[spread] {
		which := s.Choose(3, 3, 3, 1)
		if len(s.columns) > 0 && (which == 0 || which == 3) {
			byColumn, z = s.sign()*s.Uniform(0.15, 0.9), s.columns[s.Below(len(s.columns))].z
		}
		if which == 1 || which == 3 {
			byMean = s.sign() * s.Uniform(0.2, 0.8)
		}
		if which == 2 || which == 3 {
			byGroup = s.Uniform(0.15, 0.8)
		}
	} else if s.Chance(0.3) { // so little that few would notice
		byMean, byGroup = s.Uniform(-0.2, 0.2), s.Uniform(0, 0.3)
	}
	mean, deviation := moments(s.y)
	s.each(func(from, to int) {
		group := 0.0
		if byGroup > 0 {
			group = byGroup * s.Normal()
		}
		for i := from; i < to; i++ {
			v := group
			if byColumn != 0 {
				v += byColumn * z[i]
			}
			if byMean != 0 {
				v += byMean * (s.y[i] - mean) / deviation
			}
			scale[i] = level * math.Exp(min(max(v, -3), 3))
		}
	})
	return scale
}

// newError draws a distribution of noise of mean 0 and deviation 1 that is not normal: with heavy
// tails, skewed or, if it may have them, of two modes.
func (s *sketch) newError(modes bool) func() float64 {
	side, two := s.sign(), 0.0
	if modes {
		two = 4
	}
	switch s.Choose(3, 1, 2, 1, two) {
	case 0:
		half := s.Uniform(1.5, 4) // half the degrees of freedom
		unit := math.Sqrt(half - 1)
		return func() float64 { return unit * s.Normal() / math.Sqrt(s.gamma(half)) }
	case 1:
		return func() float64 { return side * (-math.Log(1-s.Uniform(0, 1)) - 1) }
	case 2:
		k := s.LogUniform(0.7, 6)
		return func() float64 { return side * (s.gamma(k) - k) / math.Sqrt(k) }
	case 3:
		w := s.Uniform(0.3, 1)
		mean := math.Exp(w * w / 2)
		unit := mean * math.Sqrt(math.Expm1(w*w))
		return func() float64 { return side * (math.Exp(w*s.Normal()) - mean) / unit }
	}
	gap, share := s.Uniform(2, 8), s.Uniform(0.2, 0.8)
	unit := math.Sqrt(1 + gap*gap*share*(1-share))
	return func() float64 {
		e := s.Normal() - gap*share
		if s.Chance(share) {
			e += gap
		}
		return e / unit
	}
}

// branch moves a share of the rows to a second curve, at a distance, of another slope and with noise of
// another scale. Groups may have shares of their own, and so may places of x.
func (s *sketch) branch(scale []float64) {
	mean := 0.0
	for _, v := range scale {
		mean += v / float64(len(scale))
	}
	gap, factor, slope := s.sign()*mean*s.LogUniform(1.5, 12), s.LogUniform(0.4, 2.5), 0.0
	if s.Chance(0.5) {
		slope = gap * s.Uniform(-0.6, 0.6)
	}
	middle, differ, turn := s.Normal(), max(s.Uniform(-1, 1), 0), 0.0
	z := make([]float64, len(s.y))
	if s.varying > 0 {
		z = s.columns[0].z
		if s.Chance(0.25) {
			turn = 2 * s.Normal()
		}
	}
	s.each(func(from, to int) {
		group := middle + differ*s.Normal()
		for i := from; i < to; i++ {
			if !s.Chance(1 / (1 + math.Exp(group+turn*z[i]))) {
				continue
			}
			s.y[i] += gap + slope*z[i]
			scale[i] *= factor
		}
	})
}

// stray moves a few rows far away, to one side or to both.
func (s *sketch) stray(level float64) {
	share, far, side := s.LogUniform(0.01, 0.05), level*s.LogUniform(4, 15), s.sign()
	both := s.Chance(0.5)
	for i := range s.y {
		if !s.Chance(share) {
			continue
		}
		if both {
			side = s.sign()
		}
		s.y[i] += side * far * s.Uniform(0.5, 1.5)
	}
}

// gamma returns a number of the gamma distribution of shape k and scale 1, by the method of Marsaglia
// and Tsang.
func (s *sketch) gamma(k float64) float64 {
	if k < 1 {
		return s.gamma(k+1) * math.Exp(math.Log(1-s.Uniform(0, 1))/k)
	}
	a := k - 1.0/3
	c := 1 / math.Sqrt(9*a)
	for {
		x := s.Normal()
		v := 1 + c*x
		if v <= 0 {
			continue
		}
		v = v * v * v
		if math.Log(1-s.Uniform(0, 1)) < x*x/2+a*(1-v+math.Log(v)) {
			return a * v
		}
	}
}
