package figures

import (
	"fmt"
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// An IntervalPlot shows predictions for x of many columns: y by the median of its prediction, with
// the central 50 and 90% intervals as bars. It has a panel for each function and channel of y.
type IntervalPlot struct {
	Title  string
	Panels []IntervalPanel
}

// An IntervalPanel is one channel of y of one function, in raw units.
type IntervalPanel struct {
	Title   string
	Channel string // the name of y
	Bars    []Bar
}

// A Bar is the prediction at one target.
type Bar struct {
	Quantiles [5]float64 // at 0.05, 0.25, 0.5, 0.75, 0.95
	Y         float64    // the observed y; NaN if it is not known
}

// barLevels are the levels of a Bar's quantiles.
var barLevels = [5]float64{0.05, 0.25, 0.5, 0.75, 0.95}

var (
	wideBar   = draw.LineStyle{Color: color.NRGBA{R: 0x96, G: 0xc1, B: 0xe0, A: 0xff}, Width: 1.6}
	narrowBar = draw.LineStyle{Color: color.NRGBA{R: 0x24, G: 0x6b, B: 0xa8, A: 0xff}, Width: 3}
)

// Save draws the figure into path. The format follows from the extension.
func (f IntervalPlot) Save(path string) error {
	if len(f.Panels) == 0 {
		return fmt.Errorf("plot %s: nothing to draw", path)
	}
	height := figureHeight
	if rows, _ := panelGrid(len(f.Panels)); rows > 2 {
		height = vg.Length(rows)*265 + 70
	}
	return saveFigure(path, figureWidth, height, func(c draw.Canvas) {
		c = draw.Crop(c, 14, -20, 12, -14)
		c = drawHeading(c, f.Title, f.legend())
		plots := make([]*plot.Plot, len(f.Panels))
		for i, p := range f.Panels {
			plots[i] = p.plot()
		}
		drawPanels(c, plots)
	})
}

func (f IntervalPlot) legend() []legendEntry {
	entries := []legendEntry{
		{"50% interval", lineWidth, lineThumb(narrowBar)},
		{"90% interval", lineWidth, lineThumb(wideBar)},
		{"median of the prediction", lineWidth, lineThumb(medianStyle)},
	}
	for _, p := range f.Panels {
		for _, b := range p.Bars {
			if finite(b.Y) {
				observed := legendEntry{"held-out targets", dotThumb, func(c *draw.Canvas) { heldOutStyle(0).draw(c, c.Center()) }}
				return append([]legendEntry{observed}, entries...)
			}
		}
	}
	return entries
}

func (p IntervalPanel) plot() *plot.Plot {
	fig := plot.New()
	style(fig)
	fig.Title.Text = shortened(p.Title)
	fig.X.Label.Text, fig.Y.Label.Text = "median of the predicted "+p.Channel, p.Channel
	var medians, low, high, observed []float64
	var points plotter.XYs
	for _, b := range p.Bars {
		medians = append(medians, b.Quantiles[2])
		low, high, observed = append(low, b.Quantiles[0]), append(high, b.Quantiles[4]), append(observed, b.Y)
		points = append(points, plotter.XY{X: b.Quantiles[2], Y: b.Y})
	}
	lo, hi := extremes(medians)
	fig.X.Min, fig.X.Max = widen(lo, hi, 0.03)
	lo, hi = extremes(append(observed, trimmed(low, 0.02), trimmed(high, 0.98)))
	fig.Y.Min, fig.Y.Max = widen(lo, hi, 0.04)
	diagonal := plotter.XYs{{X: fig.X.Min, Y: fig.X.Min}, {X: fig.X.Max, Y: fig.X.Max}}
	fig.Add(gridLines(), bars{p.Bars, 0, 4, wideBar}, bars{p.Bars, 1, 3, narrowBar}, curve{diagonal, casingStyle}, curve{diagonal, medianStyle})
	fig.Add(dots{points, heldOutStyle(0)})
	return fig
}

// bars draws lines between two quantiles of each Bar.
type bars struct {
	bars     []Bar
	from, to int
	style    draw.LineStyle
}

// Plot implements plot.Plotter.
func (b bars) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for _, bar := range b.bars {
		if q := bar.Quantiles; finite(q[2]) && finite(q[b.from]) && finite(q[b.to]) {
			at := x(q[2])
			c.StrokeLines(b.style, c.ClipLinesXY([]vg.Point{{X: at, Y: y(q[b.from])}, {X: at, Y: y(q[b.to])}})...)
		}
	}
}
