package prior

import (
	"math"
	"slices"
)

// A column is a column of x.
type column struct {
	shown  []float64 // [rows], what the set shows
	z      []float64 // [rows], what the mean reads: of mean 0 and deviation 1
	smooth bool      // has more than a few values, so that curves of it mean something
}

// unit maps z to about [0, 1] over the rows.
func (c column) unit() []float64 {
	lo, hi := slices.Min(c.z), slices.Max(c.z)
	width := max(hi-lo, 1e-9)
	u := make([]float64, len(c.z))
	for i, z := range c.z {
		u[i] = (z - lo) / width
	}
	return u
}

// drawColumns draws the columns of x, those that are constant within groups last.
func (s *sketch) drawColumns() {
	s.varying = s.Choose(6, 50, 20, 14, 10)
	constant := s.Choose(55, 22, 12, 7, 4)
	switch {
	case len(s.groups) == len(s.y):
		s.varying, constant = max(s.varying, 1), 0
	case len(s.groups) < 4:
		constant = 0
	}
	if s.varying > 0 {
		s.columns = append(s.columns, s.first())
	}
	s.others(s.varying, false)
	s.others(s.varying+constant, true)
}

// first draws the first varying column, in rising order within each group: times, ages or doses on a
// grid, or scattered.
func (s *sketch) first() column {
	place, often := s.scattered, 0.6
	if len(s.groups) == len(s.y) {
		often = 0.2 // a grid has few points there
	}
	if s.Chance(often) {
		place = s.grid
	}
	c := column{shown: place(), smooth: true}
	lo, hi := slices.Min(c.shown), slices.Max(c.shown)
	if hi-lo < 1e-9 { // one point of the grid
		lo, hi = lo-1, lo+1
	}
	for i, x := range c.shown {
		c.shown[i] = (x - lo) / (hi - lo)
	}
	if s.Chance(0.3) { // days, doses
		steps := math.Ceil(s.LogUniform(1, 60))
		for i, x := range c.shown {
			c.shown[i] = math.Floor(x*steps+0.5) / steps
		}
		c.smooth = steps >= 4
	}
	c.z = slices.Clone(c.shown)
	if s.Chance(0.2) { // small values are common; half of the means read their logarithms
		skew := s.Uniform(1, 5)
		for i, x := range c.shown {
			c.shown[i] = math.Exp(skew * x)
		}
		if s.Chance(0.5) {
			copy(c.z, c.shown)
		}
	}
	standardise(c.z)
	return c
}

// grid places the rows of each group on points that all groups share. A group that has fewer rows than
// there are points has some of them: by chance, the first, or a run.
func (s *sketch) grid() []float64 {
	most := slices.Max(s.groups)
	if most < 3 || s.Chance(0.25) { // points that no group has all of
		most += 1 + int(float64(most)*s.Uniform(0, 0.6)) + s.Below(4)
	}
	points := make([]float64, most)
	even, jitter := s.Chance(0.6), 0.0
	for i := range points {
		points[i] = float64(i)
		if !even {
			points[i] = s.Uniform(0, float64(len(points)))
		}
	}
	if s.Chance(0.15) {
		jitter = 0.3
	}
	slices.Sort(points)
	x, which := make([]float64, len(s.y)), s.Choose(4, 1, 1)
	s.each(func(from, to int) {
		at, n := 0, to-from
		if which == 2 {
			at = s.Below(len(points) - n + 1)
		}
		for i := from; i < to; i++ {
			for which == 0 && s.Uniform(0, 1)*float64(len(points)-at) >= float64(to-i) {
				at++ // Knuth's selection sampling
			}
			x[i] = points[at] + jitter*s.Uniform(-1, 1)
			at++
		}
		if jitter > 0 {
			slices.Sort(x[from:to])
		}
	})
	return x
}

// scattered places the rows of each group by chance, everywhere or in a window of the group.
func (s *sketch) scattered() []float64 {
	draw := []func() float64{
		func() float64 { return s.Uniform(-1.7, 1.7) },
		s.Normal,
		func() float64 { return -math.Log(1 - s.Uniform(0, 1)) },
	}[s.Choose(6, 2, 1)]
	between, stretch, width := 0.0, 0.0, 1.0
	if s.Chance(0.3) {
		between, stretch, width = s.LogUniform(0.2, 2), s.Uniform(0, 0.6), s.Uniform(0.2, 1)
	}
	x := make([]float64, len(s.y))
	s.each(func(from, to int) {
		at, wide := between*s.Normal(), width*math.Exp(stretch*s.Normal())
		for i := from; i < to; i++ {
			x[i] = at + wide*draw()
		}
		slices.Sort(x[from:to])
	})
	return x
}

// others adds columns until there are so many.
func (s *sketch) others(until int, constant bool) {
	for len(s.columns) < until {
		if room := until - len(s.columns); room > 1 && s.Chance(0.2) {
			s.category(2+s.Below(room-1), constant)
			continue
		}
		s.columns = append(s.columns, s.formed(s.latent(constant)))
	}
}

// category adds a category of several levels: a column of 0 and 1 for each level but the last, or for
// each level.
func (s *sketch) category(columns int, constant bool) {
	levels := columns
	if columns == 2 || s.Chance(0.5) {
		levels++
	}
	first := len(s.columns)
	for range columns {
		s.columns = append(s.columns, column{shown: make([]float64, len(s.y))})
	}
	weights := make([]float64, levels)
	for i := range weights {
		weights[i] = s.Uniform(0.2, 1)
	}
	s.each(func(from, to int) {
		level := s.Choose(weights...)
		for i := from; i < to; i++ {
			if !constant {
				level = s.Choose(weights...)
			}
			if level < columns {
				s.columns[first+level].shown[i] = 1
			}
		}
	})
	for i := range columns {
		c := &s.columns[first+i]
		c.z = slices.Clone(c.shown)
		standardise(c.z)
	}
}

// latent draws normal numbers, one of each row or of each group. Those of rows may have a part that the
// group shares, or follow a column that is there.
func (s *sketch) latent(constant bool) []float64 {
	v := make([]float64, len(s.y))
	shared, follow := 0.0, 0.0
	if constant {
		shared = 1
	} else {
		if s.Chance(0.3) {
			shared = s.Uniform(0.1, 0.95)
		}
		if len(s.columns) > 0 && s.Chance(0.35) {
			follow = s.Uniform(-0.95, 0.95)
		}
	}
	a, b, own := math.Sqrt(shared), math.Sqrt(1-shared), math.Sqrt(1-follow*follow)
	s.each(func(from, to int) {
		group := s.Normal()
		for i := from; i < to; i++ {
			if v[i] = a * group; b > 0 {
				v[i] += b * s.Normal()
			}
		}
	})
	if follow != 0 {
		for i, z := range s.columns[s.Below(len(s.columns))].z {
			v[i] = follow*z + own*v[i]
		}
	}
	return v
}

// formed makes a column of normal numbers: as they are, uniform, skewed, whole numbers or two values.
func (s *sketch) formed(v []float64) column {
	c := column{shown: v, smooth: true}
	var form func(v float64) float64
	switch s.Choose(4, 2, 2, 2, 3) {
	case 1:
		form = func(v float64) float64 { return 1 / (1 + math.Exp(-1.7*v)) }
	case 2:
		skew := s.Uniform(0.3, 1.3)
		form = func(v float64) float64 { return math.Exp(skew * v) }
	case 3:
		steps := s.LogUniform(0.6, 8)
		form = func(v float64) float64 { return math.Floor(steps*v + 0.5) }
		c.smooth = steps > 2
	case 4:
		border := s.Uniform(-1, 1)
		form = func(v float64) float64 {
			if v > border {
				return 1
			}
			return 0
		}
		c.smooth = false
	}
	if form != nil {
		for i, x := range v {
			v[i] = form(x)
		}
	}
	c.z = slices.Clone(v)
	standardise(c.z)
	return c
}
