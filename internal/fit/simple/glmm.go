package simple

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"

	"github.com/acqnp/acqnp/internal/points"
)

// A glmm is a generalised linear mixed model: η is that of linear, without noise. y is 1 with a probability of 1/(1 + e^−η)
// or, with a shape r > 0, negative binomial with mean μ = exposure·e^η and variance μ + μ²/r. Exposures are in units of the
// mean of the data, so that η is bounded where counts lie, whatever a unit of exposure is. Levels and slopes of groups
// are independent, the slopes of one variance. It is fitted by Laplace's approximation, integrated over β as by REML.
type glmm struct {
	linear
	Shape    float64 `json:"shape,omitempty"`    // r; 0 of probabilities
	Exposure float64 `json:"exposure,omitempty"` // the mean of the data; 0 where all are 1
}

// An observed group has the rows of its points, with the coefficients to be found, the mean of η where these are 0, and y.
type observed struct {
	rows                      [][]float64
	mean, y, exposure, weight []float64
}

// Bounds of η, of a step of Newton's method and of their number, and what is thought of coefficients and deviations.
const (
	mostEta     = 8
	mostStep    = 2
	newtonSteps = 30
	glmmTries   = 60   // evaluations of the marginal likelihood
	weakPrior   = 0.25 // precision of β of standardised x, but for the constant
	aboutLog    = 1.5  // deviation of the logarithms of level, slope and shape, about those of typical
	mostSquares = 4e6  // rows that are fitted to, times the square of the coefficients
)

var typical = []float64{0.5, 0.25, 5}

// fitGLMM fits a model with lines of x to standardised groups, of each as many points as there is time for; a shape of 0
// stays. y appends what is observed.
func fitGLMM(u Units, groups []points.Group, shape float64, y func(points.Points, *observed)) (m glmm, err error) {
	all := u.groups(groups, math.MaxInt)
	m = glmm{linear: linear{Form: degreesOf(all, 1, 1), Noise: 1}, Shape: shape}
	if shape > 0 {
		m.Exposure = meanExposure(all)
	}
	p, q := m.Form.count()
	var seen []observed
	sum, times := 0.5, 1.0
	for _, g := range u.groups(groups, max(1, mostSquares/((p+q)*(p+q)*len(all)))) {
		if shape == 0 {
			g.Factor = nil
		}
		c := m.observedOf(g.Points)
		for i := range g.Len() {
			c.rows, c.mean = append(c.rows, m.Form.rows(nil, g.Row(i))), append(c.mean, 0)
		}
		y(g.Points, &c)
		seen, sum, times = append(seen, c), sum+floats.Sum(c.y), times+floats.Sum(c.exposure)
	}
	m.Beta = make([]float64, p)
	if m.Beta[0] = math.Log(sum / times); shape == 0 {
		m.Beta[0] = math.Log(sum / (times - sum))
	}
	b := make([][]float64, len(seen))
	for i := range b {
		b[i] = make([]float64, q)
	}
	cost := func(v []float64) float64 {
		if shape > 0 {
			m.Shape = math.Exp(v[2])
		}
		log, ok := m.joint(seen, b, math.Exp(v[0]), math.Exp(v[1]))
		for i, about := range typical[:len(v)] {
			z := (v[i] - math.Log(about)) / aboutLog
			log -= z * z / 2
		}
		if !ok || math.IsNaN(log) {
			return math.Inf(1)
		}
		return -log
	}
	at := []float64{math.Log(typical[0]), math.Log(typical[1])}
	if shape > 0 {
		at = append(at, math.Log(typical[2]))
	}
	r, _ := optimize.Minimize(optimize.Problem{Func: cost}, at, &optimize.Settings{FuncEvaluations: glmmTries}, &optimize.NelderMead{SimplexSize: 0.7})
	if r == nil || math.IsInf(cost(r.X), 1) {
		return m, errNoFit
	}
	return m, nil
}

// meanExposure returns the mean exposure of the points of groups, 0 where all are 1.
func meanExposure(groups []points.Group) float64 {
	var all []float64
	for _, g := range groups {
		all = append(all, g.Factor...)
	}
	return floats.Sum(all) / max(1, float64(len(all)))
}

// unit returns the unit of exposures.
func (m *glmm) unit() float64 { return cmp.Or(m.Exposure, 1) }

// observedOf returns what groups state of points beside rows and y.
func (m *glmm) observedOf(z points.Points) observed {
	ones := slices.Repeat([]float64{1}, z.Len())
	c := observed{exposure: ones, weight: ones}
	if z.Factor != nil {
		c.exposure = floats.ScaleTo(make([]float64, z.Len()), 1/m.unit(), z.Factor)
	}
	if z.Weights != nil {
		c.weight = z.Weights
	}
	return c
}

// derive adds to h [d, d], lower triangular, and g [d] the information and the slope by theta of a group's log likelihood,
// which it returns but for what depends on y alone.
func (m *glmm) derive(c observed, theta, h, g []float64) (sum float64) {
	d := len(theta)
	r, _ := math.Lgamma(m.Shape)
	for k, row := range c.rows {
		y, eta := c.y[k], min(max(c.mean[k]+dot(row, theta), -mostEta), mostEta)
		p := 1 / (1 + math.Exp(-eta))
		log, slope, information := y*eta-math.Log1p(math.Exp(eta)), y-p, p*(1-p)
		if m.Shape > 0 {
			mean := c.exposure[k] * math.Exp(eta)
			all := m.Shape + mean
			combined, _ := math.Lgamma(y + m.Shape)
			log = combined - r + m.Shape*math.Log(m.Shape) + y*eta - (y+m.Shape)*math.Log(all)
			slope, information = (y-mean)*m.Shape/all, mean*m.Shape/all
		}
		sum += c.weight[k] * log
		for i, v := range row {
			g[i] += c.weight[k] * slope * v
			floats.AddScaled(h[i*d:][:i+1], c.weight[k]*information*v, row[:i+1])
		}
	}
	return sum
}

// joint finds the most probable β and b [groups, q], begun at those of before, and sets Beta and Factor. It returns the
// logarithm of the marginal likelihood.
func (m *glmm) joint(groups []observed, b [][]float64, level, slope float64) (log float64, ok bool) {
	p, q := m.Form.count()
	d := q + p
	deviations := slices.Repeat([]float64{slope}, q)
	deviations[0] = level
	schur, factors, slopes := make([]float64, p*p), make([][]float64, len(groups)), make([][]float64, len(groups))
	var information []float64
	for range newtonSteps {
		step := make([]float64, p)
		clear(schur)
		log = 0
		for i := 1; i < p; i++ {
			schur[i*p+i], step[i] = weakPrior, -weakPrior*m.Beta[i]
			log -= weakPrior * m.Beta[i] * m.Beta[i] / 2
		}
		for n, c := range groups {
			h, g := make([]float64, d*d), make([]float64, d)
			log += m.derive(c, slices.Concat(b[n], m.Beta), h, g)
			for i, v := range b[n] {
				z := v / deviations[i]
				h[i*d+i] += 1 / (deviations[i] * deviations[i])
				g[i] -= z / deviations[i]
				log -= z*z/2 + math.Log(deviations[i])
			}
			eliminate(h, g, d, q)
			for i := range q {
				log -= math.Log(h[i*d+i])
			}
			floats.Add(step, g[q:])
			for i := range p {
				floats.Add(schur[i*p:][:i+1], h[(q+i)*d+q:][:i+1])
			}
			factors[n], slopes[n] = h, g[:q]
		}
		if information = slices.Clone(schur); !factorise(schur, p) {
			return 0, false
		}
		log -= logDet(schur, p) / 2
		forward(schur, step)
		backward(schur, step)
		moved := addStep(m.Beta, step)
		for n, own := range slopes {
			for i := q - 1; i >= 0; i-- {
				for j := i + 1; j < q; j++ {
					own[i] -= factors[n][j*d+i] * own[j]
				}
				for j, v := range step {
					own[i] -= factors[n][(q+j)*d+i] * v
				}
				own[i] /= factors[n][i*d+i]
			}
			moved = max(moved, addStep(b[n], own))
		}
		if moved < 1e-4 {
			break
		}
	}
	return log, m.setFactor(deviations, information)
}

// setFactor sets Factor from the deviations of b and the precision of β, of which the lower triangle is read.
func (m *glmm) setFactor(deviations, precision []float64) bool {
	q, p := len(deviations), len(m.Beta)
	var chol mat.Cholesky
	var covariance mat.SymDense
	upper := mat.DenseCopyOf(mat.NewDense(p, p, precision).T())
	if !chol.Factorize(mat.NewSymDense(p, upper.RawMatrix().Data)) || chol.InverseTo(&covariance) != nil || !chol.Factorize(&covariance) {
		return false
	}
	m.Factor = make([]float64, (q+p)*(q+p))
	for i, v := range deviations {
		m.Factor[i*(q+p)+i] = v
	}
	var l mat.TriDense
	chol.LTo(&l)
	for i := range p {
		for j := range i + 1 {
			m.Factor[(q+i)*(q+p)+q+j] = l.At(i, j)
		}
	}
	return true
}

// addStep adds a step, shortened to mostStep, and returns its largest entry.
func addStep(theta, step []float64) float64 {
	most := floats.Norm(step, math.Inf(1))
	floats.AddScaled(theta, min(1, mostStep/max(most, 1e-300)), step)
	return most
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

// predict returns the mean and the variance of η at standardised targets, given the points of a group with their y.
func (m *glmm) predict(known points.Points, y func(points.Points, *observed), targets points.Points) (means, variances []float64) {
	c, d := m.observedOf(known), m.size()
	for i := range known.Len() {
		mean, row := m.prior(nil, known.Row(i))
		c.rows, c.mean = append(c.rows, row), append(c.mean, mean)
	}
	y(known, &c)
	theta, factor := make([]float64, d), make([]float64, d*d)
	for range newtonSteps {
		clear(factor)
		step := floats.ScaleTo(make([]float64, d), -1, theta)
		for i := range d {
			factor[i*d+i] = 1
		}
		m.derive(c, theta, factor, step)
		factorise(factor, d)
		forward(factor, step)
		backward(factor, step)
		if addStep(theta, step) < 1e-4 {
			break
		}
	}
	for i := range targets.Len() {
		mean, row := m.prior(nil, targets.Row(i))
		means = append(means, mean+dot(row, theta))
		forward(factor, row)
		row = m.beyond(row, targets.Row(i))
		variances = append(variances, dot(row, row))
	}
	return means, variances
}

// work is that of Model.Work.
func (m *glmm) work(known, targets int) float64 {
	d := float64(m.size())
	return d*d*(d+float64(known))/2 + 1000*float64(targets)
}

// A node is a value of a standard normal number and its weight in sums.
type node struct{ z, weight float64 }

// normalNodes are evenly spaced from −4 to 4. Their weights sum to 1.
var normalNodes = func() (all []node) {
	sum := 0.0
	for z := -4.0; z <= 4; z += 0.5 {
		all = append(all, node{z, math.Exp(-z * z / 2)})
		sum += math.Exp(-z * z / 2)
	}
	for i := range all {
		all[i].weight /= sum
	}
	return all
}()
