package serve

import (
	"context"

	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/likelihood/score"
	"github.com/acqnp/acqnp/internal/predict"
)

// score adds the scores of all targets to the results, and returns their summary.
func (q *question) score(ctx context.Context, a results) (summary any, err error) {
	u := q.model.About.Units
	tally := score.NewTally(u.YNames)
	err = q.sessions().use(ctx, func(s predict.Session) error {
		scores := predict.Scores{Names: predict.Names{Functions: q.functions, XNames: u.XNames, YNames: u.YNames}, Threads: 1, Calibrated: q.model.Calibrated}
		return scores.Each(s.Predict(ctx, q.functions), func(t predict.Target, points []score.Point) error {
			tally.Add(points)
			a.scored(t, points)
			return ctx.Err()
		})
	})
	return tally.Summary(), err
}

// scored adds the scores of a target's channels to the results.
func (a results) scored(t predict.Target, points []score.Point) {
	b := a.begin(t)
	for c, p := range points {
		b = append(separated(b, c), '{')
		for i, v := range []struct {
			name  string
			value float64
		}{{"y", p.Y}, {"log_density", p.LogDensity}, {"crps", p.CRPS}, {"pit", p.PIT}, {"mean", p.Mean}, {"sd", p.SD}} {
			b = append(append(append(separated(b, i), '"'), v.name...), `":`...)
			b = appendNumber(b, v.value)
		}
		b = append(b, '}')
	}
	a.keep(t, b)
}

// checkScore refuses keys that only predictions have.
func (q *request) checkScore() error {
	if len(q.quantiles) > 0 || len(q.regions) > 0 || q.density.count() > 0 || q.modes || q.draws != 0 || q.components {
		return &invalid.Input{Key: "body", Found: "quantiles, regions, density, modes, draws or components", Expected: "run and functions alone; /v1/predict takes the others"}
	}
	return nil
}
