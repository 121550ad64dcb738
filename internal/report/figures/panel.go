package figures

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A Panel is one group, in raw units; what is empty is not drawn. Points with a Density are shaded: their
// highest-density regions, their median and quantiles. Bars are predictions where points differ in more than x, Marks
// what else there is along x.
type Panel struct {
	Title     string
	YLabel    string
	Context   plotter.XYs
	Targets   plotter.XYs      // true ones
	Grid      []PredictedPoint // along x, in any order
	Quantiles []float64        // levels, in (0, 1), of dashed lines
	Bars      []Bar            // instead of a grid
	Marks     []Mark
	YRange    []float64  // [lo, hi]; nil: it covers the data and most of the prediction
	masses    [3]float64 // of the regions; 0 for 50, 90 and 99%
	small     bool       // in a sheet
	median    bool       // is drawn; see prepared
	line      bool       // of probabilities; see probability
}

// A PredictedPoint is the predictive distribution at one x.
type PredictedPoint struct {
	X       float64
	Density Density // not drawn if it is nil
}

// A Mark is drawn above the targets of a panel.
type Mark struct {
	plot.Plotter
	Covers plotter.XYs // the panel has most of them, as far as two fifths of the data's range beyond it
	Entry  Entry       // of the legend
}

// prepared returns the panel along x with its grid in order, its range of y, and whether its medians are one
// curve.
func (p Panel) prepared(x Axis) Panel {
	p.Grid = slices.Clone(p.Grid)
	slices.SortStableFunc(p.Grid, func(a, b PredictedPoint) int { return cmp.Compare(a.X, b.X) })
	p = p.probability(x)
	if p.YRange == nil {
		lo, hi := p.covered()
		room := 0.03 * (hi - lo)
		lo, hi = widen(lo-room, hi+room)
		p.YRange = []float64{lo, hi}
	}
	p.median = p.shaded() && newShading(p.Grid, p.masses).oneCurve(p.YRange[0], p.YRange[1])
	return p
}

// plot draws the parts of a prepared panel. It draws a large context before the lines, which it would
// hide, and after the shading, which would hide it.
func (p Panel) plot(x Axis, letters int) *plot.Plot {
	fig := newPlot(x.Name, p.YLabel)
	if p.small {
		fig.X.Tick.Marker, fig.Y.Tick.Marker = fewTicks, fewTicks
	}
	fig.Title.Text = p.Title
	x.set(&fig.X, letters)
	fig.X.Min, fig.X.Max = x.around(p.xRange())
	fig.Y.Min, fig.Y.Max = p.YRange[0], p.YRange[1]

	cloud := dots{p.Context, p.context()}
	if len(p.Context) <= cloudSize {
		cloud.points = nil
	}
	if p.shaded() {
		shading := newShading(p.Grid, p.masses)
		fig.Add(shading, cloud)
		if p.median {
			shading.addMedians(fig, x)
		}
		fig.Add(dots{p.Targets, p.targets()})
		for _, level := range p.Quantiles {
			fig.Add(Curve{shading.quantile(level), quantileStyle})
		}
	} else {
		fig.Add(bars(p.Bars), dots{p.Targets, p.targets()}, cloud)
	}
	for _, m := range p.Marks {
		fig.Add(m)
	}
	if len(p.Context) <= cloudSize {
		fig.Add(dots{p.Context, p.context()})
	}
	return fig
}

// context returns the style of the context points.
func (p Panel) context() dotStyle {
	style := contextStyle
	if len(p.Context) > cloudSize {
		style = cloudStyle
	}
	return p.sized(style)
}

// targets returns the style of the targets: diamonds above a density, unless there are many.
func (p Panel) targets() dotStyle {
	style := targetStyle
	if p.shaded() || len(p.Bars) > 0 || p.line {
		if style = heldOutStyle; len(p.Targets) > cloudSize {
			style = heldOutCloud
		}
	}
	return p.sized(style)
}

// sized returns the style of dots in a panel of this size.
func (p Panel) sized(s dotStyle) dotStyle {
	if p.small {
		s.radius = max(0.6*s.radius, 1.2)
	}
	return s
}

// shaded reports whether the panel has a density to shade.
func (p Panel) shaded() bool {
	return slices.ContainsFunc(p.Grid, func(q PredictedPoint) bool { return q.Density != nil })
}

// xRange returns a range that covers all points, the grid and the marks.
func (p Panel) xRange() (lo, hi float64) {
	xs := append(xsOf(p.Context), xsOf(p.Targets)...)
	for _, q := range p.Grid {
		xs = append(xs, q.X)
	}
	for _, b := range p.Bars {
		xs = append(xs, b.X)
	}
	for _, m := range p.Marks {
		xs = append(xs, xsOf(m.Covers)...)
	}
	return extremes(xs)
}

// covered returns a range of y that covers all points and the density, or the marks, except the outermost 1% at
// either end. Marks can widen the range of the data by two fifths at either end, and bars by twenty times it, as around two
// known points. Beyond that they are cut off, because heavy tails would flatten the picture.
func (p Panel) covered() (lo, hi float64) {
	data := append(ysOf(p.Context), ysOf(p.Targets)...)
	if p.shaded() {
		return densityRange(data, p.Grid)
	}
	marked, lengths := bars(p.Bars).ends(), 0.4
	if marked != nil {
		lengths = 20
	}
	for _, m := range p.Marks {
		marked = append(marked, ysOf(m.Covers)...)
	}
	lo, hi = extremes(data)
	return widened(lo, hi, trimmed(marked, 0.01), trimmed(marked, 0.99), lengths)
}

// xsOf returns the x of points.
func xsOf(points plotter.XYs) []float64 {
	v := make([]float64, len(points))
	for i, q := range points {
		v[i] = q.X
	}
	return v
}

// ysOf returns the y of points.
func ysOf(points plotter.XYs) []float64 {
	v := make([]float64, len(points))
	for i, q := range points {
		v[i] = q.Y
	}
	return v
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

// widen adds a little to a range at either end, as much as shadings fill. It returns a range around lo if lo = hi,
// and 0..1 if lo > hi.
func widen(lo, hi float64) (float64, float64) {
	if lo > hi {
		return 0, 1
	}
	pad := (hi - lo) * strip
	if pad == 0 {
		pad = math.Max(0.5, math.Abs(lo)*0.1)
	}
	return lo - pad, hi + pad
}

// trimmed returns the value at a share of the sorted finite values, or NaN if there is none.
func trimmed(values []float64, share float64) float64 {
	values = slices.DeleteFunc(slices.Clone(values), func(v float64) bool { return !finite(v) })
	if len(values) == 0 {
		return math.NaN()
	}
	slices.Sort(values)
	return values[int(math.Round(share*float64(len(values)-1)))]
}

// widened extends the range from lo to hi to least and greatest, on each side by at most a multiple of
// its length. A range without a length, of no data or of equal data, is extended by any amount.
func widened(lo, hi, least, greatest, lengths float64) (float64, float64) {
	if !(least <= greatest) {
		return lo, hi
	}
	if slack := lengths * (hi - lo); slack > 0 {
		least, greatest = max(least, lo-slack), min(greatest, hi+slack)
	}
	return min(lo, least), max(hi, greatest)
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// newPlot returns an empty plot with labels, a grid, and the fonts, colours and ticks of all figures.
func newPlot(x, y string) *plot.Plot {
	p := plot.New()
	p.X.Label.Text, p.Y.Label.Text = x, y
	p.Title.TextStyle.Font, p.Title.TextStyle.Color, p.Title.Padding = sans(titleSize), ink, 6
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Label.TextStyle.Font, a.Label.TextStyle.Color, a.Label.Padding = sans(titleSize), ink, 4
		a.Tick.Label.Font, a.Tick.Label.Color = sans(12), ink
		a.Color, a.Tick.Color = ink, ink
		a.Width, a.Tick.Width = 0.8, 0.8
		a.Padding = 0
		a.Tick.Marker = manyTicks
	}
	g := plotter.NewGrid()
	g.Horizontal = draw.LineStyle{Color: pale, Width: 0.6}
	g.Vertical = g.Horizontal
	p.Add(g)
	return p
}

// titleSize is the size of the font of a panel's title and labels.
const titleSize = vg.Length(14)
