package simple

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/acqnp/acqnp/internal/likelihood"
)

// A GP is a Gaussian process with a mean that all groups share:
//
//	y = f(x) + g(x) + ε,   ε ~ N(0, noise²)
//
// f is the same for all groups and g is drawn anew for each. g has the kernel
//
//	k(x, x′) = level² + slope²·x·x′ + curve²·exp(−½ Σ_c ((x_c − x′_c)/length_c)²)
//
// in standardised x and y. f is a sum of one smooth function for each column of x, each a Gaussian
// process in the basis of [Riutort-Mayol et al.]: f(x) = w·φ(x) with w ~ N(0, Λ). Given the
// hyperparameters, which maximise the marginal likelihood, predictions are exact: the uncertainty
// of f is a part of them.
//
// [Riutort-Mayol et al.]: https://arxiv.org/abs/2004.11408
type GP struct {
	Units units     `json:"units"`
	Basis basis     `json:"basis"`
	Hyper hyper     `json:"hyper"`
	W     []float64 `json:"w"`   // [M]: the mean of w given all groups
	Cov   []float64 `json:"cov"` // [M, M]: its covariance
}

// hyper are the hyperparameters of a GP, in standardised units and all above 0.
type hyper struct {
	Noise   float64   `json:"noise"`
	Level   float64   `json:"level"`
	Slope   float64   `json:"slope"`
	Curve   float64   `json:"curve"`
	Lengths []float64 `json:"lengths"` // [DX]
	Spread  float64   `json:"spread"`  // of f: deviation and length of each column's function
	Wave    float64   `json:"wave"`
}

// The number of hyperparameters besides the lengths, and where the lengths begin in vectors of them.
const (
	plainHypers = 6
	firstLength = plainHypers
)

// hyperOf returns the hyperparameters of a vector of their logarithms: noise, level, slope, curve,
// spread, wave and the lengths.
func hyperOf(theta []float64) hyper {
	e := make([]float64, len(theta))
	for i, v := range theta {
		e[i] = math.Exp(v)
	}
	return hyper{Noise: e[0], Level: e[1], Slope: e[2], Curve: e[3], Spread: e[4], Wave: e[5], Lengths: e[firstLength:]}
}

// kernel returns k(a, b) of standardised points a and b [DX], without noise.
func (h hyper) kernel(a, b []float64) float64 {
	dot, distance := 0.0, 0.0
	for c, v := range a {
		dot += v * b[c]
		e := (v - b[c]) / h.Lengths[c]
		distance += e * e
	}
	return h.Level*h.Level + h.Slope*h.Slope*dot + h.Curve*h.Curve*math.Exp(-distance/2)
}

// Columns implements [Model].
func (m *GP) Columns() int { return len(m.Units.X) }

// Check implements [Model].
func (m *GP) Check() error {
	dx, size := len(m.Units.X), len(m.W)
	h := m.Hyper
	if len(m.Basis.Reach) != dx || m.Basis.Sines < 0 || m.Basis.Sines > sinesOfAll || m.Basis.size() != size || !(h.Noise > 0) {
		return errDamaged
	}
	for _, v := range append(m.Basis.Reach, h.Lengths...) {
		if !(v > 0) {
			return errDamaged
		}
	}
	return errors.Join(m.Units.check(), sound(lengthOf{m.W, size}, lengthOf{m.Cov, size * size}, lengthOf{h.Lengths, dx}, lengthOf{m.Basis.Reach, dx},
		lengthOf{[]float64{h.Noise, h.Level, h.Slope, h.Curve, h.Spread, h.Wave}, plainHypers}))
}

// Given implements [Model]. It takes the mostContext points of a larger context that are evenly
// spread over it.
func (m *GP) Given(context Group, x []float64) []likelihood.GaussianMixture {
	c := thin(m.Units.group(context), mostContext)
	targets := m.Units.points(x)
	dx := len(m.Units.X)
	n := c.Points()
	phi := m.Basis.at(c.X, dx)
	var whole mat.Cholesky
	residual := mat.NewVecDense(max(n, 1), nil)
	if n > 0 {
		k := mat.NewSymDense(n, nil)
		for i := range n {
			for j := range i + 1 {
				k.SetSym(i, j, m.cross(phi.RawRowView(i), phi.RawRowView(j), c.row(i), c.row(j)))
			}
			k.SetSym(i, i, k.At(i, i)+m.Hyper.Noise*m.Hyper.Noise)
			residual.SetVec(i, c.Y[i]-mat.Dot(phi.RowView(i), mat.NewVecDense(len(m.W), m.W)))
		}
		if !factorise(&whole, k) {
			n = 0 // too close to singular for float64: predict without a context
		}
	}
	out := make([]likelihood.GaussianMixture, len(targets)/dx)
	at := m.Basis.at(targets, dx)
	cross, solved := mat.NewVecDense(max(n, 1), nil), mat.NewVecDense(max(n, 1), nil)
	for t := range out {
		own, f := targets[t*dx:][:dx], at.RawRowView(t)
		mean := mat.Dot(at.RowView(t), mat.NewVecDense(len(m.W), m.W))
		variance := m.cross(f, f, own, own) + m.Hyper.Noise*m.Hyper.Noise
		if n > 0 {
			for i := range n {
				cross.SetVec(i, m.cross(f, phi.RawRowView(i), own, c.row(i)))
			}
			if err := whole.SolveVecTo(solved, cross); err == nil {
				mean += mat.Dot(solved, residual)
				variance -= mat.Dot(solved, cross)
			}
		}
		least := m.Hyper.Noise * m.Hyper.Noise // what no context can tell
		out[t] = likelihood.GaussianMixtureOf([]likelihood.Gaussian{m.Units.normal(mean, math.Sqrt(max(variance, least)))})
	}
	return out
}

// cross returns the covariance of f + g at two points with the rows a and b of the basis.
func (m *GP) cross(a, b, x, y []float64) float64 {
	sum := m.Hyper.kernel(x, y)
	for i, v := range a {
		row := 0.0
		for j, w := range b {
			row += m.Cov[i*len(b)+j] * w
		}
		sum += v * row
	}
	return sum
}

// factorise factorises a covariance. It reports false if the matrix is not positive definite.
func factorise(c *mat.Cholesky, a mat.Symmetric) bool {
	return c.Factorize(a) && c.Cond() < 1e14
}

// mostContext bounds the points of a context that predictions read, and of a group that the
// hyperparameters are fitted to.
const mostContext = 1000

// thin returns a group of at most n points, evenly spread over the order of all.
func thin(g Group, n int) Group {
	if g.Points() <= n {
		return g
	}
	t := Group{DX: g.DX}
	for k := range n {
		i := k * g.Points() / n
		t.X, t.Y = append(t.X, g.row(i)...), append(t.Y, g.Y[i])
	}
	return t
}

// errNoFit is the error of a model that the data do not determine.
var errNoFit = errors.New("the points do not determine the model")
