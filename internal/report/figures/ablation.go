package figures

import (
	"fmt"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/sweep/ablate"
)

// An Ablation is a figure of log-likelihoods by one whole number: the number of quantile levels, or
// the depth of ψ. It has a panel for the context and one for the targets. Each model has a line,
// with the standard deviation over its runs.
type Ablation struct {
	Title    string
	Variable string // label of the number's axis
	Points   []ablate.Point
}

// Save draws the figure into path. The format follows from the extension.
func (a Ablation) Save(path string) error {
	if len(a.Points) == 0 {
		return fmt.Errorf("plot %s: nothing to draw", path)
	}
	return saveFigure(path, figureWidth, figureHeight*3/4, a.draw)
}

func (a Ablation) draw(c draw.Canvas) {
	c = draw.Crop(c, 14, -20, 12, -14)
	points := a.Points
	several := slices.ContainsFunc(points, func(p ablate.Point) bool { return p.Benchmark != points[0].Benchmark })
	var series [][]ablate.Point
	var entries []legendEntry
	for _, p := range points {
		if last := len(series) - 1; last >= 0 && series[last][0].Series() == p.Series() {
			series[last] = append(series[last], p)
			continue
		}
		name := config.Label(p.Model, p.Variant)
		if several {
			name += " on " + p.Benchmark
		}
		entries = append(entries, legendEntry{name, lineWidth, lineThumb(seriesStyle(len(series)))})
		series = append(series, []ablate.Point{p})
	}
	if slices.ContainsFunc(points, func(p ablate.Point) bool { return p.Runs > 1 }) {
		entries = append(entries, legendEntry{"± standard deviation over runs", dotThumb, func(c *draw.Canvas) {
			errorBar(c, draw.LineStyle{Color: ink, Width: 1.2}, c.Center().X, c.Min.Y, c.Max.Y)
		}})
	}
	c = drawHeading(c, a.Title, entries)
	plots := [][]*plot.Plot{{
		a.panel("context", series, func(p ablate.Point) ablate.Spread { return p.Context }),
		a.panel("target", series, func(p ablate.Point) ablate.Spread { return p.Target }),
	}}
	for i, canvas := range plot.Align(plots, draw.Tiles{Rows: 1, Cols: 2, PadX: 20}, c)[0] {
		plots[0][i].Draw(canvas)
	}
}

// panel returns the panel of one log-likelihood, "context" or "target".
func (a Ablation) panel(part string, series [][]ablate.Point, value func(ablate.Point) ablate.Spread) *plot.Plot {
	p := newSeriesPlot(a.Variable, part+" log-likelihood")
	var xs, ys []float64
	for i, s := range series {
		e := spread{style: seriesStyle(i)}
		for _, point := range s {
			mean, sd := value(point).Mean, value(point).Deviation()
			e.at = append(e.at, plotter.XY{X: float64(point.Value), Y: mean})
			e.sd = append(e.sd, sd)
			xs = append(xs, float64(point.Value))
			ys = append(ys, mean)
			if finite(sd) {
				ys = append(ys, mean-sd, mean+sd)
			}
		}
		p.Add(e)
	}
	lo, hi := extremes(xs)
	p.X.Min, p.X.Max = widen(lo, hi, 0.06)
	p.X.Tick.Marker = wholeTicks(xs)
	lo, hi = extremes(ys)
	p.Y.Min, p.Y.Max = widen(lo, hi, 0.06)
	return p
}

// wholeTicks returns a tick at each value.
func wholeTicks(values []float64) plot.ConstantTicks {
	slices.Sort(values)
	var ticks plot.ConstantTicks
	for _, v := range slices.Compact(values) {
		ticks = append(ticks, plot.Tick{Value: v, Label: strconv.Itoa(int(v))})
	}
	return ticks
}

// spread is a line through means, with bars for their standard deviations.
type spread struct {
	at    plotter.XYs
	sd    []float64
	style draw.LineStyle
}

func (s spread) Plot(c draw.Canvas, p *plot.Plot) {
	curve{s.at, s.style}.Plot(c, p)
	x, y := p.Transforms(&c)
	bar := s.style
	bar.Width, bar.Dashes = 1.2, nil
	for i, q := range s.at {
		dotStyle{color: s.style.Color, radius: 3.2}.draw(&c, vg.Point{X: x(q.X), Y: y(q.Y)})
		if finite(s.sd[i]) {
			errorBar(&c, bar, x(q.X), y(q.Y-s.sd[i]), y(q.Y+s.sd[i]))
		}
	}
}

// errorBar draws a vertical bar with short ends.
func errorBar(c *draw.Canvas, style draw.LineStyle, x, low, high vg.Length) {
	const half = 3
	c.StrokeLine2(style, x, low, x, high)
	c.StrokeLine2(style, x-half, low, x+half, low)
	c.StrokeLine2(style, x-half, high, x+half, high)
}
