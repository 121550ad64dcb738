package onnx

import (
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/datasets/rows"
)

// presence marks the real context points. Runtimes fail at empty tensors in many ways, so a graph adds a
// point that is not real.
type presence struct {
	mask  value // [N_c+1, 1], booleans: all true but the last; "" for BNP, which needs a context
	count value // [1], int64: N_c
}

// pad adds a point of ones to the context, raw x and y [B, N_c, ·]. One is valid in columns of every form.
func (g *graph) pad(x, y value) (paddedX, paddedY value, r presence) {
	r.count = g.size(x, 1)
	end := g.squeeze(g.add(r.count, g.ints(1)), 0)
	r.mask = g.unsqueeze(g.op("Less", g.op("Range", g.index(0), end, g.index(1)), r.count), 1)
	more := func(v value) value { return g.op("Pad", v, g.ints(0, 0, 0, 0, 1, 0), g.doubles([]float64{1})) }
	return more(x), more(y), r
}

// standardised are the points of a run as the network sees them, and the units of the targets' y.
type standardised struct {
	contextX, contextY, x value // [B, N_c, dx], [B, N_c, dy], [B, N, dx]; float32
	offset, factor        value // of y or its logarithm: offset + factor·model; they broadcast to [B, N, 1, dy]
}

// standardise converts raw points as datasets.Scaling.Model does: x and y of the context, and x of the
// targets. The raw number of a name is its index in the list of categories, and that of a date is a number of
// days.
func (g *graph) standardise(s datasets.Scaling, contextX, contextY, targetX value) standardised {
	return standardised{
		contextX: g.columnwise(contextX, s.XOffset, s.XScale, s.XForms),
		contextY: g.columnwise(contextY, s.YOffset, s.YScale, s.YForms),
		x:        g.columnwise(targetX, s.XOffset, s.XScale, s.XForms),
		offset:   g.doubles(s.YOffset, len(s.YOffset)),
		factor:   g.doubles(s.YScale, len(s.YScale)),
	}
}

// columnwise converts raw columns [B, ·, columns] to those that the network sees, as their forms
// say.
func (g *graph) columnwise(raw value, offset, scale []float64, forms []rows.Form) value {
	parts := make([]value, len(scale))
	for c := range parts {
		f := rows.FormAt(forms, c)
		v := g.columns(raw, c, c+1)
		if f.Categories != nil {
			parts[c] = g.oneHot(v, len(f.Categories))
			continue
		}
		if f.Log {
			v = g.op("Log", g.add(v, g.double(f.Shift)))
		}
		parts[c] = g.cast(g.div(g.sub(v, g.double(offset[c])), g.double(scale[c])), float32s)
	}
	return g.concat(-1, parts...)
}

// oneHot returns a column for each of n names: 1 where v [B, ·, 1] is its index, else 0.
func (g *graph) oneHot(v value, n int) value {
	index := make([]float64, n)
	for k := range index {
		index[k] = float64(k)
	}
	return g.cast(g.op("Equal", v, g.doubles(index, n)), float32s)
}
