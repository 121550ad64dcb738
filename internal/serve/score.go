package serve

import (
	"context"
	"strconv"

	"github.com/acqnp/acqnp/internal/datasets/rows"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/likelihood/score"
	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/predict"
)

// score adds the scores of all targets to the results, and returns their summary.
func (q *question) score(ctx context.Context, a results) (summary any, err error) {
	u := q.model.About.Units
	tally := score.NewTally(u.YNames)
	keys, names := keysOf(q.questions)
	err = q.sessions().use(ctx, func(s predict.Session) error {
		scores := predict.Scores{Names: predict.Names{Questions: q.questions, XNames: u.XNames, YNames: u.YNames}, Threads: 1, Calibrated: q.model.Calibrated,
			Warnings: q.warnings, Support: q.model.About.Outcomes}
		return scores.Each(s.Predict(ctx, q.questions), func(t predict.Target, points []score.Point) error {
			for c := range points {
				points[c].Function = keys[t.Function]
			}
			tally.Add(points)
			a.scored(t, points)
			return ctx.Err()
		})
	})
	if err != nil {
		return nil, err
	}
	all := tally.Summary()
	for i, f := range all.PerFunction {
		all.PerFunction[i].Function = names[f.Function]
	}
	return all, nil
}

// keysOf returns what tells functions apart, and their names by it. Two functions of one name are one group that is
// asked twice; those without a name are groups of their own.
func keysOf(questions []points.Question) (keys []string, names map[string]string) {
	names = map[string]string{}
	for i, f := range questions {
		key := strconv.Quote(rows.Name(f.Name))
		if f.Name == "" {
			key = strconv.Itoa(i)
		}
		keys, names[key] = append(keys, key), f.Name
	}
	return keys, names
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
