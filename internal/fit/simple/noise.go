package simple

import (
	"math"

	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/points"
)

// A noise is the distribution of what a model does not explain, in standardised units:
//
//	ε = s·e^τ·z,   s = exp(η(x)),   τ ~ N(0, group²) of a group,   z ~ Σ_k weight_k·N(shift_k, scale_k²)
//
// So its scale depends on x and on the group, and its shape can have heavy tails or a skew. It is fitted
// to leave-one-out errors. The uncertainty of each prediction is known, so the distribution of its error
// is a convolution of Gaussians, as in extreme deconvolution ([Bovy, Hogg, Roweis]).
//
// [Bovy, Hogg, Roweis]: https://arxiv.org/abs/0905.2979
type noise struct {
	Basis basis     `json:"basis"`
	Eta   []float64 `json:"eta"`   // coefficients of η
	Group float64   `json:"group"` // deviation of τ
	Parts []part    `json:"parts"` // of z
}

// A part of the distribution of z.
type part struct {
	Shift  float64 `json:"shift"`
	Scale  float64 `json:"scale"`
	Weight float64 `json:"weight"`
}

// A miss is the error of a point's prediction, and the variance of the prediction without the point's
// noise. It counts once, and more times. Of a point beyond a bound, by is the error of the bound, and side is −1 if the
// point is below it and 1 if it is above.
type miss struct{ by, variance, more, side float64 }

// times is how often it counts.
func (m miss) times() float64 { return 1 + m.more }

// normalNoise returns normal noise of one scale.
func normalNoise(b basis, scale float64) noise {
	n := noise{Basis: b, Eta: make([]float64, b.size()), Parts: []part{{0, 1, 1}}}
	n.Eta[0] = math.Log(scale)
	return n
}

func (n *noise) check(dx int) error {
	if err := n.Basis.check(dx); err != nil {
		return err
	}
	if len(n.Parts) == 0 || !(n.Group >= 0) {
		return errDamaged
	}
	numbers := []float64{n.Group}
	for _, p := range n.Parts {
		if !(p.Scale > 0 && p.Weight > 0) {
			return errDamaged
		}
		numbers = append(numbers, p.Shift, p.Scale, p.Weight)
	}
	return sound(lengthOf{n.Eta, n.Basis.size()}, lengthOf{numbers, len(numbers)})
}

// scales returns s at standardised points.
func (n *noise) scales(p points.Points) []float64 {
	phi, out := n.Basis.evaluate(p), make([]float64, p.Len())
	for i := range out {
		out[i] = math.Exp(min(max(dot(phi.RawRowView(i), n.Eta), -18), 18))
	}
	return out
}

// tauNodes and tauWeights are those of the quadrature of Gauss and Hermite for a standard normal.
var (
	tauNodes   = []float64{-2.8569700138728, -1.3556261799742, 0, 1.3556261799742, 2.8569700138728}
	tauWeights = []float64{0.0112574113277, 0.2220759220056, 0.5333333333333, 0.2220759220056, 0.0112574113277}
)

// nodes returns factors e^τ of the scale and the logarithms of their weights.
func (n *noise) nodes() (factors, logs []float64) {
	if n.Group == 0 {
		return []float64{1}, []float64{0}
	}
	for i, t := range tauNodes {
		factors, logs = append(factors, math.Exp(n.Group*t)), append(logs, math.Log(tauWeights[i]))
	}
	return factors, logs
}

// logDensity returns the log density of a miss if the scale is s, and sets each[k] to the probability of
// part k.
func (n *noise) logDensity(m miss, s float64, each []float64) float64 {
	if m.side != 0 {
		return n.logBeyond(m, s, each)
	}
	nearest := math.Inf(1)
	for k, p := range n.Parts {
		v := m.variance + s*s*p.Scale*p.Scale
		e := m.by - s*p.Shift
		each[k] = e * e / (2 * v)
		nearest = min(nearest, each[k])
	}
	sum := 0.0
	for k, p := range n.Parts {
		v := m.variance + s*s*p.Scale*p.Scale
		each[k] = p.Weight * math.Exp(nearest-each[k]) / math.Sqrt(2*math.Pi*v)
		sum += each[k]
	}
	for k := range each {
		each[k] /= sum
	}
	return math.Log(sum) - nearest
}

// normal returns the Gaussian that approximates the noise of a point with a miss. Its precision is the
// mean of the parts' precisions, weighted by their probabilities. So an outlier counts little.
func (n *noise) normal(m miss, s float64, each []float64) (shift, variance float64) {
	n.logDensity(m, s, each)
	if m.side != 0 {
		return n.site(m, s, each)
	}
	precision := 0.0
	for k, p := range n.Parts {
		w := each[k] / (p.Scale * p.Scale)
		precision += w
		shift += w * p.Shift
	}
	return s * shift / precision, s * s / precision
}

// parts appends the parts of N(mean, variance) plus noise of scale s, with a weight of the whole.
func (n *noise) parts(parts []likelihood.Gaussian, logs []float64, mean, variance, s, log float64) ([]likelihood.Gaussian, []float64) {
	for _, p := range n.Parts {
		parts = append(parts, likelihood.Gaussian{Mean: mean + s*p.Shift, Scale: math.Sqrt(max(variance, 0) + s*s*p.Scale*p.Scale)})
		logs = append(logs, log+math.Log(p.Weight))
	}
	return parts, logs
}
