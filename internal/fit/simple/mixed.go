package simple

import (
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/points"
)

// Mixed is a linear mixed model, in standardised x and y, with the distribution of
// [noise].
type Mixed struct {
	Units `json:"units"`
	Model linear `json:"model"`
	Noise noise  `json:"noise"`

	// Sides says that of a point beyond a bound its side is known; otherwise its guess is taken as seen.
	Sides bool `json:"sides,omitempty"`

	// Spread are factors of the deviations of groups, each as likely as the others, where groups are few; nil: 1.
	Spread      []float64 `json:"spread,omitempty"`
	OuterSpread []float64 `json:"outer_spread,omitempty"` // of outer groups
}

// mostLeftOut is the largest number of groups for which the noise of a group is judged by coefficients
// that were fitted without it. With more groups, a single group changes the coefficients little.
const mostLeftOut = 50

// steepest is the deviation of the prior of slopes that the data do not determine: of y by x, both of deviation 1. So a
// point off the line of two columns that depend on each other is as uncertain as points that far apart
// differ in the data, and not more.
const steepest = 2

// FitMixed fits a mixed model of the degrees that cross-validation over the groups prefers. It fits the
// noise and the model in turn: points that lie far off count little. Of groups in groups, it fits the variances of
// both levels. It returns an error if none can be fitted.
func FitMixed(groups []points.Group) (Model, error) {
	m := &Mixed{Units: unitsOf(groups)}
	all := m.Units.groups(groups, math.MaxInt)
	m.Spread = spreadOf(len(all))
	if outers := outerGroups(all); outers != nil {
		m.OuterSpread = spreadOf(len(outers))
	}
	pressedGroups := pressedOf(all)
	fixed, random, ok := chooseDegrees(pressedGroups)
	if !ok {
		return nil, errNoFit
	}
	form := degreesOf(pressedGroups, fixed, random)
	form.Crossings = crossingsOf(all)
	if err := m.fit(all, pressedGroups, form); err != nil {
		return nil, err
	}
	return m, nil
}

// pressedOf returns the groups with y pressed.
func pressedOf(all []points.Group) []points.Group {
	pressedGroups := slices.Clone(all)
	for i, g := range all {
		pressedGroups[i].Y = slices.Clone(g.Y)
		for k, v := range g.Y {
			pressedGroups[i].Y[k] = pressed(v)
		}
	}
	return pressedGroups
}

// fit fits the model and its noise to standardised groups. pressedGroups are the same without the mean of the noise. If
// there are points beyond bounds, it takes what is more likely, each point given the others of its group: that all Y are
// seen, guesses as well, or that of these the side alone is known. Of censored points the side alone is known.
func (m *Mixed) fit(all []points.Group, pressedGroups []points.Group, form degrees) error {
	plain, at, beyond := bounds(all)
	guessed, sided := *m, *m
	guesses, err := guessed.alternate(plain, pressedGroups, form)
	if *m = guessed; err != nil || !beyond {
		return err
	}
	sided.Sides = true
	sides, err := sided.alternate(at, pressedOf(all), form)
	limited := slices.ContainsFunc(all, func(g points.Group) bool { return g.BeyondLimits() != nil })
	if err == nil && (limited || sided.log(at, sides) > guessed.log(at, toBounds(all, guesses))) {
		*m = sided
	}
	return nil
}

// alternate fits the model and its noise in turn, and returns the errors that the noise was fitted to at last.
func (m *Mixed) alternate(all []points.Group, pressedGroups []points.Group, form degrees) (misses [][]miss, err error) {
	known, precision := 0.0, make([][]float64, len(all))
	for i, g := range all {
		precision[i] = slices.Repeat([]float64{1}, g.Len())
	}
	for round := range noiseAlternations + 1 {
		fitted, err := fitLinear(pressedGroups, precision, form, known)
		if err != nil {
			return nil, err
		}
		fitted.shrink(steepest)
		m.Model = fitted.linear
		if m.Sides { // what sides say is not relative to the noise of other points
			known = m.Model.Noise * m.Model.Noise
		}
		misses = make([][]miss, len(all))
		for i, g := range all {
			own := fitted.linear
			if len(all) <= mostLeftOut {
				own = fitted.leaveOut(i)
			}
			misses[i] = missesOf(own, g.Points, pressedGroups[i].Y, precision[i])
		}
		m.Noise = fitNoise(all, misses, newBasis(all, 6), m.Model.Noise)
		if round == noiseAlternations {
			break
		}
		for i, g := range all {
			shift, variance := m.Noise.normals(g.Points, misses[i])
			for k, y := range g.Y {
				pressedGroups[i].Y[k], precision[i][k] = y-shift[k], m.Model.Noise*m.Model.Noise/variance[k]
			}
		}
	}
	return misses, nil
}

// log returns the logarithm of how likely misses of groups are.
func (m *Mixed) log(all []points.Group, misses [][]miss) (sum float64) {
	for i, g := range all {
		log, _ := m.Noise.tauOf(misses[i], m.Noise.scales(g.Points))
		sum += log
	}
	return sum
}

// missesOf returns the leave-one-out errors of a group's points: each is predicted from the others of the
// group, and from itself as often as it counts beyond once. y is less the mean of the noise.
func missesOf(m linear, g points.Points, y, precision []float64) []miss {
	n := g.Len()
	if n == 0 {
		return nil
	}
	var rows *mat.Dense // of the root of the function's covariance, over the noise
	left, deviation := mat.NewVecDense(n, nil), make([]float64, n)
	for i := range n {
		mean, row := m.prior(nil, g.Row(i))
		if rows == nil {
			rows = mat.NewDense(n, len(row), nil)
		}
		deviation[i] = m.Noise / math.Sqrt(precision[i])
		for j, v := range row {
			rows.Set(i, j, v/deviation[i])
		}
		left.SetVec(i, (y[i]-mean)/deviation[i])
	}
	// (I + RRᵀ)⁻¹ = I − R(I + RᵀR)⁻¹Rᵀ
	_, d := rows.Dims()
	inner, all, allLeft := mat.NewSymDense(d, nil), rows, left
	if g.Weights != nil { // each row as often as it counts
		all, allLeft = mat.DenseCopyOf(rows), mat.VecDenseCopyOf(left)
		for i, times := range g.Weights {
			floats.Scale(math.Sqrt(times), all.RawRowView(i))
			allLeft.SetVec(i, math.Sqrt(times)*left.AtVec(i))
		}
	}
	inner.SymOuterK(1, all.T())
	for j := range d {
		inner.SetSym(j, j, inner.At(j, j)+1)
	}
	var chol mat.Cholesky
	misses := make([]miss, n)
	if !chol.Factorize(inner) {
		for i := range misses {
			misses[i] = miss{by: left.AtVec(i) * deviation[i], more: g.Weight(i) - 1} // a guess stays one
		}
		return misses
	}
	var seen, own mat.VecDense
	seen.MulVec(all.T(), allLeft)
	_ = chol.SolveVecTo(&seen, &seen)
	for i := range misses {
		_ = chol.SolveVecTo(&own, rows.RowView(i))
		once := min(g.Weight(i), 1) // what is left out
		c := max(1-once*mat.Dot(&own, rows.RowView(i)), 1e-12)
		by := (left.AtVec(i) - mat.Dot(rows.RowView(i), &seen)) / c
		misses[i] = miss{by*deviation[i] + g.Y[i] - y[i], (1/c - 1) / once * deviation[i] * deviation[i], g.Weight(i) - 1, g.Side(i)}
	}
	return misses
}

// rows returns the mean of a new group at points, and the root of its covariance.
func (m *Mixed) rows(p points.Points) (means []float64, rows *mat.Dense) {
	var all []float64
	for i := range p.Len() {
		mean, row := m.Model.prior(nil, p.Row(i))
		means, all = append(means, mean), m.Model.beyond(append(all, row...), p.Row(i))
	}
	return means, mat.NewDense(p.Len(), len(all)/p.Len(), all)
}

// root implements field. Each group has columns
// of its own deviations, and all have the others in common.
func (m *Mixed) root(p points.Points) *mat.Dense {
	_, rows := m.rows(p)
	if p.Sibling == nil {
		return rows
	}
	at := map[int]int{}
	for _, group := range p.Sibling {
		if _, known := at[group]; !known {
			at[group] = len(at)
		}
	}
	_, q := m.Model.Form.count()
	n, d := rows.Dims()
	root := mat.NewDense(n, d-q+q*len(at), nil)
	for i := range n {
		from, to := rows.RawRowView(i), root.RawRowView(i)
		copy(to, from[q:])
		copy(to[d-q+q*at[p.Sibling[i]]:], from[:q])
	}
	return root
}

// mean implements field.
func (m *Mixed) mean(p points.Points) []float64 {
	means, _ := m.rows(p)
	return means
}

// covariances implements field.
func (m *Mixed) covariances(a, b points.Points) *mat.Dense {
	_, left := m.rows(a)
	_, right := m.rows(b)
	var out mat.Dense
	out.Mul(left, right.T())
	return &out
}

// across implements field: two groups have all in common but their own deviations.
func (m *Mixed) across(a, b points.Points) *mat.Dense {
	_, left := m.rows(a)
	_, right := m.rows(b)
	_, q := m.Model.Form.count()
	n, d := left.Dims()
	k, _ := right.Dims()
	var out mat.Dense
	out.Mul(left.Slice(0, n, q, d), right.Slice(0, k, q, d).T())
	return &out
}

// variances implements field.
func (m *Mixed) variances(p points.Points) []float64 {
	_, rows := m.rows(p)
	out := make([]float64, p.Len())
	for i := range out {
		out[i] = dot(rows.RawRowView(i), rows.RawRowView(i))
	}
	return out
}

// SeesOuter implements [Model].
func (m *Mixed) SeesOuter() bool { return m.Model.Outer != nil }

// Check implements [Model].
func (m *Mixed) Check() error {
	return errors.Join(checkSpread(m.Spread), checkSpread(m.OuterSpread), m.Units.check(), m.Model.check(len(m.Units.X)), m.Noise.check(len(m.Units.X)))
}

// Given implements [Model], with the bounds of a [GP].
func (m *Mixed) Given(context, targets points.Points) []likelihood.GaussianMixture {
	if !m.Sides {
		context.Beyond = nil
	}
	return given(m.fields(), &m.Noise, m.Units, context, targets)
}

// fewGroups is the largest number of groups of which a mixed model takes the deviations as uncertain, and spreads how
// many factors stand for them.
const (
	fewGroups = 20
	spreads   = 5
)

// spreadOf returns the factors of the deviations of a number of groups, as if these were known from that many
// independent normal ones: √(ν/χ²) with ν = groups − 1 degrees of freedom, at evenly spaced probabilities. Predictions
// are then nearly Student's t, as those from a few observations are. Factors are nil if groups are many.
func spreadOf(groups int) (factors []float64) {
	if groups < 2 || groups > fewGroups {
		return nil
	}
	square := distuv.ChiSquared{K: float64(groups - 1)}
	for i := range spreads {
		factors = append(factors, math.Sqrt(square.K/square.Quantile((float64(i)+0.5)/spreads)))
	}
	return factors
}

// fields returns the model with each of its factors of the deviations of groups and of outer groups.
func (m *Mixed) fields() (all []field) {
	p, q := m.Model.Form.count()
	for _, inner := range orOne(m.Spread) {
		for _, outer := range orOne(m.OuterSpread) {
			one := *m
			one.Model.Factor, one.Model.Outer = slices.Clone(m.Model.Factor), slices.Clone(m.Model.Outer)
			for i := range q {
				for j := range i + 1 {
					one.Model.Factor[i*(p+q)+j] *= inner
				}
			}
			for i := range one.Model.Outer {
				one.Model.Outer[i] *= outer
			}
			all = append(all, &one)
		}
	}
	return all
}

func orOne(factors []float64) []float64 {
	if factors == nil {
		return []float64{1}
	}
	return factors
}

// checkSpread returns errDamaged unless the factors are those of groups.
func checkSpread(factors []float64) error {
	for _, v := range factors {
		if !(v > 0) || math.IsInf(v, 0) || len(factors) > spreads {
			return errDamaged
		}
	}
	return nil
}
