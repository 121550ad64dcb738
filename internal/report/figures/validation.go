package figures

import (
	"fmt"
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/acqnp/acqnp/internal/run"
)

// validationPlot returns the loss of the validations of the i-th run, a dotted line, and a dot at
// the best, the line number best of the log.
func (r TrainingRun) validationPlot(i, best int) []plot.Plotter {
	style := validationStyle(i)
	at := plotter.XY{X: float64(r.Metrics[best].Step), Y: -*r.Metrics[best].ValidLL}
	return []plot.Plotter{curve{r.validation(), style}, dots{plotter.XYs{at}, bestStyle(style.Color)}}
}

// validationStyle returns the style of the i-th run's validation.
func validationStyle(i int) draw.LineStyle {
	s := seriesStyle(i)
	s.Width, s.Dashes = 1.5, []vg.Length{1.5, 2.5}
	return s
}

func bestStyle(c color.Color) dotStyle { return dotStyle{color: c, radius: 4.5, ringed: true} }

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

// validationLegend returns the legend's entries for the validation of the i-th run, none if it has
// no validation.
func (r TrainingRun) validationLegend(i int) []legendEntry {
	best := run.BestOf(r.Metrics)
	if best < 0 {
		return nil
	}
	style := validationStyle(i)
	return []legendEntry{
		{"validation", lineWidth, lineThumb(style)},
		{fmt.Sprintf("best, step %d", r.Metrics[best].Step), dotThumb, func(c *draw.Canvas) { bestStyle(style.Color).draw(c, c.Center()) }},
	}
}
