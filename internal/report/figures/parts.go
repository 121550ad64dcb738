package figures

import "github.com/acqnp/acqnp/internal/predict"

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
		for _, c := range d.Components()[:d.NumLevels()] {
			all = append(all, Component{U: c.U, Tau: c.Tau, Mu: d.Value(c.Mu), Weight: c.Weight})
		}
	}
	return all
}
