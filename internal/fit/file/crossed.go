package file

import (
	"math"
	"slices"

	"github.com/acqnp/acqnp/internal/datasets/rows"
	"github.com/acqnp/acqnp/internal/fit/table"
	"github.com/acqnp/acqnp/internal/points"
)

// A Crossed is the model that codes the crossed names for a column of y.
type Crossed struct {
	table.Crossed
	Log bool `json:"log,omitempty"` // it is of the logarithm of what the formula has
}

// CrossedAt returns the column of x that has crossed names, −1 without.
func (f *Columns) CrossedAt() int {
	return slices.IndexFunc(f.XForms, func(form rows.Form) bool { return form.Crossed })
}

// Coded returns the column of what models see that has crossed names.
func (f *Columns) Coded() (column int) {
	for _, c := range f.Order {
		if f.XForms[c].Crossed {
			break
		}
		column += f.XForms[c].Width()
	}
	return column
}

// Numbers returns the raw points whose column c of y is known, as a linear model sees them: the numbers that the formula
// means, a column for each name but the first and, last, the number of a crossed name.
func (f *Columns) Numbers(c int, raw points.Points) points.Points {
	exposures, p := f.Exposures(c, raw.X), points.Points{Weights: raw.Weights, Rows: raw.Rows, DY: 1}
	var known []int
	for i := range raw.Len() {
		y := raw.RowY(i)[c]
		if !math.IsNaN(y) {
			known = append(known, i)
		}
		if exposures != nil {
			y = (y - exposures[i].Offset) / exposures[i].Factor
		}
		if f.LogY[c] {
			y = math.Log(y)
		}
		x := f.appendNumbers(nil, raw.Row(i))
		p.DX = len(x)
		p.X, p.Y = append(p.X, x...), append(p.Y, y)
	}
	return p.Take(known)
}

// appendNumbers appends what a linear model sees of a raw row of x to dst.
func (f *Columns) appendNumbers(dst, raw []float64) []float64 {
	crossed := f.CrossedAt()
	for k, form := range f.XForms {
		if f.X[k] == "" || k == crossed {
			continue
		}
		own := form.AppendNumbers(nil, raw[k])
		if form.Categories != nil {
			own = own[1:]
		}
		dst = append(dst, own...)
	}
	if crossed >= 0 {
		dst = append(dst, raw[crossed])
	}
	return dst
}

// OnScale returns points that Numbers returned as the model of crossed names sees them.
func (m *Crossed) OnScale(p points.Points) points.Points {
	if m.Log {
		p.Y = slices.Clone(p.Y)
		for i, y := range p.Y {
			p.Y[i] = math.Log(y)
		}
	}
	return p
}
