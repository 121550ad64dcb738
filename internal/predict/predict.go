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
)

// A Function is a function to predict: its context and its targets, in raw units.
type Function struct {
	Name     string
	ContextX []float64 // [N_c, columns of x]; N_c may be 0, but not for BNP
	ContextY []float64 // [N_c, dy]
	TargetX  []float64 // [N, columns of x]
	TargetY  []float64 // [N, dy]; nil if it is not known
	Rows     []int     // [N]: of each target, the number of its row in a file; nil if they are of none
}

// A Target is the prediction at one target, in raw units: a distribution for each channel of y.
type Target struct {
	Function, Target int // both counted from 0
	Known            int // points of the context, by which fits are calibrated
	Channels         []Distribution
	Draws            []float64 // [number, dy]: joint draws; nil unless WithJointDraws made some
}

// targetsPerRun is the largest number of targets in one run. It bounds the memory of a prediction.
const targetsPerRun = 512

// Predict yields the predictions for all targets of the functions, in order, in memory that does
// not depend on their number. The sequence ends at the first error: an *invalid.Input if a function
// does not fit the model. Ranging over the sequence again yields the same predictions.
func (t Trained) Predict(ctx context.Context, functions []Function) iter.Seq2[Target, error] {
	if t.fitted != nil {
		return t.fitted.Predict(ctx, functions)
	}
	return func(yield func(Target, error) bool) {
		p, err := newPredictor(t, functions)
		if err != nil {
			yield(Target{}, err)
			return
		}
		defer p.close()
		p.all(ctx, functions, yield)
	}
}

// A Predictor predicts again and again with one compiled program, which grows with the largest
// function. It is for one goroutine at a time.
type Predictor struct {
	p      *predictor
	fitted *Fitted // predicts instead of p
}

// NewPredictor returns a Predictor whose program at first has room for numbers of context points and of
// targets. The caller closes it.
func (t Trained) NewPredictor(context, targets int) (*Predictor, error) {
	if t.fitted != nil {
		return &Predictor{fitted: t.fitted}, nil
	}
	p, err := newPredictor(t, nil)
	if err != nil {
		return nil, err
	}
	p.capacity.Context, p.capacity.Points = context, min(targets, targetsPerRun)
	return &Predictor{p: p}, nil
}

// keptContext is the largest number of context points for which Shrink keeps a program.
const keptContext = 4096

// Shrink frees the program if it has room for more context than most functions have. The next prediction
// compiles a new one.
func (p *Predictor) Shrink() {
	if p.p != nil && p.p.capacity.Context > keptContext {
		p.p.close()
		p.p.capacity.Context = keptContext
	}
}

// ProgramBytes returns the memory of a program that Shrink frees, for functions of so many context points;
// 0 if Shrink keeps it.
func (t Trained) ProgramBytes(context int) (float64, error) {
	if t.fitted != nil || context <= keptContext {
		return 0, nil
	}
	p, err := newPredictor(t, nil)
	if err != nil {
		return 0, err
	}
	p.capacity.Context, p.capacity.Points, p.capacity.Functions = context, targetsPerRun, 1
	return p.estimate().Bytes()
}

// Predict yields what [Trained.Predict] yields.
func (p *Predictor) Predict(ctx context.Context, functions []Function) iter.Seq2[Target, error] {
	if p.fitted != nil {
		return p.fitted.Predict(ctx, functions)
	}
	return func(yield func(Target, error) bool) {
		if err := p.p.admit(functions); err != nil {
			yield(Target{}, err)
			return
		}
		p.p.all(ctx, functions, yield)
	}
}

// Piece yields the targets of a piece, with the bits that they have from Predict.
func (p *Predictor) Piece(ctx context.Context, functions []Function, piece Piece) iter.Seq2[Target, error] {
	return func(yield func(Target, error) bool) {
		f := functions[piece.Function]
		if p.fitted != nil {
			p.fitted.part(ctx, f, piece, yield)
			return
		}
		if err := p.p.admitOne(piece.Function, f); err != nil {
			yield(Target{}, err)
			return
		}
		p.p.piece(ctx, f, piece, yield)
	}
}

// Close frees the program.
func (p *Predictor) Close() {
	if p.p != nil {
		p.p.close()
	}
}

// all yields the targets of the functions.
func (p *predictor) all(ctx context.Context, functions []Function, yield func(Target, error) bool) {
	for i, f := range functions {
		if !p.piece(ctx, f, Piece{Function: i, Number: len(f.TargetX) / p.columns}, yield) {
			return
		}
	}
}

// A predictor predicts functions, up to targetsPerRun targets at a time.
type predictor struct {
	runner
	draws      feed.Draws
	feed       feed.Feed
	dx, dy     int // of the model
	columns    int // of x in raw units
	scaling    datasets.Scaling
	x          []float32 // [n, dx]: of the targets of the last run
	components []float32 // of the last run, at all points
	logit      []float32 // of the last run, at all points; for quantile models
}

func newPredictor(t Trained, functions []Function) (*predictor, error) {
	if err := t.checkGroups(); err != nil {
		return nil, err
	}
	d, err := t.draws()
	if err != nil {
		return nil, err
	}
	p := &predictor{draws: d, scaling: t.Units.Scaling, runner: t.runner(models.Prediction)}
	p.feeds, p.keys, p.capacity.Levels = 1, datasets.SizeKeys{Context: "context"}, d.Count()
	p.dx, p.dy = t.Model.Dims()
	p.columns = len(p.scaling.XScale)
	if x, y := p.scaling.Dims(); x != p.dx || y != p.dy {
		return nil, fmt.Errorf("found a scaling of %d columns of x and %d of y, expected %d and %d, as the model has", x, y, p.dx, p.dy)
	}
	return p, p.admit(functions)
}

// admit makes room for the functions. It returns an error for one that does not fit the model.
func (p *predictor) admit(functions []Function) error {
	for i, f := range functions {
		if err := p.admitOne(i, f); err != nil {
			return err
		}
	}
	return nil
}

// admitOne makes room for function i.
func (p *predictor) admitOne(i int, f Function) error {
	context, targets, err := p.size(f)
	if err != nil {
		return fmt.Errorf("function %d: %w", i, err)
	}
	p.capacity.Context = max(p.capacity.Context, context)
	p.capacity.Points = max(p.capacity.Points, min(targets, targetsPerRun))
	return nil
}

// size returns the numbers of context points and targets of a function.
func (p *predictor) size(f Function) (context, targets int, err error) {
	context, targets = len(f.ContextY)/p.dy, len(f.TargetX)/p.columns
	if len(f.ContextX) != context*p.columns || len(f.ContextY) != context*p.dy || len(f.TargetX) != targets*p.columns {
		return 0, 0, &invalid.Input{
			Key:      "points",
			Found:    fmt.Sprintf("context of %d numbers of x and %d of y, %d of targets", len(f.ContextX), len(f.ContextY), len(f.TargetX)),
			Expected: fmt.Sprintf("points with x of %d and y of %d dimensions", p.columns, p.dy),
		}
	}
	if context < 1 && p.model.Bootstrap() {
		return 0, 0, &invalid.Input{Key: "context", Found: "no point", Expected: "at least one: bnp resamples the context"}
	}
	return context, targets, nil
}

// piece yields the targets of a piece of function f. It returns false if the sequence ends.
func (p *predictor) piece(ctx context.Context, f Function, piece Piece, yield func(Target, error) bool) bool {
	i, end := piece.Function, piece.First+piece.Number
	for first := piece.First; first < end; first += targetsPerRun {
		err := ctx.Err()
		n := min(targetsPerRun, end-first)
		if err == nil {
			err = p.run(i, f, first, n)
		}
		if err != nil {
			yield(Target{}, err)
			return false
		}
		for t := range n {
			channels, err := p.channels(t)
			if err != nil {
				yield(Target{}, fmt.Errorf("function %d, target %d: %w", i, first+t, err))
				return false
			}
			if !yield(Target{Function: i, Target: first + t, Known: len(f.ContextY) / p.dy, Channels: channels}, nil) {
				return false
			}
		}
	}
	return true
}

// run evaluates targets first to first+n−1 of function i. The levels depend only on function and
// target. They are drawn after the program is compiled, which checks the memory.
func (p *predictor) run(i int, f Function, first, n int) error {
	program, err := p.at(ops.Extents{Functions: 1, Context: len(f.ContextX) / p.columns, Points: n, Levels: p.draws.Count()})
	if err != nil {
		return err
	}
	contextX, contextY, x := p.scaling.Model(f.ContextX, f.ContextY, f.TargetX[first*p.columns:][:n*p.columns])
	p.x = x
	p.feed.Targets(p.draws, i, first, contextX, contextY, x, p.dx, p.dy)
	p.feed.Write(program)
	return p.evaluate(program)
}

// evaluate runs the program on the feed that was written and keeps its outputs.
func (p *predictor) evaluate(program engine.Program[float32]) error {
	if err := program.Run(p.feed.Extents); err != nil {
		return err
	}
	p.components = program.Output("components")
	if p.model.Quantile() {
		p.logit = program.Output("logit")
	}
	return nil
}

// channels returns the distributions at target t of the last run, one for each channel. It returns
// an error if a mean is not finite, which happens if numbers are too large for float32.
func (p *predictor) channels(t int) ([]Distribution, error) {
	ds := make([]Distribution, p.dy)
	for c := range ds {
		ds[c] = p.distribution(t, c)
		if mean := ds[c].Mean(); math.IsNaN(mean) || math.IsInf(mean, 0) {
			return nil, notFinite(fmt.Sprintf("found a predictive mean of %v, expected a finite number; the points may be too large for float32", mean))
		}
	}
	return ds, nil
}

// distribution reads the distribution of one channel at target t from the outputs of the last run.
func (p *predictor) distribution(t, channel int) Distribution {
	units := likelihood.Units{Factor: p.scaling.YScale[channel], Offset: p.scaling.YOffset[channel]}
	log := p.scaling.YForms != nil && p.scaling.YForms[channel].Log
	k, width := max(1, p.draws.Count()), p.model.RowWidth()
	raw := p.components[t*k*width:][:k*width]
	if !p.model.Quantile() {
		return newDistribution(p.model.Gaussians(raw, 1)[channel].In(units), nil, log)
	}
	parts := likelihood.NewMixtureIn(units, raw, p.logit[t*k:][:k], p.dy, channel, p.model.Scale())
	return newDistribution(parts, slices.Clone(p.feed.Levels()[t*k:][:k]), log)
}
