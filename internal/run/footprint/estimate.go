// Package footprint counts the memory of the host that a model takes: the compiled program, its
// feeds and its checkpoints. It counts before anything is allocated, and refuses an Estimate that the
// machine cannot hold:
//
//	e := footprint.Estimate{
//		Device: d, Model: m, Mode: models.Training, Capacity: extents, Feeds: 2, Keys: keys,
//	}
//	if err := e.Check(); err != nil {
//		return err // names the configuration key that weighs most
//	}
package footprint

import (
	"fmt"
	"runtime/debug"

	"gorgonia.org/tensor"

	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/engine"
	"github.com/acqnp/acqnp/internal/engine/device"
	"github.com/acqnp/acqnp/internal/engine/device/memory"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/models/ops"
)

// An Estimate is a model that is about to be compiled.
type Estimate struct {
	Device   device.Device
	Model    *models.Model
	Mode     models.Mode
	Capacity ops.Extents
	Feeds    int               // how many feeds are filled in turn
	Keys     datasets.SizeKeys // the keys that set the capacity
	Beside   *Estimate         // a model that is compiled too, at the same time; nil if none
}

// Check returns an *invalid.Input if the model takes more memory than is available. The error names
// the key that would save most if it had its smallest value.
func (p Estimate) Check() error {
	need, err := p.Bytes()
	if err != nil {
		return err
	}
	have, known := memory.Available("/")
	if known && need > have {
		debug.FreeOSMemory() // an earlier program may be garbage that was not collected yet
		have, known = memory.Available("/")
	}
	if !known || need <= have {
		return nil
	}
	return p.refuse(need, have)
}

// Compile compiles the model. The caller sets the weights.
func (p Estimate) Compile() (engine.Program[float32], error) {
	graph, err := p.Model.Build(tensor.Float32, p.Capacity, p.Mode)
	if err != nil {
		return nil, fmt.Errorf("building the graph: %w", err)
	}
	program, err := p.Device.Program(graph)
	if err != nil {
		return nil, fmt.Errorf("compiling the graph: %w", err)
	}
	return program, nil
}

// stateCopies is how many floats a checkpoint holds for each parameter: its value and Adam's two
// moments.
const stateCopies = 3

// Bytes returns how much of the host's memory the model takes. It allocates nothing of that size.
func (p Estimate) Bytes() (float64, error) {
	g, err := p.Model.Build(tensor.Float32, p.Capacity, p.Mode)
	if err != nil {
		return 0, err
	}
	n, err := p.Device.Bytes(g, p.Mode == models.Training)
	if err != nil {
		return 0, err
	}
	for _, in := range g.Inputs {
		n += 4 * float64(p.Feeds) * float64(p.Capacity.Rows(in.Space)) * float64(in.Width)
	}
	if p.Mode == models.Training {
		n += 4 * stateCopies * float64(p.Model.NumParams())
	}
	if p.Beside == nil {
		return n, nil
	}
	beside, err := p.Beside.Bytes()
	return n + beside + 4*float64(p.Model.NumParams()), err // training also keeps an average of the weights
}

// refuse returns the error for a model that takes too much.
func (p Estimate) refuse(need, have float64) error {
	work := [...]string{models.Training: "training", models.Evaluation: "evaluation", models.Prediction: "prediction"}[p.Mode]
	takes, least := fmt.Sprintf("%s takes %s of memory", work, memory.Size(need)), need
	e := &invalid.Input{Found: takes, Expected: fmt.Sprintf("at most the %s available", memory.Size(have))}
	for _, part := range p.parts() {
		n, err := part.smallest.Bytes()
		if err != nil {
			return err
		}
		if n < least {
			least = n
			e.Key, e.Found = part.key, part.value+", with which "+takes
			e.Expected = fmt.Sprintf("at most the %s available (this key weighs most)", memory.Size(have))
		}
	}
	return e
}
