package figures

import (
	"iter"

	"github.com/acqnp/acqnp/internal/predict"
)

// NewPanels returns a panel for each function, with the context of one of its dy channels. x has
// one dimension. Collect adds the predictions, with quantiles at the levels.
func NewPanels(functions []predict.Function, dy, channel int, levels []float64) []Panel {
	panels := make([]Panel, len(functions))
	for i, f := range functions {
		panels[i] = Panel{Title: f.Name, Levels: levels, Context: points(f.ContextX, f.ContextY, dy, channel)}
	}
	return panels
}

// Collect returns the same predictions and, as they are read, adds those of one channel to the
// panel of their function. A panel keeps no more of them than a picture can show.
func Collect(panels []Panel, functions []predict.Function, channel int, predictions iter.Seq2[predict.Target, error]) iter.Seq2[predict.Target, error] {
	return func(yield func(predict.Target, error) bool) {
		var thin thinning // of the function of the last target
		for t, err := range predictions {
			if err == nil && t.Function < MaxPanels { // others are not drawn
				p, d, x := &panels[t.Function], t.Channels[channel], functions[t.Function].TargetX
				if t.Target == 0 {
					thin = newThinning(x, len(componentsOf(d)), len(p.Levels))
				}
				if thin.keeps(t.Target) {
					p.Grid = append(p.Grid, predictedPoint(x[t.Target], d, thin.sample(componentsOf(d)), p.Levels))
				}
			}
			if !yield(t, err) {
				return
			}
		}
	}
}

// componentsOf returns the components of a distribution that have quantile levels, or nil for Gaussians.
func componentsOf(d predict.Distribution) []predict.Component {
	if !d.Mixture() {
		return nil
	}
	return d.Components()[:d.NumLevels()]
}

// predictedPoint returns what is drawn of a distribution at x: components, its mean, and its
// quantiles at the levels.
func predictedPoint(x float64, d predict.Distribution, components []predict.Component, levels []float64) PredictedPoint {
	q := PredictedPoint{X: x, Mean: d.Mean()}
	for _, c := range components {
		q.Components = append(q.Components, Component{U: c.U, Tau: c.Tau, Mu: d.Value(c.Mu), Weight: c.Weight})
	}
	for _, p := range levels {
		q.Quantiles = append(q.Quantiles, d.Quantile(p))
	}
	return q
}
