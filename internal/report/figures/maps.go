package figures

import (
	"context"
	"fmt"
	"image"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/acqnp/acqnp/internal/invalid/warning"
	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/predict"
)

// A MapPlot shows predictions for x of two columns. It has a row for each group and channel of y,
// with two maps over x: the median, and the width of the central 90% interval.
type MapPlot struct {
	Title string
	X, Y  Axis // the two columns of x
	Rows  []MapRow
}

// A MapRow is one channel of y of one group, in raw units.
type MapRow struct {
	Title         string
	Channel       string       // the name of y
	Columns, Rows []float64    // the coordinates of the predictions, ascending
	Median, Width []float64    // [rows, columns]
	Context, Held plotter.XYZs // points of x with their y as Z
}

const (
	mapSide      = 48  // predictions along each column of x of a map
	mapLevels    = 100 // the largest number of levels or bootstraps
	mapRowHeight = vg.Length(290)
)

// mapRows returns the maps of the subjects along two columns of x, one for each channel.
func mapRows(ctx context.Context, p predict.Predictor, v view, subjects []Subject, o Options) ([]MapRow, error) {
	corrections := o.corrections(subjects, len(v.units.YNames))
	questions, dy := make([]points.Question, len(subjects)), len(v.units.YNames)
	rows := make([]MapRow, len(subjects)*dy)
	for i, s := range subjects {
		questions[i] = s.Question
		first, second := v.axis(0).covering(v.shown(s, subjects, 0), mapSide), v.axis(1).covering(v.shown(s, subjects, 1), mapSide)
		fixed := s.fixed()
		questions[i].Targets = points.Points{DX: len(v.units.XNames)}
		x := &questions[i].Targets.X
		for _, b := range second {
			for _, a := range first {
				*x = v.at(*x, fixed, a, b)
			}
		}
		for c := range dy {
			rows[i*dy+c] = MapRow{Title: v.title(s), Channel: v.units.YNames[c], Columns: first, Rows: second,
				Context: v.places(s.Known, c), Held: v.places(s.Held, c)}
		}
	}
	for target, err := range predict.Sketch(ctx, p, mapLevels, questions) {
		if err != nil {
			return nil, err
		}
		for c, d := range target.Channels {
			r := &rows[target.Group*dy+c]
			levels := corrections[target.Group*dy+c].bars
			r.Median = append(r.Median, d.Quantile(levels[2]))
			r.Width = append(r.Width, d.Quantile(levels[4])-d.Quantile(levels[0]))
		}
	}
	return slices.DeleteFunc(rows, func(r MapRow) bool { return len(r.Median) == 0 }), nil
}

// places returns points along the axes with one channel of y.
func (v view) places(p points.Points, channel int) plotter.XYZs {
	first, second := v.along(p, 0), v.along(p, 1)
	all := make(plotter.XYZs, 0, len(first))
	for i := range first {
		if finite(first[i]) && finite(second[i]) { // a point whose x is missing has no place
			all = append(all, plotter.XYZ{X: first[i], Y: second[i], Z: p.RowY(i)[channel]})
		}
	}
	return all
}

// Save draws the figure into path. The format follows from the extension.
func (f MapPlot) Save(path string, w *warning.Record) error {
	if len(f.Rows) == 0 {
		return fmt.Errorf("plot %s: nothing to draw", path)
	}
	return Save(path, w, figureWidth, vg.Length(len(f.Rows))*mapRowHeight+70, f.draw)
}

func (f MapPlot) draw(c draw.Canvas) {
	c = draw.Crop(c, 14, -14, 12, -14)
	c = Heading(c, f.Title, f.legend())
	medians, widths := map[string]scale{}, map[string]scale{} // of each channel
	for _, r := range f.Rows {
		medians[r.Channel] = medians[r.Channel].covering(fullViridis, r.Median, zsOf(r.Context), zsOf(r.Held))
		widths[r.Channel] = widths[r.Channel].covering(blues, r.Width, []float64{0})
	}
	const bar = vg.Length(74) // colours and their labels
	half, height := (c.Max.X-c.Min.X)/2, (c.Max.Y-c.Min.Y)/vg.Length(len(f.Rows))
	for i, r := range f.Rows {
		top := c.Max.Y - vg.Length(i)*height
		for k, m := range []heat{{r, r.Median, medians[r.Channel]}, {r, r.Width, widths[r.Channel]}} {
			left := c.Min.X + vg.Length(k)*half
			area := within(c, left, top-height+8, left+half-bar, top)
			p := f.panel(m, k == 0)
			p.Draw(area)
			data := p.DataCanvas(area)
			m.scale.drawBar(within(c, data.Max.X+12, data.Min.Y, data.Max.X+26, data.Max.Y))
		}
	}
}

// within returns a part of a canvas.
func within(c draw.Canvas, left, bottom, right, top vg.Length) draw.Canvas {
	return draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{Min: vg.Point{X: left, Y: bottom}, Max: vg.Point{X: right, Y: top}}}
}

// panel returns the map of the medians, or of the widths.
func (f MapPlot) panel(m heat, median bool) *plot.Plot {
	p := newPlot("", "")
	group := ""
	if m.row.Title != "" { // rows of no group have no name
		group = shortened(m.row.Title, longestTitle) + ": "
	}
	p.X.Tick.Marker, p.Y.Tick.Marker = fewTicks, fewTicks
	f.X.set(&p.X, lettersOf(2))
	f.Y.set(&p.Y, 60)
	p.X.Min, p.X.Max = f.X.mapRange(m.row.Columns)
	p.Y.Min, p.Y.Max = f.Y.mapRange(m.row.Rows)
	p.Add(m)
	if median {
		p.Title.Text = group + "median of " + m.row.Channel
		p.Add(valueDots{m.row.Held, m.scale, true}, valueDots{m.row.Context, m.scale, false})
		return p
	}
	p.Title.Text = group + "width of the 90% interval"
	p.Add(dots{plotter.XYs(xysOf(m.row.Context)), mapDot(len(m.row.Context))})
	return p
}

// xysOf returns the x of places.
func xysOf(places plotter.XYZs) (all plotter.XYs) {
	for _, q := range places {
		all = append(all, plotter.XY{X: q.X, Y: q.Y})
	}
	return all
}

// zsOf returns the y of places.
func zsOf(places plotter.XYZs) (all []float64) {
	for _, q := range places {
		all = append(all, q.Z)
	}
	return all
}

// mapRange returns the range of a map's coordinates: half a cell beyond the first and the last.
func (a Axis) mapRange(at []float64) (lo, hi float64) {
	if len(at) < 2 {
		return a.around(extremes(at))
	}
	if a.Log {
		half := math.Sqrt(at[1] / at[0])
		return at[0] / half, at[len(at)-1] * half
	}
	half := (at[len(at)-1] - at[0]) / float64(len(at)-1) / 2
	return at[0] - half, at[len(at)-1] + half
}

func (f MapPlot) legend() (entries []Entry) {
	sample := fullViridis[3]
	if slices.ContainsFunc(f.Rows, func(r MapRow) bool { return len(r.Context) > 0 }) {
		entries = append(entries, dotEntry("known points (left: in the colour of their y)", valueDot(sample, 3.4, false)))
	}
	if slices.ContainsFunc(f.Rows, func(r MapRow) bool { return len(r.Held) > 0 }) {
		entries = append(entries, dotEntry("held-out targets (in the colour of their y)", valueDot(sample, 3.4, true)))
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
	places  plotter.XYZs
	scale   scale
	diamond bool
}

// Plot implements plot.Plotter.
func (d valueDots) Plot(c draw.Canvas, p *plot.Plot) {
	for _, q := range d.places[:min(len(d.places), rasterDots)] {
		style := valueDot(d.scale.colour(q.Z), mapDot(len(d.places)).radius, d.diamond)
		dots{plotter.XYs{{X: q.X, Y: q.Y}}, style}.Plot(c, p)
	}
}

// valueDot returns a dot whose edges set it apart from any colour.
func valueDot(fill color.Color, radius vg.Length, diamond bool) dotStyle {
	if diamond {
		radius *= 1.4
	}
	return dotStyle{color: fill, radius: radius, diamond: diamond, ringed: true, edged: true}
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

// A scale gives numbers colours. Values outside have the colour of the nearest end.
type scale struct {
	lo, hi  float64
	colours []color.NRGBA // nil for a scale that covers nothing
}

// fullViridis is the colour scale of this name. blues grow from white to dark blue.
var (
	fullViridis = append(slices.Clone(Viridis), color.NRGBA{0xfd, 0xe7, 0x25, 0xff})
	blues       = []color.NRGBA{
		{0xff, 0xff, 0xff, 0xff}, {0xc6, 0xdb, 0xef, 0xff}, {0x6b, 0xae, 0xd6, 0xff}, {0x21, 0x71, 0xb5, 0xff}, {0x08, 0x30, 0x6b, 0xff},
	}
)

// covering returns a scale with these colours that covers what s does and almost all numbers of each
// set: 1 % at either end may lie outside.
func (s scale) covering(colours []color.NRGBA, sets ...[]float64) scale {
	var ends []float64
	for _, set := range sets {
		ends = append(ends, trimmed(set, 0.01), trimmed(set, 0.99))
	}
	if s.colours != nil {
		ends = append(ends, s.lo, s.hi)
	}
	lo, hi := extremes(ends)
	if lo > hi {
		lo, hi = 0, 1
	}
	return scale{lo, hi, colours}
}

func (s scale) colour(v float64) color.NRGBA {
	if !(s.lo < s.hi) {
		return Gradient(s.colours, 0.5)
	}
	return Gradient(s.colours, (v-s.lo)/(s.hi-s.lo))
}

// drawBar draws the colours, and ticks at their right.
func (s scale) drawBar(c draw.Canvas) {
	const steps = 128
	img := image.NewNRGBA(image.Rect(0, 0, 1, steps))
	for i := range steps {
		img.SetNRGBA(0, steps-1-i, Gradient(s.colours, (float64(i)+0.5)/steps))
	}
	c.DrawImage(c.Rectangle, img)
	c.StrokeLines(draw.LineStyle{Color: ink, Width: 0.6}, []vg.Point{c.Min, {X: c.Max.X, Y: c.Min.Y}, c.Max, {X: c.Min.X, Y: c.Max.Y}, c.Min})
	label := TextStyle(12)
	label.YAlign = draw.YCenter
	lo, hi := s.lo, s.hi
	if !(lo < hi) {
		lo, hi = widen(lo, hi)
	}
	for _, t := range fewTicks.Ticks(lo, hi) {
		at := c.Min.Y + (c.Max.Y-c.Min.Y)*vg.Length((t.Value-lo)/(hi-lo))
		c.StrokeLine2(draw.LineStyle{Color: ink, Width: 0.8}, c.Max.X, at, c.Max.X+4, at)
		c.FillText(label, vg.Point{X: c.Max.X + 7, Y: at}, t.Label)
	}
}
