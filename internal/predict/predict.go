package predict

import (
	"context"
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/datasets/feed"
	"github.com/acqnp/acqnp/internal/engine"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/models/ops"
	"github.com/acqnp/acqnp/internal/points"
)

// A Target is the prediction at one target, in raw units: a distribution for each channel of y.
type Target struct {
	Group, Target int   // both counted from 0
	Known         int   // points of the context
	Values        []int // known values of each channel, by which fits are calibrated; nil if each is known at all points
	Channels      []Distribution
	Copula        *likelihood.Copula // how the channels vary together; nil if they are independent
	Draws         []float64          // [number, dy]: joint draws; nil unless WithJointDraws made some
}

// KnownOf returns the number of known values of a channel.
func (t Target) KnownOf(channel int) int {
	if t.Values != nil {
		return t.Values[channel]
	}
	return t.Known
}

// Predict implements [Predictor].
func (t Trained) Predict(ctx context.Context, questions []points.Question, pieces ...Piece) iter.Seq2[Target, error] {
	return Sketch(ctx, t, 0, questions, pieces...)
}

// Session implements [Predictor].
func (t Trained) Session(r Room) (Session, error) {
	if r.Levels > 0 {
		t = t.Evenly()
		t.NumTau, t.Bootstraps = min(t.NumTau, r.Levels), min(t.Bootstraps, r.Levels)
	}
	s, err := newSession(t, nil)
	if err != nil {
		return nil, err
	}
	s.Capacity.Context, s.Capacity.Points = r.Context, min(r.Targets, targetsPerRun)
	return s, nil
}

// keptContext is the largest number of context points for which a session keeps a program.
const keptContext = 4096

// Cost implements [Predictor]. A network has an input for names that the training did not have. A run takes moments, and a
// GPU much less.
func (t Trained) Cost(q points.Question, _ []Piece) (c Cost, err error) {
	const multiplyAdds = 250 // in a unit of work, on one core
	switch c.Readings = 1; {
	case t.Model.Quantile():
		c.Components = t.NumTau
	case t.Model.Bootstrap():
		c.Components = t.Bootstraps
	default:
		c.Components = t.Model.Parts()
	}
	c.Draw = float64(c.Components) * (1 + float64(t.Model.NumParams())/multiplyAdds)
	if context := q.Known.Len(); context > keptContext {
		s, err := newSession(t, nil)
		if err != nil {
			return c, err
		}
		s.Capacity.Context, s.Capacity.Points, s.Capacity.Groups = context, targetsPerRun, 1
		c.Program, err = s.Bytes()
		return c, err
	}
	return c, nil
}

// Predict implements [Session]. It frees a program with room for more context than most groups have.
func (s *session) Predict(ctx context.Context, questions []points.Question, pieces ...Piece) iter.Seq2[Target, error] {
	return func(yield func(Target, error) bool) {
		if pieces == nil {
			pieces = Whole(questions)
		}
		defer func() {
			if s.Capacity.Context > keptContext {
				s.Close()
				s.Capacity.Context = keptContext
			}
		}()
		for _, p := range pieces {
			if err := s.admit(p.Group, questions[p.Group]); err != nil {
				yield(Target{}, err)
				return
			}
		}
		for _, p := range pieces {
			if !s.piece(ctx, questions[p.Group], p, yield) {
				return
			}
		}
	}
}

// A session answers questions with a network, up to targetsPerRun targets at a time.
type session struct {
	runner
	draws      feed.Draws
	feed       feed.Feed
	dx, dy     int // of the model
	columns    int // of x in raw units
	scaling    datasets.Scaling
	components []float32 // of the last run, at all points; for quantile models, with the next
	logit      []float32
	states     models.States // of the last run, at all points; for other models
}

func newSession(t Trained, questions []points.Question) (*session, error) {
	if err := t.CheckGroups(); err != nil {
		return nil, err
	}
	d, err := t.draws()
	if err != nil {
		return nil, err
	}
	s := &session{draws: d, scaling: t.Units.Scaling, runner: t.runner(models.Prediction)}
	s.Feeds, s.Keys, s.Capacity.Levels = 1, datasets.SizeKeys{Context: "context"}, d.Count()
	s.dx, s.dy = t.Model.Dims()
	s.columns = len(s.scaling.XScale)
	if x, y := s.scaling.Dims(); x != s.dx || y != s.dy {
		return nil, fmt.Errorf("found a scaling of %d columns of x and %d of y, expected %d and %d, as the model has", x, y, s.dx, s.dy)
	}
	for i, q := range questions {
		if err := s.admit(i, q); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// admit makes room for question i. It returns an error for one that does not fit the model.
func (s *session) admit(i int, q points.Question) error {
	context, targets, err := s.size(q)
	if err != nil {
		return fmt.Errorf("group %d: %w", i, err)
	}
	s.Capacity.Context = max(s.Capacity.Context, context)
	s.Capacity.Points = max(s.Capacity.Points, min(targets, targetsPerRun))
	return nil
}

// size returns the numbers of known points and targets of a question.
func (s *session) size(q points.Question) (context, targets int, err error) {
	context, targets = q.Known.Len(), q.Targets.Len()
	if len(q.Known.X) != context*s.columns || len(q.Known.Y) != context*s.dy || len(q.Targets.X) != targets*s.columns {
		return 0, 0, &invalid.Input{
			Key:      "points",
			Found:    fmt.Sprintf("context of %d numbers of x and %d of y, %d of targets", len(q.Known.X), len(q.Known.Y), len(q.Targets.X)),
			Expected: fmt.Sprintf("points with x of %d and y of %d dimensions", s.columns, s.dy),
		}
	}
	if context < 1 && s.Model.Bootstrap() {
		return 0, 0, &invalid.Input{Key: "context", Found: "no point", Expected: "at least one: bnp resamples the context"}
	}
	return context, targets, nil
}

// piece yields the targets of a piece of a question. It returns false if the sequence ends.
func (s *session) piece(ctx context.Context, q points.Question, piece Piece, yield func(Target, error) bool) bool {
	run := func(first, n int) error { return s.run(piece.Group, q, first, n) }
	return piece.Targets(ctx, q.Known.Len(), run, s.channels, yield)
}

// run evaluates targets first to first+n−1 of question i. The levels depend only on group and
// target. They are drawn after the program is compiled, which checks the memory.
func (s *session) run(i int, q points.Question, first, n int) error {
	program, err := s.programFor(ops.Extents{Groups: 1, Context: q.Known.Len(), Points: n, Levels: s.draws.Count()})
	if err != nil {
		return err
	}
	contextX, contextY, x := s.scaling.Model(q.Known, q.Targets.Cut(first, first+n).X)
	s.feed.Targets(s.draws, i, first, contextX, contextY, x, s.dx, s.dy)
	s.feed.Write(program)
	return s.evaluate(program)
}

// evaluate runs the program on the feed that was written and keeps its outputs.
func (s *session) evaluate(program engine.Program[float32]) error {
	if err := program.Run(s.feed.Extents); err != nil {
		return err
	}
	s.components = program.Output("components")
	if s.Model.Quantile() {
		s.logit = program.Output("logit")
	} else {
		s.states = s.Model.States(s.components, s.feed.Extents.Rows(ops.Point))
	}
	return nil
}

// channels returns the distributions at target t of the last run, one for each channel. It returns
// an error if a mean is not finite, which happens if numbers are too large for float32.
func (s *session) channels(t int) ([]Distribution, error) {
	ds := make([]Distribution, s.dy)
	for c := range ds {
		ds[c] = s.distribution(t, c)
		if mean := ds[c].Mean(); math.IsNaN(mean) || math.IsInf(mean, 0) {
			return nil, notFinite(fmt.Sprintf("found a predictive mean of %v, expected a finite number; the points may be too large for float32", mean))
		}
	}
	return ds, nil
}

// distribution reads the distribution of one channel at target t from the outputs of the last run.
func (s *session) distribution(t, channel int) Distribution {
	units := likelihood.Units{Factor: s.scaling.YScale[channel], Offset: s.scaling.YOffset[channel]}
	log := s.scaling.YForms != nil && s.scaling.YForms[channel].Log
	if !s.Model.Quantile() {
		return newDistribution(s.states.At(t, channel, units), nil, log)
	}
	k, width := s.draws.Count(), s.Model.RowWidth()
	parts := likelihood.NewMixtureIn(units, s.components[t*k*width:][:k*width], s.logit[t*k:][:k], s.dy, channel, s.Model.Scale())
	return newDistribution(parts, slices.Clone(s.feed.Levels()[t*k:][:k]), log)
}

// apart says why a network that reads groups has no predictions of its own here.
const apart = "a prediction needs the other groups of the data set, which only acqnp fit has"

// CheckGroups returns an *invalid.Input for a network that reads groups. A [points.Question] of a network has none.
func (t Trained) CheckGroups() error {
	if !t.Model.Groups() {
		return nil
	}
	return &invalid.Input{Key: "model.aggregation", Found: "groups", Expected: "another aggregation: " + apart}
}
