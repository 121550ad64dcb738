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

// accelerator is a CUDA device.
type accelerator struct {
	driver     gpu.Driver
	index      int
	switches   switches
	check      *cuda.PairCheck
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
		Doubted() bool
	})
	if !ok { // nothing was made
		return
	}
	p.inForce = c.Precision().String()
	if c.Pairs() {
		p.inForce += " on sm_90a"
	}
	if c.Doubted() {
		p.inForce += " in place of sm_90a, whose kernels failed their check"
	}
	if c.Unfused() {
		p.inForce += " unfused"
	}
	if c.Precision() != p.asked {
		p.inForce += " in place of " + p.asked.String()
	}
}

// switches are what environment variables say about how kernels are launched.
type switches struct {
	debug bool // launch without a graph, and wait for each kernel
	pairs bool // use the kernels for sm_90a
	early bool // start launches before the ones before them have ended
}

// readSwitches reads the variables. Each is 0 or 1.
func readSwitches() (switches, error) {
	s := switches{pairs: true, early: true}
	for name, to := range map[string]*bool{"ACQNP_CUDA_DEBUG": &s.debug, "ACQNP_CUDA_PAIRS": &s.pairs, "ACQNP_CUDA_EARLY": &s.early} {
		switch text := os.Getenv(name); text {
		case "":
		case "0", "1":
			*to = text == "1"
		default:
			return s, &invalid.Input{File: name, Found: strconv.Quote(text), Expected: "0 or 1"}
		}
	}
	return s, nil
}

// CUDA returns the device of an open driver. Closing it closes the driver. On an error CUDA closes the driver.
func CUDA(d gpu.Driver, index int, precision string) (Device, error) {
	about := d.Device()
	s, err := readSwitches()
	if err != nil {
		_ = d.Close() // err says why
		return nil, err
	}
	a := &accelerator{driver: d, index: index, switches: s, check: cuda.NewPairCheck(d)}
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

// options returns what programs and trainers have in common.
func (a *accelerator) options(p phase) cuda.Options {
	return cuda.Options{Precision: p.asked, Fused: true, Synchronous: a.switches.debug, NoPairs: !a.switches.pairs,
		NoEarly: !a.switches.early, Check: a.check}
}

func (a *accelerator) Program(g *ops.Graph) (engine.Program[float32], error) {
	p, err := cuda.New(a.driver, g, a.options(a.evaluation))
	a.evaluation.record(p)
	return p, err
}

func (a *accelerator) Trainer(g *ops.Graph, o Training) (engine.Trainer, error) {
	options := a.options(a.training)
	options.WeightDecay, options.DrawLevels = o.WeightDecay, o.DrawLevels
	t, err := cuda.NewTrainer(a.driver, g, options)
	a.training.record(t)
	if warning := a.check.Warning(); warning != "" && o.Warn != nil {
		o.Warn(warning)
	}
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
