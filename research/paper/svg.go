package main

import (
	"fmt"
	"math"
	"strings"
)

// Colours of models with a Gaussian and of those with quantile levels, of rules and of text.
const (
	gaussian = "#0b6fa4"
	quantile = "#c2571a"
	faint    = "#dddddd"
	dark     = "#222222"
)

// A drawing is an SVG picture in the making.
type drawing struct {
	strings.Builder
	width, height float64
}

func newDrawing(width, height float64) *drawing {
	d := &drawing{width: width, height: height}
	fmt.Fprintf(d, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%.0f" viewBox="0 0 %.0f %.0f" font-family="sans-serif" font-size="12" fill="%s">`+"\n",
		width, height, width, height, dark)
	fmt.Fprintf(d, `<rect width="%.0f" height="%.0f" fill="white"/>`+"\n", width, height)
	return d
}

func (d *drawing) line(x1, y1, x2, y2 float64, colour string, width float64) {
	fmt.Fprintf(d, `<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="%s" stroke-width="%.1f"/>`+"\n", x1, y1, x2, y2, colour, width)
}

func (d *drawing) dot(x, y float64, colour string) {
	fmt.Fprintf(d, `<circle cx="%.1f" cy="%.1f" r="4" fill="%s"/>`+"\n", x, y, colour)
}

// arrow draws the head of an arrow whose point is at x, to the right or to the left.
func (d *drawing) arrow(x, y float64, right bool, colour string) {
	back := x - 9
	if !right {
		back = x + 9
	}
	fmt.Fprintf(d, `<polygon points="%.1f,%.1f %.1f,%.1f %.1f,%.1f" fill="%s"/>`+"\n", x, y, back, y-5, back, y+5, colour)
}

// text writes at a place, over what is there; anchor is start, middle or end.
func (d *drawing) text(x, y float64, anchor, text string) {
	fmt.Fprintf(d, `<text x="%.1f" y="%.1f" text-anchor="%s" stroke="white" stroke-width="4" paint-order="stroke">%s</text>`+"\n", x, y, anchor, text)
}

// minus returns a number's text with a minus sign for the hyphen.
func minus(text string) string { return strings.Replace(text, "-", "−", 1) }

func (d *drawing) done() string {
	d.WriteString("</svg>\n")
	return d.String()
}

// A scale maps numbers from lo to hi to places from a to b.
type scale struct{ lo, hi, a, b float64 }

func (s scale) at(v float64) float64 { return s.a + (s.b-s.a)*(v-s.lo)/(s.hi-s.lo) }

// inside returns a number within the scale that is nearest to v.
func (s scale) inside(v float64) float64 { return math.Max(s.lo, math.Min(s.hi, v)) }
