// Package predict evaluates trained models and predicts with them.
//
// A [Stored] names a trained model on disk, and a [Trained] is that model in memory. What acqnp fit
// wrote is another [Predictor].
// [Trained.Evaluate] returns the content of eval.json: log-likelihoods on the evaluation batches of
// a [datasets.Source]. [Ask] reads the files of points that a user names. [Predictor.Predict] yields a [Target]
// for each target of a [points.Question]: the predictive [Distribution] of every channel of y, in raw
// units, which are those of the data. [Values] are what an answer says of it: [Table] writes them as
// columns, and [Answer.AppendJSON] as an object. [Quantiles] writes the parts of the distributions.
package predict

import (
	"fmt"

	"github.com/acqnp/acqnp/internal/engine"
	"github.com/acqnp/acqnp/internal/models/ops"
	"github.com/acqnp/acqnp/internal/run/footprint"
)

// A runner holds a compiled program that is large enough for all runs so far.
type runner struct {
	footprint.Estimate // of the next program
	params             []float32

	compiled ops.Extents // of this program
	program  engine.Program[float32]
}

// programFor returns a program for runs of these extents. It compiles only if they exceed those of the last
// program, and returns an error if a program takes more memory than there is.
func (r *runner) programFor(e ops.Extents) (engine.Program[float32], error) {
	if r.program != nil && e.Fits(r.compiled) {
		return r.program, nil
	}
	if want := r.Model.NumParams(); len(r.params) != want {
		return nil, fmt.Errorf("found %d parameters, expected %d, as the model has", len(r.params), want)
	}
	r.Close()
	c := &r.Capacity
	c.Groups, c.Context, c.Points, c.Levels = max(e.Groups, c.Groups), max(e.Context, c.Context), max(e.Points, c.Points), max(e.Levels, c.Levels)
	if err := r.Check(); err != nil {
		return nil, err
	}
	program, err := r.Compile()
	if err != nil {
		return nil, err
	}
	copy(program.Params(), r.params)
	r.program, r.compiled = program, r.Capacity
	return program, nil
}

// Close frees the program.
func (r *runner) Close() {
	if r.program != nil {
		r.program.Close()
		r.program = nil
	}
}
