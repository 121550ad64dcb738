package table

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/acqnp/acqnp/internal/points"
)

// Crossed names are shared among groups: the items that subjects see. Then V = I + θ₁²·Z₁·Z₁ᵀ + θ₂²·Z₂·Z₂ᵀ has no blocks. Of
// the larger factor, V₁ = I + θ₁²·Z₁·Z₁ᵀ has, as of groups without names. The smaller one has a dense matrix,
//
//	S = I + θ₂²·Z₂ᵀ·V₁⁻¹·Z₂,   B = θ₂·Z₂ᵀ·V₁⁻¹·z,   |V| = |V₁|·|S|,   zᵀ·V⁻¹·z = zᵀ·V₁⁻¹·z − Bᵀ·S⁻¹·B
//
// and the posterior means of the effects, of r = y − X·β, are θ₂·S⁻¹·θ₂·Z₂ᵀ·V₁⁻¹·r and, of the larger factor, those of what
// they leave. Their covariance is σ²·θ₂²·S⁻¹.

// MostDense bounds the names of the smaller factor, of which there is a dense matrix.
const MostDense = 5000

// quick is the number of names of the smaller factor from which θ is looked for less closely.
const quick = 200

// A crossing is what rows of two factors say, with z [q].
type crossing struct {
	within *mat.SymDense // [q, q]: the squares of z about the means of the larger factor
	large  []crossed     // the names of the larger factor
	sums   *mat.Dense    // [small, q]: of z, by the names of the smaller factor
	n      []float64     // [small]: their rows, by weight
	places [2]int        // of the larger and of the smaller factor in θ
	rows   float64
}

// A crossed name of the larger factor has rows of names of the smaller one.
type crossed struct {
	n     float64 // rows, by weight
	mean  []float64
	names []int     // of the smaller factor, in order
	of    []float64 // rows of each, by weight
}

// A crossedRow is a row of two factors. Item is −1 where only the group matters.
type crossedRow struct {
	of     [2]int // group, item
	weight float64
	z      []float64
}

// crossingOf returns the crossing of rows, which it sorts, with so many groups and items. dense is the place of the smaller
// factor.
func crossingOf(rows []crossedRow, counts [2]int, dense, q int) *crossing {
	c := &crossing{within: mat.NewSymDense(q, nil), large: make([]crossed, counts[1-dense]), places: [2]int{1 - dense, dense},
		sums: mat.NewDense(counts[dense], q, nil), n: make([]float64, counts[dense])}
	for k := range c.large {
		c.large[k].mean = make([]float64, q)
	}
	slices.SortStableFunc(rows, func(a, b crossedRow) int { return a.of[dense] - b.of[dense] })
	for _, r := range rows {
		l, s := &c.large[r.of[1-dense]], r.of[dense]
		l.n += r.weight
		c.rows += r.weight
		if move(l.mean, r.z, r.weight/l.n); s < 0 {
			continue
		}
		if last := len(l.names) - 1; last < 0 || l.names[last] != s {
			l.names, l.of = append(l.names, s), append(l.of, 0)
		}
		l.of[len(l.of)-1] += r.weight
		c.n[s] += r.weight
		floats.AddScaled(c.sums.RawRowView(s), r.weight, r.z)
	}
	for _, r := range rows {
		addSquare(c.within, r.weight, r.z, c.large[r.of[1-dense]].mean)
	}
	return c
}

// dense returns S and B of θ, and adds zᵀ·V₁⁻¹·z to a. It returns log|V₁|.
func (c *crossing) dense(theta thetas, a *mat.SymDense) (s *mat.SymDense, b *mat.Dense, logV float64) {
	large, small := theta[c.places[0]], theta[c.places[1]]
	s, b = mat.NewSymDense(len(c.n), nil), mat.DenseCopyOf(c.sums)
	raw := s.RawSymmetric()
	for i, n := range c.n {
		raw.Data[i*raw.Stride+i] = 1 + small*small*n
	}
	for _, l := range c.large {
		grown := 1 + l.n*large*large
		share := large * large / grown
		logV += math.Log(grown)
		addSquare(a, l.n/grown, l.mean, nil)
		for i, name := range l.names {
			w := share * l.of[i]
			floats.AddScaled(b.RawRowView(name), -w*l.n, l.mean)
			row := raw.Data[name*raw.Stride:]
			for j := i; j < len(l.names); j++ {
				row[l.names[j]] -= small * small * w * l.of[j]
			}
		}
	}
	b.Scale(small, b)
	return s, b, logV
}

// at returns the estimate of θ, false if nothing is left of y.
func (c *crossing) at(theta thetas) (e estimate, ok bool) {
	a := mat.NewSymDense(c.within.SymmetricDim(), nil)
	a.CopySym(c.within)
	s, b, logV := c.dense(theta, a)
	var of mat.Cholesky
	var solved mat.Dense
	if !of.Factorize(s) || of.SolveTo(&solved, b) != nil {
		return e, false
	}
	var less mat.Dense
	less.Mul(b.T(), &solved)
	for i := range a.SymmetricDim() {
		for j := i; j < a.SymmetricDim(); j++ {
			a.SetSym(i, j, a.At(i, j)-less.At(i, j))
		}
	}
	return estimateOf(a, logV+of.LogDet(), c.rows)
}

// means returns the posterior means of the effects of both factors, as places of θ, of z [1].
func (c *crossing) means(theta thetas) (of [2][]float64) {
	s, b, _ := c.dense(theta, mat.NewSymDense(1, nil))
	var factor mat.Cholesky
	small := mat.NewVecDense(len(c.n), nil)
	if factor.Factorize(s) {
		_ = factor.SolveVecTo(small, b.ColView(0)) // which only warns of S that is nearly singular
	}
	small.ScaleVec(theta[c.places[1]], small)
	large, share := make([]float64, len(c.large)), theta[c.places[0]]*theta[c.places[0]]
	for k, l := range c.large {
		sum := l.n * l.mean[0]
		for i, name := range l.names {
			sum -= l.of[i] * small.AtVec(name)
		}
		large[k] = share / (1 + l.n*share) * sum
	}
	of[c.places[0]], of[c.places[1]] = large, small.RawVector().Data
	return of
}

// A Crossed is the crossed mixed model of an outcome by REML, with which names are coded as numbers. In x of the points that
// it takes, the last column is the number of the name.
type Crossed struct {
	Intercept float64   `json:"intercept"`
	Slopes    []float64 `json:"slopes"` // of the other columns of x
	Means     []float64 `json:"means"`  // of these: they stand for missing cells
	Group     float64   `json:"group"`  // deviations of groups, of names and of the residual
	Name      float64   `json:"name"`
	Residual  float64   `json:"residual"`
	Log       bool      `json:"log,omitempty"` // it is of the logarithm of y
}

// FitCrossed fits the model to groups, of y or of log y. It returns twice the negative log-likelihood of y by REML too, and
// false if the rows leave no residual, or have no logarithm.
func FitCrossed(groups []points.Group, log bool) (c *Crossed, deviance float64, ok bool) {
	if log && slices.ContainsFunc(groups, hasNoLogarithm) {
		return nil, 0, false
	}
	r := rowsOf(groups, true, true)
	if log {
		deviance = r.takeLogs()
	}
	if math.IsNaN(deviance) || math.IsInf(deviance, 0) {
		return nil, 0, false
	}
	kept, _ := r.independent()
	if 1+len(kept) >= len(r.y) {
		return nil, 0, false
	}
	var told []int
	for level, names := range []int{r.groups, r.names} {
		if r.tell(names) {
			told = append(told, level)
		}
	}
	s := r.crossing(kept)
	theta, ok := minimise(s.at, told, len(s.n) < quick)
	e, fits := s.at(theta)
	if !ok || !fits || e.r2 < exact*r.squares() {
		return nil, 0, false
	}
	var beta mat.VecDense
	beta.MulVec(r.units(kept), e.beta())
	sigma := e.sigma() * r.scaleY
	c = &Crossed{Intercept: r.meanY + beta.AtVec(0), Slopes: make([]float64, r.dx), Means: r.meanX, Group: theta[inner] * sigma, Name: theta[outer] * sigma, Residual: sigma, Log: log}
	for k, of := range kept {
		c.Slopes[of] = beta.AtVec(1 + k)
	}
	return c, deviance + e.deviance + 2*e.freedom*math.Log(r.scaleY), !math.IsInf(sigma*sigma, 0)
}

// hasNoLogarithm reports whether a y of a group is 0 or less.
func hasNoLogarithm(g points.Group) bool {
	return slices.ContainsFunc(g.Y, func(y float64) bool { return y <= 0 })
}

// crossing returns the crossing of the intercept, of some columns of x, and of y.
func (r *rows) crossing(kept []int) *crossing {
	all := make([]crossedRow, len(r.y))
	for i := range all {
		all[i] = crossedRow{[2]int{r.group[i], r.name[i]}, r.weights[i], r.row(i, kept)}
	}
	return crossingOf(all, [2]int{r.groups, r.names}, smaller(r.groups, r.names), len(kept)+2)
}

// smaller returns the place of the smaller factor.
func smaller(groups, names int) int {
	if names > groups {
		return inner
	}
	return outer
}

// residual returns what the columns of x leave of point i.
func (c *Crossed) residual(g points.Points, i int) float64 {
	left := g.Y[i] - c.Intercept
	if c.Log {
		left = math.Log(g.Y[i]) - c.Intercept
	}
	for k, slope := range c.Slopes {
		v := g.Row(i)[k]
		if math.IsNaN(v) {
			v = c.Means[k]
		}
		left -= slope * v
	}
	return left
}

// theta returns θ.
func (c *Crossed) theta() thetas { return thetas{c.Group / c.Residual, c.Name / c.Residual} }

// Codes returns the posterior mean of the effect of each of so many names, by the rows of which use says so: use gets their
// numbers.
func (c *Crossed) Codes(groups []points.Group, names int, use func(row int) bool) []float64 {
	if c.Name == 0 {
		return make([]float64, names)
	}
	var all []crossedRow
	for k, g := range groups {
		for i, row := range g.Rows {
			if use(row) {
				all = append(all, crossedRow{[2]int{k, int(g.Row(i)[g.DX-1])}, g.Weight(i), []float64{c.residual(g.Points, i)}})
			}
		}
	}
	return crossingOf(all, [2]int{len(groups), names}, smaller(len(groups), names), 1).means(c.theta())[outer]
}

// Posterior returns the mean and the covariance of the effects of new names, those with numbers from that of the known ones
// on, by groups in which they are. codes are those of the known names, each with the variance of its error.
func (c *Crossed) Posterior(groups []points.Points, codes []float64, variance float64, names int) (mean []float64, covariance *mat.SymDense) {
	if c.Name == 0 {
		return make([]float64, names), mat.NewSymDense(names, nil)
	}
	var all []crossedRow
	for k, g := range groups {
		for i := range g.Len() {
			r := crossedRow{[2]int{k, int(g.Row(i)[g.DX-1]) - len(codes)}, 1, []float64{c.residual(g, i)}}
			if r.of[outer] < 0 {
				r.z[0] -= codes[r.of[outer]+len(codes)]
				r.of[outer], r.weight = -1, c.Residual*c.Residual/(c.Residual*c.Residual+variance)
			}
			all = append(all, r)
		}
	}
	of := crossingOf(all, [2]int{len(groups), names}, outer, 1)
	s, _, _ := of.dense(c.theta(), mat.NewSymDense(1, nil))
	var factor mat.Cholesky
	covariance = mat.NewSymDense(names, nil)
	if factor.Factorize(s) {
		_ = factor.InverseTo(covariance) // as means does
	}
	covariance.ScaleSym(c.Name*c.Name, covariance)
	return of.means(c.theta())[outer], covariance
}
