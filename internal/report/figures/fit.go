package figures

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/acqnp/acqnp/internal/invalid/warning"
)

// MaxPanels is the largest number of panels in a FitPlot that is no sheet.
const MaxPanels = 6

// A FitPlot shows predictions from contexts, with one panel for each of up to six groups. A sheet, of
// [NewSheet], has a column of panels for each model instead, and any number of rows.
type FitPlot struct {
	Title   string
	X       Axis
	Panels  []Panel // of a sheet, row by row
	columns int     // of a sheet; 0 if it is none
	Apart   bool    // panels of a sheet have axes of their own
}

// Sizes of a sheet. Its panels share sheetWidth, within bounds.
const (
	sheetWidth   = vg.Length(1000)
	leastPanel   = vg.Length(190)
	largestPanel = vg.Length(360)
	panelMargin  = vg.Length(40)   // the part of a panel's width that its title leaves free, and of its height its label
	panelShape   = vg.Length(0.82) // height by width
)

// A Column is a column of a sheet.
type Column struct {
	Name   string
	Panels []Panel // as many as the other columns have
}

// NewSheet returns a figure of columns. Their names are drawn after the letters a), b), …
func NewSheet(title string, x Axis, columns []Column) FitPlot {
	f := FitPlot{Title: title, X: x, columns: len(columns)}
	for i := range columns[0].Panels {
		for j, c := range columns {
			p := c.Panels[i]
			p.small, p.Title = true, ""
			if i == 0 {
				p.Title = fmt.Sprintf("%c) %s", 'a'+j, c.Name)
			}
			if j > 0 {
				p.YLabel = ""
			}
			f.Panels = append(f.Panels, p)
		}
	}
	return f
}

// Save draws the figure into path. An extension other than .png, .svg and .pdf is an *invalid.Input.
func (f FitPlot) Save(path string, w *warning.Record) error {
	if len(f.Panels) == 0 {
		return fmt.Errorf("plot %s: nothing to draw", path)
	}
	width, height := f.size()
	return Save(path, w, width, height, f.draw)
}

// size returns the size of the figure: 1200×800 pixels of a PNG, or that of a sheet's panels.
func (f FitPlot) size() (width, height vg.Length) {
	if f.columns == 0 {
		return figureWidth, figureHeight
	}
	panel, lines := f.panelWidth(), 0
	for _, p := range f.Panels {
		lines = max(lines, strings.Count(panelTitle(p.Title, panel), "\n"))
	}
	height = panelShape*panel*vg.Length(len(f.Panels)/f.columns) + 124 + vg.Length(lines)*TextStyle(titleSize).FontExtents().Height
	return max(panel*vg.Length(f.columns)+60, 620), height
}

// panelWidth returns the width of one panel.
func (f FitPlot) panelWidth() vg.Length {
	if f.columns == 0 {
		_, columns := panelGrid(len(f.Panels))
		return (figureWidth-34)/vg.Length(columns) - panelMargin
	}
	return max(leastPanel, min(largestPanel, sheetWidth/vg.Length(f.columns)))
}

func (f FitPlot) draw(c draw.Canvas) {
	panels := make([]Panel, len(f.Panels))
	var work sync.WaitGroup
	for i, p := range f.Panels {
		work.Go(func() { panels[i] = p.prepared(f.X) })
	}
	work.Wait()
	c = draw.Crop(c, 14, -20, 12, -14)
	c = Heading(c, f.Title, legendOf(panels))
	rows, columns := panelGrid(len(panels))
	if f.columns > 0 {
		rows, columns = len(panels)/f.columns, f.columns
	}
	plots := make([]*plot.Plot, len(panels))
	for i, p := range panels {
		p.Title = panelTitle(p.Title, f.panelWidth())
		p.YLabel = strings.Join(wrapped(p.YLabel, TextStyle(titleSize), c.Size().Y/vg.Length(rows)-panelMargin), "\n")
		plots[i] = p.plot(f.X, lettersOf(columns))
		if f.columns > 0 && i < len(panels)-columns {
			plots[i].X.Label.Text = ""
		}
	}
	f.share(plots)
	drawPlots(c, plots, columns)
}

// panelTitle breaks a title into lines that fit a panel.
func panelTitle(title string, width vg.Length) string {
	const most = 3 // lines
	style, room := TextStyle(titleSize), width-panelMargin
	lines := wrapped(title, style, room)
	if len(lines) > most {
		lines = append(lines[:most-1], lines[most-1]+" …")
	}
	for k, line := range lines {
		if style.Width(line) > room+panelMargin { // a long word
			lines[k] = shortened(line, longestTitle)
		}
	}
	return strings.Join(lines, "\n")
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

// share gives the panels the same range of x, and those of one column of y the same range of y, if the ranges are
// alike. The panels in a row of a sheet have the same range of y in any case.
func (f FitPlot) share(plots []*plot.Plot) {
	if f.Apart {
		return
	}
	var xs, all []*plot.Axis
	ys := map[string][]*plot.Axis{}
	for i, p := range plots {
		xs, all = append(xs, &p.X), append(all, &p.Y)
		ys[f.Panels[i].YLabel] = append(ys[f.Panels[i].YLabel], &p.Y)
	}
	share(xs, 4)
	if f.columns > 0 {
		for row := range slices.Chunk(all, f.columns) {
			share(row, math.Inf(1))
		}
		ys = map[string][]*plot.Axis{"": all}
	}
	for _, axes := range ys {
		share(axes, 4)
	}
}

// share gives axes the same range, unless it would be some times as long as that of one of them.
func share(axes []*plot.Axis, times float64) {
	lo, hi, least := math.Inf(1), math.Inf(-1), math.Inf(1)
	length := func(lo, hi float64) float64 { return hi - lo }
	if len(axes) > 0 && isLog(axes[0]) {
		length = func(lo, hi float64) float64 { return math.Log(hi / lo) }
	}
	for _, a := range axes {
		lo, hi, least = min(lo, a.Min), max(hi, a.Max), min(least, length(a.Min, a.Max))
	}
	if length(lo, hi) > times*least {
		return
	}
	for _, a := range axes {
		a.Min, a.Max = lo, hi
	}
}

// lettersOf returns the number of letters that fit an axis of one of some columns of panels.
func lettersOf(columns int) int { return 100 / min(columns, 3) }

// panelGrid returns the rows and columns of up to six panels: up to two side by side, more in two rows.
func panelGrid(panels int) (rows, columns int) {
	if panels <= 2 {
		return 1, panels
	}
	return 2, (panels + 1) / 2
}

// drawPlots draws plots in rows of some columns. A place of nil is empty.
func drawPlots(c draw.Canvas, plots []*plot.Plot, columns int) {
	var grid [][]*plot.Plot
	for row := range slices.Chunk(plots, columns) {
		grid = append(grid, append(slices.Clone(row), make([]*plot.Plot, columns-len(row))...))
	}
	canvases := plot.Align(grid, draw.Tiles{Rows: len(grid), Cols: columns, PadX: 14, PadY: 12}, c)
	for i, p := range plots {
		if p != nil {
			p.Draw(canvases[i/columns][i%columns])
		}
	}
}
