package ops

import "math"

// Float is the precision of a kernel.
type Float interface{ ~float32 | ~float64 }

// The affine maps of the model: see METHOD, "Models".
const (
	GaussianFloor = 0.1   // σ = 0.1 + 0.9·softplus(s)
	LaplaceFloor  = 0.01  // σ = 0.01 + 0.99·softplus(s)
	LevelFloor    = 0.001 // τ = 0.001 + 0.998·u
)

// Evaluate is the plain kernel of an operation at the extents e: in and out are packed row-major, out is overwritten.
// It is written to be read; faster engines are tested against it.
func Evaluate[T Float](o *Op, e Extents, out []T, in [][]T) {
	switch o.Kind {
	case Linear:
		linear(o, e, out, in)
	case LinearGrad:
		linearGrad(o, e, out, in)
	case SetMean:
		setMean(e, out, in[0], o.In[0], o.Width, false)
	case SetMeanGrad:
		setMean(e, out, in[0], o.Out, o.Width, true)
	case Columns:
		for i := range e.Rows(o.Out) {
			copy(row(out, i, o.Width), row(in[0], i, o.Widths[0])[o.From:])
		}
	case Sigmoid:
		for i, z := range in[0] {
			out[i] = sigmoid(z)
		}
	case SigmoidGrad:
		for i, g := range in[0] {
			out[i] = g * in[1][i] * (1 - in[1][i])
		}
	case UniformLevel:
		for i, u := range in[0] {
			out[i] = LevelFloor + (1-2*LevelFloor)*u
		}
	case UniformLogit:
		for i, u := range in[0] {
			out[i] = log(LevelFloor+(1-2*LevelFloor)*u) - log(LevelFloor+(1-2*LevelFloor)*(1-u))
		}
	case Attention:
		attention(o, e, out, in)
	case AttentionGrad:
		attentionGrad(o, e, out, in)
	case EnsembleAdd:
		ensembleAdd(o, e, out, in)
	case EnsembleAddGrad:
		ensembleAddGrad(o, e, out, in)
	case Gather:
		gather(o, e, out, in)
	case Residual:
		residual(o, e, out, in)
	case Perturb:
		perturb(o, e, out, in)
	default:
		evaluateLikelihood(o, e, out, in)
	}
}

func evaluateLikelihood[T Float](o *Op, e Extents, out []T, in [][]T) {
	switch o.Kind {
	case GaussianLik:
		ratio := e.Ratio(o.Out, o.In[1])
		for i := range out {
			out[i] = GaussianLogLik(row(in[0], i, o.Widths[0]), row(in[1], i/ratio, o.Widths[1]))
		}
	case GaussianLikGrad:
		ratio := e.Ratio(o.Out, o.In[2])
		for i, g := range in[0] {
			GaussianGrad(g, row(in[1], i, o.Widths[1]), row(in[2], i/ratio, o.Widths[2]), row(out, i, o.Width))
		}
	case MixtureLik:
		mixture(o, e, out, in)
	case MixtureLikGrad:
		mixtureGrad(o, e, out, in)
	case LogMeanExp:
		logMeanExp(e, out, in[0])
	case LogMeanExpGrad:
		logMeanExpGrad(e, out, in)
	case NegMean:
		out[0] = 0
		for _, ll := range in {
			var sum T
			for _, v := range ll {
				sum += v
			}
			out[0] -= sum / T(len(ll))
		}
	case NegMeanGrad:
		for i := range out {
			out[i] = -in[0][0] / T(len(out))
		}
	}
}

func row[T Float](m []T, i, width int) []T { return m[i*width : (i+1)*width] }

func linear[T Float](o *Op, e Extents, out []T, in [][]T) {
	rows, k, d := e.Rows(o.Out), o.Widths[1], o.Width
	ratio := e.Ratio(o.Out, o.In[0])
	for i := range rows {
		base, x, y := row(in[0], i/ratio, d), row(in[1], i, k), row(out, i, d)
		for j := range y {
			sum := base[j]
			for c, w := range row(in[2], j, k) {
				sum += x[c] * w
			}
			if o.ReLU && sum < 0 { // a NaN stays, so that it is noticed
				sum = 0
			}
			y[j] = sum
		}
	}
}

// linearGrad: inputs are the gradient, the layer's result (for the ReLU's mask), its input and its weight.
func linearGrad[T Float](o *Op, e Extents, out []T, in [][]T) {
	clear(out)
	d, k := o.Widths[0], o.Widths[2]
	rows := e.Rows(o.In[0])
	ratio := 1
	if o.Part == BaseGrad {
		ratio = e.Ratio(o.In[0], o.Out)
	}
	masked := make([]T, d)
	for i := range rows {
		copy(masked, row(in[0], i, d))
		if o.ReLU {
			for j, y := range row(in[1], i, d) {
				if y == 0 {
					masked[j] = 0
				}
			}
		}
		x := row(in[2], i, k)
		for j, g := range masked {
			switch o.Part {
			case BaseGrad:
				out[i/ratio*d+j] += g
			case InGrad:
				for c, w := range row(in[3], j, k) {
					out[i*k+c] += g * w
				}
			case WeightGrad:
				for c, v := range x {
					out[j*k+c] += g * v
				}
			}
		}
	}
}

// setMean averages rows of from (Context or Resample) over the context points, or, turned round, spreads the gradient
// of the mean over them.
func setMean[T Float](e Extents, out, in []T, from Space, d int, back bool) {
	clear(out)
	levels := e.Ratio(from, Context)
	for i := range e.Rows(from) {
		src, dst := i, i/(levels*e.Context)*levels+i%levels
		if back {
			src, dst = dst, src
		}
		accumulate(row(out, dst, d), 1/T(e.Context), row(in, src, d))
	}
}

func exp[T Float](x T) T   { return T(math.Exp(float64(x))) }
func log[T Float](x T) T   { return T(math.Log(float64(x))) }
func log1p[T Float](x T) T { return T(math.Log1p(float64(x))) }

// Softplus is log(1 + exp(x)), for any x.
func Softplus[T Float](x T) T {
	if x > 0 {
		return x + log1p(exp(-x))
	}
	return log1p(exp(x))
}

func sigmoid[T Float](x T) T {
	if x >= 0 {
		return 1 / (1 + exp(-x))
	}
	e := exp(x)
	return e / (1 + e)
}
