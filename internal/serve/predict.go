package serve

import (
	"context"
	"encoding/json"
	"math"
	"net/http"

	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/likelihood/score"
	"github.com/acqnp/acqnp/internal/predict"
	"github.com/acqnp/acqnp/internal/predict/conformal"
)

// A number is null in JSON if it is not finite, as the standard deviation of a heavy tail may be.
type number float64

func (v number) MarshalJSON() ([]byte, error) {
	return appendNumber(nil, float64(v)), nil
}

// predict answers POST /v1/predict.
func (s *Server) predict(w http.ResponseWriter, r *http.Request, body []byte) {
	q, m, functions, err := s.asked(body, false)
	if err != nil {
		fail(w, err)
		return
	}
	defer m.leave()
	a := newPredictAnswer(&q, m.calibration(q))
	leave, err := s.admit(r.Context(), functions, q, m)
	defer leave()
	if err == nil {
		err = m.predictAll(r.Context(), functions, &q, a.add)
	}
	if err != nil {
		fail(w, err)
		return
	}
	s.metrics.computed(r, len(functions), predict.CountTargets(functions, len(m.Trained.Units.XNames)))
	reply(w, http.StatusOK, a.json())
}

// asked reads a request for predictions, or for scores, and its functions. The caller calls m.leave.
func (s *Server) asked(body []byte, scored bool) (q request, m *Model, functions []predict.Function, err error) {
	if q, err = read(body); err != nil {
		return q, nil, nil, err
	}
	check := q.checkPredict
	if scored {
		check = q.checkScore
	}
	if err = check(); err != nil {
		return q, nil, nil, err
	}
	if m, err = s.enter(q.Run); err != nil {
		return q, nil, nil, err
	}
	if functions, err = q.functions(m.Trained.Units, s.Limits, scored); err != nil {
		m.leave()
	}
	return q, m, functions, err
}

// predictAll gives each target to add, with joint draws if the request asks for them.
func (m *Model) predictAll(ctx context.Context, functions []predict.Function, q *request, add func(predict.Target) error) error {
	if q.Density.Points != nil {
		q.spans = newSpans(len(functions), len(m.Trained.Units.YNames))
		if err := m.spread(ctx, functions, q.spans.add); err != nil {
			return err
		}
	}
	if q.Draws == 0 {
		return m.spread(ctx, functions, add)
	}
	draws := predict.JointDraws{Number: q.Draws, Seed: m.Trained.Seed}
	if q.Seed != nil {
		draws.Seed = *q.Seed
	}
	return m.use(ctx, func(p *predict.Predictor) error {
		for t, err := range m.Trained.WithJointDraws(ctx, functions, draws, p.Predict(ctx, functions)) {
			if err != nil {
				return err
			}
			if err := add(t); err != nil {
				return err
			}
		}
		return nil
	})
}

// calibration returns the calibration for the quantiles and regions of a request, nil if it is of too few
// groups for one of them.
func (m *Model) calibration(q request) *conformal.Calibration {
	if m.Calibrated == nil {
		return nil
	}
	for _, c := range m.Calibrated.Channels {
		for _, p := range q.Quantiles {
			if _, enough := c.Level(p); !enough {
				return nil
			}
		}
		for _, mass := range q.Regions {
			if _, enough := c.Mass(mass); !enough {
				return nil
			}
		}
	}
	return m.Calibrated
}

func (q request) checkPredict() error {
	for _, p := range q.Quantiles {
		if !(p > 0 && p < 1) {
			return &invalid.Input{Key: "quantiles", Found: jsonText(p), Expected: "levels between 0 and 1"}
		}
	}
	for _, mass := range q.Regions {
		if !(mass > 0 && mass < 1) {
			return &invalid.Input{Key: "regions", Found: jsonText(mass), Expected: "probabilities between 0 and 1"}
		}
	}
	if q.Draws < 0 {
		return &invalid.Input{Key: "draws", Found: jsonText(q.Draws), Expected: "0 or more"}
	}
	return q.Density.check()
}

// An answer of more than largeAnswer numbers takes tens of megabytes, and clients may read it slowly. So
// the server holds few of them at a time.
const (
	largeAnswer  = 500_000
	largeAnswers = 4
)

// admit refuses a request whose answer would be too large. A large one waits until there is room among
// the large answers. The caller calls leave when the request is answered.
func (s *Server) admit(ctx context.Context, functions []predict.Function, q request, m *Model) (leave func(), err error) {
	targets := predict.CountTargets(functions, len(m.Trained.Units.XNames))
	each := 2 + float64(len(q.Quantiles)) + float64(q.Density.count()) + float64(q.Draws) // an int may overflow
	// A region has at most an interval for each component.
	if ofComponent := 2 * float64(len(q.Regions)); q.Components || ofComponent > 0 {
		if q.Components {
			ofComponent += 4
		}
		context := 0
		for _, f := range functions {
			context = max(context, len(f.ContextY)/len(m.Trained.Units.YNames))
		}
		each += ofComponent * float64(m.Trained.MostComponents(context))
	}
	n := float64(targets) * float64(len(m.Trained.Units.YNames)) * each
	if n > float64(s.Numbers) {
		return func() {}, beyond("numbers in the answer", int(min(n, math.MaxInt32)), s.Numbers)
	}
	if n <= largeAnswer {
		return func() {}, nil
	}
	return enter(ctx, s.answers)
}

func jsonText(v any) string {
	b, _ := json.Marshal(v)
	return string(b)
}

// scoreAnswer is the answer of POST /v1/score.
type scoreAnswer struct {
	Functions []scoredFunction `json:"functions"`
	Summary   score.Summary    `json:"summary"` // as acqnp score --json states it
}

type scoredFunction struct {
	Name    string         `json:"name"`
	Targets []scoredTarget `json:"targets"`
}

type scoredTarget struct {
	X        []cell          `json:"x"`
	Channels []scoredChannel `json:"channels"`
}

type scoredChannel struct {
	Y          float64 `json:"y"`
	LogDensity float64 `json:"log_density"`
	CRPS       float64 `json:"crps"`
	PIT        float64 `json:"pit"`
	Mean       number  `json:"mean"`
	SD         number  `json:"sd"`
}

// score answers POST /v1/score.
func (s *Server) score(w http.ResponseWriter, r *http.Request, body []byte) {
	q, m, functions, err := s.asked(body, true)
	if err != nil {
		fail(w, err)
		return
	}
	defer m.leave()
	a := scoreAnswer{Functions: make([]scoredFunction, len(functions))}
	for i, f := range q.Functions {
		a.Functions[i].Name = f.Name
	}
	u := m.Trained.Units
	tally := score.NewTally(u.YNames)
	err = m.use(r.Context(), func(p *predict.Predictor) error {
		scores := predict.Scores{Names: predict.Names{Functions: functions, XNames: u.XNames, YNames: u.YNames}, Threads: 1, Calibrated: m.Calibrated}
		return scores.Each(p.Predict(r.Context(), functions), func(t predict.Target, points []score.Point) error {
			tally.Add(points)
			target := scoredTarget{X: q.Functions[t.Function].Targets.X[t.Target]}
			for _, p := range points {
				target.Channels = append(target.Channels, scoredChannel{p.Y, p.LogDensity, p.CRPS, p.PIT, number(p.Mean), number(p.SD)})
			}
			a.Functions[t.Function].Targets = append(a.Functions[t.Function].Targets, target)
			return nil
		})
	})
	if err != nil {
		fail(w, err)
		return
	}
	s.metrics.computed(r, len(functions), predict.CountTargets(functions, len(u.XNames)))
	a.Summary = tally.Summary()
	answer(w, http.StatusOK, a)
}

// checkScore refuses keys that only predictions have.
func (q request) checkScore() error {
	if len(q.Quantiles) > 0 || len(q.Regions) > 0 || q.Density.count() > 0 || q.Modes || q.Draws != 0 || q.Components {
		return &invalid.Input{Key: "body", Found: "quantiles, regions, density, modes, draws or components", Expected: "run and functions alone; /v1/predict takes the others"}
	}
	return nil
}
