package serve

import (
	"context"
	"net/http"

	"github.com/acqnp/acqnp/internal/invalid/warning"
	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/predict"
)

// A question is a request to a model, and its answer:
//
//	{"groups": [{"name", "known", "targets": [{"x", "channels": […]}], "draws": [draw][target][channel]}],
//	 "summary", "warnings": [line]}
type question struct {
	request   *request
	model     *Model // the caller of parse calls its method leave
	questions []points.Question
	x         [][][]byte      // of the targets of each question, as the answer repeats them
	targets   [][]answered    // [group][target]
	warnings  *warning.Record // the answer has its lines
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
		sessions, err := s.admit(r.Context(), q, len(body), t)
		var summary any
		switch {
		case err != nil:
		case scored:
			summary, err = q.score(r.Context(), sessions)
		default:
			err = q.predict(r.Context(), sessions)
		}
		if err != nil {
			fail(w, err)
			return
		}
		s.metrics.computed(r, len(q.questions), predict.CountTargets(q.questions))
		q.write(s.begun(w, http.StatusOK), summary)
	}
}

// A pointChecker refuses points that it cannot predict, by its formula.
type pointChecker interface {
	CheckPoints(context, targets string, questions []points.Question) error
}

// parse reads a request for predictions, or for scores, and its groups. The record of its warnings is
// made here.
func (s *Server) parse(body []byte, scored bool) (*question, error) {
	q, err := read(body)
	if err != nil {
		return nil, err
	}
	if scored {
		if err := q.checkScore(); err != nil {
			return nil, err
		}
	}
	m, err := s.enter(q.run)
	if err != nil {
		return nil, err
	}
	from := reader{Units: m.About.Units, scored: scored, names: unseen{}, most: s.Points}
	if m.About.Recalls { // a fit
		from.gaps, from.limits = newMissingY(m.About.Units.YNames), true
	}
	questions, x, err := from.read(q.groups, s.Groups)
	if p, checks := m.Predictor.(pointChecker); err == nil && checks {
		err = p.CheckPoints("", "", questions)
	}
	if err != nil {
		m.leave()
		return nil, err
	}
	w := new(warning.Record)
	if from.gaps != nil {
		from.gaps.warn(questions, w)
	}
	questions = m.Predictor.Recall(questions, q.asNew, w)
	m.Predictor.Warn(questions, from.names.text(m.About.Units), w)
	all := &question{&q, m, questions, x, make([][]answered, len(questions)), w}
	for i, one := range questions {
		all.targets[i] = make([]answered, one.Targets.Len())
	}
	return all, nil
}

// predict adds the predictions of all targets to the answer, with joint draws if the request asks for
// them.
func (q *question) predict(ctx context.Context, l *sessions) error {
	m := q.model
	values, tails := q.request.wanted(nil), new(predict.Tails)
	defer func() {
		if line := tails.Beyond(m.Calibrated, values); line != "" {
			q.warnings.Add("%s", line)
		}
	}()
	covered := newSpans(len(q.questions), len(m.About.Units.YNames))
	if q.request.covers() {
		if err := l.spread(ctx, q.questions, covered.add); err != nil {
			return err
		}
	}
	add := func(ctx context.Context, t predict.Target) error {
		return q.add(ctx, t, func(c int) ([]predict.Value, predict.Answer) {
			if q.request.covers() {
				return q.request.wanted(&covered.of[t.Group][c]), predict.Answer{Calibrated: m.Calibrated, Tails: tails}
			}
			return values, predict.Answer{Calibrated: m.Calibrated, Tails: tails}
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
