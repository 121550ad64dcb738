package figures

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/acqnp/acqnp/internal/report/tables"
)

// The colours of page.html.
var (
	ours   = color.NRGBA{R: 0x1f, G: 0x6f, B: 0x86, A: 0xff}
	theirs = color.NRGBA{R: 0xb2, G: 0x50, B: 0x0c, A: 0xff}
)

// Likelihoods draws the log-likelihoods of the rows of one benchmark: those of the context and of the targets on one
// axis, with a line for each model, ours below the paper's.
func Likelihoods(rows []tables.Row) (tables.Drawing, error) {
	lo, hi := likelihoodRange(rows)
	var plots []*plot.Plot
	for _, title := range []string{"context", "target"} {
		p := newPlot("", title)
		p.X.Tick.Marker, p.X.Min, p.X.Max = fewTicks, lo, hi
		p.Y.Min, p.Y.Max = -0.6, float64(len(rows))-0.4
		var names plot.ConstantTicks
		for i, r := range rows {
			at := float64(len(rows) - 1 - i)
			names = append(names, plot.Tick{Value: at, Label: r.Label()})
			part := r.Context
			if title == "target" {
				part = r.Target
			}
			if part.Paper != nil {
				p.Add(meanDot{part.Paper.Mean, part.Paper.Spread, at + 0.17, dotStyle{color: theirs, radius: 4, diamond: true}})
			}
			if part.Mean != nil {
				p.Add(meanDot{*part.Mean, part.Bar(), at - 0.17, dotStyle{color: ours, radius: 3.2}})
			}
		}
		p.Y.Tick.Marker = names
		plots = append(plots, p)
	}
	return drawing("Log-likelihoods", calibrationWidth, 80+vg.Length(46*len(rows)), func(c draw.Canvas) { drawPlots(c, plots, 1) })
}

// likelihoodRange returns the range of an axis. Values far from the paper's lie outside it, so that the paper's remain
// distinct.
func likelihoodRange(rows []tables.Row) (lo, hi float64) {
	var paper, ours []float64
	for _, r := range rows {
		for _, p := range []tables.Part{r.Context, r.Target} {
			if p.Paper != nil {
				paper = append(paper, p.Paper.Mean-p.Paper.Spread, p.Paper.Mean+p.Paper.Spread)
			}
			if p.Mean != nil {
				ours = append(ours, *p.Mean-p.Bar(), *p.Mean+p.Bar())
			}
		}
	}
	lo, hi = extremes(paper)
	least, greatest := extremes(ours)
	return widen(widened(lo, hi, least, greatest, 1.5))
}

// A meanDot is a mean with its error bar. A mean outside the axis is an arrow at its end.
type meanDot struct {
	mean, bar, y float64
	style        dotStyle
}

// Plot implements plot.Plotter.
func (d meanDot) Plot(c draw.Canvas, p *plot.Plot) {
	style := draw.LineStyle{Color: d.style.color.(color.NRGBA), Width: 1.6}
	curve{plotter.XYs{{X: d.mean - d.bar, Y: d.y}, {X: d.mean + d.bar, Y: d.y}}, style}.Plot(c, p)
	x, y := p.Transforms(&c)
	at := vg.Point{X: x(math.Min(math.Max(d.mean, p.X.Min), p.X.Max)), Y: y(d.y)}
	if d.mean >= p.X.Min && d.mean <= p.X.Max {
		d.style.draw(&c, at)
		return
	}
	back := vg.Length(8) // of the arrow's base
	if d.mean > p.X.Max {
		back = -back
	}
	c.FillPolygon(style.Color, []vg.Point{at, {X: at.X + back, Y: at.Y - 4}, {X: at.X + back, Y: at.Y + 4}})
}
