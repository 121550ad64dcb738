package predict

import (
	"context"
	"fmt"
	"slices"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/config/catalogue"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/points"
)

// Collapsed is the LevelSpan below which the levels of a model with a plain adaptor coincide. The
// components of a point then are nearly one asymmetric Laplace distribution, because they differ
// only by their levels. Untrained models have 0.0003 to 0.0008. After 300 to 3000 steps, models
// whose levels never spread had 0.0002 to 0.02, and the others 0.045 to 0.9.
const Collapsed = 0.03

// spanLevels is the number of levels of a point that LevelSpan computes.
const spanLevels = 33

// LevelSpan returns the span of a model's levels: the largest τ of a point minus the smallest, at
// the median point of the first evaluation batch. The u are evenly spaced. CQNP's span is 0.998.
func (t Trained) LevelSpan(ctx context.Context, source *datasets.Source) (float64, error) {
	var b datasets.Batch
	if err := source.Eval.Make(0, &b); err != nil {
		return 0, err
	}
	t = t.Evenly()
	t.NumTau = spanLevels
	groups := batchGroups(&b, t.Units.Scaling)
	p, err := newSession(t, groups)
	if err != nil {
		return 0, err
	}
	defer p.Close()
	var spans []float64
	for i, q := range groups {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		n := q.Targets.Len()
		if err := p.run(i, q, 0, n); err != nil {
			return 0, err
		}
		for z := range slices.Chunk(p.logit[:n*spanLevels], spanLevels) {
			spans = append(spans, likelihood.Sigmoid(float64(slices.Max(z)))-likelihood.Sigmoid(float64(slices.Min(z))))
		}
	}
	slices.Sort(spans)
	return spans[len(spans)/2], nil
}

// WarnOfCollapse calls warn with one line if the levels of an ACQNP with a plain adaptor coincide.
// It returns the errors of LevelSpan. It does not ask a network that reads groups.
func (t Trained) WarnOfCollapse(ctx context.Context, source *datasets.Source, warn func(string)) error {
	if m := t.Model.Config(); m.Name != catalogue.ACQNP || m.AdaptorForm == config.Residual || m.Aggregation == config.Groups {
		return nil
	}
	span, err := t.LevelSpan(ctx, source)
	if err == nil && span < Collapsed {
		warn(fmt.Sprintf("the quantile levels coincide: the τ of a point span %.2g (the median of evaluation batch 0; "+
			"expected at least %g), so that a prediction is nearly one asymmetric Laplace distribution. "+
			"Train longer, or with model.adaptor_form: residual", span, Collapsed))
	}
	return err
}

// batchGroups returns the groups of a batch in raw units. The targets of a group are its
// first points, at most targetsPerRun, context points included.
func batchGroups(b *datasets.Batch, s datasets.Scaling) []points.Question {
	groups := make([]points.Question, b.Groups)
	for i := range groups {
		all := s.RawOf(b, i)
		groups[i] = points.Question{Known: all.Cut(0, b.Context), Targets: all.Cut(0, min(b.Points, targetsPerRun))}
	}
	return groups
}
