package figures

import (
	"fmt"
	"image/color"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// An Entry is a small sample of a mark and its meaning.
type Entry struct {
	Name  string
	Width vg.Length // of the sample
	Thumb func(c *draw.Canvas)
}

// Widths of samples.
const (
	dotThumb  = vg.Length(9)
	lineWidth = vg.Length(28)
)

// legendOf returns entries for what the panels show.
func legendOf(panels []Panel) (entries []Entry) {
	add := func(e Entry) {
		for _, other := range entries {
			if other.Name == e.Name {
				return
			}
		}
		entries = append(entries, e)
	}
	most := Panel{} // points of all panels
	whole, median := false, false
	for _, p := range panels {
		if len(p.Targets) > len(most.Targets) {
			most.Targets = p.Targets
		}
		if p.shaded() {
			most.Grid, whole = p.Grid, whole || newShading(nil, p.masses).whole()
		}
		if len(p.Bars) > 0 {
			most.Bars = p.Bars
		}
		median, most.line = median || p.median, most.line || p.line
	}
	for _, p := range panels { // small dots stand for large ones too
		if 0 < len(p.Context) && (len(p.Context) <= cloudSize || len(most.Context) == 0) {
			most.Context = p.Context
		}
	}
	if len(most.Context) > 0 {
		add(dotEntry("known points", most.context()))
	}
	if len(most.Targets) > 0 {
		add(dotEntry("held-out targets", most.targets()))
	}
	if most.shaded() {
		entries = append(entries, regionEntries(whole, median)...)
	}
	if len(most.Bars) > 0 {
		add(Entry{"median, 50 and 90% of a prediction", dotThumb, barThumb})
	}
	for _, p := range panels {
		if len(p.Quantiles) > 0 {
			add(LineEntry(p.quantileName(), quantileStyle))
		}
		for _, m := range p.Marks {
			add(m.Entry)
		}
	}
	return entries
}

// quantileName returns the legend's text for the quantiles of a panel.
func (p Panel) quantileName() string {
	var names []string
	for _, level := range p.Quantiles {
		names = append(names, fmt.Sprintf("%g", level))
	}
	if len(names) > 5 {
		return fmt.Sprintf("%d quantiles", len(names))
	}
	return "quantiles " + strings.Join(names, ", ")
}

// dotEntry returns an entry with a dot, enlarged if it is small.
func dotEntry(name string, s dotStyle) Entry {
	s.radius = max(s.radius, 1.7*cloudStyle.radius)
	return Entry{name, dotThumb, func(c *draw.Canvas) { s.draw(c, c.Center()) }}
}

// LineEntry returns an entry with a sample of a line.
func LineEntry(name string, style draw.LineStyle) Entry {
	return Entry{name, lineWidth, func(c *draw.Canvas) {
		y := c.Center().Y
		c.StrokeLine2(style, c.Min.X, y, c.Max.X, y)
	}}
}

// ScaleEntry returns an entry with a bar of colours, which is as high as twice half.
func ScaleEntry(name string, half vg.Length, scale []color.NRGBA) Entry {
	return Entry{name, lineWidth, func(c *draw.Canvas) {
		colours := make([]color.Color, 16)
		for i := range colours {
			colours[i] = Gradient(scale, float64(i)/15)
		}
		y := c.Center().Y
		bar := within(*c, c.Min.X, y-half, c.Max.X, y+half)
		fillBox(&bar, colours...)
	}}
}

// Heading writes the title and the legend beneath it. It returns the rest of the canvas.
func Heading(c draw.Canvas, title string, entries []Entry) draw.Canvas {
	if title != "" {
		heading := TextStyle(18)
		for _, line := range wrapped(title, heading, c.Max.X-c.Min.X-8) {
			c.FillText(heading, vg.Point{X: c.Min.X + 4, Y: c.Max.Y}, line)
			c.Max.Y -= heading.Height(line) + 2
		}
		c.Max.Y -= 6
	}
	const gap, between = vg.Length(6), vg.Length(24)
	const lowered = 2 // aligns samples with the middle of small letters
	label := TextStyle(13)
	height := label.Height("Xg")
	x := c.Min.X + 4
	for _, e := range entries {
		width := e.Width + gap + label.Width(e.Name)
		if x+width > c.Max.X && x > c.Min.X+4 {
			x = c.Min.X + 4
			c.Max.Y -= height + 4
		}
		icon := within(c, x, c.Max.Y-height-lowered, x+e.Width, c.Max.Y-lowered)
		e.Thumb(&icon)
		c.FillText(label, vg.Point{X: x + e.Width + gap, Y: c.Max.Y}, e.Name)
		x += width + between
	}
	c.Max.Y -= height + 14
	return c
}

// TextStyle returns the style of texts of a size that begin at their upper left corner.
func TextStyle(size vg.Length) text.Style {
	return text.Style{Color: ink, Font: sans(size), XAlign: draw.XLeft, YAlign: draw.YTop, Handler: plot.DefaultTextHandler}
}

// longestTitle is the number of letters of a title that a panel has room for.
const longestTitle = 32

// shortened cuts a name to at most most letters.
func shortened(name string, most int) string {
	if letters := []rune(name); len(letters) > most {
		return string(letters[:most-1]) + "…"
	}
	return name
}
