package figures

import (
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/acqnp/acqnp/internal/datasets/rows"
	"github.com/acqnp/acqnp/internal/fit/answer"
	"github.com/acqnp/acqnp/internal/fit/effects"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/invalid/warning"
	"github.com/acqnp/acqnp/internal/likelihood"
)

// Effects shows what predictions of a fit do along each column of x.
type Effects struct {
	Fit    answer.Predictor
	Panels [][]EffectPanel // of each column of y
}

// An EffectPanel is an effect and the title of its panel.
type EffectPanel struct {
	effects.Effect
	Title string
}

// mostEffects bounds the panels of a figure.
const mostEffects = 24

// Save draws the figure into path. The format follows from the extension.
func (f Effects) Save(path string, w *warning.Record) error {
	columns, perRow := f.shape()
	height := panelShape*f.panelWidth(perRow)*vg.Length(len(f.Panels)*((columns+perRow-1)/perRow)) + 150
	return Save(path, w, max(f.panelWidth(perRow)*vg.Length(perRow)+60, 620), height, f.draw)
}

// shape returns how many columns of x are shown for each of y, and how many stand side by side.
func (f Effects) shape() (columns, perRow int) {
	columns = min(len(f.Panels[0]), max(1, mostEffects/len(f.Panels)))
	switch {
	case columns <= 3:
		perRow = columns
	case columns == 4:
		perRow = 2
	case columns <= 9:
		perRow = 3
	default:
		perRow = 4
	}
	return columns, perRow
}

// panelWidth returns the width of a panel.
func (f Effects) panelWidth(perRow int) vg.Length {
	return max(leastPanel, min(largestPanel, sheetWidth/vg.Length(perRow)))
}

func (f Effects) draw(c draw.Canvas) {
	columns, perRow := f.shape()
	c = draw.Crop(c, 14, -20, 12, -14)
	c = Heading(c, f.Fit.About().Question, f.legend())
	for _, line := range wrapped(f.note(columns), TextStyle(13), c.Size().X-8) {
		c.FillText(TextStyle(13), vg.Point{X: c.Min.X + 4, Y: c.Max.Y}, line)
		c.Max.Y -= TextStyle(13).Height("Xg") + 3
	}
	c.Max.Y -= 10
	var plots []*plot.Plot
	for c, panels := range f.Panels {
		lo, hi := math.Inf(1), math.Inf(-1)
		for _, p := range panels[:columns] {
			for _, q := range p.Points {
				low, high := p.ends(q)
				lo, hi = min(lo, low), max(hi, high)
			}
		}
		y := Axis{LabelOf(f.Fit.About(), c), rows.Form{}, panels[0].Scale == likelihood.LogY}
		lo, hi = y.around(lo, hi)
		for i, p := range panels[:columns] {
			one := p.plot(AxisOf(f.Fit.About(), p.X), lettersOf(perRow))
			y.set(&one.Y, lettersOf(perRow))
			if one.Y.Min, one.Y.Max = lo, hi; i%perRow > 0 {
				one.Y.Label.Text = ""
			}
			one.Title.Text = panelTitle(p.Title, f.panelWidth(perRow))
			plots = append(plots, one)
		}
		for len(plots)%perRow > 0 && c < len(f.Panels)-1 {
			plots = append(plots, nil)
		}
	}
	drawPlots(c, plots, perRow)
}

// ends returns those of what is drawn at a point.
func (p EffectPanel) ends(q effects.Point) (low, high float64) {
	if p.Two {
		low, _, high = p.Band(q)
		return low, high
	}
	return q.Quantiles[0], q.Quantiles[4]
}

// note says what the panels show.
func (f Effects) note(columns int) string {
	text := fmt.Sprintf("A %s, averaged over %s of the data in which the column alone is changed. Above each panel: nats of log density that are lost if the column is shuffled.",
		f.Fit.Unit(), invalid.Plural(min(f.Fit.Rows, effects.Rows), "row", "rows"))
	if slices.ContainsFunc(f.Panels, func(panels []EffectPanel) bool { return panels[0].Two }) {
		text += " Where y has two values, the effect is the probability of the upper one."
	}
	if all := len(f.Panels[0]); columns < all {
		text += fmt.Sprintf(" These are the %d of %d columns that lose most.", columns, all)
	}
	return text
}

// legend returns the entries of what is drawn.
func (f Effects) legend() []Entry {
	tenths, intervals := false, false
	for _, panels := range f.Panels {
		for _, p := range panels {
			tenths, intervals = tenths || p.Tenths != nil, intervals || !p.Two
		}
	}
	all := []Entry{{"effect, with its error (90%)", lineWidth, effectThumb}}
	if intervals {
		all = append(all, ScaleEntry("50%", 4.5, []color.NRGBA{halfColours[1], halfColours[1]}), ScaleEntry("90%", 4.5, []color.NRGBA{mostColours[1], mostColours[1]}))
	}
	if tenths {
		all = append(all, Entry{"tenths of the rows", lineWidth, func(c *draw.Canvas) {
			for i := range 3 {
				x := c.Min.X + c.Size().X*vg.Length(i+1)/4
				c.StrokeLine2(tenthStyle, x, c.Center().Y-3, x, c.Center().Y+3)
			}
		}})
	}
	return all
}

var tenthStyle = draw.LineStyle{Color: ink, Width: 1}

// plot draws an effect along an axis: bands along numbers, bars at names and where the cell is missing.
func (p EffectPanel) plot(x Axis, letters int) *plot.Plot {
	fig := newPlot("", "")
	fig.X.Tick.Marker, fig.Y.Tick.Marker = fewTicks, fewTicks
	points, missing := p.Points, p.Points[len(p.Points)-1]
	if math.IsNaN(missing.X) {
		points = points[:len(points)-1]
	}
	if names := x.Form.Categories; names != nil {
		if len(points) < len(p.Points) {
			x.Form.Categories, missing.X = append(slices.Clone(names), missingLabel), float64(len(names))
			points = append(slices.Clone(points), missing)
		}
		x.set(&fig.X, letters)
		fig.X.Tick.Marker = inTurns{nameTicks{x.Form.Categories, letters}}
		fig.X.Min, fig.X.Max = x.around(0, float64(len(points)-1))
		fig.Add(effectBars{p.Effect, points})
		return fig
	}
	x.set(&fig.X, letters)
	fig.X.Min, fig.X.Max = points[0].X, points[len(points)-1].X
	if len(points) <= 2 { // a constant, or a column of 0 and 1
		room := 0.4 * (fig.X.Max - fig.X.Min)
		if fig.X.Min, fig.X.Max = widen(fig.X.Min-room, fig.X.Max+room); room > 0 {
			fig.X.Scale, fig.X.Tick.Marker = plot.LinearScale{}, plot.ConstantTicks{{Value: points[0].X, Label: x.Form.Text(points[0].X)}, {Value: points[1].X, Label: x.Form.Text(points[1].X)}}
		}
		fig.Add(effectBars{p.Effect, points})
	} else {
		of := func(value func(q effects.Point) float64) (line plotter.XYs) {
			for _, q := range points {
				line = append(line, plotter.XY{X: q.X, Y: value(q)})
			}
			return line
		}
		quantile := func(k int) plotter.XYs { return of(func(q effects.Point) float64 { return q.Quantiles[k] }) }
		centre := of(func(q effects.Point) float64 { _, v, _ := p.Band(q); return v })
		if !p.Two {
			fig.Add(band{quantile(0), quantile(4), mostColours[1]}, band{quantile(1), quantile(3), halfColours[1]})
		}
		fig.Add(band{of(func(q effects.Point) float64 { v, _, _ := p.Band(q); return v }), of(func(q effects.Point) float64 { _, _, v := p.Band(q); return v }), effectColour},
			Curve{centre, casingStyle}, Curve{centre, medianStyle})
	}
	fig.Add(tenths(p.Tenths))
	if len(points) < len(p.Points) {
		fig.Add(effectBars{p.Effect, []effects.Point{besideNumbers(fig, missing)}})
	}
	return fig
}

// inTurns writes names that do not fit into one line in two, by turns.
type inTurns struct{ nameTicks }

// Ticks implements plot.Ticker.
func (n inTurns) Ticks(lo, hi float64) []plot.Tick {
	one := n.nameTicks.Ticks(lo, hi)
	n.letters *= 2
	two := n.nameTicks.Ticks(lo, hi)
	if len(two) == len(one) {
		return one
	}
	for i := range two {
		if i%2 == 0 {
			two[i].Label += "\n "
		} else {
			two[i].Label = " \n" + two[i].Label
		}
	}
	return two
}

const missingLabel = "missing"

// besideNumbers returns a point at the right of a plot's range, which it widens: a tick names it.
func besideNumbers(fig *plot.Plot, q effects.Point) effects.Point {
	at := func(share float64) float64 {
		if isLog(&fig.X) {
			return fig.X.Max * math.Pow(fig.X.Max/fig.X.Min, share)
		}
		return fig.X.Max + share*(fig.X.Max-fig.X.Min)
	}
	q.X = at(0.17)
	fig.X.Tick.Marker = withMissing{fig.X.Tick.Marker, fig.X.Max, q.X}
	fig.X.Max = at(0.3)
	return q
}

// withMissing adds a tick for missing cells to those up to most.
type withMissing struct {
	plot.Ticker
	most, at float64
}

// Ticks implements plot.Ticker.
func (m withMissing) Ticks(lo, _ float64) []plot.Tick {
	return append(m.Ticker.Ticks(lo, m.most), plot.Tick{Value: m.at, Label: missingLabel})
}

// effectColour is that of the error of an effect.
var effectColour = color.NRGBA{R: 0xf2, G: 0x9e, B: 0x1f, A: 0xc0}

// effectThumb draws a sample of an effect with its error.
func effectThumb(c *draw.Canvas) {
	y := c.Center().Y
	bar := within(*c, c.Min.X, y-4, c.Max.X, y+4)
	fillBox(&bar, effectColour)
	c.StrokeLine2(medianStyle, c.Min.X, y, c.Max.X, y)
}

// effectBars draws quantiles as bars, with the effect and its error.
type effectBars struct {
	effects.Effect
	points []effects.Point
}

// Plot implements plot.Plotter.
func (b effectBars) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	bars := []struct {
		lo, hi int
		draw.LineStyle
	}{{0, 4, draw.LineStyle{Color: mostColours[1], Width: 9}}, {1, 3, draw.LineStyle{Color: halfColours[1], Width: 9}}}
	if b.Two {
		bars = nil
	}
	for _, q := range b.points {
		for _, bar := range bars {
			c.StrokeLine2(bar.LineStyle, x(q.X), y(q.Quantiles[bar.lo]), x(q.X), y(q.Quantiles[bar.hi]))
		}
		low, centre, high := b.Band(q)
		c.StrokeLine2(draw.LineStyle{Color: effectColour, Width: 5}, x(q.X), y(low), x(q.X), y(high))
		c.StrokeLine2(medianStyle, x(q.X)-7, y(centre), x(q.X)+7, y(centre))
	}
}

// tenths draws the ends of the tenths of the data at the bottom.
type tenths []float64

// Plot implements plot.Plotter.
func (t tenths) Plot(c draw.Canvas, p *plot.Plot) {
	x, _ := p.Transforms(&c)
	for _, v := range t {
		c.StrokeLine2(tenthStyle, x(v), c.Min.Y, x(v), c.Min.Y+6)
	}
}
