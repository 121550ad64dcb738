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

// Numbers returns the raw points whose column c of y is known, as a linear model sees them: the numbers that the formula
// means, a column for each name but the first and, last, the number of a crossed name.
func (f *Columns) Numbers(c int, raw points.Points) points.Points {
	exposures, p := f.Exposures(c, raw.X), points.Points{Weights: raw.Weights, Rows: raw.Rows, DY: 1}
	crossed, known := f.CrossedAt(), []int(nil)
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
		for k, form := range f.XForms {
			if own := form.AppendNumbers(nil, raw.Row(i)[k]); f.X[k] != "" && !form.Crossed {
				p.X = append(p.X, own[min(len(own), min(1, len(form.Categories))):]...)
			}
		}
		if crossed >= 0 {
			p.X = append(p.X, raw.Row(i)[crossed])
		}
		p.Y = append(p.Y, y)
	}
	p.DX = len(p.X) / max(1, len(p.Y))
	return p.Take(known)
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
