package figures

import (
	"math"
	"slices"

	"gonum.org/v1/plot/plotter"
)

// probability returns the panel with the line of the probability of the upper one of two whole numbers in the place of their
// densities: regions and medians would only say which is likelier. Where y can be more, it returns the panel as it is.
func (p Panel) probability(x Axis) Panel {
	var line plotter.XYs
	var ends []float64
	for _, q := range p.Grid {
		d, ok := supported(q.Density)
		if !ok {
			return p
		}
		if !d.Support().Two() {
			return p
		}
		low, high := d.Support().Bounds()
		line, ends = append(line, x.piece(q.X, low+1-q.Density.CDF(low))...), []float64{low - 0.03, high + 0.03}
	}
	if line != nil {
		p.Grid, p.YRange, p.line = nil, ends, true
		p.Marks = append(slices.Clip(p.Marks), Mark{Curve{line, medianStyle}, line, LineEntry("probability of the upper value", medianStyle)})
	}
	return p
}

// piece returns a point of a line, or along names, between which there is nothing, a piece of it.
func (x Axis) piece(at, y float64) plotter.XYs {
	const half = 0.08 // of the length, in places of names
	if x.Form.Categories == nil {
		return plotter.XYs{{X: at, Y: y}}
	}
	return plotter.XYs{{X: at - half, Y: y}, {X: at + half, Y: y}, {X: math.NaN()}}
}
