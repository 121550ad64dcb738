package figures

import (
	"fmt"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/acqnp/acqnp/internal/report/tables"
)

// A legendEntry is a small sample of a mark and its meaning.
type legendEntry struct {
	name  string
	width vg.Length // of the sample
	thumb func(c *draw.Canvas)
}

// Widths of samples.
const (
	dotThumb  = vg.Length(9)
	lineWidth = vg.Length(28)
)

// legendOf returns entries for what the panels show.
func legendOf(panels []Panel) []legendEntry {
	var context, cloud, levels, mean, shaded, whole, median, barred bool
	targets := 0 // of the panel with the most
	var asked []float64
	for _, p := range panels {
		context = context || len(p.Context) > 0 && len(p.Context) <= cloudSize
		cloud = cloud || len(p.Context) > cloudSize
		targets = max(targets, len(p.Targets))
		shaded = shaded || p.shaded()
		whole = whole || p.shaded() && newShading(nil, p.masses).whole()
		median = median || p.median
		barred = barred || len(p.Bars) > 0
		levels = levels || !p.gaussian() && !p.shaded()
		mean = mean || len(p.Grid) > 0 && !p.shaded()
		if len(p.Levels) > 0 {
			asked = p.Levels
		}
	}
	var entries []legendEntry
	add := func(shown bool, name string, width vg.Length, thumb func(*draw.Canvas)) {
		if shown {
			entries = append(entries, legendEntry{name, width, thumb})
		}
	}
	add(context || cloud, "context", dotThumb, func(c *draw.Canvas) {
		if context {
			contextStyle.draw(c, c.Center())
		} else {
			cloudStyle.enlarged().draw(c, c.Center())
		}
	})
	if shaded {
		add(targets > 0, "held-out targets", dotThumb, func(c *draw.Canvas) { heldOutStyle(targets).enlarged().draw(c, c.Center()) })
		entries = append(entries, regionEntries(whole, median)...)
		add(barred, "50 and 90% at a target's own x", dotThumb, barThumb)
	} else {
		add(targets > 0, "targets", dotThumb, func(c *draw.Canvas) { targetStyle.enlarged().draw(c, c.Center()) })
	}
	add(levels, "quantile level τ, 0 to 1 (opacity: weight)", lineWidth, levelThumb)
	add(mean, "mean", lineWidth, lineThumb(meanStyle))
	add(len(asked) > 0, quantileName(asked), lineWidth, lineThumb(quantileStyle))
	return entries
}

// quantileName returns the legend's text for quantiles at the levels.
func quantileName(asked []float64) string {
	if len(asked) > 5 {
		return fmt.Sprintf("%d quantiles", len(asked))
	}
	names := make([]string, len(asked))
	for i, p := range asked {
		names[i] = fmt.Sprintf("%g", p)
	}
	return "quantiles " + strings.Join(names, ", ")
}

// lineThumb draws a sample of a line.
func lineThumb(style draw.LineStyle) func(*draw.Canvas) {
	return func(c *draw.Canvas) {
		y := c.Center().Y
		c.StrokeLine2(style, c.Min.X, y, c.Max.X, y)
	}
}

// levelThumb draws the colour scale of τ.
func levelThumb(c *draw.Canvas) {
	width := (c.Max.X - c.Min.X) / tauColours
	const overlap = 0.5 // avoids white seams
	y := c.Center().Y
	for t := range tauColours {
		x := c.Min.X + width*vg.Length(t)
		c.FillPolygon(levelColour(t, opacities-1), []vg.Point{
			{X: x, Y: y - 3}, {X: x + width + overlap, Y: y - 3}, {X: x + width + overlap, Y: y + 3}, {X: x, Y: y + 3},
		})
	}
}

// drawHeading writes the title and the legend beneath it. It returns the rest of the canvas.
func drawHeading(c draw.Canvas, title string, entries []legendEntry) draw.Canvas {
	if title != "" {
		heading := textStyle(18)
		for _, line := range wrapped(title, heading, c.Max.X-c.Min.X-8) {
			c.FillText(heading, vg.Point{X: c.Min.X + 4, Y: c.Max.Y}, line)
			c.Max.Y -= heading.Height(line) + 2
		}
		c.Max.Y -= 6
	}
	const gap, between = vg.Length(6), vg.Length(24)
	const lowered = 2 // aligns samples with the middle of small letters
	label := textStyle(13)
	height := label.Height("Xg")
	x := c.Min.X + 4
	for _, e := range entries {
		width := e.width + gap + label.Width(e.name)
		if x+width > c.Max.X && x > c.Min.X+4 {
			x = c.Min.X + 4
			c.Max.Y -= height + 4
		}
		icon := draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{
			Min: vg.Point{X: x, Y: c.Max.Y - height - lowered}, Max: vg.Point{X: x + e.width, Y: c.Max.Y - lowered},
		}}
		e.thumb(&icon)
		c.FillText(label, vg.Point{X: x + e.width + gap, Y: c.Max.Y}, e.name)
		x += width + between
	}
	c.Max.Y -= height + 14
	return c
}

// wrapped divides a text between words into lines of a width.
func wrapped(title string, style text.Style, width vg.Length) (lines []string) {
	for _, word := range strings.Fields(title) {
		last := len(lines) - 1
		if last >= 0 && style.Width(lines[last]+" "+word) <= width {
			lines[last] += " " + word
		} else {
			lines = append(lines, word)
		}
	}
	return lines
}

func textStyle(size vg.Length) text.Style {
	return text.Style{Color: ink, Font: sans(size), XAlign: draw.XLeft, YAlign: draw.YTop, Handler: plot.DefaultTextHandler}
}

// shortened returns a title that fits a panel.
func shortened(title string) string { return tables.Shortened(title, 32) }
