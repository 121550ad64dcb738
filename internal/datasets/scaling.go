package datasets

import "math"

// Scaling converts raw units into the model's, column by column: model = (raw − offset)/scale. A
// density in raw units is the density in the model's units divided by the scales of y.
type Scaling struct {
	XOffset, XScale []float64 // [dx]
	YOffset, YScale []float64 // [dy]
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

// ModelX converts x [n, dx] from raw units into the model's.
func (s Scaling) ModelX(raw []float64) []float32 { return toModel(raw, s.XOffset, s.XScale) }

// ModelY converts y [n, dy] from raw units into the model's.
func (s Scaling) ModelY(raw []float64) []float32 { return toModel(raw, s.YOffset, s.YScale) }

// RawX converts x [n, dx] from the model's units into raw ones.
func (s Scaling) RawX(model []float64) []float64 { return toRaw(model, s.XOffset, s.XScale) }

// RawY converts y [n, dy] from the model's units into raw ones.
func (s Scaling) RawY(model []float64) []float64 { return toRaw(model, s.YOffset, s.YScale) }

// RawShift returns −Σ log(scale) over the columns of y. Added to the log-likelihood of a point in
// the model's units, it gives that in raw units.
func (s Scaling) RawShift() float64 {
	shift := 0.0
	for _, scale := range s.YScale {
		shift -= math.Log(scale)
	}
	return shift
}

func toModel(raw, offset, scale []float64) []float32 {
	v := make([]float32, len(raw))
	for i, r := range raw {
		c := i % len(scale)
		v[i] = float32((r - offset[c]) / scale[c])
	}
	return v
}

func toRaw(model, offset, scale []float64) []float64 {
	v := make([]float64, len(model))
	for i, m := range model {
		c := i % len(scale)
		v[i] = offset[c] + m*scale[c]
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
