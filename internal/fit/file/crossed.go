package file

import (
	"math"
	"slices"

	"github.com/acqnp/acqnp/internal/datasets/rows"
	"github.com/acqnp/acqnp/internal/points"
)

// CrossedAt returns the column of x that has crossed names, −1 without.
func (f *Columns) CrossedAt() int {
	return slices.IndexFunc(f.XForms, func(form rows.Form) bool { return form.Crossed })
}

// codes reports whether the crossed names, if there are any, have codes and a model for column c of y.
func (f *Fit) codes(c int) bool {
	at, coding := f.CrossedAt(), f.Stacks[c].Coding
	if at < 0 || coding == nil {
		return at < 0 && coding == nil
	}
	m, row := f.CrossedModels[c], f.Numbers(c, points.New(len(f.X), len(f.Y), make([]float64, len(f.X)), make([]float64, len(f.Y))))
	return len(coding.Codes) == len(f.XForms[at].Categories) && (m.Name == 0 || len(m.Slopes) == row.DX-1 && len(m.Means) == len(m.Slopes) && m.Residual > 0)
}

// Numbers returns the raw points whose column c of y is known, and not a limit, as a linear model sees them: the numbers that the formula
// means, a column for each name but the first and, last, the number of a crossed name.
func (f *Columns) Numbers(c int, raw points.Points) points.Points {
	exposures, p := f.Exposures(c, raw.X), points.Points{Weights: raw.Weights, Rows: raw.Rows, DY: 1}
	crossed, known := f.CrossedAt(), []int(nil)
	for i := range raw.Len() {
		y := raw.RowY(i)[c]
		if !math.IsNaN(y) && raw.Limit(i, c) == 0 {
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
