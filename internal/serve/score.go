package serve

import (
	"net/http"

	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/likelihood/score"
	"github.com/acqnp/acqnp/internal/predict"
)

// score answers POST /v1/score.
func (s *Server) score(w http.ResponseWriter, r *http.Request, body []byte, t *ticket) {
	q, err := s.parse(body, true)
	if err != nil {
		fail(w, err)
		return
	}
	defer q.model.leave()
	u, ctx := q.model.About.Units, r.Context()
	a, tally := newResults(q), score.NewTally(u.YNames)
	if err = s.admit(ctx, q, len(body), t); err == nil {
		err = q.sessions().use(ctx, func(s predict.Session) error {
			scores := predict.Scores{Names: predict.Names{Functions: q.functions, XNames: u.XNames, YNames: u.YNames}, Threads: 1, Calibrated: q.model.Calibrated}
			return scores.Each(s.Predict(ctx, q.functions), func(t predict.Target, points []score.Point) error {
				tally.Add(points)
				a.scored(t, points)
				return ctx.Err()
			})
		})
	}
	if err != nil {
		fail(w, err)
		return
	}
	s.metrics.computed(r, len(q.functions), q.targets())
	s.write(w, a, tally.Summary())
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
