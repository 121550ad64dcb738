package ops

import (
	"math"

	G "gorgonia.org/gorgonia"
)

// LayerNorm normalises every row, with a gain and a shift. LayerNormGrad has the parts NormInGrad,
// GainGrad and ShiftGrad.
const (
	LayerNorm     Kind = "layer_norm"
	LayerNormGrad Kind = "layer_norm_grad"
)

// LayerNormEpsilon is added to the variance of a row in LayerNorm, as PyTorch does by default.
const LayerNormEpsilon = 1e-5

// Parts of LayerNormGrad.
const (
	NormInGrad = 0
	GainGrad   = 1
	ShiftGrad  = 2
)

// LayerNorm adds (x−m)/√(v+ε)·gain + shift [rows, d] for every row of x [rows, d]. m is the row's
// mean, v its variance with divisor d, and ε is LayerNormEpsilon. gain and shift are vectors [d].
func (b *Builder) LayerNorm(x, gain, shift *G.Node) *G.Node {
	return b.op(&Op{Kind: LayerNorm}, x, gain, shift)
}

var _ = declare(LayerNorm, operation{
	shape:     layerNormShape,
	gradients: inParts(LayerNormGrad, 3, 0, 1),
	single:    layerNorm[float32], double: layerNorm[float64],
	form: func(w words, _ *Op, in []Value) Value { return w.LayerNorm(in[0], in[1], in[2]) },
})

var _ = declare(LayerNormGrad, operation{single: layerNormGrad[float32], double: layerNormGrad[float64]})

func layerNormShape(o *Op, _ G.Nodes) bool {
	o.Out, o.Width = o.In[0], o.Widths[0]
	vector := func(i int) bool { return o.In[i] == Parameter && o.ranks[i] == 1 && o.Widths[i] == o.Width }
	return o.Out > Scalar && vector(1) && vector(2)
}

// layerNorm evaluates LayerNorm. in: x [S, d], gain [d], shift [d]; out: [S, d].
func layerNorm[T Float](o *Op, e Extents, out []T, in [][]T) {
	for i := range e.Rows(o.Out) {
		y := row(out, i, o.Width)
		normalise(y, row(in[0], i, o.Width))
		for j := range y {
			y[j] = y[j]*in[1][j] + in[2][j]
		}
	}
}

// normalise writes (x−m)/√(v+ε) to out and returns 1/√(v+ε).
func normalise[T Float](out, x []T) (inverse T) {
	var mean, variance T
	for _, v := range x {
		mean += v
	}
	mean /= T(len(x))
	for _, v := range x {
		variance += (v - mean) * (v - mean)
	}
	inverse = 1 / T(math.Sqrt(float64(variance/T(len(x))+LayerNormEpsilon)))
	for i, v := range x {
		out[i] = (v - mean) * inverse
	}
	return inverse
}

// layerNormGrad evaluates a part of LayerNormGrad. in: gradient [S, d], x [S, d], gain [d]; out:
// [S, d] or [d]. With z the normalised row and h = gradient·gain, the gradient of x is (h − mean(h)
// − z·mean(h·z))/√(v+ε).
func layerNormGrad[T Float](o *Op, e Extents, out []T, in [][]T) {
	clear(out)
	d := o.Widths[1]
	z := make([]T, d)
	for i := range e.Rows(o.In[1]) {
		g := row(in[0], i, d)
		inverse := normalise(z, row(in[1], i, d))
		switch o.Part {
		case NormInGrad:
			normInGrad(row(out, i, d), g, in[2], z, inverse)
		case GainGrad:
			for j, v := range g {
				out[j] += v * z[j]
			}
		case ShiftGrad:
			accumulate(out, 1, g)
		}
	}
}

// normInGrad writes the gradient of x in one row to out [d]. g is the gradient of the row's result,
// z the normalised row, all [d], and inverse is 1/√(v+ε).
func normInGrad[T Float](out, g, gain, z []T, inverse T) {
	var mean, slope T
	for j, v := range g {
		out[j] = v * gain[j]
		mean += out[j]
		slope += out[j] * z[j]
	}
	mean, slope = mean/T(len(g)), slope/T(len(g))
	for j := range out {
		out[j] = (out[j] - mean - z[j]*slope) * inverse
	}
}
