package predict

import (
	"context"
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/models/ops"
	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/random"
)

// WithJointDraws returns the same predictions with joint draws of each group: each drawn target
// joins the context of the next, in the order of the targets. So the draws of one number belong to one
// curve, where independent draws mix the curves of many. predictions are those of p.Predict.
//
// All draws of a target are made in one pass of the model, if memory permits, and a group takes
// as many passes as it has targets.
func WithJointDraws(ctx context.Context, p Predictor, questions []points.Question, d JointDraws, predictions iter.Seq2[Target, error]) iter.Seq2[Target, error] {
	return func(yield func(Target, error) bool) {
		j, err := p.Sequence(questions, d.Number)
		if err != nil {
			yield(Target{}, err)
			return
		}
		defer j.Close()
		for t, err := range predictions {
			if err == nil && t.Target == 0 {
				j.Begin(t.Group, questions[t.Group])
			}
			if err == nil {
				t.Draws, err = d.draw(ctx, j, t)
			}
			if !yield(t, err) || err != nil {
				return
			}
		}
	}
}

// JointDraws are draws of whole curves.
type JointDraws struct {
	Number int
	Seed   uint64
}

// A Sequence predicts the targets of a group one after the other, in several draws: each target joins the
// context of the next.
type Sequence interface {
	// Begin starts with group i. All draws begin with its own context.
	Begin(i int, q points.Question)
	// Next calls choose with the prediction at target i for each draw, given the targets before. The y [dy] that
	// choose returns joins the draw's context.
	Next(ctx context.Context, i int, choose func(draw int, t Target) []float64) error
	Close()
}

// Sequence implements [Predictor].
func (t Trained) Sequence(questions []points.Question, draws int) (Sequence, error) {
	return newJoint(t, questions, draws)
}

// draw returns the draws of a target, [Number, dy]. Those of the first target are the independent
// ones of [Table].
func (d JointDraws) draw(ctx context.Context, s Sequence, p Target) ([]float64, error) {
	g, dy := random.New(d.Seed, random.Draws|random.Evaluation), len(p.Channels)
	limits := make([]likelihood.Interval, dy)
	for c := range limits {
		limits[c] = plausible(p.Channels[c])
	}
	values, joining := make([]float64, d.Number*dy), make([]float64, dy)
	err := s.Next(ctx, p.Target, func(draw int, given Target) []float64 {
		given.Group, given.Target = p.Group, p.Target
		y := given.draws(g, draw, 1)
		copy(values[draw*dy:], y)
		for c, v := range y {
			joining[c] = min(max(v, limits[c].Low), limits[c].High)
		}
		return joining
	})
	return values, err
}

// plausible returns the range of y that joins a context, from the prediction without draws: that of
// the highest-density region of 95%, and as much again on both sides. What a network predicts from a
// point unlike all that it was trained on is arbitrary, and the tails of a mixture's outermost levels
// reach that far. Without a limit, one such draw makes the next ones larger and larger.
func plausible(d Distribution) likelihood.Interval {
	parts, log := d.parts, d.Log()
	if parts == nil { // of a fit, whose parts may be on several scales
		parts, log = d.Distribution, false
	}
	set := likelihood.HighestDensity(parts, 0.95)
	low, high := set[0].Low, set[len(set)-1].High
	limits := likelihood.Interval{Low: 2*low - high, High: 2*high - low}
	if log { // so that its logarithm is finite
		limits.Low, limits.High = max(math.Exp(limits.Low), 0x1p-1022), min(math.Exp(limits.High), math.MaxFloat64)
	}
	return limits
}

// JointLogDensity returns the log density of all y of a question's targets together, in nats and in
// raw units. By the chain rule it is the sum of the log densities of the targets, in
// their order, each with the targets before it in its context.
func JointLogDensity(p Predictor, q points.Question) (float64, error) {
	j, err := p.Sequence([]points.Question{q}, 1)
	if err != nil {
		return math.NaN(), err
	}
	defer j.Close()
	dy, targets := len(p.About().Units.YNames), q.Targets.Len()
	if q.Targets.DY != dy || len(q.Targets.Y) != targets*dy {
		return math.NaN(), fmt.Errorf("found %d numbers of y for %d targets, expected %d each", len(q.Targets.Y), targets, dy)
	}
	j.Begin(0, q)
	sum := 0.0
	for i := range targets {
		known := q.Targets.RowY(i)
		err := j.Next(context.Background(), i, func(_ int, t Target) []float64 {
			for c, d := range t.Channels {
				sum += d.LogDensity(known[c])
			}
			return known
		})
		if err != nil {
			return math.NaN(), err
		}
	}
	return sum, nil
}

// A joint is the Sequence of a network.
type joint struct {
	*session
	draws    int
	atOnce   int // draws in one run
	number   int // of the group
	question points.Question
	known    []points.Points // of each draw: those of the question and the revealed targets
}

// MaxJointTargets is the largest number of targets of a group that are drawn or scored jointly.
const MaxJointTargets = 10_000

// The largest number of numbers in the contexts of joint draws, and the points of one run.
const (
	maxJointNumbers = 20_000_000
	pointsAtOnce    = 1 << 15 // points of contexts in one run, which bounds its memory
	rowsAtOnce      = 1 << 16 // levels of all draws in one run, which bounds how long it takes
)

func newJoint(t Trained, questions []points.Question, draws int) (*joint, error) {
	p, err := newSession(t, questions)
	if err != nil {
		return nil, err
	}
	points := 0
	for _, q := range questions {
		context, targets, _ := p.size(q) // newSession has checked it
		points = max(points, context+targets)
		if err := CheckJoint(draws, targets, draws*(context+targets)*(p.dx+p.dy)); err != nil {
			return nil, err
		}
	}
	atOnce := min(pointsAtOnce/max(1, points), rowsAtOnce/max(1, p.draws.Count()))
	j := &joint{session: p, draws: draws, atOnce: min(draws, max(1, atOnce))}
	j.Capacity = ops.Extents{Groups: j.atOnce, Context: points, Points: 1, Levels: p.draws.Count()}
	return j, nil
}

// CheckJoint returns an *invalid.Input for too many draws of a group's targets, or numbers in their contexts.
func CheckJoint(draws, targets, numbers int) error {
	if targets > MaxJointTargets || numbers > maxJointNumbers {
		return &invalid.Input{File: "--joint", Found: fmt.Sprintf("%d draws of %d targets of a group", draws, targets),
			Expected: fmt.Sprintf("at most %d targets, and %d numbers of x and y with the context", MaxJointTargets, maxJointNumbers)}
	}
	return nil
}

// Begin implements [Sequence].
func (j *joint) Begin(i int, q points.Question) {
	j.number, j.question, j.known = i, q, slices.Repeat([]points.Points{q.Known.Cut(0, q.Known.Len())}, j.draws)
}

// model returns the inputs of target i in the draws: the context of each, [points, dx+dy], and x
// [draws, dx].
func (j *joint) model(i int, known []points.Points) (contexts [][]float32, x []float32) {
	for _, p := range known {
		cx, cy, tx := j.scaling.Model(p, j.question.Targets.Row(i))
		context := make([]float32, 0, len(cx)+len(cy))
		for n := range len(cy) / j.dy {
			context = append(append(context, cx[n*j.dx:][:j.dx]...), cy[n*j.dy:][:j.dy]...)
		}
		contexts, x = append(contexts, context), append(x, tx...)
	}
	return contexts, x
}

// Next implements [Sequence].
func (j *joint) Next(ctx context.Context, i int, choose func(draw int, t Target) []float64) error {
	for first := 0; first < j.draws; first += j.atOnce {
		if err := ctx.Err(); err != nil {
			return err
		}
		known := j.known[first:min(first+j.atOnce, j.draws)]
		contexts, x := j.model(i, known)
		// Random levels depend on the target and the number of the draw alone.
		j.feed.Target(j.session.draws, j.number, i*MaxDraws+first, contexts, x, j.dx+j.dy)
		program, err := j.programFor(j.feed.Extents)
		if err != nil {
			return err
		}
		j.feed.Write(program)
		if err := j.evaluate(program); err != nil {
			return err
		}
		for n := range known {
			channels := make([]Distribution, j.dy) // whose mean may be infinite, unlike their draws
			for c := range channels {
				channels[c] = j.distribution(n, c)
			}
			y := choose(first+n, Target{Channels: channels})
			if slices.ContainsFunc(j.scaling.ModelY(y), func(v float32) bool { return math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) }) {
				return fmt.Errorf("group %d, target %d, draw %d: %w", j.number, i, first+n+1, notFinite(fmt.Sprintf("found %v, expected finite numbers", y)))
			}
			known[n].Append(points.New(j.columns, j.dy, j.question.Targets.Row(i), y))
		}
	}
	return nil
}
