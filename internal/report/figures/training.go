package figures

import (
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/acqnp/acqnp/internal/run"
)

// A trainingFigure is a figure of trainings: the loss by step, raw and smoothed, with the validation's
// beside it, and below it the learning rate, if it changes.
type trainingFigure struct {
	Title string
	Runs  []TrainingRun
}

// A TrainingRun is a run and its log, which has at least one line.
type TrainingRun struct {
	Run
	Metrics []run.Metrics
}

// NewTraining returns a figure of at least one run. The title names the benchmark. If the runs have
// different benchmarks, their labels name them.
func NewTraining(logs []TrainingRun) Figure {
	runs := make([]Run, len(logs))
	for i, l := range logs {
		runs[i] = l.Run
	}
	LabelRuns(runs)
	benchmark := runs[0].Experiment.Benchmark
	one := !slices.ContainsFunc(runs, func(r Run) bool { return r.Experiment.Benchmark != benchmark })
	f := trainingFigure{Title: "training", Runs: slices.Clone(logs)}
	if one {
		f.Title += " on " + benchmark
	}
	for i, r := range runs {
		f.Runs[i].Label = r.Label
		if !one {
			f.Runs[i].Label += " on " + r.Experiment.Benchmark
		}
	}
	return f
}

// seriesColours is the palette of Okabe and Ito, which people with any colour vision can tell
// apart.
var seriesColours = []color.NRGBA{
	{0x00, 0x72, 0xb2, 0xff}, {0xd5, 0x5e, 0x00, 0xff}, {0x00, 0x9e, 0x73, 0xff}, {0xcc, 0x79, 0xa7, 0xff},
	{0x56, 0xb4, 0xe9, 0xff}, {0xe6, 0x9f, 0x00, 0xff}, {0x26, 0x26, 0x26, 0xff},
}

// seriesStyle returns the style of the i-th line. Lines are dashed once all colours are used.
func seriesStyle(i int) draw.LineStyle {
	s := draw.LineStyle{Color: seriesColours[i%len(seriesColours)], Width: 2}
	if i >= len(seriesColours) {
		s.Dashes = []vg.Length{6, 3}
	}
	return s
}

// faint returns the style of the raw line beneath a smoothed one.
func faint(s draw.LineStyle) draw.LineStyle {
	c := s.Color.(color.NRGBA)
	c.A = 0x50
	return draw.LineStyle{Color: c, Width: 0.7}
}

// Save draws the figure into path. The format follows from the extension.
func (f trainingFigure) Save(path string) error {
	if len(f.Runs) == 0 {
		return fmt.Errorf("plot %s: nothing to draw", path)
	}
	return saveFigure(path, figureWidth, figureHeight, f.draw)
}

func (f trainingFigure) draw(c draw.Canvas) {
	c = draw.Crop(c, 14, -20, 12, -14)
	var entries []legendEntry
	for i, r := range f.Runs {
		entries = append(entries, legendEntry{r.Label, lineWidth, lineThumb(seriesStyle(i))})
		entries = append(entries, r.validationLegend(i)...)
	}
	c = drawHeading(c, f.Title, entries)
	plots := [][]*plot.Plot{{f.losses()}}
	if f.rateChanges() {
		plots = append(plots, []*plot.Plot{f.rates()})
	} else {
		plots[0][0].X.Label.Text = "step"
	}
	canvases := plot.Align(plots, draw.Tiles{Rows: len(plots), Cols: 1, PadY: 14}, c)
	for i := range plots {
		plots[i][0].Draw(canvases[i][0])
	}
}

// losses returns the panel of the loss by step.
func (f trainingFigure) losses() *plot.Plot {
	p := newSeriesPlot("", "training loss")
	var ys, smoothed []float64
	var above []plot.Plotter
	for i, r := range f.Runs {
		raw := r.line(func(m run.Metrics) float64 { return float64(m.Loss) })
		calm := smooth(raw)
		p.Add(curve{raw, faint(seriesStyle(i))})
		above = append(above, curve{calm, seriesStyle(i)})
		ys, smoothed = append(ys, ysOf(raw)...), append(smoothed, ysOf(calm)...)
		if best := run.BestOf(r.Metrics); best >= 0 {
			above = append(above, r.validationPlot(i, best)...)
			smoothed = append(smoothed, ysOf(r.validation())...)
			p.Y.Label.Text = "loss"
		}
	}
	p.Add(above...)
	p.X.Min, p.X.Max = f.steps()
	p.Y.Min, p.Y.Max = bulk(ys, smoothed)
	return p
}

// rates returns the panel of the learning rate by step.
func (f trainingFigure) rates() *plot.Plot {
	p := newSeriesPlot("step", "learning rate")
	var ys []float64
	for i, r := range f.Runs {
		line := r.line(func(m run.Metrics) float64 { return m.LearningRate })
		p.Add(curve{line, seriesStyle(i)})
		ys = append(ys, ysOf(line)...)
	}
	p.X.Min, p.X.Max = f.steps()
	lo, hi := extremes(append(ys, 0))
	p.Y.Min, p.Y.Max = widen(lo, hi, 0.05)
	return p
}

// newSeriesPlot returns an empty panel with labels and a grid.
func newSeriesPlot(x, y string) *plot.Plot {
	p := plot.New()
	style(p)
	p.X.Label.Text, p.Y.Label.Text = x, y
	p.Add(gridLines())
	return p
}

// rateChanges reports whether a run's learning rate changes.
func (f trainingFigure) rateChanges() bool {
	return slices.ContainsFunc(f.Runs, func(r TrainingRun) bool {
		return slices.ContainsFunc(r.Metrics, func(m run.Metrics) bool { return m.LearningRate != r.Metrics[0].LearningRate })
	})
}

// steps returns a range that covers the steps of all runs.
func (f trainingFigure) steps() (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, r := range f.Runs {
		lo, hi = math.Min(lo, float64(r.Metrics[0].Step)), math.Max(hi, float64(r.Metrics[len(r.Metrics)-1].Step))
	}
	return widen(lo, hi, 0.01)
}

// line returns a value by step.
func (r TrainingRun) line(value func(run.Metrics) float64) plotter.XYs {
	line := make(plotter.XYs, len(r.Metrics))
	for i, m := range r.Metrics {
		line[i] = plotter.XY{X: float64(m.Step), Y: value(m)}
	}
	return line
}

// smooth returns the moving averages of a line, over a fortieth of its points to either side.
func smooth(raw plotter.XYs) plotter.XYs {
	reach := len(raw) / 40
	calm := slices.Clone(raw)
	for i := range calm {
		window, sum := raw[max(0, i-reach):min(len(raw), i+reach+1)], 0.0
		for _, q := range window {
			sum += q.Y
		}
		calm[i].Y = sum / float64(len(window))
	}
	return calm
}

// bulk returns a range that covers raw and smoothed values, except the outermost 1 % at either end:
// the losses of the first steps would flatten the rest.
func bulk(raw, smoothed []float64) (lo, hi float64) {
	all := slices.Clone(raw)
	slices.Sort(all)
	edge := len(all) / 100
	low, high := all[edge], all[len(all)-1-edge]
	slices.Sort(smoothed)
	first, last := extremes(smoothed[edge : len(smoothed)-edge])
	return widen(math.Min(low, first), math.Max(high, last), 0.04)
}
