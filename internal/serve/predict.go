package serve

import (
	"context"
	"fmt"
	"net/http"

	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/invalid/warning"
	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/predict"
)

// A question is a request to a model. The caller of parse calls model.leave.
type question struct {
	request   *request
	model     *Model
	questions []points.Question
	x         [][][]byte      // of the targets of each question, as the answer repeats them
	warnings  *warning.Record // of this request; the answer has its lines
}

// answering returns what answers POST /v1/predict, or /v1/score.
func (s *Server) answering(scored bool) func(http.ResponseWriter, *http.Request, []byte, *ticket) {
	return func(w http.ResponseWriter, r *http.Request, body []byte, t *ticket) {
		q, err := s.parse(body, scored)
		if err != nil {
			fail(w, err)
			return
		}
		defer q.model.leave()
		a, summary := newResults(q), any(nil)
		sessions, err := s.admit(r.Context(), q, len(body), t)
		switch {
		case err != nil:
		case scored:
			summary, err = q.score(r.Context(), sessions, a)
		default:
			err = q.predict(r.Context(), sessions, a)
		}
		if err != nil {
			fail(w, err)
			return
		}
		s.metrics.computed(r, len(q.questions), predict.CountTargets(q.questions))
		s.write(w, a, summary)
	}
}

// A pointChecker refuses points that it cannot predict, by its formula.
type pointChecker interface {
	CheckPoints(context, targets string, questions []points.Question) error
}

// parse reads a request for predictions, or for scores, and its functions. The record of its warnings is
// made here.
func (s *Server) parse(body []byte, scored bool) (*question, error) {
	q, err := read(body)
	if err != nil {
		return nil, err
	}
	check := q.checkPredict
	if scored {
		check = q.checkScore
	}
	if err := check(); err != nil {
		return nil, err
	}
	m, err := s.enter(q.run)
	if err != nil {
		return nil, err
	}
	from := reader{Units: m.About.Units, scored: scored, names: unseen{}, most: s.Points}
	if m.About.Recalls { // a fit
		from.gaps = newMissingY(m.About.Units.YNames)
	}
	questions, x, err := from.read(q.functions, s.Functions)
	if p, checks := m.Predictor.(pointChecker); err == nil && checks {
		err = p.CheckPoints("", "", questions)
	}
	if err != nil {
		m.leave()
		return nil, err
	}
	w := new(warning.Record)
	if from.gaps != nil {
		from.gaps.warn(w)
	}
	questions = m.Predictor.Recall(questions, q.asNew, w)
	m.Predictor.Warn(questions, from.names.text(m.About.Units), w)
	return &question{&q, m, questions, x, w}, nil
}

// predict adds the predictions of all targets to the results, with joint draws if the request asks for
// them.
func (q *question) predict(ctx context.Context, l *sessions, a results) error {
	m := q.model
	if line := predict.BeyondCalibration(m.Calibrated, q.request.wanted(nil)); line != "" {
		q.warnings.Add("%s", line)
	}
	covered := newSpans(len(q.questions), len(m.About.Units.YNames))
	if q.request.covers() {
		if err := l.spread(ctx, q.questions, covered.add); err != nil {
			return err
		}
	}
	add := func(ctx context.Context, t predict.Target) error {
		return a.add(ctx, t, func(c int) ([]predict.Wanted, predict.Answer) {
			return append(always, q.request.wanted(&covered.of[t.Function][c])...), predict.Answer{Calibrated: m.Calibrated}
		})
	}
	if q.request.draws == 0 {
		return l.spread(ctx, q.questions, add)
	}
	draws := predict.JointDraws{Number: q.request.draws, Seed: m.About.Seed}
	if q.request.seed != nil {
		draws.Seed = *q.request.seed
	}
	return l.use(ctx, func(s predict.Session) error {
		for t, err := range predict.WithJointDraws(ctx, m.Predictor, q.questions, draws, s.Predict(ctx, q.questions)) {
			if err != nil {
				return err
			}
			if err := add(ctx, t); err != nil {
				return err
			}
		}
		return nil
	})
}

func (q *request) checkPredict() error {
	for _, a := range q.asks {
		if err := a.check(); err != nil {
			return err
		}
	}
	if q.draws < 0 {
		return &invalid.Input{Key: "draws", Found: fmt.Sprint(q.draws), Expected: "0 or more"}
	}
	return nil
}
