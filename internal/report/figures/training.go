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

	"github.com/acqnp/acqnp/internal/invalid/warning"
	"github.com/acqnp/acqnp/internal/run"
)

// A trainingFigure is a figure of trainings: the loss by step, raw and smoothed, with the validation's
// beside it, and below it the learning rate, if it changes.
type trainingFigure struct {
	title string
	runs  []TrainingRun
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
	f := trainingFigure{title: "training", runs: slices.Clone(logs)}
	if one {
		f.title += " on " + benchmark
	}
	for i, r := range runs {
		f.runs[i].Label = r.Label
		if !one {
			f.runs[i].Label += " on " + r.Experiment.Benchmark
		}
	}
	return f
}

// seriesStyle returns the style of the i-th run's smoothed loss, of its raw loss, and of its validation. Lines
// are dashed once all colours are used.
func seriesStyle(i int) (smoothed, raw, validation draw.LineStyle) {
	colour := seriesColours[i%len(seriesColours)]
	smoothed = draw.LineStyle{Color: colour, Width: 2}
	if i >= len(seriesColours) {
		smoothed.Dashes = []vg.Length{6, 3}
	}
	validation = draw.LineStyle{Color: colour, Width: 1.5, Dashes: []vg.Length{1.5, 2.5}}
	colour.A = 0x50
	return smoothed, draw.LineStyle{Color: colour, Width: 0.7}, validation
}

// Save draws the figure into path. The format follows from the extension.
func (f trainingFigure) Save(path string, w *warning.Record) error {
	return Save(path, w, figureWidth, figureHeight, f.draw)
}

func (f trainingFigure) draw(c draw.Canvas) {
	c = draw.Crop(c, 14, -20, 12, -14)
	losses, entries := f.losses()
	c = Heading(c, f.title, entries)
	plots := []*plot.Plot{losses}
	if f.rateChanges() {
		plots = append(plots, f.rates())
	} else {
		losses.X.Label.Text = "step"
	}
	drawPlots(c, plots, 1)
}

// losses returns the panel of the loss by step, and its legend.
func (f trainingFigure) losses() (p *plot.Plot, entries []Entry) {
	p = newPlot("", "training loss")
	var ys, smoothed []float64
	var above []plot.Plotter
	for i, r := range f.runs {
		calmStyle, rawStyle, style := seriesStyle(i)
		entries = append(entries, LineEntry(r.Label, calmStyle))
		raw := r.line(func(m run.Metrics) float64 { return float64(m.Loss) })
		calm := smooth(raw)
		p.Add(Curve{raw, rawStyle})
		above = append(above, Curve{calm, calmStyle})
		ys, smoothed = append(ys, ysOf(raw)...), append(smoothed, ysOf(calm)...)
		if best := run.BestOf(r.Metrics); best >= 0 {
			p.Y.Label.Text = "loss"
			line := r.validation()
			smoothed = append(smoothed, ysOf(line)...)
			at := plotter.XY{X: float64(r.Metrics[best].Step), Y: -*r.Metrics[best].ValidLL}
			dot := bestStyle(style.Color)
			above = append(above, Curve{line, style}, dots{plotter.XYs{at}, dot})
			entries = append(entries, LineEntry("validation", style),
				dotEntry(fmt.Sprintf("best, step %d", r.Metrics[best].Step), dot))
		}
	}
	p.Add(above...)
	p.X.Min, p.X.Max = f.steps()
	p.Y.Min, p.Y.Max = bulk(ys, smoothed)
	return p, entries
}

func bestStyle(c color.Color) dotStyle { return dotStyle{color: c, radius: 4.5, ringed: true} }

// rates returns the panel of the learning rate by step.
func (f trainingFigure) rates() *plot.Plot {
	p := newPlot("step", "learning rate")
	ys := []float64{0}
	for i, r := range f.runs {
		line := r.line(func(m run.Metrics) float64 { return m.LearningRate })
		style, _, _ := seriesStyle(i)
		p.Add(Curve{line, style})
		ys = append(ys, ysOf(line)...)
	}
	p.X.Min, p.X.Max = f.steps()
	p.Y.Min, p.Y.Max = widen(extremes(ys))
	return p
}

// rateChanges reports whether a run's learning rate changes.
func (f trainingFigure) rateChanges() bool {
	return slices.ContainsFunc(f.runs, func(r TrainingRun) bool {
		return slices.ContainsFunc(r.Metrics, func(m run.Metrics) bool { return m.LearningRate != r.Metrics[0].LearningRate })
	})
}

// steps returns a range that covers the steps of all runs.
func (f trainingFigure) steps() (lo, hi float64) {
	var ends []float64
	for _, r := range f.runs {
		ends = append(ends, float64(r.Metrics[0].Step), float64(r.Metrics[len(r.Metrics)-1].Step))
	}
	return widen(extremes(ends))
}

// line returns a value by step.
func (r TrainingRun) line(value func(run.Metrics) float64) plotter.XYs {
	line := make(plotter.XYs, len(r.Metrics))
	for i, m := range r.Metrics {
		line[i] = plotter.XY{X: float64(m.Step), Y: value(m)}
	}
	return line
}

// validation returns the loss of the validations by step: −valid_ll.
func (r TrainingRun) validation() plotter.XYs {
	var line plotter.XYs
	for _, m := range r.Metrics {
		if m.ValidLL != nil {
			line = append(line, plotter.XY{X: float64(m.Step), Y: -*m.ValidLL})
		}
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
	edge := len(raw) / 100
	slices.Sort(smoothed)
	first, last := extremes(smoothed[edge : len(smoothed)-edge])
	return widen(math.Min(trimmed(raw, 0.01), first), math.Max(trimmed(raw, 0.99), last))
}
