package figures

import (
	"cmp"
	"fmt"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/acqnp/acqnp/internal/datasets/prior"
	"github.com/acqnp/acqnp/internal/invalid"
)

// DataSets is a figure of invented data sets, a panel each: y by the first column that varies within
// groups, for a few groups in colours.
type DataSets struct {
	Title string
	Sets  []prior.Set
}

const (
	dataSetColumns = 5
	dataSetPanel   = vg.Length(280)
	shownGroups    = 8
	lineRows       = 40 // a group of more rows is drawn as dots without a line
)

// Save draws the figure into path. The format follows from the extension.
func (f DataSets) Save(path string) error {
	if len(f.Sets) == 0 {
		return fmt.Errorf("plot %s: nothing to draw", path)
	}
	rows := vg.Length((len(f.Sets) + dataSetColumns - 1) / dataSetColumns)
	return saveFigure(path, dataSetColumns*dataSetPanel+30, rows*dataSetPanel*0.78+70, f.draw)
}

func (f DataSets) draw(c draw.Canvas) {
	c = draw.Crop(c, 14, -16, 12, -14)
	c = drawHeading(c, f.Title, nil)
	var plots [][]*plot.Plot
	for sets := range slices.Chunk(f.Sets, dataSetColumns) {
		row := make([]*plot.Plot, dataSetColumns)
		for j, s := range sets {
			row[j] = dataSetPlot(s)
		}
		plots = append(plots, row)
	}
	canvases := plot.Align(plots, draw.Tiles{Rows: len(plots), Cols: dataSetColumns, PadX: 12, PadY: 10}, c)
	for i, row := range plots {
		for j, p := range row {
			if p != nil {
				p.Draw(canvases[i][j])
			}
		}
	}
}

// dataSetPlot returns the panel of a data set. Without a column that varies, the groups stand side by
// side.
func dataSetPlot(s prior.Set) *plot.Plot {
	p := newSeriesPlot("", "")
	p.X.Tick.Marker, p.Y.Tick.Marker = fewTicks{}, fewTicks{}
	p.Title.Text = fmt.Sprintf("%s, %d + %d columns", invalid.Plural(len(s.Groups), "group", "groups"), s.Varying, s.Constant)
	p.Title.TextStyle.Font = sans(12)
	var all plotter.XYs
	from, wide := 0, s.Varying+s.Constant
	groups := shownGroups
	if len(s.Groups) == len(s.Y) {
		groups = len(s.Y) // each is a dot
	}
	for g, n := range s.Groups[:min(groups, len(s.Groups))] {
		points := make(plotter.XYs, n)
		for i := range points {
			points[i] = plotter.XY{X: float64(g + 1), Y: s.Y[from+i]}
			if s.Varying > 0 {
				points[i].X = s.X[(from+i)*wide]
			}
		}
		from += n
		slices.SortStableFunc(points, func(a, b plotter.XY) int { return cmp.Compare(a.X, b.X) })
		colour := seriesStyle(g % shownGroups).Color
		if s.Varying > 0 && n <= lineRows {
			p.Add(curve{points, draw.LineStyle{Color: colour, Width: 0.8}})
		}
		p.Add(dots{points, dotStyle{color: colour, radius: 1.3}})
		all = append(all, points...)
	}
	lo, hi := extremes(xsOf(all))
	p.X.Min, p.X.Max = widen(lo, hi, 0.03)
	lo, hi = extremes(ysOf(all))
	p.Y.Min, p.Y.Max = widen(lo, hi, 0.04)
	return p
}
