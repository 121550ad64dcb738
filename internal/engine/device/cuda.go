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
	driver    gpu.Driver
	index     int
	debug     bool // launch without a graph, and wait for each kernel
	precision precisions
	training  *compiled // how the trainer runs that was compiled last; nil before
	programs  *compiled // and the program
	closed    bool
}

// precisions are the precisions of matrix products in training, and in evaluation and prediction.
type precisions struct {
	training, evaluation cuda.Precision
	why                  string // why they were chosen; empty if --precision named them
}

// compiled is what the engine chose for a graph.
type compiled struct {
	precision cuda.Precision
	unfused   bool // a branch has no fused kernels, on this GPU or for its widths
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
	return &accelerator{driver: d, index: index, precision: choosePrecision(about, precision), debug: debug == "1"}, nil
}

// choosePrecision returns the precisions for a value of --precision. For auto it chooses half
// precision for training, and float32 for evaluation and prediction, which take little time.
func choosePrecision(d gpu.Device, precision string) precisions {
	switch precision {
	case FP32:
		return precisions{training: cuda.FP32, evaluation: cuda.FP32}
	case FP16:
		return precisions{training: cuda.FP16, evaluation: cuda.FP16}
	}
	return precisions{training: cuda.FP16, why: fmt.Sprintf("chosen for compute capability %d.%d", d.Major, d.Minor)}
}

func (a *accelerator) Program(g *ops.Graph) (engine.Program[float32], error) {
	p, err := cuda.New(a.driver, g, cuda.Options{Precision: a.precision.evaluation, Fused: true, Synchronous: a.debug})
	a.programs = inForce(p)
	return p, err
}

func (a *accelerator) Trainer(g *ops.Graph, o Training) (engine.Trainer, error) {
	t, err := cuda.NewTrainer(a.driver, g, cuda.Options{Precision: a.precision.training, Fused: true, Synchronous: a.debug,
		WeightDecay: o.WeightDecay, DrawLevels: o.DrawLevels})
	a.training = inForce(t)
	return t, err
}

// inForce returns what the engine chose for a program or trainer; nil if that failed.
func inForce(made any) *compiled {
	c, ok := made.(interface {
		Precision() cuda.Precision
		Unfused() bool
	})
	if !ok {
		return nil
	}
	return &compiled{precision: c.Precision(), unfused: c.Unfused()}
}

// Bytes returns 0: the engine itself returns an error for what the GPU's memory cannot hold, and
// the host holds little.
func (a *accelerator) Bytes(*ops.Graph, bool) (float64, error) { return 0, nil }

func (a *accelerator) Name() string {
	text, evaluation := shown(a.training, a.precision.training), shown(a.programs, a.precision.evaluation)
	if text != evaluation {
		text = fmt.Sprintf("training %s, evaluation %s", text, evaluation)
	}
	return fmt.Sprintf("cuda:%d (%s, %s)", a.index, a.driver.Device().Name, text)
}

// shown returns the precision in force, and that a branch is unfused. Before anything is compiled, it is
// not known whether there are fused kernels for the model, and so for a precision other than float32.
func shown(inForce *compiled, asked cuda.Precision) string {
	if inForce == nil {
		if asked == cuda.FP32 {
			return asked.String()
		}
		return asked.String() + " if fused"
	}
	text := inForce.precision.String()
	if inForce.unfused {
		text += " unfused"
	}
	if inForce.precision != asked {
		text += " in place of " + asked.String()
	}
	return text
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
