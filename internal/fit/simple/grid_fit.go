package simple

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/acqnp/acqnp/internal/points"
)

// Bounds of a fit of a Grid: the fewest groups, the points of the grid, and the rounds that fill what is missing.
const (
	fewestOnGrid = 6
	longestGrid  = 200
	fillRounds   = 6
)

// FitGrid fits a Grid. Points off the grid are left out, and of points of a group at the same t it takes the
// mean. Missing points are filled by expectation and maximisation: covariances of the pairs that are there
// would not make a covariance of all, and would have to be mended. FitGrid returns an error if the groups
// share no grid, or if there are too few of them.
func FitGrid(groups []points.Group) (Model, error) {
	m := &Grid{Units: unitsOf(groups)}
	all := m.Units.groups(groups, math.MaxInt)
	m.Column, m.At = gridOf(all)
	switch {
	case m.At == nil:
		return nil, errors.New("groups without a fold share too few values of x")
	case len(m.At) > longestGrid:
		return nil, fmt.Errorf("groups share %d values of x, and a grid has at most %d", len(m.At), longestGrid)
	case len(all) < fewestOnGrid:
		return nil, fmt.Errorf("%d groups without a fold are too few for a covariance over the %d values of x that they share: it takes %d", len(all), len(m.At), fewestOnGrid)
	}
	f := newGridFit(m, all)
	rounds := 0
	switch {
	case f.missing:
		rounds = fillRounds
	case len(m.Slopes) > 0:
		rounds = 1
	}
	ok := f.regress(nil) && f.learn()
	for round := 0; ok && round < rounds; round++ {
		precision := f.precision()
		ok = precision != nil && f.fill(precision) && f.regress(precision) && f.learn()
	}
	if !ok || !f.finish() {
		return nil, errNoFit
	}
	return m, nil
}

// A gridFit is a Grid while it is fitted.
type gridFit struct {
	*Grid
	groups         []points.Group
	first          []map[int]int // of each group: its first point at each point of the grid
	known, unknown [][]int       // the points of the grid that each group has, and the others
	missing        bool          // some group lacks a point

	// tables [G, P+1] of each group have what slopes multiply and y, less centres, with what is expected
	// where it is missing. Outliers of y have less leverage, and are excess further out.
	tables  []*mat.Dense
	excess  []map[int]float64
	centres *mat.Dense    // [G, P+1]
	y       *mat.Dense    // [n, G]: what slopes leave of the tables
	unsure  *mat.SymDense // the sum of the covariances of what was filled
	covarianceFit
}

// newGridFit tabulates standardised groups. At first 0 stands for what is missing.
func newGridFit(m *Grid, groups []points.Group) *gridFit {
	size, p := len(m.At), 2*(m.Columns()-1)
	m.Slopes, m.Mean, m.Cov = make([]float64, p), make([]float64, size), make([]float64, size*size)
	f := &gridFit{Grid: m, groups: groups, centres: mat.NewDense(size, p+1, nil), y: mat.NewDense(len(groups), size, nil), unsure: mat.NewSymDense(size, nil)}
	counts := make([]float64, size)
	for _, g := range groups {
		f.add(g.Points)
	}
	for i, known := range f.known {
		for _, k := range known {
			counts[k]++
			for j := range p + 1 {
				f.centres.Set(k, j, f.centres.At(k, j)+(f.tables[i].At(k, j)-f.centres.At(k, j))/counts[k])
			}
		}
	}
	for i, table := range f.tables {
		table.Sub(table, f.centres)
		for _, k := range f.unknown[i] {
			clear(table.RawRowView(k))
		}
	}
	return f
}

// add tabulates a group.
func (f *gridFit) add(g points.Points) {
	size, p := len(f.At), len(f.Slopes)
	sums, counts, first := make([]float64, size), make([]float64, size), map[int]int{}
	for i, y := range g.Y {
		if k, found := slices.BinarySearch(f.At, g.Row(i)[f.Column]); found {
			if counts[k]++; counts[k] == 1 {
				first[k] = i
			}
			sums[k] += y
		}
	}
	table, excess := mat.NewDense(size, p+1, nil), map[int]float64{}
	var known, unknown []int
	for k, count := range counts {
		if count == 0 {
			unknown = append(unknown, k)
			continue
		}
		known = append(known, k)
		y := sums[k] / count
		table.SetRow(k, append(f.others(g.Row(first[k])), pressed(y)))
		excess[k] = y - pressed(y)
	}
	f.tables, f.excess, f.first = append(f.tables, table), append(f.excess, excess), append(f.first, first)
	f.known, f.unknown, f.missing = append(f.known, known), append(f.unknown, unknown), f.missing || unknown != nil
}

// regress fits the slopes by least squares with this precision of a group's points, or with equal ones for nil, and
// with standard normal priors. It sets y.
func (f *gridFit) regress(precision *mat.SymDense) bool {
	p := len(f.Slopes)
	if p > 0 {
		sums := mat.NewDense(p+1, p+1, nil)
		for _, table := range f.tables {
			var weighted, own mat.Dense
			if precision == nil {
				own.Mul(table.T(), table)
			} else {
				weighted.Mul(precision, table)
				own.Mul(table.T(), &weighted)
			}
			sums.Add(sums, &own)
		}
		normal, right := mat.NewSymDense(p, nil), mat.NewVecDense(p, nil)
		for j := range p {
			for l := range j + 1 {
				normal.SetSym(j, l, sums.At(j, l))
			}
			normal.SetSym(j, j, normal.At(j, j)+1)
			right.SetVec(j, sums.At(j, p))
		}
		var chol mat.Cholesky
		if !chol.Factorize(normal) || chol.SolveVecTo(mat.NewVecDense(p, f.Slopes), right) != nil {
			return false
		}
	}
	for i, table := range f.tables {
		for k := range f.At {
			row := table.RawRowView(k)
			f.y.Set(i, k, row[p]-dot(f.Slopes, row))
		}
	}
	return true
}

// learn moves the centres of y to the mean of the groups, and learns the covariance.
func (f *gridFit) learn() bool {
	n, p := len(f.groups), len(f.Slopes)
	for k := range f.At {
		mean := mat.Sum(f.y.ColView(k)) / float64(n)
		f.centres.Set(k, p, f.centres.At(k, p)+mean)
		for i, table := range f.tables {
			table.Set(k, p, table.At(k, p)-mean)
			f.y.Set(i, k, f.y.At(i, k)-mean)
		}
	}
	scatter := new(mat.SymDense)
	scatter.SymOuterK(1, f.y.T())
	scatter.AddSym(scatter, f.unsure)
	var ok bool
	f.covarianceFit, ok = learnCovariance(f.At, scatter, n)
	return ok
}

// precision returns the inverse of the covariance, nil if float64 cannot hold it.
func (f *gridFit) precision() *mat.SymDense {
	return inverse(f.covariance(f.scatter, f.n))
}

// fill sets what is missing to its expectation given what the group has, and unsure to what that leaves open.
func (f *gridFit) fill(precision *mat.SymDense) bool {
	f.unsure.Zero()
	for i, unknown := range f.unknown {
		if unknown == nil {
			continue
		}
		cov := inverse(block(precision, unknown)) // of the unknown given the known
		if cov == nil {
			return false
		}
		table := f.tables[i]
		_, width := table.Dims()
		far, shift := mat.NewDense(len(unknown), width, nil), new(mat.Dense)
		for a, u := range unknown {
			clear(table.RawRowView(u))
			for _, k := range f.known[i] {
				for j, v := range table.RawRowView(k) {
					far.Set(a, j, far.At(a, j)-precision.At(u, k)*v)
				}
			}
		}
		shift.Mul(cov, far)
		for a, u := range unknown {
			table.SetRow(u, shift.RawRowView(a))
			for b, v := range unknown[:a+1] {
				f.unsure.SetSym(u, v, f.unsure.At(u, v)+cov.At(a, b))
			}
		}
	}
	return true
}

// finish sets the mean, the covariance and the noise.
func (f *gridFit) finish() bool {
	own, size, p := f.noise(), len(f.At), len(f.Slopes)
	f.Scale = f.scale
	cov, spread := f.scaled(f.covariance(f.scatter, f.n), -1), 1+float64(f.Columns())/float64(f.n) // mean and slopes are estimates too
	for k := range size {
		row := f.centres.RawRowView(k)
		f.Mean[k] = row[p] - dot(f.Slopes, row)
		for l := range size {
			f.Cov[k*size+l] = cov.At(k, l) * spread
		}
		f.Cov[k*size+k] -= own * spread
	}
	f.fitBends()
	return f.fitNoise(own)
}

// fitBends sets how far f and the mean bend off the line between two points. Each point's distance from the line of its
// neighbours tells: of what is rough, such as a random walk, half of the variance is left at half the distance, and of
// what is smooth a sixteenth.
func (f *gridFit) fitBends() {
	size := len(f.At)
	keep := 1. / 16
	if f.rough {
		keep = 1. / 2
	}
	squares := make([]float64, size)
	for k := 1; k < size-1; k++ {
		next := (f.At[k] - f.At[k-1]) / (f.At[k+1] - f.At[k-1])
		off, mean := []float64{next - 1, 1, -next}, 0.0
		for i, v := range off {
			mean += v * f.Mean[k-1+i] / f.scale[k]
			for j, w := range off {
				squares[k] += keep * v * w * f.Cov[(k-1+i)*size+k-1+j]
			}
		}
		squares[k] += mean * mean / 16
	}
	squares[0], squares[size-1] = squares[1], squares[size-2]
	f.Bend = make([]float64, size-1)
	for k := range f.Bend {
		f.Bend[k] = max(0, (squares[k]+squares[k+1])/2)
	}
}

// mostMissed bounds the multiplications for the groups whose noise is looked at, which are at least fewestMissed.
const (
	mostMissed   = 2e8
	fewestMissed = 20
)

// fitNoise fits the noise to the errors of predictions of each point from the others of its group. The covariance for
// a group is that of the other groups. own is the variance of f + ε that is noise.
func (f *gridFit) fitNoise(own float64) bool {
	var some []points.Group
	var misses [][]miss
	squares, count := 0.0, 0.0
	for _, i := range points.Spread(f.n, max(fewestMissed, int(mostMissed/math.Pow(float64(len(f.At)), 3)))) {
		known, at := f.known[i], []int(nil)
		precision := inverse(block(f.scaled(f.withoutGroup(f.y.RowView(i)), -1), known))
		if len(known) == 0 || precision == nil {
			continue
		}
		more, off := float64(f.n)/float64(f.n-1), mat.NewVecDense(len(known), nil) // off the mean of the others
		list := make([]miss, len(known))
		for a, k := range known {
			off.SetVec(a, more*f.y.At(i, k)/f.scale[k])
		}
		var solved mat.VecDense
		solved.MulVec(precision, off)
		for a, k := range known {
			at = append(at, f.first[i][k])
			v := 1 / precision.At(a, a)
			list[a] = miss{by: solved.AtVec(a)*v + f.excess[i][k]/f.scale[k], variance: max(v-own, 0)}
			squares, count = squares+list[a].by*list[a].by, count+1
		}
		some, misses = append(some, points.Group{Points: f.groups[i].Take(at)}), append(misses, list)
	}
	if count == 0 {
		return false
	}
	f.Noise = fitNoise(some, misses, newBasis(some, 6), max(math.Sqrt(squares/count)/2, 1e-6))
	return true
}

// block returns the rows and columns of a matrix at some places.
func block(a *mat.SymDense, places []int) *mat.SymDense {
	out := new(mat.SymDense)
	if len(places) > 0 {
		out = mat.NewSymDense(len(places), nil)
	}
	for i, p := range places {
		for j, q := range places[:i+1] {
			out.SetSym(i, j, a.At(p, q))
		}
	}
	return out
}

// inverse returns the inverse of a positive definite matrix, nil if float64 cannot hold it.
func inverse(a *mat.SymDense) *mat.SymDense {
	var chol mat.Cholesky
	if a.IsEmpty() || !chol.Factorize(a) {
		return nil
	}
	out := new(mat.SymDense)
	_ = chol.InverseTo(out) // its error warns that the result has few exact digits
	return out
}
