package figures

import (
	"math"

	"github.com/acqnp/acqnp/internal/predict"
	"github.com/acqnp/acqnp/internal/predict/conformal"
)

// Options say how predictions are drawn.
type Options struct {
	Levels     []float64              // lines for the quantiles at these levels, over x of one column
	Calibrated *conformal.Calibration // corrects regions and intervals; nil for the model's own
	Components bool                   // over x of one column, levels and means instead of the density
	shown      part                   // of a sheet
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

// A part is what a panel shows of a predictive distribution.
type part int

const (
	densityPart   part = iota // and quantiles at Options.Levels
	componentPart             // the quantile levels, the quantiles at Options.Levels and the mean
	meanPart                  // the mean
	levelPart                 // μ of the quantile levels
	tauPart                   // τ of the quantile levels
	quantilePart              // quantiles at Options.Levels, in colours
	memberPart                // the mean of each bootstrap
)

// part returns the part that the options ask for.
func (o Options) part() part {
	if o.Components {
		return componentPart
	}
	return o.shown
}

// point returns what is drawn of a distribution at a point, and the lines that its values belong to.
func (o Options) point(d predict.Distribution, c correction) (q PredictedPoint, lines []Line) {
	add := func(l Line, value float64) { lines, q.Values = append(lines, l), append(q.Values, value) }
	quantiles := func(from Density, kind LineKind) {
		for _, p := range o.Levels {
			add(Line{kind, p}, from.Quantile(p))
		}
	}
	switch o.part() {
	case densityPart:
		q.Density = corrected{d, c.bars}
		quantiles(q.Density, QuantileLine)
	case componentPart:
		q.Components = componentsOf(d)
		quantiles(d, QuantileLine)
		add(Line{Kind: MeanLine}, d.Mean())
	case meanPart:
		add(Line{Kind: MeanLine}, d.Mean())
	case levelPart:
		q.Components = componentsOf(d)
	case tauPart:
		q.Components = componentsOf(d)
		for k := range q.Components { // equal weights: the panel shows the levels alone
			q.Components[k].Mu, q.Components[k].Weight = q.Components[k].Tau, 1
		}
	case quantilePart:
		quantiles(d, LevelLine)
	case memberPart:
		for _, m := range d.Components() {
			add(Line{Kind: MemberLine}, d.Value(m.Mu))
		}
	}
	return q, lines
}

// componentsOf returns the components of a distribution that have quantile levels, or nil for Gaussians.
func componentsOf(d predict.Distribution) (all []Component) {
	if d.Mixture() {
		for _, c := range d.Components() {
			all = append(all, Component{U: c.U, Tau: c.Tau, Mu: d.Value(c.Mu), Weight: c.Weight})
		}
	}
	return all
}
