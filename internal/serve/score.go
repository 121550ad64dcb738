package serve

import (
	"context"
	"strconv"
	"strings"

	"github.com/acqnp/acqnp/internal/datasets/rows"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/likelihood/score"
	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/predict"
)

// score adds the scores of all targets to the answer, and returns their summary.
func (q *question) score(ctx context.Context, l *sessions) (summary any, err error) {
	u := q.model.About.Units
	tally := score.NewTally(u.YNames)
	keys, names := keysOf(q.questions)
	err = l.use(ctx, func(s predict.Session) error {
		scores := predict.Scores{Names: predict.Names{Questions: q.questions, XNames: u.XNames, YNames: u.YNames}, Threads: 1, Calibrated: q.model.Calibrated,
			Warnings: q.warnings, Support: q.model.About.Outcomes}
		return scores.Each(s.Predict(ctx, q.questions), func(t predict.Target, points []score.Point) error {
			for c := range points {
				points[c].Group = keys[t.Group]
			}
			tally.Add(points)
			return q.add(ctx, t, func(c int) ([]predict.Value, predict.Answer) {
				return predict.ScoreValues, predict.Answer{Score: points[c]}
			})
		})
	})
	if err != nil {
		return nil, err
	}
	all := tally.Summary()
	for i, f := range all.PerGroup {
		all.PerGroup[i].Group = names[f.Group]
	}
	return all, nil
}

// keysOf returns what tells groups apart, and their names by it. Two groups of one name are one group that is
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

// checkScore refuses keys that only predictions have.
func (q *request) checkScore() error {
	asks, keys := q.draws != 0, []string(nil)
	for _, a := range q.asks {
		asks, keys = asks || a.cells() > 0, append(keys, a.Key)
	}
	if !asks {
		return nil
	}
	return &invalid.Input{Key: "body", Found: strings.Join(keys, ", ") + " or draws", Expected: "run and groups alone; /v1/predict takes the others"}
}
