package simple

import (
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/points"
)

// A GP is a Gaussian process with a mean that all groups share:
//
//	y = f(x) + g(x) + ε
//
// f is the same for all groups and g is drawn anew for each. g has the kernel
//
//	k(x, x′) = level² + Σ_c slope_c²·(x_c − centre_c)(x′_c − centre_c) + curve²·exp(−½ Σ_c ((x_c − x′_c)/length_c)²)
//
// in standardised x and y. f is a sum of one smooth function for each column of x, and of
// products of two, each a Gaussian process in the basis of [Riutort-Mayol et al.]: f(x) = w·φ(x) with
// w ~ N(0, Λ), and has the cells of crossings. The columns with two
// values share slope and length. ε has the distribution of [noise].
//
// The hyperparameters maximise the marginal likelihood. If the noise is normal and its scale known,
// predictions given the hyperparameters are exact. They include the uncertainty of f.
//
// [Riutort-Mayol et al.]: https://arxiv.org/abs/2004.11408
type GP struct {
	Units `json:"units"`
	Basis basis     `json:"basis"`
	Hyper hyper     `json:"hyper"`
	Noise noise     `json:"noise"`
	W     []float64 `json:"w"`   // [M]: the mean of w given all groups
	Cov   []float64 `json:"cov"` // [M, M]: its covariance

	// Share is the share of g that the groups in an outer group have in common: the kernel of two points of different
	// ones is this share of k. 0 for one level.
	Share float64 `json:"share,omitempty"`
}

// hyper are the hyperparameters of a GP in standardised units, all but the centres above 0. P is the
// number of columns of x with more than two values, and one more if there are others.
type hyper struct {
	Noise   float64   `json:"noise"` // of a point of relative scale 1
	Level   float64   `json:"level"`
	Curve   float64   `json:"curve"`
	Spread  float64   `json:"spread"` // of f: deviation and length of each column's function
	Wave    float64   `json:"wave"`
	Ridge   float64   `json:"ridge"`           // of f: deviation of the coefficients of columns with two values
	Blend   float64   `json:"blend"`           // of f: deviation of products of two columns
	Slopes  []float64 `json:"slopes"`          // [P]
	Lengths []float64 `json:"lengths"`         // [P]
	Centres []float64 `json:"centres"`         // [P]
	Cells   []float64 `json:"cells,omitempty"` // of f: deviation of the cells of each crossing
	Of      []int     `json:"of"`              // [DX]: which of the P slopes and lengths a column has
}

// plainHypers is the number of hyperparameters besides slopes, lengths and centres, which follow them
// in vectors.
const plainHypers = 7

// columnsOf returns which of the P slopes and lengths each column has, and P.
func columnsOf(b basis) (of []int, p int) {
	of = make([]int, len(b.Sines))
	for c, n := range b.Sines {
		if n > 0 {
			of[c] = p
			p++
		}
	}
	two := false
	for c, n := range b.Sines {
		if n == 0 {
			of[c], two = p, true
		}
	}
	if two {
		p++
	}
	return of, p
}

// hyperOf returns the hyperparameters of a vector: the logarithms of noise, level, curve, spread, wave,
// ridge, blend, slopes and lengths, the centres, and the logarithms of the deviations of cells.
func hyperOf(theta []float64, of []int) hyper {
	e := make([]float64, len(theta))
	for i, v := range theta {
		e[i] = math.Exp(v)
	}
	p := slices.Max(of) + 1
	return hyper{Noise: e[0], Level: e[1], Curve: e[2], Spread: e[3], Wave: e[4], Ridge: e[5], Blend: e[6],
		Slopes: e[plainHypers:][:p], Lengths: e[plainHypers+p:][:p], Centres: theta[plainHypers+2*p:][:p], Cells: e[plainHypers+3*p:], Of: of}
}

// kernel returns k(a, b) of standardised points a and b [DX].
func (h *hyper) kernel(a, b []float64) float64 {
	lines, distance := 0.0, 0.0
	for c, v := range a {
		p := h.Of[c]
		s, m := h.Slopes[p], h.Centres[p]
		lines += s * s * (v - m) * (b[c] - m)
		e := (v - b[c]) / h.Lengths[p]
		distance += e * e
	}
	return h.Level*h.Level + lines + h.Curve*h.Curve*math.Exp(-distance/2)
}

// SeesOuter implements [Model].
func (m *GP) SeesOuter() bool { return m.Share > 0 }

// Check implements [Model].
func (m *GP) Check() error {
	dx, size := len(m.Units.X), len(m.W)
	h := m.Hyper
	if errors.Join(m.Units.check(), m.Basis.check(dx), m.Noise.check(dx)) != nil || m.Basis.size() != size || len(h.Of) != dx {
		return errDamaged
	}
	of, p := columnsOf(m.Basis)
	if !slices.Equal(of, h.Of) || slices.ContainsFunc(h.Lengths, func(v float64) bool { return !(v > 0) }) || !(m.Share >= 0 && m.Share <= 1) {
		return errDamaged
	}
	return sound(lengthOf{m.W, size}, lengthOf{m.Cov, size * size}, lengthOf{h.Lengths, p}, lengthOf{h.Slopes, p}, lengthOf{h.Centres, p}, lengthOf{h.Cells, len(m.Basis.Crossings)},
		lengthOf{[]float64{h.Noise, h.Level, h.Curve, h.Spread, h.Wave, h.Ridge, h.Blend}, plainHypers})
}

// mean implements field.
func (m *GP) mean(p points.Points) []float64 {
	phi, out := m.Basis.evaluate(p), make([]float64, p.Len())
	for i := range out {
		out[i] = dot(phi.RawRowView(i), m.W)
	}
	return out
}

// covariances implements field.
func (m *GP) covariances(a, b points.Points) *mat.Dense { return m.sharing(a, b, 1) }

// across implements field.
func (m *GP) across(a, b points.Points) *mat.Dense { return m.sharing(a, b, m.Share) }

// root implements field.
func (m *GP) root(points.Points) *mat.Dense { return nil }

// sharing returns the covariances of points of groups that have a share of g in common.
func (m *GP) sharing(a, b points.Points, share float64) *mat.Dense {
	var left, out mat.Dense
	left.Mul(m.Basis.evaluate(a), mat.NewSymDense(len(m.W), m.Cov))
	out.Mul(&left, m.Basis.evaluate(b).T())
	for i := range a.Len() {
		row := out.RawRowView(i)
		for j := range b.Len() {
			row[j] += share * m.Hyper.kernel(a.Row(i), b.Row(j))
		}
	}
	return &out
}

// variances implements field.
func (m *GP) variances(p points.Points) []float64 {
	phi, out := m.Basis.evaluate(p), make([]float64, p.Len())
	var left mat.Dense
	left.Mul(phi, mat.NewSymDense(len(m.W), m.Cov))
	for i := range out {
		out[i] = dot(left.RawRowView(i), phi.RawRowView(i)) + m.Hyper.kernel(p.Row(i), p.Row(i))
	}
	return out
}

// Given implements [Model]. Of a larger context, it takes 1,000 points, evenly spread over its order. It
// learns the scale of the group's noise from 64.
func (m *GP) Given(context, targets points.Points) []likelihood.GaussianMixture {
	context.Beyond = context.BeyondLimits() // of those beyond bounds it was fitted to the guesses
	return given([]field{m}, &m.Noise, m.Units, context, targets)
}

// errNoFit is the error of a model that the data do not determine.
var errNoFit = errors.New("the points do not determine the model")
