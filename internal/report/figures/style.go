package figures

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// cloudSize is the number of context points above which they are drawn as small dots.
const cloudSize = 150

var (
	ink  = color.NRGBA{R: 0x26, G: 0x26, B: 0x26, A: 0xff}
	pale = color.NRGBA{R: 0xe6, G: 0xe6, B: 0xe6, A: 0xff}

	heldOut       = color.NRGBA{R: 0xf2, G: 0x9e, B: 0x1f, A: 0xff}
	contextStyle  = dotStyle{color: color.NRGBA{R: 0x11, G: 0x11, B: 0x11, A: 0xff}, radius: 3.6, ringed: true}
	cloudStyle    = dotStyle{color: color.NRGBA{R: 0x40, G: 0x40, B: 0x40, A: 0x60}, radius: 1.5}
	targetStyle   = dotStyle{color: color.NRGBA{R: 0xc2, G: 0x4d, B: 0x8a, A: 0x90}, radius: 1.5}
	heldOutStyle  = dotStyle{color: heldOut, radius: 3.6, diamond: true, edged: true}
	heldOutCloud  = dotStyle{color: heldOut, radius: 1.5}
	bandColour    = color.NRGBA{R: 0x2a, G: 0x78, B: 0x8e, A: 0x38}
	quantileStyle = draw.LineStyle{Color: color.NRGBA{R: 0x30, G: 0x30, B: 0x30, A: 0xc0}, Width: 1, Dashes: []vg.Length{5, 3}}
)

// Viridis is the colour scale of this name without its bright end, which is illegible on white.
var Viridis = []color.NRGBA{
	{0x44, 0x01, 0x54, 0xff}, {0x41, 0x44, 0x87, 0xff}, {0x2a, 0x78, 0x8e, 0xff}, {0x22, 0xa8, 0x84, 0xff}, {0x7a, 0xd1, 0x51, 0xff},
}

// seriesColours is the palette of Okabe and Ito, which people with any colour vision can tell
// apart.
var seriesColours = []color.NRGBA{
	{0x00, 0x72, 0xb2, 0xff}, {0xd5, 0x5e, 0x00, 0xff}, {0x00, 0x9e, 0x73, 0xff}, {0xcc, 0x79, 0xa7, 0xff},
	{0x56, 0xb4, 0xe9, 0xff}, {0xe6, 0x9f, 0x00, 0xff}, {0x26, 0x26, 0x26, 0xff},
}

// Gradient returns the colour of a share of a scale, 0 to 1. Values outside have the colour of the
// nearest end, NaN that of 1.
func Gradient(colours []color.NRGBA, share float64) color.NRGBA {
	if math.IsNaN(share) {
		share = 1
	}
	at := min(max(share, 0), 1) * float64(len(colours)-1)
	i := min(int(at), len(colours)-2)
	a, b, part := colours[i], colours[i+1], at-float64(i)
	mix := func(a, b uint8) uint8 { return uint8(math.Round(float64(a)*(1-part) + float64(b)*part)) }
	return color.NRGBA{mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B), mix(a.A, b.A)}
}

// A Curve is a line. It has gaps at values that are not finite, and ends at the panel's frame. A point
// without neighbours is a dot.
type Curve struct {
	Points plotter.XYs
	Style  draw.LineStyle
}

// Plot implements plot.Plotter.
func (l Curve) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	var run []vg.Point
	flush := func() {
		if len(run) == 1 && c.Contains(run[0]) {
			dotStyle{color: l.Style.Color, radius: 2 * l.Style.Width}.draw(&c, run[0])
		}
		c.StrokeLines(l.Style, c.ClipLinesXY(run)...)
		run = run[:0]
	}
	for _, q := range l.Points {
		if !finite(q.X) || !finite(q.Y) {
			flush()
			continue
		}
		run = append(run, vg.Point{X: x(q.X), Y: y(q.Y)})
	}
	flush()
}

// band fills the area between two lines over the same x.
type band struct {
	lower, upper plotter.XYs
	colour       color.NRGBA
}

// Plot implements plot.Plotter.
func (b band) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	var outline []vg.Point
	add := func(q plotter.XY) {
		if finite(q.X) && finite(q.Y) {
			outline = append(outline, vg.Point{X: x(q.X), Y: y(q.Y)})
		}
	}
	for _, q := range b.lower {
		add(q)
	}
	for i := range b.upper {
		add(b.upper[len(b.upper)-1-i])
	}
	c.FillPolygon(b.colour, c.ClipPolygonXY(outline))
}

// fillBox fills the whole canvas with one colour, or with colours from left to right.
func fillBox(c *draw.Canvas, colours ...color.Color) {
	width := c.Size().X / vg.Length(len(colours))
	for i, colour := range colours {
		left := c.Min.X + width*vg.Length(i)
		right := min(left+width+0.5, c.Max.X) // the overlap avoids white seams
		c.FillPolygon(colour, []vg.Point{{X: left, Y: c.Min.Y}, {X: right, Y: c.Min.Y}, {X: right, Y: c.Max.Y}, {X: left, Y: c.Max.Y}})
	}
}
