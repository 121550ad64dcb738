package figures

import (
	"math"

	"github.com/acqnp/acqnp/internal/predict/conformal"
)

// Options say how predictions are drawn.
type Options struct {
	Levels     []float64              // lines for the quantiles at these levels, over x of one column
	Calibrated *conformal.Calibration // corrects regions and intervals; nil for the model's own
	Log        []bool                 // columns of x with a log axis, beside those that the model takes the log of
}

// A correction holds the levels and masses that a picture's quantiles and regions have in the model's
// prediction of one channel. Without calibration they are their own.
type correction struct {
	bars   [5]float64 // of barLevels
	masses [3]float64 // of half of the prediction, of most of it, and of what is shaded
}

// corrections returns the corrections of all channels of each subject.
func (o Options) corrections(subjects []Subject, channels int) (all []correction) {
	for _, s := range subjects {
		for c := range channels {
			known := 0
			for _, y := range s.Known.ColumnY(c) {
				if !math.IsNaN(y) {
					known++
				}
			}
			bars, masses := o.Calibrated.Corrected(c, known, barLevels[:], []float64{halfMass, mostMass, shadedMass})
			all = append(all, correction{[5]float64(bars), [3]float64(masses)})
		}
	}
	return all
}

// corrected is a density whose quantiles at barLevels are corrected.
type corrected struct {
	Density
	levels [5]float64
}

// Quantile returns the corrected quantile at one of barLevels, and any other as it is.
func (d corrected) Quantile(p float64) float64 {
	for i, level := range barLevels {
		if level == p {
			p = d.levels[i]
			break
		}
	}
	return d.Density.Quantile(p)
}
