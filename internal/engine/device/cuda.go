//go:build gpu || simt

package device

import (
	"fmt"
	"os"
	"strconv"

	"github.com/acqnp/acqnp/internal/engine"
	"github.com/acqnp/acqnp/internal/engine/cuda"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/models/ops"
	"github.com/acqnp/acqnp/kernels/gpu"
)

// hasCUDA reports whether this program has the CUDA engine.
const hasCUDA = true

// turing is the lowest compute capability that the kernels run on, as gpu.Device.Capability counts.
const turing = 75

// accelerator is a CUDA device.
type accelerator struct {
	driver     gpu.Driver
	index      int
	debug      bool // launch without a graph, and wait for each kernel
	training   phase
	evaluation phase  // and prediction
	why        string // the end of its description; empty if --precision named the precisions
	closed     bool
}

// A phase has the precision of matrix products in training, or in evaluation and prediction.
type phase struct {
	asked   cuda.Precision
	inForce string // in words, for the graph that was compiled last
}

// newPhase returns a phase before anything is compiled. It is not known then whether there are fused
// kernels for the model, and so for a precision other than float32.
func newPhase(asked cuda.Precision) phase {
	if asked == cuda.FP32 {
		return phase{asked, asked.String()}
	}
	return phase{asked, asked.String() + " if fused"}
}

// record keeps what the engine chose for a program or trainer: the precision, and that a branch has no
// fused kernels, on this GPU or for its widths.
func (p *phase) record(made any) {
	c, ok := made.(interface {
		Precision() cuda.Precision
		Unfused() bool
		Pairs() bool
	})
	if !ok { // nothing was made
		return
	}
	p.inForce = c.Precision().String()
	if c.Pairs() {
		p.inForce += " on sm_90a"
	}
	if c.Unfused() {
		p.inForce += " unfused"
	}
	if c.Precision() != p.asked {
		p.inForce += " in place of " + p.asked.String()
	}
}

// debugVariable is the environment variable that asks for launches one by one, so that an error
// names its kernel.
const debugVariable = "ACQNP_CUDA_DEBUG"

// CUDA returns the device of an open driver. Closing it closes the driver. A device that is too old is
// an error. On an error CUDA closes the driver.
func CUDA(d gpu.Driver, index int, precision string) (Device, error) {
	about, debug := d.Device(), os.Getenv(debugVariable)
	var err error
	switch {
	case about.Capability() < turing:
		err = fmt.Errorf("%s has compute capability %d.%d, want 7.5 or more", about.Name, about.Major, about.Minor)
	case debug != "" && debug != "0" && debug != "1":
		err = &invalid.Input{File: debugVariable, Found: strconv.Quote(debug), Expected: "0 or 1"}
	}
	if err != nil {
		_ = d.Close() // err says why
		return nil, err
	}
	a := &accelerator{driver: d, index: index, debug: debug == "1"}
	switch precision {
	case FP32:
		a.training, a.evaluation = newPhase(cuda.FP32), newPhase(cuda.FP32)
	case FP16:
		a.training, a.evaluation = newPhase(cuda.FP16), newPhase(cuda.FP16)
	default: // evaluation and prediction take little time
		a.training, a.evaluation = newPhase(cuda.FP16), newPhase(cuda.FP32)
		a.why = fmt.Sprintf(", chosen for compute capability %d.%d", about.Major, about.Minor)
	}
	return a, nil
}

func (a *accelerator) Program(g *ops.Graph) (engine.Program[float32], error) {
	p, err := cuda.New(a.driver, g, cuda.Options{Precision: a.evaluation.asked, Fused: true, Synchronous: a.debug})
	a.evaluation.record(p)
	return p, err
}

func (a *accelerator) Trainer(g *ops.Graph, o Training) (engine.Trainer, error) {
	t, err := cuda.NewTrainer(a.driver, g, cuda.Options{Precision: a.training.asked, Fused: true, Synchronous: a.debug,
		WeightDecay: o.WeightDecay, DrawLevels: o.DrawLevels})
	a.training.record(t)
	return t, err
}

// Bytes returns 0: the engine itself returns an error for what the GPU's memory cannot hold, and
// the host holds little.
func (a *accelerator) Bytes(*ops.Graph, bool) (float64, error) { return 0, nil }

func (a *accelerator) Name() string {
	text := a.training.inForce
	if text != a.evaluation.inForce {
		text = fmt.Sprintf("training %s, evaluation %s", text, a.evaluation.inForce)
	}
	return fmt.Sprintf("cuda:%d (%s, %s)", a.index, a.driver.Device().Name, text)
}

func (a *accelerator) Kernels() string { return "" }

func (a *accelerator) String() string { return a.Name() + a.why }

func (a *accelerator) Close() error {
	if a.closed {
		return nil
	}
	a.closed = true
	return a.driver.Close()
}
