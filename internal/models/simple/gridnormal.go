package simple

import (
	"errors"
	"math"
	"slices"
	"sort"

	"gonum.org/v1/gonum/mat"

	"github.com/acqnp/acqnp/internal/likelihood"
)

// A GridNormal is a multivariate normal distribution of y at the x that groups have in common, such
// as the hours of a day. A new group is conditioned on its context. Between two x of a
// single column, y is interpolated linearly. Beyond them, and if x has several columns, the nearest x
// of the grid stands for x.
//
// With few groups the sample's covariance is shrunk: its correlations to 0 and its variances to
// their median, each by the share that Schäfer and Strimmer estimate ("A shrinkage approach to
// large-scale covariance matrix estimation", 2005).
type GridNormal struct {
	Units units     `json:"units"`
	Grid  []float64 `json:"grid"` // [G, DX], standardised, in increasing order
	Mean  []float64 `json:"mean"` // [G], standardised
	Cov   []float64 `json:"cov"`  // [G, G], standardised
}

// Bounds of the data that FitGridNormal takes.
const (
	fewestGroups = 5
	largestGrid  = 300
	leastFilled  = 0.7 // of the grid's x, in each group
)

// FitGridNormal fits the mean and the covariance to groups that share their x. It returns an error if they
// do not: if there are more than 300 different x, if a group lacks more than 30% of them, or if it has an
// x twice. Missing y are filled by expectation and maximisation.
func FitGridNormal(groups []Group) (*GridNormal, error) {
	m := &GridNormal{Units: unitsOf(groups)}
	table, ok := m.tabulate(groups)
	if !ok {
		return nil, errNoFit
	}
	n, size := len(table), len(m.Grid)/len(m.Units.X)
	spread := mat.NewSymDense(size, nil) // the covariance of what was filled in
	filled := fillByMeans(table)
	const rounds = 20
	for range rounds {
		m.Mean, m.Cov = shrunk(filled, spread)
		if !m.fill(table, filled, spread) {
			break // nothing is missing
		}
	}
	// The mean is itself an estimate.
	for i := range m.Cov {
		m.Cov[i] *= 1 + 1/float64(n)
	}
	return m, nil
}

// tabulate finds the grid and returns y by group and x, with NaN where it is missing.
func (m *GridNormal) tabulate(groups []Group) ([][]float64, bool) {
	dx, u := len(m.Units.X), m.Units
	var rows [][]float64
	for _, g := range groups {
		x := u.points(g.X)
		for i := range g.Points() {
			row := x[i*dx:][:dx]
			at, found := slices.BinarySearchFunc(rows, row, slices.Compare)
			if !found {
				if len(rows) == largestGrid {
					return nil, false
				}
				rows = slices.Insert(rows, at, row)
			}
		}
	}
	m.Grid = slices.Concat(rows...)
	var table [][]float64
	for _, g := range groups {
		if g.Points() == 0 {
			continue
		}
		x, line := u.points(g.X), slices.Repeat([]float64{math.NaN()}, len(rows))
		for i, y := range g.Y {
			at, _ := slices.BinarySearchFunc(rows, x[i*dx:][:dx], slices.Compare)
			if !math.IsNaN(line[at]) {
				return nil, false
			}
			line[at] = pressed(u.Y.of(y)) // an outlier does not have the leverage of its distance
		}
		if float64(g.Points()) < leastFilled*float64(len(rows)) {
			return nil, false
		}
		table = append(table, line)
	}
	return table, len(table) >= fewestGroups && len(rows) >= 2
}

// fillByMeans returns a copy of the table with the means of columns for what is missing.
func fillByMeans(table [][]float64) *mat.Dense {
	filled := mat.NewDense(len(table), len(table[0]), nil)
	for j := range table[0] {
		n, sum := 0.0, 0.0
		for _, line := range table {
			if !math.IsNaN(line[j]) {
				n, sum = n+1, sum+line[j]
			}
		}
		for i, line := range table {
			v := line[j]
			if math.IsNaN(v) {
				v = sum / max(n, 1)
			}
			filled.Set(i, j, v)
		}
	}
	return filled
}

// shrunk returns the mean and the shrunk covariance of the rows of a table [n, G]. Before it shrinks the
// covariance, it adds spread.
func shrunk(table *mat.Dense, spread *mat.SymDense) (mean, cov []float64) {
	n, size := table.Dims()
	mean = make([]float64, size)
	for j := range mean {
		mean[j] = mat.Sum(table.ColView(j)) / float64(n)
	}
	variance, z := make([]float64, size), mat.NewDense(n, size, nil)
	var spreadOfSquares, squares float64
	for j, centre := range mean {
		for i := range n {
			e := table.At(i, j) - centre
			z.Set(i, j, e)
			variance[j] += e * e / float64(n-1)
		}
		if variance[j] == 0 {
			variance[j] = 1e-12
		}
	}
	middle := median(variance)
	for j, v := range variance {
		moment := 0.0
		for i := range n {
			e := z.At(i, j) * z.At(i, j)
			moment += (e - v*float64(n-1)/float64(n)) * (e - v*float64(n-1)/float64(n))
		}
		spreadOfSquares += float64(n) / math.Pow(float64(n-1), 3) * moment
		squares += (v - middle) * (v - middle)
	}
	toMedian := share(spreadOfSquares, squares)
	scale := make([]float64, size)
	for j, v := range variance {
		scale[j] = math.Sqrt(v)
	}
	r, toZero := correlations(z, scale)
	cov = make([]float64, size*size)
	for j := range size {
		variance[j] = toMedian*middle + (1-toMedian)*variance[j]
	}
	for j := range size {
		for k := range j {
			v := (1 - toZero) * (r.At(j, k)*math.Sqrt(variance[j]*variance[k]) + spread.At(j, k))
			cov[j*size+k], cov[k*size+j] = v, v
		}
		cov[j*size+j] = variance[j] + spread.At(j, j)
	}
	return mean, cov
}

// correlations returns the correlations of the columns of z [n, G], which have mean 0 and these
// deviations, and the share by which they shrink to 0.
func correlations(z *mat.Dense, scale []float64) (r *mat.SymDense, toZero float64) {
	n, size := z.Dims()
	r = mat.NewSymDense(size, nil)
	var spread, squares float64
	for j := range size {
		r.SetSym(j, j, 1)
		for k := range j {
			mean := 0.0
			for i := range n {
				mean += z.At(i, j) * z.At(i, k) / (scale[j] * scale[k]) / float64(n)
			}
			moment := 0.0
			for i := range n {
				e := z.At(i, j)*z.At(i, k)/(scale[j]*scale[k]) - mean
				moment += e * e
			}
			v := mean * float64(n) / float64(n-1)
			r.SetSym(j, k, v)
			spread += float64(n) / math.Pow(float64(n-1), 3) * moment
			squares += v * v
		}
	}
	return r, share(spread, squares)
}

// share returns the least of 1 and the ratio of a variance to a sum of squares.
func share(variance, squares float64) float64 {
	if squares == 0 {
		return 1
	}
	return min(1, variance/squares)
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}

// fill replaces what is missing in a table by its mean given the rest of its row, and sets spread
// to the mean covariance of what it filled in. It reports false if nothing is missing.
func (m *GridNormal) fill(table [][]float64, filled *mat.Dense, spread *mat.SymDense) bool {
	missing := false
	spread.Zero()
	for i, line := range table {
		var known, unknown []int
		for j, v := range line {
			if math.IsNaN(v) {
				unknown = append(unknown, j)
			} else {
				known = append(known, j)
			}
		}
		if len(unknown) == 0 {
			continue
		}
		missing = true
		c := m.condition(rowsOf(known), func(k int) float64 { return line[known[k]] })
		for a, j := range unknown {
			mean, _ := c.at(row{{j, 1}})
			filled.Set(i, j, mean)
			for _, k := range unknown[:a+1] {
				spread.SetSym(j, k, spread.At(j, k)+c.covariance(row{{j, 1}}, row{{k, 1}})/float64(len(table)))
			}
		}
	}
	return missing
}

// A row is a linear combination of the y of the grid.
type row []struct {
	at     int
	weight float64
}

func rowsOf(indices []int) []row {
	rows := make([]row, len(indices))
	for i, j := range indices {
		rows[i] = row{{j, 1}}
	}
	return rows
}

// place returns the row that stands for a standardised x [DX].
func (m *GridNormal) place(x []float64) row {
	dx := len(m.Units.X)
	n := len(m.Grid) / dx
	if dx == 1 {
		k := sort.SearchFloat64s(m.Grid, x[0])
		switch {
		case k == n:
			return row{{n - 1, 1}}
		case k == 0 || m.Grid[k] == x[0]:
			return row{{k, 1}}
		}
		w := (x[0] - m.Grid[k-1]) / (m.Grid[k] - m.Grid[k-1])
		return row{{k - 1, 1 - w}, {k, w}}
	}
	best, least := 0, math.Inf(1)
	for k := range n {
		d := 0.0
		for c, v := range x {
			e := v - m.Grid[k*dx+c]
			d += e * e
		}
		if d < least {
			best, least = k, d
		}
	}
	return row{{best, 1}}
}

// prior returns the covariance of two rows without a context.
func (m *GridNormal) prior(a, b row) float64 {
	sum := 0.0
	for _, i := range a {
		for _, j := range b {
			sum += i.weight * j.weight * m.Cov[i.at*len(m.Mean)+j.at]
		}
	}
	return sum
}

func (m *GridNormal) expected(a row) float64 {
	sum := 0.0
	for _, i := range a {
		sum += i.weight * m.Mean[i.at]
	}
	return sum
}

// A conditioned is the distribution given some known rows.
type conditioned struct {
	m        *GridNormal
	known    []row
	chol     mat.Cholesky
	residual *mat.VecDense // the covariance's inverse times y less its mean
}

// condition conditions on rows with known y. Each y has a little noise, so that rows may be linearly
// dependent, such as two context points between the same x of the grid.
func (m *GridNormal) condition(known []row, y func(k int) float64) *conditioned {
	c := &conditioned{m: m, known: known}
	n := len(known)
	if n == 0 {
		return c
	}
	cov, e := mat.NewSymDense(n, nil), mat.NewVecDense(n, nil)
	for i, a := range known {
		for j, b := range known[:i+1] {
			cov.SetSym(i, j, m.prior(a, b))
		}
		cov.SetSym(i, i, cov.At(i, i)*(1+1e-9))
		e.SetVec(i, y(i)-m.expected(a))
	}
	if !c.chol.Factorize(cov) {
		c.known = nil
		return c
	}
	c.residual = mat.NewVecDense(n, nil)
	if err := c.chol.SolveVecTo(c.residual, e); err != nil && !isCondition(err) {
		c.known = nil
	}
	return c
}

// cross returns the covariances of a row with the known ones.
func (c *conditioned) cross(a row) *mat.VecDense {
	v := mat.NewVecDense(len(c.known), nil)
	for i, b := range c.known {
		v.SetVec(i, c.m.prior(a, b))
	}
	return v
}

// at returns the mean and the variance of a row.
func (c *conditioned) at(a row) (mean, variance float64) {
	mean = c.m.expected(a)
	if len(c.known) > 0 {
		mean += mat.Dot(c.cross(a), c.residual)
	}
	return mean, c.covariance(a, a)
}

// covariance returns the covariance of two rows.
func (c *conditioned) covariance(a, b row) float64 {
	sum := c.m.prior(a, b)
	if len(c.known) > 0 {
		var solved mat.VecDense
		if err := c.chol.SolveVecTo(&solved, c.cross(b)); err == nil || isCondition(err) {
			sum -= mat.Dot(c.cross(a), &solved)
		}
	}
	return sum
}

// Columns implements [Model].
func (m *GridNormal) Columns() int { return len(m.Units.X) }

// Check implements [Model].
func (m *GridNormal) Check() error {
	n := len(m.Mean)
	return errors.Join(m.Units.check(), sound(lengthOf{m.Grid, n * len(m.Units.X)}, lengthOf{m.Mean, max(n, 1)}, lengthOf{m.Cov, n * n}))
}

// Given implements [Model].
func (m *GridNormal) Given(context Group, x []float64) []likelihood.GaussianMixture {
	u, dx := m.Units, len(m.Units.X)
	at := u.points(context.X)
	known := make([]row, context.Points())
	for i := range known {
		known[i] = m.place(at[i*dx:][:dx])
	}
	c := m.condition(known, func(k int) float64 { return u.Y.of(context.Y[k]) })
	targets := u.points(x)
	out := make([]likelihood.GaussianMixture, len(targets)/dx)
	for t := range out {
		a := m.place(targets[t*dx:][:dx])
		mean, variance := c.at(a)
		// A target at a known x has no variance left: what remains is the smallest step of the data.
		least := 1e-6 * m.prior(a, a)
		out[t] = u.mixture([]likelihood.Gaussian{{Mean: mean, Scale: math.Sqrt(max(variance, least))}}, []float64{0})
	}
	return out
}
