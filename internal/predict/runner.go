// Package predict evaluates trained models and predicts with them.
//
// A [Stored] names a trained model on disk, and a [Trained] is that model in memory. What acqnp fit
// wrote is another [Predictor].
// [Trained.Evaluate] returns the content of eval.json: log-likelihoods on the evaluation batches of
// a [Source]. [Predictor.Predict] yields a [Target] for each target of a [Function]: the predictive
// [Distribution] of every channel of y, in raw units, which are those of the data. [Table] and
// [Quantiles] write predictions to CSV files. [Ask] reads the files of points that a user names.
package predict

import (
	"fmt"

	"gorgonia.org/tensor"

	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/device"
	"github.com/acqnp/acqnp/internal/engine"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/models/ops"
	"github.com/acqnp/acqnp/internal/run/footprint"
)

// A runner holds a compiled program that is large enough for all runs so far.
type runner struct {
	model  *models.Model
	params []float32
	mode   models.Mode
	device device.Device
	feeds  int               // how many feeds are in memory
	keys   datasets.SizeKeys // the keys that set the sizes, for errors about memory

	capacity ops.Extents // of the next program
	compiled ops.Extents // of this one
	program  engine.Program[float32]
}

// at returns a program for runs of these extents. It compiles only if they exceed those of the last
// program.
func (r *runner) at(e ops.Extents) (engine.Program[float32], error) {
	if r.program != nil && e.Fits(r.compiled) {
		return r.program, nil
	}
	if want := r.model.NumParams(); len(r.params) != want {
		return nil, fmt.Errorf("found %d parameters, expected %d, as the model has", len(r.params), want)
	}
	r.close()
	r.capacity = ops.Extents{
		Functions: max(e.Functions, r.capacity.Functions),
		Context:   max(e.Context, r.capacity.Context),
		Points:    max(e.Points, r.capacity.Points),
		Levels:    max(e.Levels, r.capacity.Levels),
	}
	if err := r.checkMemory(); err != nil {
		return nil, err
	}
	graph, err := r.model.Build(tensor.Float32, r.capacity, r.mode)
	if err != nil {
		return nil, fmt.Errorf("building the graph: %w", err)
	}
	program, err := r.device.Program(graph)
	if err != nil {
		return nil, fmt.Errorf("compiling the graph: %w", err)
	}
	copy(program.Params(), r.params)
	r.program, r.compiled = program, r.capacity
	return program, nil
}

// checkMemory returns an error if a program of r.capacity takes more memory than there is.
func (r *runner) checkMemory() error { return r.estimate().Check() }

func (r *runner) estimate() footprint.Estimate {
	return footprint.Estimate{Device: r.device, Model: r.model, Mode: r.mode, Capacity: r.capacity, Feeds: r.feeds, Keys: r.keys}
}

func (r *runner) close() {
	if r.program != nil {
		r.program.Close()
		r.program = nil
	}
}
