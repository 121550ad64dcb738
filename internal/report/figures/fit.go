package figures

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// sparseGrid is the number of targets below which marks are drawn larger.
const sparseGrid = 80

// MaxPanels is the largest number of panels in a FitPlot.
const MaxPanels = 6

// A FitPlot shows a model's predictions from contexts, with one panel for each function. Points with
// a Density are shaded: their highest-density regions and their median. Of other points it shows μ of
// the quantile levels along x (colour for τ, opacity for the weight) and the predictive mean. If there
// are Levels, it adds quantiles. Bars are predictions beside those along x. It draws only the first six
// panels, and the title says so.
type FitPlot struct {
	Title  string
	X      Axis
	YLabel string
	Panels []Panel
}

// A Panel is one function, in raw units.
type Panel struct {
	Title   string
	YLabel  string // "" for the figure's
	Context plotter.XYs
	Targets plotter.XYs      // true targets; may be empty
	Grid    []PredictedPoint // predictions along x, in any order
	Levels  []float64        // of PredictedPoint.Quantiles, in (0, 1)
	Bars    []Bar            // at targets whose x differs from the grid's in other columns
	masses  [3]float64       // of the regions; 0 for 50, 90 and 99%
	low     float64          // the range of y; see prepared
	high    float64
	median  bool // is drawn; see prepared
}

// prepared returns the panel with its grid in order, its range of y, and whether its medians are one
// curve.
func (p Panel) prepared() Panel {
	p.Grid = slices.Clone(p.Grid)
	slices.SortStableFunc(p.Grid, func(a, b PredictedPoint) int { return compare(a.X, b.X) })
	p.low, p.high = p.yRange()
	p.median = newShading(p.Grid, p.masses).oneCurve(p.low, p.high)
	return p
}

// A PredictedPoint is the predictive distribution at one x.
type PredictedPoint struct {
	X          float64
	Density    Density     // shaded if it is not nil
	Components []Component // none for a Gaussian model
	Mean       float64
	Quantiles  []float64 // at Panel.Levels
}

// A Component is the part of a mixture that belongs to one quantile level. The weights of a point
// sum to 1.
type Component struct{ U, Tau, Mu, Weight float64 }

// Save draws the figure into path. A PNG has 1200×800 pixels. An extension other than .png, .svg
// and .pdf is an *invalid.Input.
func (f FitPlot) Save(path string) error {
	if len(f.Panels) == 0 {
		return fmt.Errorf("plot %s: nothing to draw", path)
	}
	return saveFigure(path, figureWidth, figureHeight, f.draw)
}

func (f FitPlot) draw(c draw.Canvas) {
	title, panels := f.Title, f.Panels
	if n := len(panels); n > MaxPanels {
		panels = panels[:MaxPanels]
		title = fmt.Sprintf("%s (first %d of %d functions)", title, MaxPanels, n)
	}
	panels = slices.Clone(panels)
	var work sync.WaitGroup
	for i, p := range panels {
		work.Go(func() { panels[i] = p.prepared() })
	}
	work.Wait()
	c = draw.Crop(c, 14, -20, 12, -14)
	c = drawHeading(c, title, legendOf(panels))

	plots, ys, xs := make([]*plot.Plot, len(panels)), map[string][]*plot.Axis{}, []*plot.Axis(nil)
	for i, p := range panels {
		if p.YLabel == "" {
			p.YLabel = f.YLabel
		}
		p.Title = panelTitle(p.Title, len(panels), c.Max.X-c.Min.X)
		plots[i] = p.plot(f.X, len(panels))
		ys[p.YLabel] = append(ys[p.YLabel], &plots[i].Y)
		xs = append(xs, &plots[i].X)
	}
	share(xs)
	for _, axes := range ys {
		share(axes)
	}
	drawPanels(c, plots)
}

// panelTitle breaks a title into lines that fit one of a number of panels, which share a width.
func panelTitle(title string, panels int, width vg.Length) string {
	const most = 3 // lines
	_, columns := panelGrid(panels)
	style, room := textStyle(titleSize), width/vg.Length(columns)-2*panelMargin
	lines := wrapped(title, style, room)
	if len(lines) > most {
		lines = append(lines[:most-1], lines[most-1]+" …")
	}
	for k, line := range lines {
		if style.Width(line) > room+panelMargin { // a long word
			lines[k] = shortened(line)
		}
	}
	return strings.Join(lines, "\n")
}

// share gives axes of one column the same range, unless that would leave one of them a quarter of its length.
func share(axes []*plot.Axis) {
	lo, hi, least := math.Inf(1), math.Inf(-1), math.Inf(1)
	for _, a := range axes {
		lo, hi, least = min(lo, a.Min), max(hi, a.Max), min(least, a.Max-a.Min)
	}
	if hi-lo > 4*least {
		return
	}
	for _, a := range axes {
		a.Min, a.Max = lo, hi
	}
}

// lettersOf returns the number of letters that fit an axis of a picture with a number of panels.
func lettersOf(panels int) int {
	switch {
	case panels < 2:
		return 100
	case panels < 5 && panels != 3:
		return 48
	}
	return 30
}

// panelGrid returns the rows and columns of panels: up to two side by side, up to six in two rows, more
// in rows of three.
func panelGrid(panels int) (rows, cols int) {
	switch {
	case panels <= 2:
		return 1, panels
	case panels <= MaxPanels:
		return 2, (panels + 1) / 2
	}
	return (panels + 2) / 3, 3
}

func drawPanels(c draw.Canvas, panels []*plot.Plot) {
	rows, cols := panelGrid(len(panels))
	grid := make([][]*plot.Plot, rows)
	for i := range grid {
		grid[i] = make([]*plot.Plot, cols)
	}
	for i, p := range panels {
		grid[i/cols][i%cols] = p
	}
	canvases := plot.Align(grid, draw.Tiles{Rows: rows, Cols: cols, PadX: 16, PadY: 14}, c)
	for i, p := range panels {
		p.Draw(canvases[i/cols][i%cols])
	}
}

// plot draws the parts of one panel of a picture with a number of panels. It draws a large context
// before the lines, which it would hide, and after the shading, which would hide it.
func (p Panel) plot(x Axis, panels int) *plot.Plot {
	fig := plot.New()
	style(fig)
	fig.Title.Text, fig.Y.Label.Text = p.Title, p.YLabel
	x.set(&fig.X, lettersOf(panels))
	fig.X.Min, fig.X.Max = x.around(p.xRange())
	fig.Y.Min, fig.Y.Max = p.low, p.high

	fig.Add(gridLines())
	shading := newShading(p.Grid, p.masses)
	if p.shaded() {
		fig.Add(shading)
	} else {
		fig.Add(dots{p.Targets, targetStyle})
	}
	cloud := len(p.Context) > cloudSize
	if cloud {
		fig.Add(dots{p.Context, cloudStyle})
	}
	if p.shaded() {
		if p.median {
			shading.addMedians(fig, x)
		}
		fig.Add(bars(p.Bars), dots{p.Targets, heldOutStyle(len(p.Targets))})
	}
	if n := len(p.Levels); p.gaussian() && n > 1 {
		fig.Add(band{p.quantile(0), p.quantile(n - 1)})
	}
	fig.Add(levelMarks{p.Grid})
	for k := range p.Levels {
		fig.Add(curve{p.quantile(k), quantileStyle})
	}
	if !p.shaded() {
		fig.Add(curve{p.line(func(q PredictedPoint) float64 { return q.Mean }), meanStyle})
	}
	if !cloud {
		fig.Add(dots{p.Context, contextStyle})
	}
	return fig
}

// shaded reports whether the panel has a density to shade.
func (p Panel) shaded() bool {
	return slices.ContainsFunc(p.Grid, func(q PredictedPoint) bool { return q.Density != nil })
}

// gaussian reports whether the panel has a mean and quantiles, without quantile levels.
func (p Panel) gaussian() bool {
	return !p.shaded() && !slices.ContainsFunc(p.Grid, func(q PredictedPoint) bool { return len(q.Components) > 0 })
}

// quantile returns the line of the k-th of Levels.
func (p Panel) quantile(k int) plotter.XYs {
	return p.line(func(q PredictedPoint) float64 { return q.Quantiles[k] })
}

// line returns a value along the grid.
func (p Panel) line(value func(PredictedPoint) float64) plotter.XYs {
	line := make(plotter.XYs, len(p.Grid))
	for i, q := range p.Grid {
		line[i] = plotter.XY{X: q.X, Y: value(q)}
	}
	return line
}

// xRange returns a range that covers all points and the grid.
func (p Panel) xRange() (lo, hi float64) {
	var xs []float64
	for _, set := range []plotter.XYs{p.Context, p.Targets} {
		for _, q := range set {
			xs = append(xs, q.X)
		}
	}
	for _, q := range p.Grid {
		xs = append(xs, q.X)
	}
	lo, hi = extremes(xs)
	return widen(lo, hi, 0.01)
}

// yRange returns a range that covers all points and the density, or the visible levels, except the outermost 1/200
// at either end. Means and quantiles can widen it by a quarter at either end. Beyond that they are
// cut off, because heavy tails would flatten the picture.
func (p Panel) yRange() (lo, hi float64) {
	data := append(ysOf(p.Context), ysOf(p.Targets)...)
	if p.shaded() {
		data = append(data, bars(p.Bars).ends()...)
		lo, hi = densityRange(data, p.Grid)
		return widen(lo, hi, 0.04)
	}
	var predicted []float64
	for _, q := range p.Grid {
		predicted = append(predicted, q.visible()...)
	}
	lo, hi = extremes(data)
	if len(predicted) > 0 {
		slices.Sort(predicted)
		edge := len(predicted) / 200
		lo = math.Min(lo, predicted[edge])
		hi = math.Max(hi, predicted[len(predicted)-1-edge])
	}
	if lo < hi {
		var lines []float64
		for _, q := range p.Grid {
			lines = append(append(lines, q.Mean), q.Quantiles...)
		}
		low, high := extremes(lines)
		slack := (hi - lo) / 4
		lo, hi = math.Min(lo, math.Max(low, lo-slack)), math.Max(hi, math.Min(high, hi+slack))
	}
	return widen(lo, hi, 0.04)
}

// visible returns the values that should be inside the panel: μ of the levels that have at least a
// tenth of the largest weight, or mean and quantiles if there are no levels.
func (q PredictedPoint) visible() []float64 {
	if len(q.Components) == 0 {
		return append([]float64{q.Mean}, q.Quantiles...)
	}
	var ys []float64
	heaviest := q.heaviest()
	for _, c := range q.Components {
		if c.Weight >= 0.1*heaviest && finite(c.Mu) {
			ys = append(ys, c.Mu)
		}
	}
	return ys
}

// heaviest returns the largest weight.
func (q PredictedPoint) heaviest() float64 {
	heaviest := 0.0
	for _, c := range q.Components {
		heaviest = math.Max(heaviest, c.Weight)
	}
	return heaviest
}

// extremes returns the least and the greatest finite value, or +Inf and −Inf if there is none.
func extremes(values []float64) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, v := range values {
		if finite(v) {
			lo, hi = math.Min(lo, v), math.Max(hi, v)
		}
	}
	return lo, hi
}

// widen adds a fraction of the range at either end. It returns a range around lo if lo = hi, and
// 0..1 if lo > hi.
func widen(lo, hi, fraction float64) (float64, float64) {
	if lo > hi {
		return 0, 1
	}
	if pad := (hi - lo) * fraction; pad > 0 {
		return lo - pad, hi + pad
	}
	pad := math.Max(0.5, math.Abs(lo)*0.1)
	return lo - pad, hi + pad
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

func compare(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}
