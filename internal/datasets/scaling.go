package datasets

import (
	"math"
	"slices"

	"github.com/acqnp/acqnp/internal/datasets/rows"
	"github.com/acqnp/acqnp/internal/points"
)

// Scaling converts raw units into the model's, column by column: model = (raw − offset)/scale. A
// density in raw units is the density in the model's units divided by the scales of y.
//
// A column with a Form other than plain numbers is converted first: model = (log raw − offset)/scale
// for a logarithm, and several one-hot columns without offset and scale for a column of names.
type Scaling struct {
	XOffset, XScale []float64   // [columns of x]
	YOffset, YScale []float64   // [dy]
	XForms          []rows.Form // [columns of x]; nil if all are plain numbers
	YForms          []rows.Form // [dy]; nil if all are plain numbers
}

// Unscaled returns the scaling that changes nothing.
func Unscaled(dx, dy int) Scaling {
	ones := func(n int) []float64 { return slices.Repeat([]float64{1}, n) }
	return Scaling{XOffset: make([]float64, dx), XScale: ones(dx), YOffset: make([]float64, dy), YScale: ones(dy)}
}

// Dims returns the numbers of columns of x and y that the model sees. A column of names is a column
// for each name.
func (s Scaling) Dims() (dx, dy int) {
	for i := range s.XScale {
		dx += rows.FormAt(s.XForms, i).Width()
	}
	return dx, len(s.YScale)
}

// ModelX converts x [n, columns of x] from raw units into the model's.
func (s Scaling) ModelX(raw []float64) []float32 { return toModel(raw, s.XOffset, s.XScale, s.XForms) }

// ModelY converts y [n, dy] from raw units into the model's.
func (s Scaling) ModelY(raw []float64) []float32 { return toModel(raw, s.YOffset, s.YScale, s.YForms) }

// RawX reverses ModelX.
func (s Scaling) RawX(model []float64) []float64 { return toRaw(model, s.XOffset, s.XScale, s.XForms) }

// RawY reverses ModelY.
func (s Scaling) RawY(model []float64) []float64 { return toRaw(model, s.YOffset, s.YScale, s.YForms) }

// Model converts the known points of a group and the x of its targets from raw units into the model's.
func (s Scaling) Model(known points.Points, targets []float64) (knownX, knownY, x []float32) {
	return s.ModelX(known.X), s.ModelY(known.Y), s.ModelX(targets)
}

// Raw converts points x [n, dx] and y [n, dy] from the model's units into raw ones.
func (s Scaling) Raw(x, y []float32) points.Points {
	return points.New(len(s.XScale), len(s.YScale), s.RawX(widened(x)), s.RawY(widened(y)))
}

// RawOf returns the points of group i of a batch in raw units.
func (s Scaling) RawOf(b *Batch, i int) points.Points {
	return s.Raw(b.X[i*b.Points*b.DX:][:b.Points*b.DX], b.Y[i*b.Points*b.DY:][:b.Points*b.DY])
}

func widened(v []float32) []float64 {
	w := make([]float64, len(v))
	for i, x := range v {
		w[i] = float64(x)
	}
	return w
}

// RawShift returns −Σ log(scale) over the columns of y. Added to the log-likelihood of a point in the
// model's units, it gives the one in raw units. If PointShifts, PointShift is added as well.
func (s Scaling) RawShift() float64 {
	shift := 0.0
	for _, scale := range s.YScale {
		shift -= math.Log(scale)
	}
	return shift
}

// PointShifts reports whether the log density of a point in raw units has a PointShift besides
// RawShift.
func (s Scaling) PointShifts() bool {
	return slices.ContainsFunc(s.YForms, func(f rows.Form) bool { return f.Log })
}

// PointShift returns the part of the log density of a point in raw units that RawShift lacks: −log(raw y)
// for each column of y whose logarithm the model sees. y [dy] is in the model's units.
func (s Scaling) PointShift(y []float32) float64 {
	shift := 0.0
	for c := range s.YScale {
		if rows.FormAt(s.YForms, c).Log {
			shift -= s.YOffset[c] + float64(y[c])*s.YScale[c]
		}
	}
	return shift
}

func toModel(raw, offset, scale []float64, forms []rows.Form) []float32 {
	v := make([]float32, 0, len(raw))
	for i, r := range raw {
		c := i % len(scale)
		v = rows.FormAt(forms, c).AppendModel(v, r, offset[c], scale[c])
	}
	return v
}

func toRaw(model, offset, scale []float64, forms []rows.Form) []float64 {
	v := make([]float64, 0, len(model))
	for c := 0; len(model) > 0; c = (c + 1) % len(scale) {
		f := rows.FormAt(forms, c)
		n := f.Width()
		v = append(v, f.Raw(model[:n], offset[c], scale[c]))
		model = model[n:]
	}
	return v
}

// A Range is where most of a column's training data lie, in raw units. The zero value means that this
// is not known.
type Range struct{ Low, High float64 }

// Ranges are those of the columns of x and y. A column of names has none.
type Ranges struct{ X, Y []Range }

// Ranges returns the ranges of all columns, of which the model sees numbers within x and y.
func (s Scaling) Ranges(x, y Range) Ranges {
	return Ranges{rawRanges(x, s.XOffset, s.XScale, s.XForms), rawRanges(y, s.YOffset, s.YScale, s.YForms)}
}

func rawRanges(model Range, offset, scale []float64, forms []rows.Form) []Range {
	all := make([]Range, len(scale))
	for c := range scale {
		f := rows.FormAt(forms, c)
		if f.Categories != nil || model == (Range{}) {
			continue
		}
		all[c] = Range{f.Restore(offset[c] + model.Low*scale[c]), f.Restore(offset[c] + model.High*scale[c])}
		if f.Log {
			all[c].Low = math.Max(0, all[c].Low) // a shift may lead below it
		}
	}
	return all
}
