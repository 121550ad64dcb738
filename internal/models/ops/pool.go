package ops

import G "gorgonia.org/gorgonia"

// SetMean is the mean over the context points of a group or of a bootstrap.
const (
	SetMean     Kind = "set_mean"
	SetMeanGrad Kind = "set_mean_grad"
)

// SetMean adds the mean over the context points, for every group, [B·N_c, d] → [B, d], or for
// every bootstrap, [B·N_c·k, d] → [B·k, d]. Without context points it is 0.
func (b *Builder) SetMean(in *G.Node) *G.Node {
	return b.op(&Op{Kind: SetMean}, in)
}

var _ = declare(SetMean, operation{
	shape:     setMeanShape,
	gradients: inParts(SetMeanGrad, 1),
	single:    setMean[float32], double: setMean[float64],
	form: func(w words, _ *Op, in []Value) Value {
		return w.quotient(w.Sum(w.Present(in[0], PointAxis, 0), PointAxis), w.Count(in[0]))
	},
	element: "set_mean_of(t, e, row, column)",
})

var _ = declare(SetMeanGrad, operation{single: setMeanGrad[float32], double: setMeanGrad[float64], element: "set_mean_grad_of(t, e, row, column)"})

func setMeanShape(o *Op, _ G.Nodes) bool {
	o.Out, o.Width = map[Space]Space{Context: Group, Resample: Ensemble}[o.In[0]], o.Widths[0]
	return o.Out != 0
}

// setMean evaluates SetMean. in: [Context or Resample, d]; out: [Group or Ensemble, d].
func setMean[T Float](o *Op, e Extents, out []T, in [][]T) {
	meanOver(e, out, in[0], o.In[0], o.Width, false)
}

// setMeanGrad evaluates SetMeanGrad. in: gradient [Group or Ensemble, d]; out: [Context or
// Resample, d].
func setMeanGrad[T Float](o *Op, e Extents, out []T, in [][]T) {
	meanOver(e, out, in[0], o.Out, o.Width, true)
}

// meanOver averages rows of from (Context or Resample) over the context points. If back is true, it
// spreads the gradient of the mean over them instead.
func meanOver[T Float](e Extents, out, in []T, from Space, d int, back bool) {
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
