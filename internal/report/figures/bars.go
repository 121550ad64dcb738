package figures

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/predict"
)

// mostBars is the largest number of bars of a panel.
const mostBars = 60

// A Bar is the prediction at one target, whose columns of x are all its own: its median and the central 50 and 90%
// intervals.
type Bar struct {
	X         float64
	Quantiles [5]float64 // at barLevels
}

// barLevels are the levels of a Bar's quantiles, and those that a calibration corrects.
var barLevels = [5]float64{0.05, 0.25, 0.5, 0.75, 0.95}

var (
	wideBar   = draw.LineStyle{Color: color.NRGBA{R: 0x8a, G: 0x4b, B: 0x08, A: 0xd0}, Width: 1}
	narrowBar = draw.LineStyle{Color: color.NRGBA{R: 0x8a, G: 0x4b, B: 0x08, A: 0xd0}, Width: 2.6}
)

// barX returns the x [N, columns of x] of some of the subject's targets, evenly chosen: of those whose y are
// known if there are any. Without targets they are those of the known points.
func barX(s Subject) []float64 {
	for _, from := range []points.Points{s.Held, s.Targets, s.Known} {
		if n := from.Len(); n > 0 {
			return from.Take(points.Spread(n, mostBars)).X
		}
	}
	return nil
}

// barOf returns the bar of a prediction.
func barOf(x float64, d predict.Distribution, c correction) Bar {
	b := Bar{X: x}
	for k, level := range c.bars {
		b.Quantiles[k] = d.Quantile(level)
	}
	return b
}

// bars draws intervals of targets.
type bars []Bar

// Plot implements plot.Plotter.
func (b bars) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for _, bar := range b {
		line := func(style draw.LineStyle, lo, hi float64) {
			if finite(bar.X) && finite(lo) && finite(hi) {
				c.StrokeLines(style, c.ClipLinesXY([]vg.Point{{X: x(bar.X), Y: y(lo)}, {X: x(bar.X), Y: y(hi)}})...)
			}
		}
		line(wideBar, bar.Quantiles[0], bar.Quantiles[4])
		line(narrowBar, bar.Quantiles[1], bar.Quantiles[3])
		if at := (vg.Point{X: x(bar.X), Y: y(bar.Quantiles[2])}); finite(bar.X) && c.Contains(at) {
			medianTick(&c, at)
		}
	}
}

func medianTick(c *draw.Canvas, at vg.Point) { c.StrokeLine2(narrowBar, at.X-3, at.Y, at.X+3, at.Y) }

// ends returns the bars' outer quantiles.
func (b bars) ends() (ys []float64) {
	for _, bar := range b {
		ys = append(ys, bar.Quantiles[0], bar.Quantiles[4])
	}
	return ys
}

// barThumb draws a sample of a bar.
func barThumb(c *draw.Canvas) {
	at := c.Center()
	c.StrokeLine2(wideBar, at.X, at.Y-6, at.X, at.Y+6)
	c.StrokeLine2(narrowBar, at.X, at.Y-2.5, at.X, at.Y+2.5)
	medianTick(c, at)
}
