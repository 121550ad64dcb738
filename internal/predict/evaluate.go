package predict

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/device"
	"github.com/acqnp/acqnp/internal/feed"
	"github.com/acqnp/acqnp/internal/input"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/ops"
	"github.com/acqnp/acqnp/internal/progress"
)

// Source makes evaluation batches. A datasets.Source is one; a tasks file is another.
type Source interface {
	Dims() (dx, dy int)
	EvalSize() datasets.Size
	EvalBatches() int
	Eval(i int, dst *datasets.Batch) error
}

// EvalOptions states what is evaluated, on which batches, and how its levels are chosen.
type EvalOptions struct {
	Model   *models.Model
	Params  []float32 // flat, in the order of Model.Tensors
	Source  Source
	Batches int           // 0 means all that the source has
	NumTau  int           // levels per point, for quantile models; a batch that brings its own levels keeps those
	Levels  string        // RandomLevels or GridLevels
	Seed    uint64        // of the random levels and of the bootstraps
	Device  device.Device // nil: the CPU with all its cores

	Bootstraps int // of the context, for models that resample it; a batch that brings its own keeps those

	OnBatch func(done, total int, left time.Duration) // may be nil

	Progress progress.Reporter // shows the batches; may be nil
	Task     string            // under this name
}

// TaskLevels is the value of Evaluation.Levels if the levels came with the batches.
const TaskLevels = "tasks"

// Evaluation is the result of Evaluate.
type Evaluation struct {
	NumTau     int    // 0 for a model without quantile levels
	Levels     string // RandomLevels, GridLevels, TaskLevels; empty for a model without quantile levels
	Bootstraps int    // 0 for a model without bootstraps
	ContextLL  Estimate
	TargetLL   Estimate
	PerBatch   []BatchResult
}

// BatchResult is the result of one batch: the mean log-likelihood of its context points and that of
// its other points, over all its functions.
type BatchResult struct {
	NumPoints  int     `json:"num_points"`
	NumContext int     `json:"num_context"`
	ContextLL  float64 `json:"context_ll"`
	TargetLL   float64 `json:"target_ll"`
}

// Estimate is a mean over batches and its standard error: the standard deviation (n−1) over √n, NaN
// for one batch.
type Estimate struct{ Mean, StdError float64 }

// Evaluate runs the model on the evaluation batches. It makes the next batch while the model runs
// the current one. If ctx ends, it returns ctx's error. A log-likelihood that is NaN or infinite is
// an error that names the batch.
func Evaluate(ctx context.Context, o EvalOptions) (Evaluation, error) {
	total := o.Source.EvalBatches()
	if o.Batches > 0 {
		total = min(total, o.Batches)
	}
	if total < 1 {
		return Evaluation{}, &input.Error{Key: "evaluation", Found: "no batch", Expected: "at least one"}
	}
	e, err := newEvaluator(o)
	if err != nil {
		return Evaluation{}, err
	}
	defer e.close()

	feeds := feed.Start(o.Source.Eval, e.draws, 0, total)
	defer feeds.Close()
	if o.Progress != nil {
		defer o.Progress.End()
	}
	start := time.Now()
	for i := range total {
		f, err := feeds.Next(ctx)
		if err != nil {
			return Evaluation{}, err
		}
		result, err := e.batch(f, feeds)
		if err != nil {
			return Evaluation{}, fmt.Errorf("evaluation batch %d: %w", i, err)
		}
		e.PerBatch = append(e.PerBatch, result)
		if o.OnBatch != nil {
			left := time.Since(start) / time.Duration(i+1) * time.Duration(total-i-1)
			o.OnBatch(i+1, total, left)
		}
		o.show(i+1, total)
	}
	e.ContextLL = estimate(e.PerBatch, func(b BatchResult) float64 { return b.ContextLL })
	e.TargetLL = estimate(e.PerBatch, func(b BatchResult) float64 { return b.TargetLL })
	return e.Evaluation, nil
}

// show reports that so many batches are done. The task begins with the first of them, which waits
// for compiling.
func (o EvalOptions) show(done, total int) {
	if o.Progress == nil {
		return
	}
	if done == 1 {
		o.Progress.Begin(o.Task, "batch", 0, total)
	}
	o.Progress.Update(progress.State{Done: done})
}

// CheckMemory returns the error of Evaluate where that would take more memory than there is, before
// any work is done.
func CheckMemory(o EvalOptions) error {
	e, err := newEvaluator(o)
	if err != nil {
		return err
	}
	return e.checkMemory()
}

// evaluator evaluates one batch after the other.
type evaluator struct {
	Evaluation
	runner
	draws feed.Draws
}

func newEvaluator(o EvalOptions) (*evaluator, error) {
	d, err := feed.New(o.Model, feed.Choice{
		NumTau: o.NumTau, Spacing: o.Levels, Bootstraps: o.Bootstraps, Seed: o.Seed, Evaluation: true,
	})
	if err != nil {
		return nil, err
	}
	size := o.Source.EvalSize()
	e := &evaluator{draws: d, runner: runner{
		model: o.Model, params: o.Params, mode: models.Evaluation, device: o.Device,
		feeds: feed.Turns, keys: datasets.EvalKeys(o.Source),
		capacity: ops.Extents{Functions: size.Functions, Context: size.Context, Points: size.Points, Levels: d.Count()},
	}}
	e.drawn(d.Count(), o.Levels)
	x, y := o.Source.Dims()
	if dx, dy := o.Model.Dims(); dx != x || dy != y {
		return nil, &input.Error{
			Key:      "evaluation data",
			Found:    fmt.Sprintf("x of %d and y of %d dimensions", x, y),
			Expected: fmt.Sprintf("%d and %d, as the model has", dx, dy),
		}
	}
	return e, nil
}

// drawn records the number of levels or bootstraps, and how levels are chosen.
func (e *evaluator) drawn(count int, levels string) {
	switch {
	case e.model.Bootstrap():
		e.Bootstraps = count
	case e.model.Quantile():
		e.NumTau, e.Levels = count, levels
	}
}

// batch evaluates a feed. It releases the feed as soon as the program has its numbers.
func (e *evaluator) batch(f *feed.Feed, feeds *feed.Ahead) (BatchResult, error) {
	extents := f.Extents
	if extents.Context == extents.Points {
		return BatchResult{}, &input.Error{Found: fmt.Sprintf("%d points, all of them context", extents.Points),
			Expected: "at least one target"}
	}
	if f.Own {
		e.drawn(extents.Levels, TaskLevels)
	}
	p, err := e.at(extents)
	if err != nil {
		return BatchResult{}, err
	}
	f.Write(p)
	feeds.Release(f)
	if err := p.Run(extents); err != nil {
		return BatchResult{}, err
	}
	return split(p.Output("loglik"), extents.Functions, extents.Points, extents.Context)
}

// split averages loglik [B, N] over the context points and over the targets.
func split(loglik []float32, functions, points, context int) (BatchResult, error) {
	r := BatchResult{NumPoints: points, NumContext: context}
	for b := range functions {
		for n, v := range loglik[b*points:][:points] {
			if n < context {
				r.ContextLL += float64(v)
			} else {
				r.TargetLL += float64(v)
			}
		}
	}
	r.ContextLL /= float64(functions * context)
	r.TargetLL /= float64(functions * (points - context))
	if sum := r.ContextLL + r.TargetLL; math.IsNaN(sum) || math.IsInf(sum, 0) {
		return r, fmt.Errorf("the log-likelihood is not finite (context %v, target %v)", r.ContextLL, r.TargetLL)
	}
	return r, nil
}

func estimate(results []BatchResult, value func(BatchResult) float64) Estimate {
	n := float64(len(results))
	mean, squares := 0.0, 0.0
	for _, r := range results {
		mean += value(r) / n
	}
	for _, r := range results {
		d := value(r) - mean
		squares += d * d
	}
	return Estimate{Mean: mean, StdError: math.Sqrt(squares / (n - 1) / n)} // 0/0 is NaN for one batch
}
