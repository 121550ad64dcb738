package predict

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/datasets/feed"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/models/ops"
	"github.com/acqnp/acqnp/internal/progress"
	"github.com/acqnp/acqnp/internal/run"
)

// TaskLevels is the value of run.Eval's Levels if the levels are those in a tasks file.
const TaskLevels = "tasks"

// EvalOptions state how many batches to evaluate and how to report them. The zero value evaluates
// all batches and reports nothing.
type EvalOptions struct {
	Batches int    // 0 means all that the source has
	Scored  bool   // score some of the targets too
	Threads int    // that compute scores; at least 1 is used
	Version string // of the program, for run.Eval

	JointTargets int // the first targets of each group, whose joint log-likelihood is computed; 0 for none
	Orders       int // random orders of these targets; at least 1 is used

	Progress progress.Reporter // may be nil
	Task     string            // the name that Progress shows
}

// Evaluate returns the log-likelihoods of evaluation batches. It makes the next batch while the
// model runs the current one. A batch may have its own levels or bootstraps, as in a tasks file;
// Evaluate uses them instead of drawing some. If ctx ends, it returns ctx's error. For a NaN or an
// infinity it returns an error that names the batch.
func (t Trained) Evaluate(ctx context.Context, source *datasets.Source, o EvalOptions) (run.Eval, error) {
	start := time.Now()
	total := source.Eval.Count
	if o.Batches > 0 {
		total = min(total, o.Batches)
	}
	if total < 1 {
		return run.Eval{}, &invalid.Input{Key: "evaluation", Found: "no batch", Expected: "at least one"}
	}
	e, err := newEvaluator(t, source)
	if err != nil {
		return run.Eval{}, err
	}
	defer e.Close()
	if o.Scored && !t.Model.Groups() {
		s, err := newScorer(t, source, total, o.Threads)
		if err != nil {
			return run.Eval{}, err
		}
		defer s.Close()
		e.extras = append(e.extras, s)
	}
	if o.JointTargets > 0 {
		c, err := newChain(t, source, o)
		if err != nil {
			return run.Eval{}, err
		}
		defer c.Close()
		e.extras = append(e.extras, c)
	}
	batches, err := e.batches(ctx, source, total, o)
	if err != nil {
		return run.Eval{}, err
	}
	r := run.NewEval(batches, t.Units.Scaling.RawShift())
	for _, x := range e.extras {
		x.addTo(&r)
	}
	if o.Scored && t.Model.Groups() {
		r.Unscored = apart
	}
	r.Benchmark, r.Model, r.Variant = t.Benchmark, t.Model.Name(), t.Variant
	r.Seed, r.Weights = t.Seed, t.Weights
	r.NumTau, r.Levels, r.Bootstraps = e.numTau, e.levels, e.bootstraps
	r.Part = source.EvaluatedPart
	r.Device, r.Seconds, r.Version = e.Device.Name(), time.Since(start).Seconds(), o.Version
	return r, nil
}

// batches evaluates the first total batches of a source.
func (e *evaluator) batches(ctx context.Context, source *datasets.Source, total int, o EvalOptions) ([]run.BatchResult, error) {
	feeds := feed.Start(source.Eval.Make, feed.AllPoints, e.draws, 0, total)
	defer feeds.Close()
	if o.Progress != nil {
		defer o.Progress.End()
	}
	var results []run.BatchResult
	for i := range total {
		f, err := feeds.Next(ctx)
		if err != nil {
			return nil, err
		}
		result, err := e.batch(ctx, i, f, feeds)
		if err != nil {
			return nil, fmt.Errorf("evaluation batch %d: %w", i, err)
		}
		results = append(results, result)
		o.show(i+1, total)
	}
	return results, nil
}

// show reports progress. It begins the task after the first batch, whose time includes compiling.
func (o EvalOptions) show(done, total int) {
	if o.Progress == nil {
		return
	}
	if done == 1 {
		o.Progress.Begin(o.Task, "batch", 0, total)
	}
	o.Progress.Update(progress.State{Done: done})
}

// CheckMemory returns the error of an evaluation that would take more memory than there is, without
// evaluating anything.
func (t Trained) CheckMemory(source *datasets.Source) error {
	e, err := newEvaluator(t, source)
	if err != nil {
		return err
	}
	return e.Check()
}

// An evaluator evaluates batches.
type evaluator struct {
	runner
	draws   feed.Draws
	scaling datasets.Scaling
	extras  []extra

	numTau, bootstraps int // of the last batch; 0 for a model without them
	levels             string
}

// An extra computes more than the log-likelihoods of a batch. It takes what it needs from the batch's feed.
type extra interface {
	take(batch int, f *feed.Feed) error
	score(ctx context.Context, batch int, r *run.BatchResult) error
	addTo(e *run.Eval)
}

func newEvaluator(t Trained, source *datasets.Source) (*evaluator, error) {
	d, err := t.draws()
	if err != nil {
		return nil, err
	}
	size := source.Eval.Size
	e := &evaluator{draws: d, runner: t.runner(models.Evaluation), scaling: t.Units.Scaling}
	e.Feeds, e.Keys = feed.Turns, source.Eval.Keys
	e.Capacity = ops.Extents{Groups: size.Groups, Context: size.Context, Points: size.Points, Levels: d.Count()}
	e.drawn(d.Count(), t.Levels)
	x, y := source.Dims()
	if dx, dy := t.Model.Dims(); dx != x || dy != y {
		return nil, &invalid.Input{
			Key:      "evaluation data",
			Found:    fmt.Sprintf("x of %d and y of %d dimensions", x, y),
			Expected: fmt.Sprintf("%d and %d, as the model has", dx, dy),
		}
	}
	return e, nil
}

// drawn records the number of levels or bootstraps, and how the levels are chosen.
func (e *evaluator) drawn(count int, levels string) {
	switch {
	case e.Model.Bootstrap():
		e.bootstraps = count
	case e.Model.Quantile():
		e.numTau, e.levels = count, levels
	}
}

// batch evaluates batch i, which is in f, and releases f as soon as the program has a copy.
func (e *evaluator) batch(ctx context.Context, i int, f *feed.Feed, feeds *feed.Ahead) (run.BatchResult, error) {
	extents := f.Extents
	if extents.Context == extents.Points {
		return run.BatchResult{}, &invalid.Input{Found: fmt.Sprintf("%d points, all of them context", extents.Points),
			Expected: "at least one target"}
	}
	if f.Own {
		e.drawn(extents.Levels, TaskLevels)
	}
	for _, x := range e.extras {
		if err := x.take(i, f); err != nil {
			return run.BatchResult{}, err
		}
	}
	p, err := e.programFor(extents)
	if err != nil {
		return run.BatchResult{}, err
	}
	f.Write(p)
	shifts := e.shifts(f)
	feeds.Release(f)
	if err := p.Run(extents); err != nil {
		return run.BatchResult{}, err
	}
	r, err := split(p.Output("loglik"), extents.Groups, extents.Points, extents.Context)
	r.RawContext, r.RawTarget = shifts.ContextLL, shifts.TargetLL
	for _, x := range e.extras {
		if err == nil {
			err = x.score(ctx, i, &r)
		}
	}
	return r, err
}

// shifts returns the part of the log-likelihoods of a batch in raw units that the scaling lacks, for the
// context points and for the targets: the mean of datasets.Scaling.PointShift.
func (e *evaluator) shifts(f *feed.Feed) run.BatchResult {
	x := f.Extents
	if !e.scaling.PointShifts() {
		return run.BatchResult{}
	}
	_, dy := e.scaling.Dims()
	shifts := make([]float64, x.Groups*x.Points)
	for i := range shifts {
		shifts[i] = e.scaling.PointShift(f.Y()[i*dy:][:dy])
	}
	means, _ := split(shifts, x.Groups, x.Points, x.Context)
	return means
}

// split averages loglik [B, N] over the context points and over the targets. Without context points
// the former is 0.
func split[T float32 | float64](loglik []T, groups, points, context int) (run.BatchResult, error) {
	r := run.BatchResult{NumPoints: points, NumContext: context}
	for b := range groups {
		for n, v := range loglik[b*points:][:points] {
			if n < context {
				r.ContextLL += float64(v)
			} else {
				r.TargetLL += float64(v)
			}
		}
	}
	if context > 0 {
		r.ContextLL /= float64(groups * context)
	}
	r.TargetLL /= float64(groups * (points - context))
	if sum := r.ContextLL + r.TargetLL; math.IsNaN(sum) || math.IsInf(sum, 0) {
		return r, fmt.Errorf("the log-likelihood is not finite (context %v, target %v)", r.ContextLL, r.TargetLL)
	}
	return r, nil
}
