// Package predict uses a trained model. A [Trained] is the model with its weights. Its Evaluate
// measures log-likelihoods on evaluation batches and returns the content of eval.json. Its Predict
// yields the predictive distribution of y at each target, as a [Distribution] of package likelihood
// in raw units: those of the data. [Quantiles] writes predictions as a CSV file.
package predict

import (
	"fmt"

	"gorgonia.org/tensor"

	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/device"
	"github.com/acqnp/acqnp/internal/engine"
	"github.com/acqnp/acqnp/internal/footprint"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/ops"
)

// runner keeps a compiled program that is large enough for the runs so far.
type runner struct {
	model  *models.Model
	params []float32
	mode   models.Mode
	device device.Device
	feeds  int // that are filled by turns
	keys   datasets.SizeKeys

	capacity ops.Extents
	program  engine.Program[float32]
}

// at returns the program for a run of these extents. It compiles it again only if they exceed all
// earlier ones.
func (r *runner) at(e ops.Extents) (engine.Program[float32], error) {
	if r.program != nil && e.Fits(r.capacity) {
		return r.program, nil
	}
	if want := r.model.NumParams(); len(r.params) != want {
		return nil, fmt.Errorf("%d parameters given to a model of %d", len(r.params), want)
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
	r.program = program
	return program, nil
}

// checkMemory refuses a program that takes more memory than there is.
func (r *runner) checkMemory() error {
	return footprint.Plan{Device: r.device, Model: r.model, Mode: r.mode, Capacity: r.capacity, Feeds: r.feeds, Keys: r.keys}.Check()
}

func (r *runner) close() {
	if r.program != nil {
		r.program.Close()
		r.program = nil
	}
}
