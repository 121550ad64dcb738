package figures

import (
	"bytes"
	"cmp"
	"fmt"
	"image/color"
	"slices"
	"strings"
	"unicode"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/likelihood/score"
	"github.com/acqnp/acqnp/internal/report/tables"
)

// Sizes of calibration pictures: 400 pixels wide, to be legible on a phone.
const (
	calibrationWidth  = vg.Length(300)
	calibrationHeight = vg.Length(225)
	functionHeight    = vg.Length(15)
	functionMargin    = vg.Length(75) // above and below the functions
)

// drawnFunctions is the largest number of functions in the picture of their coverage.
const drawnFunctions = 24

var (
	barColour  = color.NRGBA{R: 0x2a, G: 0x78, B: 0x8e, A: 0xff}
	mostColour = seriesColours[0] // of intervals of 90%
	halfColour = seriesColours[1] // of intervals of 50%, and of bars outside the band
	evenStyle  = draw.LineStyle{Color: ink, Width: 1, Dashes: []vg.Length{4, 3}}
)

// Pictures draws the histogram of the PIT, the reliability and, if there are several functions, the
// coverage by function.
func (c Calibration) Pictures() ([]tables.Drawing, error) {
	pictures := []tables.Drawing{
		{Title: "PIT histogram", Alt: c.histogramText()},
		{Title: "Reliability", Alt: c.reliabilityText()},
	}
	plots := []*plot.Plot{c.histogram(), c.reliability()}
	heights := []vg.Length{calibrationHeight, calibrationHeight}
	if len(c.Functions) > 1 {
		functions := c.drawnFunctions()
		pictures = append(pictures, tables.Drawing{Title: "Coverage by function", Alt: c.functionsText(functions)})
		plots = append(plots, coverageByFunction(functions))
		heights = append(heights, functionMargin+functionHeight*vg.Length(len(functions)))
	}
	for i, p := range plots {
		canvas, err := newCanvas("svg", calibrationWidth, heights[i])
		if err != nil {
			return nil, err
		}
		p.Draw(draw.Crop(draw.New(canvas), 4, -8, 4, -6))
		var b bytes.Buffer
		if _, err := canvas.WriteTo(&b); err != nil {
			return nil, err
		}
		pictures[i].SVG = b.Bytes()
		pictures[i].Width, pictures[i].Height = int(calibrationWidth/vg.Inch*96), int(heights[i]/vg.Inch*96)
	}
	return pictures, nil
}

// Save draws the histogram of the PIT and the reliability side by side into path. The format follows from the
// extension.
func (c Calibration) Save(path string) error {
	return saveFigure(path, figureWidth, figureHeight*3/5, func(to draw.Canvas) {
		to = drawHeading(draw.Crop(to, 14, -20, 12, -14), c.Title, []legendEntry{
			{"inside the band", lineWidth, func(c *draw.Canvas) { fillBox(c, barColour) }},
			{"outside it", lineWidth, func(c *draw.Canvas) { fillBox(c, halfColour) }},
			{"95% of calibrated models", lineWidth, func(c *draw.Canvas) { fillBox(c, bandColour) }},
			{"calibrated on average", lineWidth, lineThumb(evenStyle)},
		})
		drawPlots(to, []*plot.Plot{c.histogram(), c.reliability()}, 2)
	})
}

// newCalibrationPlot returns an empty panel with x from 0 to 1.
func newCalibrationPlot(x, y string) *plot.Plot {
	p := newPlot(x, y)
	p.X.Min, p.X.Max = 0, 1
	p.X.Tick.Marker, p.Y.Tick.Marker = fewTicks, fewTicks
	return p
}

// histogram draws the shares of the bins as bars in front of the band.
func (c Calibration) histogram() *plot.Plot {
	p := newCalibrationPlot("PIT", "share of targets")
	low, high := c.Band()
	p.Y.Max = 1.08 * max(slices.Max(c.Means.PIT), high)
	level := func(y float64) plotter.XYs { return plotter.XYs{{X: 0, Y: y}, {X: 1, Y: y}} }
	edge := draw.LineStyle{Color: ink, Width: 0.7}
	p.Add(band{level(low), level(high)}, columns{c.Means.PIT, low, high},
		curve{level(low), edge}, curve{level(high), edge}, curve{level(1 / float64(len(c.Means.PIT))), evenStyle})
	return p
}

// columns draws the bars of a histogram from 0 to 1. Those that end outside the band have another
// colour.
type columns struct {
	shares    []float64
	low, high float64
}

// Plot implements plot.Plotter.
func (h columns) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	const gap = 0.6
	for i, share := range h.shares {
		n := float64(len(h.shares))
		left, right := x(float64(i)/n)+gap, x(float64(i+1)/n)-gap
		colour := barColour
		if share < h.low-rounding || share > h.high+rounding {
			colour = halfColour
		}
		c.FillPolygon(colour, []vg.Point{{X: left, Y: y(0)}, {X: right, Y: y(0)}, {X: right, Y: y(share)}, {X: left, Y: y(share)}})
	}
}

// reliability draws the observed coverage of central intervals by the nominal one.
func (c Calibration) reliability() *plot.Plot {
	p := newCalibrationPlot("nominal coverage", "observed coverage")
	p.Y.Min, p.Y.Max = 0, 1
	ends := func(middle plotter.XYs) plotter.XYs {
		return append(append(plotter.XYs{{}}, middle...), plotter.XY{X: 1, Y: 1})
	}
	var low, high, observed plotter.XYs
	for _, r := range c.Reliability() {
		low, high = append(low, plotter.XY{X: r.Nominal, Y: r.Low}), append(high, plotter.XY{X: r.Nominal, Y: r.High})
		observed = append(observed, plotter.XY{X: r.Nominal, Y: r.Observed})
	}
	p.Add(band{ends(low), ends(high)}, curve{ends(nil), evenStyle},
		curve{ends(observed), draw.LineStyle{Color: barColour, Width: 2}}, dots{observed, dotStyle{color: barColour, radius: 3}})
	return p
}

// drawnFunctions returns the functions in the order of their coverage. Of many, it returns those
// with the lowest and the highest.
func (c Calibration) drawnFunctions() []score.Function {
	functions := slices.Clone(c.Functions)
	slices.SortStableFunc(functions, func(f, g score.Function) int {
		return cmp.Or(cmp.Compare(f.Coverage.Most, g.Coverage.Most), cmp.Compare(f.Coverage.Half, g.Coverage.Half))
	})
	if n := len(functions); n > drawnFunctions {
		functions = slices.Delete(functions, drawnFunctions/2, n-drawnFunctions/2)
	}
	return functions
}

// coverageByFunction draws the coverage of the functions, the first at the top, above the ranges of
// calibrated models.
func coverageByFunction(functions []score.Function) *plot.Plot {
	p := newCalibrationPlot("coverage", "")
	p.Y.Min, p.Y.Max = -0.7, float64(len(functions))-0.3
	var names plot.ConstantTicks
	var ranges coverageRanges
	half, most := plotter.XYs{}, plotter.XYs{}
	for i, f := range functions {
		at := float64(len(functions) - 1 - i)
		names = append(names, plot.Tick{Value: at, Label: clipped(f.Function)})
		for _, level := range []struct {
			nominal float64
			colour  color.NRGBA
		}{{0.5, halfColour}, {0.9, mostColour}} {
			low, high := binomialRange(f.Points, level.nominal, outside)
			level.colour.A = 0x40
			ranges = append(ranges, coverageRange{low, high, at, level.colour})
		}
		half, most = append(half, plotter.XY{X: f.Coverage.Half, Y: at}), append(most, plotter.XY{X: f.Coverage.Most, Y: at})
	}
	p.Y.Tick.Marker = names
	p.X.Min, p.X.Max = -0.02, 1.02
	p.Add(ranges, dots{half, dotStyle{color: halfColour, radius: 3.4, diamond: true}}, dots{most, dotStyle{color: mostColour, radius: 3.2}})
	return p
}

// clipped returns a name that fits beside a picture, on one line.
func clipped(name string) string {
	const most = 14
	letters := []rune(strings.Map(func(c rune) rune {
		if !unicode.IsPrint(c) {
			return ' '
		}
		return c
	}, name))
	if len(letters) > most {
		return string(letters[:most-1]) + "…"
	}
	return string(letters)
}

// A coverageRange is a range of x at a y.
type coverageRange struct {
	low, high, y float64
	colour       color.Color
}

type coverageRanges []coverageRange

// Plot implements plot.Plotter.
func (list coverageRanges) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	const half = functionHeight * 0.3
	for _, i := range list {
		low, high, at := x(i.low)-1, x(i.high)+1, y(i.y)
		c.FillPolygon(i.colour, []vg.Point{{X: low, Y: at - half}, {X: high, Y: at - half}, {X: high, Y: at + half}, {X: low, Y: at + half}})
	}
}

func (c Calibration) histogramText() string {
	low, high := c.Band()
	text := fmt.Sprintf("The band is from %.1f to %.1f%%; ", 100*low, 100*high)
	below, above := c.BinsOutside()
	if below+above == 0 {
		return text + fmt.Sprintf("all %d bars end in it.", len(c.Means.PIT))
	}
	return text + fmt.Sprintf("%d of %d bars end below it and %d above it.", below, len(c.Means.PIT), above)
}

func (c Calibration) reliabilityText() string {
	return fmt.Sprintf("The 50%% intervals hold %.1f%% of the targets, the 90%% intervals %.1f%%. %s count as %d independent ones.",
		100*c.Means.Coverage.Half, 100*c.Means.Coverage.Most, invalid.Plural(c.Means.Targets, "target", "targets"), c.Independent())
}

func (c Calibration) functionsText(drawn []score.Function) string {
	text := fmt.Sprintf("The 90%% intervals hold from %.1f%% to %.1f%% of the targets of a function",
		100*drawn[0].Coverage.Most, 100*drawn[len(drawn)-1].Coverage.Most)
	if n := len(c.Functions); n > len(drawn) {
		return text + fmt.Sprintf("; shown are the %d lowest and the %d highest of %d functions.", drawnFunctions/2, drawnFunctions/2, n)
	}
	return text + "."
}
