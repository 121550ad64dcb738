package figures

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A panelSheet is a figure of panels in rows and columns, such as functions by models in the paper's
// figures 1 and 3.
type panelSheet struct {
	Title   string
	X       Axis
	Columns []string      // titles, drawn after the letters a), b), …
	Rows    []string      // labels of the y axes
	Cells   [][]sheetCell // [row][column]

	ShareY bool // the panels of a row have the same range of y, and all panels where they are of a length
}

// A sheetCell is one panel of a sheet, in raw units. Empty parts are not drawn.
type sheetCell struct {
	Data    plotter.XYs      // true points, drawn faintly
	Context plotter.XYs      // known points
	Grid    []PredictedPoint // predictions; only densities and components are drawn, as by FitPlot
	Curves  []sheetCurve
	Bars    []Bar     // beside the grid, as by FitPlot
	YRange  []float64 // [lo, hi]; if nil, it covers the data and most of the prediction
	median  bool      // is drawn; see prepared
}

// prepared returns the cell with its grid in order, and whether its medians are one curve.
func (c sheetCell) prepared() sheetCell {
	c.Grid = slices.Clone(c.Grid)
	slices.SortStableFunc(c.Grid, func(a, b PredictedPoint) int { return compare(a.X, b.X) })
	if c.shaded() {
		y := c.yRange()
		c.median = newShading(c.Grid, [3]float64{}).oneCurve(y[0], y[1])
	}
	return c
}

// A sheetCurve is a line along x.
type sheetCurve struct {
	Points plotter.XYs
	Kind   curveKind
	Level  float64 // of a quantileCurve, in (0, 1)
}

// curveKind states what a curve shows. The style follows from it.
type curveKind int

const (
	meanCurve     curveKind = iota
	quantileCurve           // coloured by its level
	memberCurve             // the mean of one bootstrap
)

// Sizes of a sheet. Its panels share sheetWidth, within bounds.
const (
	sheetWidth   = vg.Length(1000)
	leastPanel   = vg.Length(190)
	largestPanel = vg.Length(360)
	sheetHeading = vg.Length(84)
	panelMargin  = vg.Length(40)   // the part of a panel's width that its title leaves free, and of its height its label
	panelShape   = vg.Length(0.82) // height by width
)

var (
	sheetContext = dotStyle{color: contextStyle.color, radius: 1.9, ringed: true}
	sheetCloud   = dotStyle{color: color.NRGBA{R: 0x40, G: 0x40, B: 0x40, A: 0x38}, radius: 1.3} // beneath a prediction
	sheetData    = dotStyle{color: targetStyle.color, radius: 1.4}
	memberStyle  = draw.LineStyle{Color: color.NRGBA{R: 0x2a, G: 0x78, B: 0x8e, A: 0xa0}, Width: 0.8}
)

// Save draws the figure into path. The format follows from the extension.
func (s panelSheet) Save(path string) error {
	if len(s.Cells) == 0 || len(s.Cells) != len(s.Rows) || len(s.Cells[0]) != len(s.Columns) {
		return fmt.Errorf("plot %s: %d rows and %d columns named, %d rows of panels", path, len(s.Rows), len(s.Columns), len(s.Cells))
	}
	panel := s.panelWidth()
	width := max(panel*vg.Length(len(s.Columns))+60, 620)
	height := panelShape*panel*vg.Length(len(s.Rows)) + sheetHeading + 40
	lines := 0
	for _, title := range s.titles() {
		lines = max(lines, strings.Count(title, "\n"))
	}
	return saveFigure(path, width, height+vg.Length(lines)*textStyle(titleSize).FontExtents().Height, s.draw)
}

// panelWidth returns the width of one panel.
func (s panelSheet) panelWidth() vg.Length {
	return max(leastPanel, min(largestPanel, sheetWidth/vg.Length(len(s.Columns))))
}

// titles returns the titles of the columns, broken into lines that fit a panel. A word that is
// wider than a panel has its own line.
func (s panelSheet) titles() []string {
	style := textStyle(titleSize)
	var titles []string
	for j, name := range s.Columns {
		title := fmt.Sprintf("%c)", 'a'+j)
		line := title
		for _, word := range strings.Fields(name) {
			if style.Width(line+" "+word) <= s.panelWidth()-panelMargin {
				title, line = title+" "+word, line+" "+word
			} else {
				title, line = title+"\n"+word, word
			}
		}
		titles = append(titles, title)
	}
	return titles
}

func (s panelSheet) draw(c draw.Canvas) {
	s.Cells = slices.Clone(s.Cells)
	for i, cells := range s.Cells {
		s.Cells[i] = slices.Clone(cells)
		for j, cell := range cells {
			s.Cells[i][j] = cell.prepared()
		}
	}
	c = draw.Crop(c, 14, -16, 12, -14)
	c = drawHeading(c, s.Title, s.legend())
	plots, titles := make([][]*plot.Plot, len(s.Rows)), s.titles()
	var xs, ys []*plot.Axis
	for i, cells := range s.Cells {
		ranges := make([][]float64, len(cells))
		for j, cell := range cells {
			ranges[j] = cell.yRange()
		}
		if s.ShareY {
			shareRange(ranges)
		}
		for j, cell := range cells {
			p := cell.plot(s.X, ranges[j])
			if i == 0 {
				p.Title.Text = titles[j]
			}
			if j == 0 {
				p.Y.Label.Text = strings.Join(wrapped(s.Rows[i], p.Y.Label.TextStyle, panelShape*s.panelWidth()-panelMargin), "\n")
			}
			s.X.set(&p.X, lettersOf(9))
			if i < len(s.Rows)-1 {
				p.X.Label.Text = ""
			}
			plots[i] = append(plots[i], p)
			xs, ys = append(xs, &p.X), append(ys, &p.Y)
		}
	}
	if s.ShareY {
		share(xs)
		share(ys)
	}
	canvases := plot.Align(plots, draw.Tiles{Rows: len(s.Rows), Cols: len(s.Columns), PadX: 12, PadY: 10}, c)
	for i, row := range plots {
		for j, p := range row {
			p.Draw(canvases[i][j])
		}
	}
}

// shaded reports whether the cell has a density to shade.
func (c sheetCell) shaded() bool { return Panel{Grid: c.Grid}.shaded() }

// sheetHeldOut is heldOutStyle for a small panel.
func sheetHeldOut(n int) dotStyle {
	s := heldOutStyle(n)
	s.radius *= 0.7
	return s
}

// plot draws the cell's parts: lines above a large context, and below a small one.
func (c sheetCell) plot(x Axis, y []float64) *plot.Plot {
	p := plot.New()
	style(p)
	p.X.Tick.Marker, p.Y.Tick.Marker = fewTicks{}, fewTicks{}
	p.X.Min, p.X.Max = x.around(c.xRange())
	p.Y.Min, p.Y.Max = y[0], y[1]
	p.Add(gridLines())
	shading := newShading(c.Grid, [3]float64{})
	if !c.shaded() {
		p.Add(dots{c.Data, sheetData})
	} else {
		p.Add(shading)
	}
	cloud := len(c.Context) > cloudSize
	if cloud {
		beneath := cloudStyle
		if len(c.Grid)+len(c.Curves) > 0 {
			beneath = sheetCloud
		}
		p.Add(dots{c.Context, beneath})
	}
	if c.shaded() {
		if c.median {
			shading.addMedians(p, x)
		}
		p.Add(bars(c.Bars), dots{c.Data, sheetHeldOut(len(c.Data))})
	}
	p.Add(levelMarks{c.Grid})
	for _, line := range c.Curves {
		p.Add(curve{line.Points, line.style()})
	}
	if !cloud {
		p.Add(dots{c.Context, sheetContext})
	}
	return p
}

func (l sheetCurve) style() draw.LineStyle {
	switch l.Kind {
	case quantileCurve:
		return draw.LineStyle{Color: levelColour(colourOf(l.Level), opacities-1), Width: 1.3}
	case memberCurve:
		return memberStyle
	}
	return meanStyle
}

// xRange returns a range that covers everything.
func (c sheetCell) xRange() (lo, hi float64) {
	xs := append(xsOf(c.Data), xsOf(c.Context)...)
	for _, q := range c.Grid {
		xs = append(xs, q.X)
	}
	for _, l := range c.Curves {
		xs = append(xs, xsOf(l.Points)...)
	}
	lo, hi = extremes(xs)
	return widen(lo, hi, 0.02)
}

// yRange returns a range that covers the data and the prediction, except its outermost 1 % at
// either end. The prediction can widen the range of the data by two fifths at either end. Beyond
// that it is cut off, because a tail would flatten the picture.
func (c sheetCell) yRange() []float64 {
	if c.YRange != nil {
		return c.YRange
	}
	data := append(ysOf(c.Data), ysOf(c.Context)...)
	if c.shaded() {
		lo, hi := densityRange(append(data, bars(c.Bars).ends()...), c.Grid)
		lo, hi = widen(lo, hi, 0.04)
		return []float64{lo, hi}
	}
	lo, hi := extremes(data)
	var predicted []float64
	for _, q := range c.Grid {
		predicted = append(predicted, q.visible()...)
	}
	for _, l := range c.Curves {
		predicted = append(predicted, ysOf(l.Points)...)
	}
	predicted = slices.DeleteFunc(predicted, func(v float64) bool { return !finite(v) })
	if len(predicted) > 0 {
		slices.Sort(predicted)
		edge := len(predicted) / 100
		low, high := predicted[edge], predicted[len(predicted)-1-edge]
		slack := math.Inf(1)
		if lo < hi {
			slack = 0.4 * (hi - lo)
		} else {
			lo, hi = low, high
		}
		lo, hi = math.Min(lo, math.Max(low, lo-slack)), math.Max(hi, math.Min(high, hi+slack))
	}
	lo, hi = widen(lo, hi, 0.04)
	return []float64{lo, hi}
}

// shareRange sets all ranges to one that covers them.
func shareRange(ranges [][]float64) {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, r := range ranges {
		lo, hi = math.Min(lo, r[0]), math.Max(hi, r[1])
	}
	for i := range ranges {
		ranges[i] = []float64{lo, hi}
	}
}

// legend returns entries for what the panels show.
func (s panelSheet) legend() []legendEntry {
	var data, context, cloud, marks, shaded, median, barred bool
	var kinds [3]bool
	for _, c := range slices.Concat(s.Cells...) {
		data = data || len(c.Data) > 0
		context = context || len(c.Context) > 0 && len(c.Context) <= cloudSize
		cloud = cloud || len(c.Context) > cloudSize
		shaded = shaded || c.shaded()
		median = median || c.median
		barred = barred || len(c.Bars) > 0
		marks = marks || len(c.Grid) > 0 && !c.shaded()
		for _, l := range c.Curves {
			kinds[l.Kind] = true
		}
	}
	var entries []legendEntry
	add := func(shown bool, name string, width vg.Length, thumb func(*draw.Canvas)) {
		if shown {
			entries = append(entries, legendEntry{name, width, thumb})
		}
	}
	add(data && !shaded, "true points", dotThumb, func(c *draw.Canvas) { sheetData.enlarged().draw(c, c.Center()) })
	add(context || cloud, "context", dotThumb, func(c *draw.Canvas) {
		if context {
			sheetContext.enlarged().draw(c, c.Center())
		} else {
			cloudStyle.enlarged().draw(c, c.Center())
		}
	})
	if shaded {
		most := 0
		for _, c := range slices.Concat(s.Cells...) {
			most = max(most, len(c.Data))
		}
		add(data, "held-out targets", dotThumb, func(c *draw.Canvas) { heldOutStyle(most).enlarged().draw(c, c.Center()) })
		entries = append(entries, regionEntries(true, median)...)
		add(barred, "50 and 90% at a target's own x", dotThumb, barThumb)
	}
	add(marks, "quantile level τ, 0 to 1 (opacity: weight)", lineWidth, levelThumb)
	add(kinds[quantileCurve] && !marks, "quantile level, 0 to 1", lineWidth, levelThumb)
	add(kinds[meanCurve], "mean", lineWidth, lineThumb(meanStyle))
	add(kinds[memberCurve], "mean of one bootstrap", lineWidth, lineThumb(memberStyle))
	return entries
}

func xsOf(points plotter.XYs) []float64 {
	v := make([]float64, len(points))
	for i, q := range points {
		v[i] = q.X
	}
	return v
}

func ysOf(points plotter.XYs) []float64 {
	v := make([]float64, len(points))
	for i, q := range points {
		v[i] = q.Y
	}
	return v
}

// addColumn adds a cell at the end of each row.
func (s *panelSheet) addColumn(name string, cells []sheetCell) {
	s.Columns = append(s.Columns, name)
	for i, c := range cells {
		s.Cells[i] = append(s.Cells[i], c)
	}
}
