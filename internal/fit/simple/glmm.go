package simple

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/optimize"

	"github.com/acqnp/acqnp/internal/points"
)

// A glmm is a generalised linear mixed model in standardised x: η = βᵀp(x) + bᵀq(x), where p and q are those of degrees and
// the entries of b ~ N(0, level²) or, of slopes, N(0, slope²) are drawn anew for each group. y is 1 with a probability of
// 1/(1 + e^−η) or, with a shape r > 0, negative binomial with mean μ = exposure·e^η and variance μ + μ²/r.
//
// It is fitted by Laplace's approximation, integrated over β as well, as REML does.
type glmm struct {
	Form  degrees   `json:"form"`
	Mean  []float64 `json:"mean"`            // [q+p], of b and β of a new group
	Prior []float64 `json:"prior"`           // [q+p, q+p], lower triangular: the Cholesky factor of their precision
	Shape float64   `json:"shape,omitempty"` // r; 0 of probabilities
}

// An observed group has the rows of its points and what is observed there.
type observed struct {
	rows            [][]float64 // [n, q+p]
	y, exposure, by []float64   // by is how often each counts
}

// Bounds of η, of its step in an iteration, and of the iterations.
const (
	mostEta        = 8
	mostStep       = 2
	newtonSteps    = 30
	glmmTries      = 60   // evaluations of the marginal likelihood
	weakPrior      = 0.01 // precision of β of standardised x, but for the constant
	spreadOfSpread = 1.5  // of the logarithms of level and slope, about those of 0.5 and 0.25, and of r, about 5
)

// observedOf returns a group of standardised points as the form has it, without y.
func (m *glmm) observedOf(z points.Points) (c observed) {
	c.exposure, c.by = z.Factor, z.Weights
	for i := range z.Len() {
		c.rows = append(c.rows, m.Form.rows(nil, z.Row(i)))
	}
	if c.exposure == nil {
		c.exposure = slices.Repeat([]float64{1}, z.Len())
	}
	if c.by == nil {
		c.by = slices.Repeat([]float64{1}, z.Len())
	}
	return c
}

// at returns the log likelihood at a point, but for what does not depend on η, its slope and the information by η.
func (m *glmm) at(y, eta, exposure float64) (log, slope, information float64) {
	if m.Shape == 0 {
		p := 1 / (1 + math.Exp(-eta))
		return y*eta - math.Log1p(math.Exp(eta)), y - p, p * (1 - p)
	}
	mean := exposure * math.Exp(eta)
	all := m.Shape + mean
	return y*eta - (y+m.Shape)*math.Log(all), (y - mean) * m.Shape / all, mean * m.Shape / all
}

// derive adds to the precision h [d, d] and the slope g [d] of a group at theta. It returns its log likelihood.
func (m *glmm) derive(c observed, theta, h, g []float64) (sum float64) {
	d := len(theta)
	for k, row := range c.rows {
		log, slope, information := m.at(c.y[k], min(max(dot(row, theta), -mostEta), mostEta), c.exposure[k])
		sum += c.by[k] * log
		for i, v := range row {
			g[i] += c.by[k] * slope * v
			for j := range i + 1 {
				h[i*d+j] += c.by[k] * information * v * row[j]
			}
		}
	}
	return sum
}

// given returns the mean of b and β given a group, and the Cholesky factor of their precision.
func (m *glmm) given(c observed) (theta, factor []float64, ok bool) {
	d := len(m.Mean)
	theta = slices.Clone(m.Mean)
	for range newtonSteps {
		factor = make([]float64, d*d)
		step := make([]float64, d)
		for i := range d {
			for j := range i + 1 {
				for k := range j + 1 {
					factor[i*d+j] += m.Prior[i*d+k] * m.Prior[j*d+k]
				}
			}
		}
		for i := range d {
			for j := range d {
				step[i] -= factor[max(i, j)*d+min(i, j)] * (theta[j] - m.Mean[j])
			}
		}
		m.derive(c, theta, factor, step)
		if !factorise(factor, d) {
			return nil, nil, false
		}
		forward(factor, step)
		backward(factor, step)
		if addStep(theta, step) < 1e-4 {
			break
		}
	}
	return theta, factor, true
}

// addStep adds a step, shortened to mostStep, and returns its largest entry.
func addStep(theta, step []float64) (most float64) {
	for _, v := range step {
		most = max(most, math.Abs(v))
	}
	for i, v := range step {
		theta[i] += v * min(1, mostStep/max(most, 1e-300))
	}
	return most
}

// fit fits the model to groups, whose variances and shape maximise the marginal likelihood times their prior. With a
// shape in the model, one is fitted.
func (m *glmm) fit(groups []observed, start float64) error {
	p, q := m.Form.count()
	m.Mean = make([]float64, q+p)
	m.Mean[q] = start
	b := make([][]float64, len(groups))
	for i := range b {
		b[i] = make([]float64, q)
	}
	counts := m.Shape > 0
	set := func(v []float64) float64 {
		if counts {
			m.Shape = math.Exp(v[2])
		}
		log, ok := m.joint(groups, b, math.Exp(v[0]), math.Exp(v[1]))
		if !ok || math.IsNaN(log) {
			return math.Inf(1)
		}
		for i, about := range []float64{0.5, 0.25, 5}[:len(v)] {
			z := (v[i] - math.Log(about)) / spreadOfSpread
			log -= z * z / 2
		}
		return -log
	}
	at := []float64{math.Log(0.5), math.Log(0.25)}
	if counts {
		at = append(at, math.Log(5))
	}
	r, _ := optimize.Minimize(optimize.Problem{Func: set}, at, &optimize.Settings{FuncEvaluations: glmmTries}, &optimize.NelderMead{SimplexSize: 0.7})
	if r == nil || math.IsInf(set(r.X), 1) {
		return errNoFit
	}
	return nil
}

// joint finds the most probable β and b of groups, begun at those of before, and sets Prior. It returns the logarithm of the
// marginal likelihood.
func (m *glmm) joint(groups []observed, b [][]float64, level, slope float64) (log float64, ok bool) {
	p, q := m.Form.count()
	d := q + p
	precision := slices.Repeat([]float64{1 / (slope * slope)}, q)
	precision[0] = 1 / (level * level)
	beta, schur := m.Mean[q:], make([]float64, p*p)
	for range newtonSteps {
		step := make([]float64, p)
		clear(schur)
		log = 0
		factors, slopes := make([][]float64, len(groups)), make([][]float64, len(groups))
		for i := 1; i < p; i++ {
			schur[i*p+i], step[i] = weakPrior, -weakPrior*beta[i]
			log -= weakPrior * beta[i] * beta[i] / 2
		}
		for n, c := range groups {
			h, g := make([]float64, d*d), make([]float64, d)
			log += m.derive(c, slices.Concat(b[n], beta), h, g)
			if m.Shape > 0 {
				log += m.constant(c)
			}
			for i, v := range b[n] {
				h[i*d+i] += precision[i]
				g[i] -= precision[i] * v
				log += (math.Log(precision[i]) - precision[i]*v*v) / 2
			}
			eliminate(h, g, d, q)
			for i := range q {
				log -= math.Log(h[i*d+i])
			}
			for i := range p {
				step[i] += g[q+i]
				for j := range i + 1 {
					schur[i*p+j] += h[(q+i)*d+q+j]
				}
			}
			factors[n], slopes[n] = h, g
		}
		m.set(schur, precision)
		if !factorise(schur, p) {
			return 0, false
		}
		log -= logDet(schur, p) / 2
		forward(schur, step)
		backward(schur, step)
		moved := addStep(beta, step)
		for n, h := range factors {
			own := slopes[n][:q]
			for i := range q {
				for j, v := range step {
					own[i] -= h[(q+j)*d+i] * v
				}
			}
			for i := q - 1; i >= 0; i-- {
				for j := i + 1; j < q; j++ {
					own[i] -= h[j*d+i] * own[j]
				}
				own[i] /= h[i*d+i]
			}
			moved = max(moved, addStep(b[n], own))
		}
		if moved < 1e-4 {
			break
		}
	}
	return log, true
}

// constant returns what the log likelihood of counts has that depends on the shape alone.
func (m *glmm) constant(c observed) (sum float64) {
	r, _ := math.Lgamma(m.Shape)
	for k, y := range c.y {
		v, _ := math.Lgamma(y + m.Shape)
		sum += c.by[k] * (v - r + m.Shape*math.Log(m.Shape))
	}
	return sum
}

// set sets Prior from the precision of β, that of Schur, and of b.
func (m *glmm) set(schur, precision []float64) {
	p, q := len(m.Mean)-len(precision), len(precision)
	d := q + p
	own := slices.Clone(schur)
	if m.Prior = make([]float64, d*d); !factorise(own, p) {
		return
	}
	for i, v := range precision {
		m.Prior[i*d+i] = math.Sqrt(v)
	}
	for i := range p {
		copy(m.Prior[(q+i)*d+q:], own[i*p:][:i+1])
	}
}

// eliminate replaces the first q rows and columns of h [d, d] by their Cholesky factor L and L⁻¹h, and what is left by the
// complement of Schur; so with g [d].
func eliminate(h, g []float64, d, q int) {
	for k := range q {
		h[k*d+k] = math.Sqrt(h[k*d+k])
		g[k] /= h[k*d+k]
		for i := k + 1; i < d; i++ {
			h[i*d+k] /= h[k*d+k]
			g[i] -= h[i*d+k] * g[k]
		}
		for i := k + 1; i < d; i++ {
			for j := k + 1; j <= i; j++ {
				h[i*d+j] -= h[i*d+k] * h[j*d+k]
			}
		}
	}
}

// predict returns the mean and the variance of η at standardised points, given a group.
func (m *glmm) predict(known observed, targets points.Points) (means, variances []float64) {
	theta, factor, ok := m.given(known)
	if !ok {
		theta, factor = m.Mean, m.Prior
	}
	for _, row := range m.observedOf(targets).rows {
		means = append(means, dot(row, theta))
		forward(factor, row)
		variances = append(variances, dot(row, row))
	}
	return means, variances
}

// check returns errDamaged unless the numbers make a model for dx columns of x.
func (m *glmm) check(dx int) error {
	if len(m.Form.Fixed) != dx || len(m.Form.Random) != dx || len(m.Form.Edges) != dx || !(m.Shape >= 0) {
		return errDamaged
	}
	for c, n := range m.Form.Fixed {
		if min(n, m.Form.Random[c]) < 0 || max(n, m.Form.Random[c]) > maxDegree {
			return errDamaged
		}
	}
	p, q := m.Form.count()
	if err := sound(lengthOf{m.Mean, p + q}, lengthOf{m.Prior, (p + q) * (p + q)}); err != nil {
		return err
	}
	for i := range p + q {
		if !(m.Prior[i*(p+q)+i] > 0) {
			return errDamaged
		}
	}
	return nil
}

// work is that of Model.Work.
func (m *glmm) work(known, targets int) float64 {
	d := float64(len(m.Mean))
	return d*d*(d+float64(known))/2 + 1000*float64(targets)
}

// A node is a value of a standard normal number and its weight in sums.
type node struct{ z, weight float64 }

// normalNodes are evenly spaced from −4 to 4. Their weights sum to 1.
var normalNodes = func() (all []node) {
	const reach, number = 4, 21
	sum := 0.0
	for i := range number {
		z := reach * (2*float64(i)/(number-1) - 1)
		all = append(all, node{z, math.Exp(-z * z / 2)})
		sum += all[i].weight
	}
	for i := range all {
		all[i].weight /= sum
	}
	return all
}()
