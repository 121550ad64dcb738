package table

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"
)

// The model, in the letters of lme4 (Bates, Mächler, Bolker and Walker 2015):
//
//	y = X·β + Z·b + ε,   b = Λ·u,   u ~ N(0, σ²·I),   ε ~ N(0, σ²·I)
//
// Z says of each row its group and its outer group, and Λ is diagonal: θ of the level of each group. With V = I + Z·Λ·Λᵀ·Zᵀ
// and its factor L, |L|² = |V|, and with the Cholesky factor R of Xᵀ·V⁻¹·X,
//
//	β = R⁻¹·R⁻ᵀ·Xᵀ·V⁻¹·y,   r² = (y − X·β)ᵀ·V⁻¹·(y − X·β),   σ² = r²/(n − p)
//
// and θ minimises the profiled criterion of REML,
//
//	d(θ) = log|L|² + log|R|² + (n − p)·(1 + log(2π·r²/(n − p)))
//
// Groups make V a matrix of blocks. Of a group of n rows, I + θ²·J has the eigenvalue 1 within the group, and 1 + n·θ² of its
// mean: so the rows matter only by their squares within groups, and the means, whose weight is ω = n/(1 + n·θ²). The means
// of the groups in an outer group are such rows again, of which each counts ω times. No difference of large numbers is
// taken, so that θ may be huge.

// Groups with as many rows have one ω, so those in an outer group are one cell: their mean, and their squares about it.

// sums are what the rows say, with z = (1, x, y) [q].
type sums struct {
	within *mat.SymDense // [q, q]: the squares of z about the means of their groups
	sizes  []size        // the numbers of rows that groups have
	outers [][]cell      // of each outer group
	rows   float64       // by weight
}

// A size is a number of rows.
type size struct {
	n       float64       // by weight
	groups  float64       // that have so many
	between *mat.SymDense // [q, q]: the squares of their means about those of their cells; nil for none
}

// A cell is the groups of a size in an outer group.
type cell struct {
	size   int // its place in sizes
	groups float64
	mean   []float64 // [q]: of the means of the groups
}

// sums returns the sums of the intercept, of some columns of x, and of y.
func (r *rows) sums(kept []int) sums {
	q := len(kept) + 2
	s := sums{within: mat.NewSymDense(q, nil)}
	n, means := make([]float64, r.groups), make([][]float64, r.groups)
	for k := range means {
		means[k] = make([]float64, q)
	}
	for i, w := range r.weights {
		k := r.group[i]
		n[k] += w
		s.rows += w
		move(means[k], r.row(i, kept), w/n[k])
	}
	for i, w := range r.weights {
		addSquare(s.within, w, r.row(i, kept), means[r.group[i]])
	}

	sizes := slices.Compact(slices.Sorted(slices.Values(n)))
	for _, n := range sizes {
		s.sizes = append(s.sizes, size{n: n})
	}
	for _, groups := range r.outers {
		s.addOuter(groups, means, func(k int) int {
			at, _ := slices.BinarySearch(sizes, n[k])
			return at
		})
	}
	return s
}

// row returns z of row i, with some columns of x.
func (r *rows) row(i int, kept []int) []float64 {
	z := make([]float64, 0, len(kept)+2)
	z = append(z, 1)
	for _, c := range kept {
		z = append(z, r.x[i*r.dx+c])
	}
	return append(z, r.y[i])
}

// squares returns the squares of y, by weight.
func (r *rows) squares() (sum float64) {
	for i, w := range r.weights {
		sum += w * r.y[i] * r.y[i]
	}
	return sum
}

// addOuter adds an outer group of groups with these means [q] and sizes.
func (s *sums) addOuter(groups []int, means [][]float64, sizeOf func(k int) int) {
	q := s.within.SymmetricDim()
	cells, places := []cell(nil), map[int]int{}
	for _, k := range groups {
		of := sizeOf(k)
		at, seen := places[of]
		if !seen {
			at = len(cells)
			places[of] = at
			cells = append(cells, cell{size: of, mean: make([]float64, q)})
		}
		c := &cells[at]
		c.groups++
		s.sizes[of].groups++
		move(c.mean, means[k], 1/c.groups)
	}
	for _, k := range groups {
		c := cells[places[sizeOf(k)]]
		if c.groups == 1 {
			continue
		}
		of := &s.sizes[c.size]
		if of.between == nil {
			of.between = mat.NewSymDense(q, nil)
		}
		addSquare(of.between, 1, means[k], c.mean)
	}
	s.outers = append(s.outers, cells)
}

// move moves a mean by a share of the way to z.
func move(mean, z []float64, share float64) {
	for c, v := range z {
		mean[c] += share * (v - mean[c])
	}
}

// addSquare adds w·(z − m)·(z − m)ᵀ to the upper triangle of a; m may be nil for 0.
func addSquare(a *mat.SymDense, w float64, z, m []float64) {
	raw := a.RawSymmetric()
	d := make([]float64, 0, 64)
	for c, v := range z {
		if m != nil {
			v -= m[c]
		}
		d = append(d, v)
	}
	for i, v := range d {
		if v == 0 {
			continue
		}
		row := raw.Data[i*raw.Stride:][:len(d)]
		for j := i; j < len(d); j++ {
			row[j] += w * v * d[j]
		}
	}
}

// An estimate is what follows from θ. factor is the upper Cholesky factor of zᵀ·V⁻¹·z: R, R⁻ᵀ·Xᵀ·V⁻¹·y beside it, and r last.
type estimate struct {
	factor   *mat.TriDense
	p        int
	r2       float64
	freedom  float64 // n − p
	deviance float64 // d(θ)
}

// thetas are θ of the inner and of the outer groups. With slopes, the second is that of the slope, and the third the
// correlation of slope and intercept.
type thetas [3]float64

// at returns the estimate of θ, false if nothing is left of y.
func (s *sums) at(theta thetas) (e estimate, ok bool) {
	q := s.within.SymmetricDim()
	a, mean, omega, logV := mat.NewSymDense(q, nil), make([]float64, q), make([]float64, len(s.sizes)), 0.0
	a.CopySym(s.within)
	for i, of := range s.sizes {
		grown := of.n * theta[inner] * theta[inner]
		omega[i] = of.n / (1 + grown)
		logV += of.groups * math.Log1p(grown)
		if of.between != nil {
			floats.AddScaled(a.RawSymmetric().Data, omega[i], of.between.RawSymmetric().Data)
		}
	}
	for _, cells := range s.outers {
		clear(mean)
		all := 0.0
		for _, c := range cells {
			w := c.groups * omega[c.size]
			all += w
			move(mean, c.mean, w/all)
		}
		if len(cells) > 1 {
			for _, c := range cells {
				addSquare(a, c.groups*omega[c.size], c.mean, mean)
			}
		}
		grown := all * theta[outer] * theta[outer]
		logV += math.Log1p(grown)
		addSquare(a, all/(1+grown), mean, nil)
	}
	return estimateOf(a, logV, s.rows)
}

// estimateOf returns the estimate of zᵀ·V⁻¹·z and log|V|, of so many rows.
func estimateOf(a *mat.SymDense, logV, rows float64) (e estimate, ok bool) {
	var c mat.Cholesky
	if !c.Factorize(a) {
		return e, false
	}
	q := a.SymmetricDim()
	e = estimate{factor: mat.NewTriDense(q, mat.Upper, nil), p: q - 1}
	c.UTo(e.factor)
	e.r2, e.freedom = e.factor.At(e.p, e.p)*e.factor.At(e.p, e.p), rows-float64(e.p)
	logR := 0.0
	for i := range e.p {
		logR += 2 * math.Log(e.factor.At(i, i))
	}
	e.deviance = logV + logR + e.freedom*(1+math.Log(2*math.Pi*e.r2/e.freedom))
	return e, e.freedom > 0
}

// sigma returns σ.
func (e estimate) sigma() float64 { return math.Sqrt(e.r2 / e.freedom) }

// inverse returns R⁻¹.
func (e estimate) inverse() *mat.TriDense {
	var inverse mat.TriDense
	_ = inverse.InverseTri(e.factor.SliceTri(0, e.p).(*mat.TriDense)) // the columns are independent
	return &inverse
}

// beta returns β.
func (e estimate) beta() *mat.VecDense {
	var beta mat.VecDense
	beta.MulVec(e.inverse(), mat.NewVecDense(e.p, mat.Col(nil, e.p, e.factor)[:e.p]))
	return &beta
}

// The search for θ, from the best of some places.
var starts = []float64{0.05, 0.25, 1, 4, 20}

const (
	mostLog     = 12.0 // of |log θ|
	lookAgain   = 3    // times that the search starts again from where it ended
	asGoodAsNil = 1e-9 // of d: θ = 0 is taken if it is not worse by more
)

// minimise returns the θ of the least d, of which the levels that are not told are 0. It looks once, and not closely, where at
// takes long. It returns false if it is none: y has no residual.
func minimise(at func(theta thetas) (estimate, bool), told []int, closely bool) (best thetas, ok bool) {
	d := func(theta thetas) float64 {
		e, ok := at(theta)
		if !ok {
			return math.Inf(1)
		}
		return e.deviance
	}
	place := func(logs []float64) (theta thetas) {
		for i, level := range told {
			if theta[level] = math.Exp(min(max(logs[i], -mostLog), mostLog)); level == together {
				theta[level] = math.Tanh(logs[i])
			}
		}
		return theta
	}
	least := d(best)
	if len(told) > 0 {
		ofLogs := func(x []float64) float64 { return d(place(x)) }
		x, value := start(told, ofLogs)
		times, exactly := lookAgain, 1e-12
		if !closely {
			times, exactly = 1, 1e-3
		}
		for range times {
			settings := optimize.Settings{MajorIterations: 400, Converger: &optimize.FunctionConverge{Absolute: exactly, Iterations: 12}}
			if result, err := optimize.Minimize(optimize.Problem{Func: ofLogs}, x, &settings, &optimize.NelderMead{SimplexSize: 0.3}); err == nil && result.F <= value {
				x, value = result.X, result.F
			}
		}
		best, least = place(x), value
		for _, level := range told {
			if without := best; best[level] != 0 {
				without[level] = 0
				if v := d(without); v <= least+asGoodAsNil {
					best, least = without, v
				}
			}
		}
	}
	return best, !math.IsInf(least, 1)
}

// start returns the best of the starts, as logarithms of θ.
func start(told []int, d func([]float64) float64) (best []float64, least float64) {
	least = math.Inf(1)
	places := 1
	for range told {
		places *= len(starts)
	}
	for i := range places {
		x := make([]float64, len(told))
		for k := range x {
			x[k] = math.Log(starts[i%len(starts)])
			i /= len(starts)
		}
		if v := d(x); best == nil || v < least {
			best, least = x, v
		}
	}
	return best, least
}
