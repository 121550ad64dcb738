package figures

import (
	"image"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A dotStyle is a filled circle, or a diamond.
type dotStyle struct {
	color   color.Color
	radius  vg.Length
	diamond bool
	ringed  bool // has a white edge, which sets it apart from what lies beneath
	edged   bool // has a dark edge
}

func (s dotStyle) draw(c *draw.Canvas, pt vg.Point) {
	var path vg.Path
	if s.diamond {
		path.Move(vg.Point{X: pt.X + s.radius, Y: pt.Y})
		path.Line(vg.Point{X: pt.X, Y: pt.Y + s.radius})
		path.Line(vg.Point{X: pt.X - s.radius, Y: pt.Y})
		path.Line(vg.Point{X: pt.X, Y: pt.Y - s.radius})
		path.Close()
	} else {
		addDot(&path, pt, s.radius)
	}
	if s.ringed {
		width := vg.Length(1.6)
		if s.edged {
			width = 2.8
		}
		c.SetLineStyle(draw.LineStyle{Color: color.White, Width: width})
		c.Stroke(path)
	}
	c.SetColor(s.color)
	c.Fill(path)
	if s.edged {
		c.SetLineStyle(draw.LineStyle{Color: ink, Width: 0.7})
		c.Stroke(path)
	}
}

// rasterDots is the number of dots above which they are one image, so that the size of a file does not grow with
// their number.
const rasterDots = 3000

// dots draws a set of points.
type dots struct {
	points plotter.XYs
	style  dotStyle
}

// Plot implements plot.Plotter.
func (d dots) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	var inside []vg.Point
	for _, q := range d.points {
		if pt := (vg.Point{X: x(q.X), Y: y(q.Y)}); finite(q.X) && finite(q.Y) && c.Contains(pt) {
			inside = append(inside, pt)
		}
	}
	if len(inside) > rasterDots {
		d.style.raster(c, inside)
		return
	}
	for _, pt := range inside {
		d.style.draw(&c, pt)
	}
}

// raster draws plain dots as one image.
func (s dotStyle) raster(c draw.Canvas, points []vg.Point) {
	const dots = 2 * dotsPerPoint // a finer image keeps small dots round
	size := c.Size()
	columns, rows := int(float64(size.X)*dots), int(float64(size.Y)*dots)
	through := make([]float32, columns*rows) // how much shows through the dots
	for i := range through {
		through[i] = 1
	}
	full := color.NRGBAModel.Convert(s.color).(color.NRGBA)
	alpha, radius := float64(full.A)/0xff, float64(s.radius)*dots
	for _, pt := range points {
		x, y := float64(pt.X-c.Min.X)*dots, float64(c.Max.Y-pt.Y)*dots
		for j := max(int(y-radius), 0); j <= min(int(y+radius), rows-1); j++ {
			for i := max(int(x-radius), 0); i <= min(int(x+radius), columns-1); i++ {
				covered := min(max(radius+0.5-math.Hypot(float64(i)+0.5-x, float64(j)+0.5-y), 0), 1)
				through[j*columns+i] *= float32(1 - alpha*covered)
			}
		}
	}
	img := image.NewNRGBA(image.Rect(0, 0, columns, rows))
	for i, t := range through {
		if a := uint8(math.Round(0xff * float64(1-t))); a > 0 {
			img.SetNRGBA(i%columns, i/columns, color.NRGBA{full.R, full.G, full.B, a})
		}
	}
	c.DrawImage(c.Rectangle, img)
}

func addDot(path *vg.Path, at vg.Point, radius vg.Length) {
	path.Move(vg.Point{X: at.X + radius, Y: at.Y})
	path.Arc(at, radius, 0, 2*math.Pi)
	path.Close()
}
