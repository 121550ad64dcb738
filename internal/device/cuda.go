//go:build gpu || simt

package device

import (
	"fmt"

	"github.com/acqnp/acqnp/internal/engine"
	"github.com/acqnp/acqnp/internal/engine/cuda"
	"github.com/acqnp/acqnp/internal/gpu"
	"github.com/acqnp/acqnp/internal/input"
	"github.com/acqnp/acqnp/internal/ops"
)

// hasCUDA reports whether this program has the CUDA engine.
const hasCUDA = true

// Compute capabilities, as gpu.Device.Capability counts.
const (
	turing = 75 // the lowest that the kernels run on; has half precision
	ampere = 80 // the lowest with tf32
)

// accelerator is a CUDA device.
type accelerator struct {
	driver    gpu.Driver
	index     int
	precision precisions
	closed    bool
}

// precisions are the precisions of matrix products in training, and in evaluation and prediction.
type precisions struct {
	training, evaluation cuda.Precision
	why                  string // why they were chosen; empty if --precision named them
}

// CUDA returns the device of an open driver. Closing it closes the driver. A precision that the
// device lacks is an *input.Error; a device that is too old is another error. On an error the
// driver stays open.
func CUDA(d gpu.Driver, index int, precision string) (Device, error) {
	about := d.Device()
	if about.Capability() < turing {
		return nil, fmt.Errorf("%s has compute capability %d.%d, want 7.5 or more", about.Name, about.Major, about.Minor)
	}
	p, err := choosePrecision(about, precision)
	if err != nil {
		return nil, err
	}
	return &accelerator{driver: d, index: index, precision: p}, nil
}

// choosePrecision returns the precisions for a value of --precision. For auto it chooses the
// fastest one that trains well for training, and float32 for evaluation and prediction, which take
// little time.
func choosePrecision(d gpu.Device, precision string) (precisions, error) {
	switch precision {
	case FP32:
		return precisions{training: cuda.FP32, evaluation: cuda.FP32}, nil
	case FP16:
		return precisions{training: cuda.FP16, evaluation: cuda.FP16}, nil
	case TF32:
		if d.Capability() >= ampere {
			return precisions{training: cuda.TF32, evaluation: cuda.TF32}, nil
		}
		return precisions{}, &input.Error{File: "--precision", Found: `"tf32"`,
			Expected: fmt.Sprintf("fp16 or fp32 on %s of compute capability %d.%d", d.Name, d.Major, d.Minor)}
	}
	p := precisions{training: cuda.TF32, why: fmt.Sprintf("chosen for compute capability %d.%d", d.Major, d.Minor)}
	if d.Capability() < ampere {
		p.training = cuda.FP16
	}
	return p, nil
}

func (a *accelerator) Program(g *ops.Graph) (engine.Program[float32], error) {
	return cuda.New(a.driver, g, cuda.Options{Precision: a.precision.evaluation, Fused: true})
}

func (a *accelerator) Trainer(g *ops.Graph, o Training) (engine.Trainer, error) {
	return cuda.NewTrainer(a.driver, g, cuda.Options{Precision: a.precision.training, Fused: true,
		WeightDecay: o.WeightDecay, DrawLevels: o.DrawLevels})
}

// Bytes returns 0: the engine itself returns an error for what the GPU's memory cannot hold, and
// the host holds little.
func (a *accelerator) Bytes(*ops.Graph, bool) (float64, error) { return 0, nil }

func (a *accelerator) Name() string {
	p := a.precision
	text := p.training.String()
	if p.evaluation != p.training {
		text = fmt.Sprintf("training %v, evaluation %v", p.training, p.evaluation)
	}
	return fmt.Sprintf("cuda:%d (%s, %s)", a.index, a.driver.Device().Name, text)
}

func (a *accelerator) Kernels() string { return "" }

func (a *accelerator) String() string {
	if a.precision.why == "" {
		return a.Name()
	}
	return a.Name() + ", " + a.precision.why
}

func (a *accelerator) Close() error {
	if a.closed {
		return nil
	}
	a.closed = true
	return a.driver.Close()
}

// accelerated returns the device of a driver that was just opened. On an error it closes the
// driver.
func accelerated(d gpu.Driver, index int, precision string) (Device, error) {
	a, err := CUDA(d, index, precision)
	if err != nil {
		_ = d.Close() // err says why
		return nil, err
	}
	return a, nil
}
