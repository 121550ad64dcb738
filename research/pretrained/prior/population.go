package prior

import "math"

// A component is the part of the mean that the first varying column makes: weight·(f(u) − mean)/deviation.
// Groups have parameters of their own in it.
type component struct {
	f                       curve
	growing, bent           bool      // f is a shape of growth; it is no line
	u                       []float64 // [rows]
	weight, mean, deviation float64
}

// population adds the mean of the population to y, but for the main component, which it draws.
func (s *sketch) population() {
	strength := 0.0
	if s.Chance(0.9) {
		strength = s.LogUniform(0.1, 2)
	}
	for j, c := range s.columns {
		weight := 0.0
		if s.Chance(0.65) {
			weight = strength * s.Normal()
		}
		if j == 0 && s.varying > 0 {
			s.main = s.newComponent(c, strength*(0.3+math.Abs(s.Normal()))*s.sign())
			continue
		}
		s.add(c, weight)
	}
	if strength > 0 && len(s.columns) > 1 && (s.plan[joint] || s.Chance(0.15)) {
		s.together(strength)
	}
	if constant := len(s.columns) - s.varying; strength > 0 && s.varying > 0 && constant > 0 && s.Chance(0.3) {
		s.addScaled(s.product(0, s.varying+s.Below(constant)), strength) // a column of groups turns slopes
	}
}

// newComponent draws the main component, of a column.
func (s *sketch) newComponent(c column, weight float64) component {
	m := component{u: c.unit(), weight: weight}
	kind := s.kindOf(c)
	m.f, m.growing, m.bent = kinds[kind](s.Dice), kind >= growing && kind < grown, kind > 0
	values := make([]float64, len(m.u))
	for i, u := range m.u {
		values[i] = m.f(u)
	}
	m.mean, m.deviation = moments(values)
	return m
}

// kindOf draws a kind of curves for a column: mostly a line where the plan has no shapes, at times one
// of growth, which textbooks fit too.
func (s *sketch) kindOf(c column) int {
	switch {
	case !c.smooth:
		return 0
	case s.plan[shape]:
		return s.Choose(often...)
	}
	if kind := s.Choose(6, 2, 2, 1.5); kind < growing {
		return kind
	}
	return growing + s.Below(grown-growing)
}

// add adds a curve of a column to y.
func (s *sketch) add(c column, weight float64) {
	if weight == 0 {
		return
	}
	if kind := s.kindOf(c); kind > 0 {
		m := component{u: c.unit()}
		f := kinds[kind](s.Dice)
		for i, u := range m.u {
			m.u[i] = f(u)
		}
		standardise(m.u)
		c.z = m.u
	}
	for i, z := range c.z {
		s.y[i] += weight * z
	}
}

// together adds what columns do in concert: a product of two, a curve along a direction between them,
// or a small tree.
func (s *sketch) together(strength float64) {
	v := make([]float64, len(s.y))
	kind := 0
	if s.plan[joint] {
		kind = s.Choose(3, 2, 2)
	}
	switch kind {
	case 0:
		a := s.Below(len(s.columns))
		v = s.product(a, (a+1+s.Below(len(s.columns)-1))%len(s.columns))
	case 1:
		for _, c := range s.columns {
			w := s.Normal()
			for i, z := range c.z {
				v[i] += w * z
			}
		}
		standardise(v)
		w := newWaves(s.Dice, 16, s.LogUniform(0.4, 4))
		for i, u := range v {
			v[i] = w.of(u)
		}
	case 2:
		s.tree(v)
	}
	s.addScaled(v, strength)
}

// product returns the product of two columns.
func (s *sketch) product(a, b int) []float64 {
	v := make([]float64, len(s.y))
	for i := range v {
		v[i] = s.columns[a].z[i] * s.columns[b].z[i]
	}
	return v
}

// addScaled standardises values and adds them with a normal weight of a strength.
func (s *sketch) addScaled(v []float64, strength float64) {
	standardise(v)
	weight := strength * s.Normal()
	for i := range v {
		s.y[i] += weight * v[i]
	}
}

// tree sets v to the leaves of a tree of two or three questions, the same ones on every way down.
func (s *sketch) tree(v []float64) {
	var columns [3][]float64
	var border [3]float64
	questions := 2 + s.Below(2)
	for k := range questions {
		columns[k], border[k] = s.columns[s.Below(len(s.columns))].z, 0.7*s.Normal()
	}
	var leaves [8]float64
	for k := range leaves {
		leaves[k] = s.Normal()
	}
	for i := range v {
		leaf := 0
		for k := range questions {
			leaf *= 2
			if columns[k][i] > border[k] {
				leaf++
			}
		}
		v[i] = leaves[leaf]
	}
}
