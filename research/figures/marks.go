package main

import (
	"image/color"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/acqnp/acqnp/internal/predict"
	"github.com/acqnp/acqnp/internal/report/figures"
)

var (
	meanStyle   = draw.LineStyle{Color: color.NRGBA{R: 0xd5, G: 0x5e, B: 0x00, A: 0xff}, Width: 2}
	memberStyle = draw.LineStyle{Color: color.NRGBA{R: 0x2a, G: 0x78, B: 0x8e, A: 0xa0}, Width: 0.8}
)

// levelBar is half of the height of the legend's bar of levels.
const levelBar = vg.Length(3)

// line returns the mark of a value along x.
func line(along []prediction, style draw.LineStyle, entry figures.Entry, value func(prediction) float64) figures.Mark {
	points := make(plotter.XYs, len(along))
	for i, p := range along {
		points[i] = plotter.XY{X: p.x, Y: value(p)}
	}
	return figures.Mark{Plotter: figures.Curve{Points: points, Style: style}, Covers: points, Entry: entry}
}

// means shows the mean.
func means(along []prediction) []figures.Mark {
	return []figures.Mark{line(along, meanStyle, figures.LineEntry("mean", meanStyle), func(p prediction) float64 { return p.Mean() })}
}

// members shows the mean of each bootstrap.
func members(along []prediction) (all []figures.Mark) {
	for k := range along[0].Components() {
		all = append(all, line(along, memberStyle, figures.LineEntry("mean of one bootstrap", memberStyle),
			func(p prediction) float64 { return p.Value(p.Components()[k].Mu) }))
	}
	return all
}

// quantiles shows quantiles at the paper's levels, coloured by them.
func quantiles(along []prediction) (all []figures.Mark) {
	for _, level := range floats.Span(make([]float64, figureLevels), 0.001, 0.999) {
		style := draw.LineStyle{Color: levelColour(colourOf(level), opacities-1), Width: 1.3}
		all = append(all, line(along, style, figures.ScaleEntry("quantile level, 0 to 1", levelBar, figures.Viridis),
			func(p prediction) float64 { return p.Quantile(level) }))
	}
	return all
}

// levelsOf shows μ of each quantile level.
func levelsOf(along []prediction) []figures.Mark {
	return marksOf(along, func(p prediction, c predict.Component) level { return level{c.U, c.Tau, p.Value(c.Mu), c.Weight} })
}

// tausOf shows τ of each quantile level, all with equal weights.
func tausOf(along []prediction) []figures.Mark {
	return marksOf(along, func(_ prediction, c predict.Component) level { return level{c.U, c.Tau, c.Tau, 1} })
}

func marksOf(along []prediction, of func(prediction, predict.Component) level) []figures.Mark {
	marks := make(levelMarks, len(along))
	for i, p := range along {
		marks[i].x = p.x
		for _, c := range p.Components() {
			marks[i].levels = append(marks[i].levels, of(p, c))
		}
	}
	return []figures.Mark{marks.mark()}
}

// mark returns the mark of levels, which a panel covers as far as they are visible.
func (m levelMarks) mark() figures.Mark {
	mark := figures.Mark{Plotter: m, Entry: figures.ScaleEntry("quantile level τ, 0 to 1 (opacity: weight)", levelBar, figures.Viridis)}
	for _, q := range m {
		mark.Covers = append(mark.Covers, q.visible()...)
	}
	return mark
}
