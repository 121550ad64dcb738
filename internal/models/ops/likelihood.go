package ops

import (
	"math"

	G "gorgonia.org/gorgonia"
)

// GaussianLik is a log-likelihood, summed over channels; MixtureLik likewise, of the asymmetric-Laplace
// mixture over a point's levels, with the parts ComponentsGrad and LogitGrad of its gradient. LogMeanExp is
// over the levels of a point. NegMean is −Σ of the inputs' means over all points.
const (
	GaussianLik     Kind = "gaussian"
	GaussianLikGrad Kind = "gaussian_grad"
	MixtureLik      Kind = "mixture"
	MixtureLikGrad  Kind = "mixture_grad"
	LogMeanExp      Kind = "log_mean_exp"
	LogMeanExpGrad  Kind = "log_mean_exp_grad"
	NegMean         Kind = "neg_mean"
	NegMeanGrad     Kind = "neg_mean_grad"
)

// Parts of MixtureLikGrad.
const (
	ComponentsGrad = 0
	LogitGrad      = 1
)

// GaussianLogLik adds the Gaussian log-likelihood [rows, 1] of y [B·N, dy], summed over channels.
// decoded [rows, 2·dy] = [μ…, s…] is the decoder's output, and σ = floor + (1−floor)·softplus(s).
// The rows are points, or levels of points.
func (b *Builder) GaussianLogLik(decoded, y *G.Node, floor float64) *G.Node {
	return b.op(&Op{Kind: GaussianLik, Floor: floor}, decoded, y)
}

func gaussianShape(o *Op, _ G.Nodes) bool {
	o.Out, o.Width = o.In[0], 1
	return (o.Out == Point || o.Out == Row) && (o.In[1] == Point || o.In[1] == o.Out) && o.Widths[0] == 2*o.Widths[1]
}

// MixtureLogLik adds the log-likelihood [B·N, 1] of y [B·N, dy], summed over channels, under a
// mixture of asymmetric Laplace distributions: one for each level of a point (the paper's equation
// for the ACQNP's likelihood). components [B·N·N_τ, 3·dy] = [μ…, s…, a…] with scale = floor +
// (1−floor)·softplus(s) and weights softmax(a). σ is the scale or, if natural, 4τ(1−τ)·scale. z
// [B·N·N_τ, 1] are the levels' logits.
func (b *Builder) MixtureLogLik(components, z, y *G.Node, floor float64, natural bool) *G.Node {
	return b.op(&Op{Kind: MixtureLik, Floor: floor, Natural: natural}, components, z, y)
}

func mixtureShape(o *Op, _ G.Nodes) bool {
	o.Out, o.Width = Point, 1
	return o.In[0] == Row && o.In[1] == Row && o.In[2] == Point && o.Widths[0] == 3*o.Widths[2] && o.Widths[1] == 1
}

// LogMeanExp adds the log of the mean over a point's levels of exp(ll): [B·N·k, 1] → [B·N, 1].
func (b *Builder) LogMeanExp(ll *G.Node) *G.Node { return b.op(&Op{Kind: LogMeanExp}, ll) }

func logMeanExpShape(o *Op, _ G.Nodes) bool {
	o.Out, o.Width = Point, o.Widths[0]
	return o.In[0] == Row
}

// Cost adds a scalar: minus the sum of the means of lls, each [B·N, 1], over all points of all
// groups.
func (b *Builder) Cost(lls ...*G.Node) *G.Node { return b.op(&Op{Kind: NegMean}, lls...) }

func negMeanShape(o *Op, _ G.Nodes) bool {
	o.Out, o.Width = Scalar, 1
	for i, s := range o.In {
		if s != Point || o.Widths[i] != 1 {
			return false
		}
	}
	return true
}

var (
	_ = declare(GaussianLik, operation{shape: gaussianShape, gradients: inParts(GaussianLikGrad, 1, 0, 1), single: gaussian[float32], double: gaussian[float64]})
	_ = declare(GaussianLikGrad, operation{single: gaussianGrad[float32], double: gaussianGrad[float64]})
	_ = declare(MixtureLik, operation{shape: mixtureShape, gradients: inParts(MixtureLikGrad, 2, 0, 1, 2), single: mixture[float32], double: mixture[float64]})
	_ = declare(MixtureLikGrad, operation{single: mixtureGrad[float32], double: mixtureGrad[float64]})
	_ = declare(LogMeanExp, operation{shape: logMeanExpShape, gradients: inParts(LogMeanExpGrad, 1, 0, result), single: logMeanExp[float32], double: logMeanExp[float64]})
	_ = declare(LogMeanExpGrad, operation{single: logMeanExpGrad[float32], double: logMeanExpGrad[float64],
		element: "t.a[row / e.levels] * expf(t.b[row] - t.c[row / e.levels]) / e.levels"})
	_ = declare(NegMean, operation{shape: negMeanShape, gradients: negMeanGradients, single: negMean[float32], double: negMean[float64]})
	_ = declare(NegMeanGrad, operation{single: negMeanGrad[float32], double: negMeanGrad[float64], element: "-t.a[0] / rows(e, t.s)"})
)

func negMeanGradients(o *Op, in G.Nodes, _, grad *G.Node) (G.Nodes, error) {
	return o.each(len(in), func(i int) (*G.Node, error) { return apply(o.gradOf(NegMeanGrad, 0, i), grad) })
}

// gaussian evaluates GaussianLik. in: decoded [Point or Row, 2·dy], y [Point, dy]; out: [Point or
// Row, 1].
func gaussian[T Float](o *Op, e Extents, out []T, in [][]T) {
	ratio := e.Ratio(o.Out, o.In[1])
	for i := range out {
		out[i] = GaussianLogLik(row(in[0], i, o.Widths[0]), row(in[1], i/ratio, o.Widths[1]), o.Floor)
	}
}

// gaussianGrad evaluates GaussianLikGrad. in: gradient [Point or Row, 1], decoded [Point or Row,
// 2·dy], y [Point, dy]; out: [Point or Row, 2·dy].
func gaussianGrad[T Float](o *Op, e Extents, out []T, in [][]T) {
	ratio := e.Ratio(o.Out, o.In[2])
	for i, g := range in[0] {
		GaussianGrad(g, row(in[1], i, o.Widths[1]), row(in[2], i/ratio, o.Widths[2]), row(out, i, o.Width), o.Floor)
	}
}

// sigma returns the scale σ = floor + (1−floor)·softplus(s).
func sigma[T Float](s T, floor float64) T { return T(floor) + T(1-floor)*softplus(s) }

// GaussianLogLik returns log N(y | μ, σ²), summed over channels. out [2·dy] = [μ…, s…], y is [dy],
// and σ = floor + (1−floor)·softplus(s).
func GaussianLogLik[T Float](out, y []T, floor float64) T {
	dy := len(y)
	var ll T
	for c, v := range y {
		sigma := sigma(out[dy+c], floor)
		e := (v - out[c]) / sigma
		ll += -e*e/2 - log(sigma) - T(0.5*math.Log(2*math.Pi))
	}
	return ll
}

// GaussianGrad writes g times the gradient of GaussianLogLik with respect to out to grad [2·dy].
func GaussianGrad[T Float](g T, out, y, grad []T, floor float64) {
	dy := len(y)
	for c, v := range y {
		sigma := sigma(out[dy+c], floor)
		e := (v - out[c]) / sigma
		grad[c] = g * e / sigma
		grad[dy+c] = g * (e*e - 1) / sigma * T(1-floor) * sigmoid(out[dy+c])
	}
}

// component is one asymmetric Laplace distribution, evaluated at a value y.
type component[T Float] struct {
	scale      T // of the decoder
	tau, rest  T // τ and 1−τ, both to full precision
	residual   T // y − μ
	slope      T // of the loss: ρ_τ(y−μ)/σ is slope·residual/scale; at y = μ the right one
	logDensity T
}

// laplace returns the component of location mu, the decoder's scale and logit z, evaluated at y.
func laplace[T Float](y, mu, scale, z T, natural bool) component[T] {
	c := component[T]{scale: scale, tau: sigmoid(z), rest: sigmoid(-z), residual: y - mu}
	peak := -softplus(-z) - softplus(z)
	rise, fall := c.tau, c.rest
	if natural {
		peak, rise, fall = T(-math.Log(4)), quarter(c.rest), quarter(c.tau)
	}
	c.slope = rise
	if c.residual < 0 {
		c.slope = -fall
	}
	c.logDensity = peak - log(c.scale) - c.loss()
	return c
}

// loss returns ρ_τ(y−μ)/σ.
func (c component[T]) loss() T { return c.slope * c.residual / c.scale }

// byLogit returns the derivative of the log density by z.
func (c component[T]) byLogit(natural bool) T {
	switch {
	case !natural:
		return c.rest - c.tau - c.tau*c.rest*c.residual/c.scale
	case c.residual < 0:
		return c.loss() * c.rest
	}
	return -c.loss() * c.tau
}

// quarter returns 1/(4q). A q that is too small for the results to stay finite counts as the least.
func quarter[T Float](q T) T {
	least := T(1e-300)
	if least == 0 { // a float32
		least = 1e-30
	}
	return 0.25 / max(q, least)
}

// mixture evaluates MixtureLik. in: components [Row, 3·dy], logits z [Row, 1], y [Point, dy]; out:
// [Point, 1]. A channel's density is Σ_k w_k·AL_k(y) with w = softmax(a).
func mixture[T Float](o *Op, e Extents, out []T, in [][]T) {
	dy, width := o.Widths[2], o.Widths[0]
	for p := range out {
		m := mixturePoint[T]{row(in[0], p, e.Levels*width), row(in[1], p, e.Levels), row(in[2], p, dy), o.Floor, o.Natural}
		out[p] = 0
		for c := range dy {
			joint, weights := m.sums(c)
			out[p] += joint - weights
		}
	}
}

// logSum is a running log Σ exp that does not overflow.
type logSum[T Float] struct{ max, sum T }

func newLogSum[T Float]() logSum[T] { return logSum[T]{max: T(math.Inf(-1))} }

func (l *logSum[T]) add(v T) {
	if !(v <= l.max) { // also true of a NaN, so that it reaches the result
		l.sum = l.sum*exp(l.max-v) + 1
		l.max = v
		return
	}
	l.sum += exp(v - l.max)
}

func (l *logSum[T]) value() T { return l.max + log(l.sum) }

// mixtureGrad evaluates a part of MixtureLikGrad. in: gradient [Point, 1], components [Row, 3·dy],
// z [Row, 1], y [Point, dy]; out: [Row, 3·dy] or [Row, 1].
func mixtureGrad[T Float](o *Op, e Extents, out []T, in [][]T) {
	clear(out)
	dy, width := o.Widths[3], o.Widths[1]
	for p, g := range in[0] {
		m := mixturePoint[T]{row(in[1], p, e.Levels*width), row(in[2], p, e.Levels), row(in[3], p, dy), o.Floor, o.Natural}
		dst := row(out, p, e.Levels*o.Width)
		for c := range dy {
			if o.Part == LogitGrad {
				m.addLogitGrad(dst, g, c)
			} else {
				m.componentsGrad(dst, g, c)
			}
		}
	}
}

// mixturePoint is the mixture over the levels of one point.
type mixturePoint[T Float] struct {
	rows    []T // [N_τ, 3·dy]
	z       []T // [N_τ]
	y       []T // [dy]
	floor   float64
	natural bool
}

// componentsGrad writes g times the gradient with respect to the components of channel c to dst
// [N_τ, 3·dy].
func (m mixturePoint[T]) componentsGrad(dst []T, g T, c int) {
	dy := len(m.y)
	joint, weights := m.sums(c)
	for k := range m.z {
		l := m.component(k, c)
		a, s := m.rows[k*3*dy+2*dy+c], m.rows[k*3*dy+dy+c]
		weight := exp(a - weights)
		posterior := exp(a + l.logDensity - joint)
		d := row(dst, k, 3*dy)
		d[c] = g * posterior * l.slope / l.scale
		d[dy+c] = g * posterior * (l.loss() - 1) / l.scale * T(1-m.floor) * sigmoid(s)
		d[2*dy+c] = g * (posterior - weight)
	}
}

// addLogitGrad adds g times channel c's share of the gradient with respect to the logits to dst
// [N_τ]. All channels share the levels.
func (m mixturePoint[T]) addLogitGrad(dst []T, g T, c int) {
	dy := len(m.y)
	joint, _ := m.sums(c)
	for k := range m.z {
		l := m.component(k, c)
		posterior := exp(m.rows[k*3*dy+2*dy+c] + l.logDensity - joint)
		dst[k] += g * posterior * l.byLogit(m.natural)
	}
}

func (m mixturePoint[T]) component(k, c int) component[T] {
	dy := len(m.y)
	r := row(m.rows, k, 3*dy)
	return laplace(m.y[c], r[c], sigma(r[dy+c], m.floor), m.z[k], m.natural)
}

// sums returns log Σ_k exp(a_k)·AL_k(y) and log Σ_k exp(a_k) of channel c.
func (m mixturePoint[T]) sums(c int) (joint, weights T) {
	dy := len(m.y)
	joints, priors := newLogSum[T](), newLogSum[T]()
	for k := range m.z {
		a := m.rows[k*3*dy+2*dy+c]
		joints.add(a + m.component(k, c).logDensity)
		priors.add(a)
	}
	return joints.value(), priors.value()
}

// logMeanExp evaluates LogMeanExp. in: ll [Row, 1]; out: [Point, 1].
func logMeanExp[T Float](_ *Op, e Extents, out []T, in [][]T) {
	for p := range out {
		sum := newLogSum[T]()
		for _, v := range row(in[0], p, e.Levels) {
			sum.add(v)
		}
		out[p] = sum.value() - log(T(e.Levels))
	}
}

// logMeanExpGrad evaluates LogMeanExpGrad. in: gradient [Point, 1], ll [Row, 1], result [Point, 1];
// out: [Row, 1].
func logMeanExpGrad[T Float](_ *Op, e Extents, out []T, in [][]T) {
	for i, v := range in[1] {
		p := i / e.Levels
		out[i] = in[0][p] * exp(v-in[2][p]) / T(e.Levels)
	}
}

// negMean evaluates NegMean. in: any number of [Point, 1]; out: one number.
func negMean[T Float](_ *Op, _ Extents, out []T, in [][]T) {
	out[0] = 0
	for _, ll := range in {
		var sum T
		for _, v := range ll {
			sum += v
		}
		out[0] -= sum / T(len(ll))
	}
}

// negMeanGrad evaluates NegMeanGrad. in: gradient, one number; out: [Point, 1].
func negMeanGrad[T Float](_ *Op, _ Extents, out []T, in [][]T) {
	for i := range out {
		out[i] = -in[0][0] / T(len(out))
	}
}
