package predict

import (
	"context"
	"fmt"
	"slices"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/likelihood"
)

// Collapsed is a LevelSpan below which the levels of a model coincide. Its components are then
// nearly one asymmetric Laplace distribution, because a plain adaptor's level is all that tells them
// apart. Training starts near 0.001. Runs of 300 to 3000 steps whose levels never spread ended at
// 0.0002 to 0.02, and those whose levels did at 0.045 to 0.9.
const Collapsed = 0.03

// spanLevels is the number of levels of a point from which LevelSpan takes the extremes.
const spanLevels = 33

// LevelSpan returns the median, over points of the first evaluation batch, of the largest τ less
// the smallest among the levels of a point. The levels lie on a grid. A CQNP's span is 0.998.
func (t Trained) LevelSpan(ctx context.Context, source Source) (float64, error) {
	var b datasets.Batch
	if err := source.Eval(0, &b); err != nil {
		return 0, err
	}
	t.Levels, t.NumTau = GridLevels, spanLevels
	functions := batchFunctions(&b, t.Units.Scaling)
	p, err := newPredictor(t, functions)
	if err != nil {
		return 0, err
	}
	defer p.close()
	var spans []float64
	for i, f := range functions {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		n := len(f.TargetX) / p.dx
		if err := p.run(i, f, 0, n); err != nil {
			return 0, err
		}
		for z := range slices.Chunk(p.program.Output("logit")[:n*spanLevels], spanLevels) {
			spans = append(spans, likelihood.Sigmoid(float64(slices.Max(z)))-likelihood.Sigmoid(float64(slices.Min(z))))
		}
	}
	slices.Sort(spans)
	return spans[len(spans)/2], nil
}

// WarnOfCollapse calls warn if the levels of a model with a plain adaptor coincide.
func (t Trained) WarnOfCollapse(ctx context.Context, source Source, warn func(string)) error {
	if m := t.Model.Config(); m.Name != "acqnp" || m.AdaptorForm == config.Residual {
		return nil
	}
	span, err := t.LevelSpan(ctx, source)
	if err == nil && span < Collapsed {
		warn(fmt.Sprintf("the quantile levels coincide: the τ of a point span %.2g (the median of evaluation batch 0; "+
			"spread levels span up to 0.998), so that the mixture has one shape. "+
			"Train longer, or with model.adaptor_form: residual", span))
	}
	return err
}

// batchFunctions returns the functions of a batch in raw units. Their targets are their first
// points, as many as one run takes.
func batchFunctions(b *datasets.Batch, s datasets.Scaling) []Function {
	functions := make([]Function, b.Functions)
	for i := range functions {
		first := i * b.Points
		x := s.RawX(wide(b.X[first*b.DX:][:min(b.Points, targetsPerRun)*b.DX]))
		y := s.RawY(wide(b.Y[first*b.DY:][:b.Context*b.DY]))
		functions[i] = Function{ContextX: s.RawX(wide(b.X[first*b.DX:][:b.Context*b.DX])), ContextY: y, TargetX: x}
	}
	return functions
}

func wide(v []float32) []float64 {
	w := make([]float64, len(v))
	for i, x := range v {
		w[i] = float64(x)
	}
	return w
}
