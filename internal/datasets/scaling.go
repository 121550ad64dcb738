package datasets

import (
	"math"
	"slices"
)

// Scaling converts raw units into the model's, column by column: model = (raw − offset)/scale. A
// density in raw units is the density in the model's units divided by the scales of y.
//
// A column with a Form other than plain numbers is converted first: model = (log raw − offset)/scale
// for a logarithm, and several one-hot columns without offset and scale for a column of names.
type Scaling struct {
	XOffset, XScale []float64 // [columns of x]
	YOffset, YScale []float64 // [dy]
	XForms          []Form    // [columns of x]; nil if all are plain numbers
	YForms          []Form    // [dy]; nil if all are plain numbers
}

// ScalingOf returns the scaling of a source. For a source without one it returns a scaling that
// changes nothing.
func ScalingOf(src any, dx, dy int) Scaling {
	if s, ok := src.(interface{ Scaling() Scaling }); ok {
		return s.Scaling()
	}
	ones := func(n int) []float64 {
		v := make([]float64, n)
		for i := range v {
			v[i] = 1
		}
		return v
	}
	return Scaling{XOffset: make([]float64, dx), XScale: ones(dx), YOffset: make([]float64, dy), YScale: ones(dy)}
}

// Dims returns the numbers of columns of x and y that the model sees. A column of names is a column
// for each name.
func (s Scaling) Dims() (dx, dy int) {
	for i := range s.XScale {
		dx += formAt(s.XForms, i).width()
	}
	return dx, len(s.YScale)
}

// ModelX converts x [n, columns of x] from raw units into the model's [n, dx].
func (s Scaling) ModelX(raw []float64) []float32 { return toModel(raw, s.XOffset, s.XScale, s.XForms) }

// ModelY converts y [n, dy] from raw units into the model's.
func (s Scaling) ModelY(raw []float64) []float32 { return toModel(raw, s.YOffset, s.YScale, s.YForms) }

// RawX converts x [n, dx] from the model's units into raw ones [n, columns of x].
func (s Scaling) RawX(model []float64) []float64 { return toRaw(model, s.XOffset, s.XScale, s.XForms) }

// RawY converts y [n, dy] from the model's units into raw ones.
func (s Scaling) RawY(model []float64) []float64 { return toRaw(model, s.YOffset, s.YScale, s.YForms) }

// RawShift returns −Σ log(scale) over the columns of y. Added to the log-likelihood of a point in
// the model's units, it gives that in raw units, or that of the logarithms if LogY; see LogShift.
func (s Scaling) RawShift() float64 {
	shift := 0.0
	for _, scale := range s.YScale {
		shift -= math.Log(scale)
	}
	return shift
}

// LogY reports whether the model sees the logarithm of a column of y.
func (s Scaling) LogY() bool {
	return slices.ContainsFunc(s.YForms, func(f Form) bool { return f.Log })
}

// LogShift returns −Σ log(raw y) over the columns of y whose logarithm the model sees: the Jacobian
// that a density in raw units has besides RawShift. y [dy] is a point in the model's units.
func (s Scaling) LogShift(y []float32) float64 {
	shift := 0.0
	for i, f := range s.YForms {
		if f.Log {
			shift -= s.YOffset[i] + float64(y[i])*s.YScale[i]
		}
	}
	return shift
}

func toModel(raw, offset, scale []float64, forms []Form) []float32 {
	v := make([]float32, 0, len(raw))
	for i, r := range raw {
		c := i % len(scale)
		v = formAt(forms, c).appendModel(v, r, offset[c], scale[c])
	}
	return v
}

func toRaw(model, offset, scale []float64, forms []Form) []float64 {
	v := make([]float64, 0, len(model))
	for c := 0; len(model) > 0; c = (c + 1) % len(scale) {
		f := formAt(forms, c)
		n := f.width()
		v = append(v, f.raw(model[:n], offset[c], scale[c]))
		model = model[n:]
	}
	return v
}

// into returns the offset and scale that map 0 to lo and largest to hi.
func into(lo, hi, largest float64) (offset, scale float64) {
	scale = largest / (hi - lo)
	return 0 - lo*scale, scale // 0 − 0 is 0, not −0
}

// largest returns the maximum over all columns.
func largest(columns ...[]float64) float64 {
	m := math.Inf(-1)
	for _, c := range columns {
		for _, v := range c {
			m = max(m, v)
		}
	}
	return m
}
