package simple

import (
	"errors"
	"sort"

	"gonum.org/v1/gonum/mat"

	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/points"
)

// A Grid is a model of groups that share their x, such as days with a reading at each hour:
//
//	y = mean(t) + Σ_c (slope_c + twist_c·t)·x_c + scale(t)·(f(t) + ε)
//
// t is the column that they share, and x_c are the others. f is drawn anew for each group, from a normal
// distribution with any covariance at the points of the grid. So mornings may vary otherwise than evenings,
// which no stationary kernel can say. Between two points f, mean and scale are lines, off which f bends, and
// beyond the grid they stay what they are at its end. ε has the distribution of [noise].
type Grid struct {
	Units  `json:"units"`
	Column int       `json:"column"` // of t
	At     []float64 `json:"at"`     // [G]: the points of the grid, standardised, in increasing order
	Mean   []float64 `json:"mean"`   // [G]
	Scale  []float64 `json:"scale"`  // [G]
	Cov    []float64 `json:"cov"`    // [G, G]: of f, with the uncertainty of the mean
	Bend   []float64 `json:"bend"`   // [G−1]: the variance of y off the line in the middle of two points, over scale²
	Slopes []float64 `json:"slopes"` // [2·(DX−1)]: slope and twist of each other column
	Noise  noise     `json:"noise"`
}

// The rule by which groups share a grid: there are at least leastOfGrid values of x that at least half of the
// groups have, and at least four fifths of the rows have them.
const (
	leastHave   = 0.5
	leastRows   = 0.8
	leastOfGrid = 3
)

// ShareGrid reports whether groups share the values of a column of x.
func ShareGrid(groups []points.Group) bool {
	_, at := gridOf(groups)
	return at != nil
}

// gridOf returns the column of x whose values groups share, and these in increasing order; nil if there is
// none. Of several such columns it takes the one with the most values.
func gridOf(groups []points.Group) (column int, at []float64) {
	for c := range groups[0].DX {
		if shared := sharedBy(groups, c); len(shared) > len(at) {
			column, at = c, shared
		}
	}
	return column, at
}

// sharedBy returns the values that groups share in a column of x, in increasing order; nil if they share
// none.
func sharedBy(groups []points.Group, column int) (at []float64) {
	last, have := map[float64]int{}, map[float64]int{} // the last group with a value, and how many have it
	rows, some := 0, 0
	for _, g := range groups {
		if g.Len() == 0 {
			continue
		}
		some++
		rows += g.Len()
		for _, v := range g.Column(column) {
			if last[v] != some {
				last[v] = some
				have[v]++
			}
		}
	}
	shared := 0
	for v, n := range have {
		if float64(n) >= leastHave*float64(some) {
			at, shared = append(at, v), shared+n
		}
	}
	if some < 2 || len(at) < leastOfGrid || float64(shared) < leastRows*float64(rows) {
		return nil
	}
	sort.Float64s(at)
	return at
}

// place returns the point of the grid at or before a standardised x, and the weight of the next one.
func (m *Grid) place(x float64) (at int, next float64) {
	k, last := sort.SearchFloat64s(m.At, x), len(m.At)-1
	switch {
	case k > last:
		return last - 1, 1
	case k == 0:
		return 0, 0
	}
	return k - 1, (x - m.At[k-1]) / (m.At[k] - m.At[k-1])
}

// weights returns the weights [n, G] of the grid's points in f at points.
func (m *Grid) weights(p points.Points) *mat.Dense {
	w := mat.NewDense(p.Len(), len(m.At), nil)
	for i, t := range p.Column(m.Column) {
		at, next := m.place(t)
		w.Set(i, at, 1-next)
		w.Set(i, at+1, next)
	}
	return w
}

// others returns what slopes and twists multiply at a standardised x [DX]: each other column, and its product with t.
func (m *Grid) others(x []float64) (features []float64) {
	t := min(max(x[m.Column], m.At[0]), m.At[len(m.At)-1])
	for c, v := range x {
		if c != m.Column {
			features = append(features, v, v*t)
		}
	}
	return features
}

// frames returns what f + ε has as y = 0 and y = 1 at points, in the units of the data.
func (m *Grid) frames(p points.Points) []likelihood.Units {
	p = m.Units.group(p)
	out := make([]likelihood.Units, p.Len())
	for i := range out {
		row := p.Row(i)
		at, next := m.place(row[m.Column])
		mean := (1-next)*m.Mean[at] + next*m.Mean[at+1] + dot(m.Slopes, m.others(row))
		scale := (1-next)*m.Scale[at] + next*m.Scale[at+1]
		out[i] = likelihood.Units{Factor: m.Units.Y.Width * scale, Offset: m.Units.Y.restore(mean)}
	}
	return out
}

// mean implements field.
func (m *Grid) mean(p points.Points) []float64 { return make([]float64, p.Len()) }

// bend returns the variance of f off the line at x [DX]. Beyond the grid it grows as that of a random walk.
func (m *Grid) bend(x []float64) float64 {
	t := x[m.Column]
	at, next := m.place(t)
	if out := max(m.At[0]-t, t-m.At[len(m.At)-1]); out > 0 {
		return 4 * out / (m.At[at+1] - m.At[at]) * m.Bend[at]
	}
	return 4 * next * (1 - next) * m.Bend[at]
}

// covariances implements field.
func (m *Grid) covariances(a, b points.Points) *mat.Dense {
	var left, out mat.Dense
	left.Mul(m.weights(a), mat.NewDense(len(m.At), len(m.At), m.Cov))
	out.Mul(&left, m.weights(b).T())
	for i := range a.Len() {
		x, row := a.Row(i), out.RawRowView(i)
		for j := range row {
			if b.Row(j)[m.Column] == x[m.Column] {
				row[j] += m.bend(x)
			}
		}
	}
	return &out
}

// across implements field: groups are independent.
func (m *Grid) across(a, b points.Points) *mat.Dense { return mat.NewDense(a.Len(), b.Len(), nil) }

// root implements field.
func (m *Grid) root(points.Points) *mat.Dense { return nil }

// variances implements field.
func (m *Grid) variances(p points.Points) []float64 {
	size, out := len(m.At), make([]float64, p.Len())
	for i := range out {
		row := p.Row(i)
		at, next := m.place(row[m.Column])
		near := m.Cov[at*size+at:]
		out[i] = (1-next)*(1-next)*near[0] + 2*next*(1-next)*near[1] + next*next*near[size+1] + m.bend(row)
	}
	return out
}

// SeesOuter implements [Model].
func (m *Grid) SeesOuter() bool { return false }

// Check implements [Model].
func (m *Grid) Check() error {
	n, dx := len(m.At), len(m.Units.X)
	if n < leastOfGrid || n > longestGrid || m.Column < 0 || m.Column >= dx {
		return errDamaged
	}
	for i, v := range m.At[1:] {
		if !(v > m.At[i]) {
			return errDamaged
		}
	}
	for i, v := range m.Scale {
		if !(v > 0) || i < len(m.Bend) && !(m.Bend[i] >= 0) {
			return errDamaged
		}
	}
	return errors.Join(m.Units.check(), m.Noise.check(dx),
		sound(lengthOf{m.At, n}, lengthOf{m.Mean, n}, lengthOf{m.Scale, n}, lengthOf{m.Bend, n - 1}, lengthOf{m.Cov, n * n}, lengthOf{m.Slopes, 2 * (dx - 1)}))
}

// Given implements [Model], with the bounds of a [GP].
func (m *Grid) Given(context, targets points.Points) []likelihood.GaussianMixture {
	framed, units := context, m.Units
	framed.Beyond = context.BeyondLimits() // as for a GP
	framed.Y, units.Y = make([]float64, context.Len()), scaling{0, 1}
	for i, u := range m.frames(context) {
		framed.Y[i] = (context.Y[i] - u.Offset) / u.Factor
		if framed.Beyond != nil {
			framed.Beyond[i] /= u.Factor
		}
	}
	all := given([]field{m}, &m.Noise, units, framed, targets)
	for t, u := range m.frames(targets) {
		all[t] = all[t].In(u)
	}
	return all
}
