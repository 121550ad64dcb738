package datasets

import "github.com/acqnp/acqnp/internal/random"

// The validation of synthetic benchmarks: few batches and few targets, so that it costs no more
// than a few steps of training.
const (
	validBatches   = 32
	validFunctions = 4
	validTargets   = 16 // of a function, if eval.num_points has as many
)

// ValidSize returns the largest size of a validation batch. Its contexts are those of evaluation.
func (p *synthetic) ValidSize() Size {
	e := p.e.Eval
	return Size{Functions: validFunctions, Points: min(e.MaxContext+validTargets, e.NumPoints), Context: e.MaxContext}
}

// ValidBatches returns the number of validation batches.
func (p *synthetic) ValidBatches() int { return validBatches }

// Valid draws N_c ~ U{min_context..max_context} and functions with that many context points, from
// streams of their own under eval.seed.
func (p *synthetic) Valid(i int, dst *Batch) error {
	e := p.e.Eval
	context := between(random.New(e.Seed, random.Sizes|random.Validation), i, 1, p.e.Data.LeastContext(), e.MaxContext)
	size := Size{Functions: validFunctions, Points: min(context+validTargets, e.NumPoints), Context: context}
	return p.fill(random.New(e.Seed, random.Data|random.Validation), i, size, dst)
}
