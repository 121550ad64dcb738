// Package device chooses where graphs are computed, on the CPU's cores or on a CUDA device, and compiles them there.
// The CUDA engine is in programs built with the tag gpu, and on an emulated GPU in those built with the tag simt; others
// hand their work over to one that has it.
package device

import (
	"errors"
	"fmt"
	"runtime"
	"strconv"

	"github.com/acqnp/acqnp/internal/engine"
	"github.com/acqnp/acqnp/internal/engine/cpu"
	"github.com/acqnp/acqnp/internal/input"
	"github.com/acqnp/acqnp/internal/ops"
	"github.com/acqnp/acqnp/internal/random"
	"github.com/acqnp/acqnp/internal/simd"
)

// Device compiles graphs for where they are computed.
type Device interface {
	// Program is for evaluation and prediction.
	Program(g *ops.Graph) (engine.Program[float32], error)
	// Trainer is for a graph with gradients.
	Trainer(g *ops.Graph, o Training) (engine.Trainer, error)
	// Bytes returns how much of the host's memory a program or a trainer of the graph takes, and allocates none of it.
	Bytes(g *ops.Graph, training bool) (float64, error)
	// Name is the device in results: "cpu", or "cuda:0" with the GPU's name and the precision.
	Name() string
	// Kernels is the name of the CPU kernels that compute: amx, avx512, avx2 or portable; empty on a GPU.
	Kernels() string
	// String is the device in words, and why it was chosen where it was not asked for.
	String() string
	// Close gives the device back once all that it compiled is closed. It is safe to call twice.
	Close() error
}

// Training is what a Trainer needs to know beside its graph.
type Training struct {
	WeightDecay float64
	Levels      *random.Generator // of the input "u", where the trainer may make it itself; nil: it is given
}

// Open makes the route's device ready. threads are the CPU's, 0 for all; precision is checked by CheckPrecision. A CUDA
// device that cannot be had is an error, but a route that was not asked for falls back to the CPU.
func (r Route) Open(precision string, threads int) (Device, error) {
	if !r.CUDA {
		return host{threads: threads, why: r.Why}, nil
	}
	d, err := openCUDA(r.Index, precision)
	var bad *input.Error
	switch {
	case err == nil:
		return d, nil
	case errors.As(err, &bad):
		return nil, err
	case r.Why != "":
		return host{threads: threads, why: r.Why + " but cannot be used: " + err.Error()}, nil
	}
	return nil, fmt.Errorf("--device %v: %w; --device cpu does without", r.Choice, err)
}

// Open is the device that choice (auto, cpu, cuda or cuda:N) names, or which this program has for it, for CPU threads
// (0 for all cores) and a precision (auto, fp32, tf32 or fp16). What is none of these is an *input.Error. It never hands
// over to another program.
func Open(choice, precision string, threads int) (Device, error) {
	c, err := ParseChoice(choice)
	if err != nil {
		return nil, err
	}
	if err := CheckPrecision(c, precision); err != nil {
		return nil, err
	}
	if threads < 0 {
		return nil, &input.Error{File: "--threads", Found: strconv.Itoa(threads), Expected: "0 (all cores) or more"}
	}
	m := ThisMachine()
	m.CanReplace = false
	r, err := m.Route(c)
	if err != nil {
		return nil, err
	}
	return r.Open(precision, threads)
}

// CPU is the host with so many threads, 0 for all cores.
func CPU(threads int) Device { return host{threads: threads} }

// host computes on the CPU's cores.
type host struct {
	threads int
	why     string
}

func (h host) Program(g *ops.Graph) (engine.Program[float32], error) { return cpu.New(g, h.threads) }

func (h host) Trainer(g *ops.Graph, o Training) (engine.Trainer, error) {
	p, err := cpu.New(g, h.threads)
	if err != nil {
		return nil, err
	}
	return engine.NewTrainer(p, g.Tensors, o.WeightDecay), nil
}

// Bytes counts a trainer's moments beside the program.
func (h host) Bytes(g *ops.Graph, training bool) (float64, error) {
	n, err := cpu.Bytes(g, h.threads)
	if training {
		for _, t := range g.Tensors {
			n += 2 * 4 * float64(t.Size())
		}
	}
	return n, err
}

func (host) Name() string { return "cpu" }

func (host) Kernels() string { return simd.Name() }

func (h host) String() string {
	n := h.threads
	if n == 0 {
		n = runtime.GOMAXPROCS(0)
	}
	text := fmt.Sprintf("cpu with %d threads", n)
	if n == 1 {
		text = "cpu with 1 thread"
	}
	if h.why != "" {
		text += " (" + h.why + ")"
	}
	return text
}

func (host) Close() error { return nil }
