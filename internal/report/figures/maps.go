package figures

import (
	"fmt"
	"image"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A MapPlot shows predictions for x of two columns. It has a row for each function and channel of y,
// with two maps over x: the median, and the width of the central 90% interval.
type MapPlot struct {
	Title string
	X, Y  Axis // the two columns of x
	Rows  []MapRow
}

// A MapRow is one channel of y of one function, in raw units.
type MapRow struct {
	Title         string
	Channel       string    // the name of y
	Columns, Rows []float64 // the coordinates of the predictions, ascending
	Median, Width []float64 // [rows, columns]
	Context, Held []Place
}

// A Place is a point of x with its y.
type Place struct{ X1, X2, Y float64 }

const mapRowHeight = vg.Length(290)

// Save draws the figure into path. The format follows from the extension.
func (f MapPlot) Save(path string) error {
	if len(f.Rows) == 0 {
		return fmt.Errorf("plot %s: nothing to draw", path)
	}
	return saveFigure(path, figureWidth, vg.Length(len(f.Rows))*mapRowHeight+70, f.draw)
}

func (f MapPlot) draw(c draw.Canvas) {
	c = draw.Crop(c, 14, -14, 12, -14)
	c = drawHeading(c, f.Title, f.legend())
	medians, widths := map[string]scale{}, map[string]scale{} // of each channel
	for _, r := range f.Rows {
		medians[r.Channel] = medians[r.Channel].covering(viridisColour, r.Median, ysOfPlaces(r.Context), ysOfPlaces(r.Held))
		widths[r.Channel] = widths[r.Channel].covering(widthColour, r.Width, []float64{0})
	}
	const bar = vg.Length(74) // colours and their labels
	half, height := (c.Max.X-c.Min.X)/2, (c.Max.Y-c.Min.Y)/vg.Length(len(f.Rows))
	var maps [][]*plot.Plot
	var frames [][]draw.Canvas
	for i, r := range f.Rows {
		top := c.Max.Y - vg.Length(i)*height
		var row []*plot.Plot
		var canvases []draw.Canvas
		for k, m := range []heat{{r, r.Median, medians[r.Channel]}, {r, r.Width, widths[r.Channel]}} {
			left := c.Min.X + vg.Length(k)*half
			area := draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{
				Min: vg.Point{X: left, Y: top - height + 8}, Max: vg.Point{X: left + half - bar, Y: top}}}
			row, canvases = append(row, f.panel(m, k == 0)), append(canvases, area)
		}
		maps, frames = append(maps, row), append(frames, canvases)
	}
	for i, row := range maps {
		for k, p := range row {
			p.Draw(frames[i][k])
			s, data := medians[f.Rows[i].Channel], p.DataCanvas(frames[i][k])
			if k == 1 {
				s = widths[f.Rows[i].Channel]
			}
			s.drawBar(draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{
				Min: vg.Point{X: data.Max.X + 12, Y: data.Min.Y}, Max: vg.Point{X: data.Max.X + 26, Y: data.Max.Y}}})
		}
	}
}

// panel returns the map of the medians, or of the widths.
func (f MapPlot) panel(m heat, median bool) *plot.Plot {
	p := plot.New()
	style(p)
	function := ""
	if m.row.Title != "" { // rows of no function have no name
		function = shortened(m.row.Title) + ": "
	}
	p.X.Tick.Marker, p.Y.Tick.Marker = fewTicks{}, fewTicks{}
	f.X.set(&p.X, lettersOf(2))
	f.Y.set(&p.Y, 60)
	p.X.Min, p.X.Max = mapRange(m.row.Columns)
	p.Y.Min, p.Y.Max = mapRange(m.row.Rows)
	p.Add(m)
	if median {
		p.Title.Text = function + "median of " + m.row.Channel
		p.Add(valueDots{m.row.Held, m.scale, true}, valueDots{m.row.Context, m.scale, false})
		return p
	}
	p.Title.Text = function + "width of the 90% interval"
	p.Add(dots{placesOf(m.row.Context), mapDot(len(m.row.Context))})
	return p
}

// mapRange returns the range of a map's coordinates: half a cell beyond the first and the last.
func mapRange(at []float64) (lo, hi float64) {
	if len(at) < 2 {
		lo, hi = extremes(at)
		return widen(lo, hi, 0)
	}
	half := (at[len(at)-1] - at[0]) / float64(len(at)-1) / 2
	return at[0] - half, at[len(at)-1] + half
}

func (f MapPlot) legend() []legendEntry {
	context, held := 0, 0
	for _, r := range f.Rows {
		context, held = max(context, len(r.Context)), max(held, len(r.Held))
	}
	var entries []legendEntry
	sample := func(diamond bool) func(*draw.Canvas) {
		return func(c *draw.Canvas) { drawValueDot(c, c.Center(), viridisColour(0.75), 3.4, diamond) }
	}
	if context > 0 {
		entries = append(entries, legendEntry{"context (left: in the colour of its y)", dotThumb, sample(false)})
	}
	if held > 0 {
		entries = append(entries, legendEntry{"held-out targets (in the colour of their y)", dotThumb, sample(true)})
	}
	return entries
}

// A heat is one map: numbers at the coordinates of a row, coloured by a scale.
type heat struct {
	row    MapRow
	values []float64
	scale  scale
}

// Plot implements plot.Plotter. It draws one image whose pixels lie between the predictions.
func (h heat) Plot(c draw.Canvas, _ *plot.Plot) {
	const finer = 5 // pixels for each prediction, at either axis
	columns, rows := len(h.row.Columns), len(h.row.Rows)
	img := image.NewNRGBA(image.Rect(0, 0, columns*finer, rows*finer))
	at := func(i, j int) float64 { return h.values[min(max(j, 0), rows-1)*columns+min(max(i, 0), columns-1)] }
	for y := range rows * finer {
		v := (float64(y)+0.5)/finer - 0.5
		j, below := int(math.Floor(v)), v-math.Floor(v)
		for x := range columns * finer {
			u := (float64(x)+0.5)/finer - 0.5
			i, left := int(math.Floor(u)), u-math.Floor(u)
			low, high := at(i, j)*(1-left)+at(i+1, j)*left, at(i, j+1)*(1-left)+at(i+1, j+1)*left
			img.SetNRGBA(x, rows*finer-1-y, h.scale.colour(low*(1-below)+high*below))
		}
	}
	c.DrawImage(c.Rectangle, img)
}

// valueDots draws points in the colours of their y.
type valueDots struct {
	places  []Place
	scale   scale
	diamond bool
}

// Plot implements plot.Plotter.
func (d valueDots) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	radius := mapDot(len(d.places)).radius
	for i, q := range d.places {
		if pt := (vg.Point{X: x(q.X1), Y: y(q.X2)}); i < rasterDots && c.Contains(pt) {
			drawValueDot(&c, pt, d.scale.colour(q.Y), radius, d.diamond)
		}
	}
}

// drawValueDot draws a dot with a dark and a white edge, which sets it apart from any colour.
func drawValueDot(c *draw.Canvas, pt vg.Point, fill color.NRGBA, radius vg.Length, diamond bool) {
	if diamond {
		dotStyle{color: fill, radius: radius * 1.4, ringed: true, diamond: true}.draw(c, pt)
		return
	}
	dotStyle{color: color.White, radius: radius + 1.4}.draw(c, pt)
	dotStyle{color: ink, radius: radius + 0.7}.draw(c, pt)
	dotStyle{color: fill, radius: radius}.draw(c, pt)
}

// mapDot returns the style of n points on a map.
func mapDot(n int) dotStyle {
	s := contextStyle
	switch {
	case n > cloudSize:
		s.radius, s.ringed = 1.4, false
	case n > 40:
		s.radius = 2.2
	default:
		s.radius = 3
	}
	return s
}

func placesOf(places []Place) plotter.XYs {
	points := make(plotter.XYs, len(places))
	for i, q := range places {
		points[i] = plotter.XY{X: q.X1, Y: q.X2}
	}
	return points
}

func ysOfPlaces(places []Place) []float64 {
	v := make([]float64, len(places))
	for i, q := range places {
		v[i] = q.Y
	}
	return v
}

// A scale gives numbers colours. Values outside have the colour of the nearest end.
type scale struct {
	lo, hi float64
	of     func(share float64) color.NRGBA // nil for a scale that covers nothing
}

// covering returns a scale with these colours that covers what s does and almost all numbers of each
// set: 1 % at either end may lie outside.
func (s scale) covering(of func(share float64) color.NRGBA, sets ...[]float64) scale {
	var ends []float64
	for _, set := range sets {
		ends = append(ends, trimmed(set, 0.01), trimmed(set, 0.99))
	}
	if s.of != nil {
		ends = append(ends, s.lo, s.hi)
	}
	lo, hi := extremes(ends)
	if lo > hi {
		lo, hi = 0, 1
	}
	return scale{lo, hi, of}
}

func (s scale) colour(v float64) color.NRGBA {
	if !(s.lo < s.hi) {
		return s.of(0.5)
	}
	return s.of((v - s.lo) / (s.hi - s.lo))
}

// drawBar draws the colours, and ticks at their right.
func (s scale) drawBar(c draw.Canvas) {
	const steps = 128
	img := image.NewNRGBA(image.Rect(0, 0, 1, steps))
	for i := range steps {
		img.SetNRGBA(0, steps-1-i, s.of((float64(i)+0.5)/steps))
	}
	c.DrawImage(c.Rectangle, img)
	c.StrokeLines(draw.LineStyle{Color: ink, Width: 0.6}, []vg.Point{c.Min, {X: c.Max.X, Y: c.Min.Y}, c.Max, {X: c.Min.X, Y: c.Max.Y}, c.Min})
	label := textStyle(12)
	label.YAlign = draw.YCenter
	lo, hi := s.lo, s.hi
	if !(lo < hi) {
		lo, hi = widen(lo, hi, 0)
	}
	for _, t := range ticks(lo, hi, maxFewTicks) {
		at := c.Min.Y + (c.Max.Y-c.Min.Y)*vg.Length((t.Value-lo)/(hi-lo))
		c.StrokeLine2(draw.LineStyle{Color: ink, Width: 0.8}, c.Max.X, at, c.Max.X+4, at)
		c.FillText(label, vg.Point{X: c.Max.X + 7, Y: at}, t.Label)
	}
}

// viridisColour returns the colour of a share of the whole scale viridis.
func viridisColour(share float64) color.NRGBA {
	if share > 0.8 {
		return mix([2]color.NRGBA{viridis[len(viridis)-1], {0xfd, 0xe7, 0x25, 0xff}}, min((share-0.8)/0.2, 1))
	}
	return gradient(viridis, share/0.8)
}

// widthColour returns the colour of a share of a scale that grows from white to dark blue.
func widthColour(share float64) color.NRGBA {
	return gradient([]color.NRGBA{{0xff, 0xff, 0xff, 0xff}, {0xc6, 0xdb, 0xef, 0xff}, {0x6b, 0xae, 0xd6, 0xff}, {0x21, 0x71, 0xb5, 0xff}, {0x08, 0x30, 0x6b, 0xff}}, share)
}
