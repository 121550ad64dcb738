// Package device chooses where graphs run, on the CPU or on a CUDA device, and compiles them there.
//
// A Choice is what --device asks for. A Machine turns it into a Route: the CPU, a CUDA device, or
// another program, acqnp-cuda, which does the work instead. A Request opens the route's Device, which
// compiles graphs. Programs built with the tag gpu have the CUDA engine; those built with the tag simt have
// it on an emulated GPU, for tests. The package also names the CPU kernels that this machine can
// run and the active ones.
package device

import (
	"cmp"
	"errors"
	"fmt"
	"runtime"
	"strconv"

	"github.com/acqnp/acqnp/internal/engine"
	"github.com/acqnp/acqnp/internal/engine/cpu"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/models/ops"
	"github.com/acqnp/acqnp/internal/random"
	"github.com/acqnp/acqnp/internal/simd"
)

// Device compiles graphs for one place to run them.
type Device interface {
	// Program compiles a graph for evaluation and prediction.
	Program(g *ops.Graph) (engine.Program[float32], error)
	// Trainer compiles a graph with gradients for training.
	Trainer(g *ops.Graph, o Training) (engine.Trainer, error)
	// Bytes returns how many bytes of the host's memory a program or a trainer of the graph takes.
	// It allocates none of them.
	Bytes(g *ops.Graph, training bool) (float64, error)
	// Name returns the device's name in results: "cpu", "cpu (bf16)", or "cuda:0" with the GPU's name
	// and the precision.
	Name() string
	// Kernels returns the name of the active CPU kernels: amx, avx512, avx2 or portable, and in
	// precision bf16 avx512+bf16 and the like. It is empty on a GPU.
	Kernels() string
	// String describes the device, and says why it was chosen if --device did not name it.
	String() string
	// Close releases the device, after all that it compiled is closed. It is safe to call twice.
	Close() error
}

// Training holds what a Trainer needs besides its graph.
type Training struct {
	WeightDecay float64
	Warn        func(line string) // called with what the device does otherwise than expected; may be nil
	DrawLevels  *random.Generator // the trainer may draw the input "u" from it; if nil the caller fills "u"
}

// A Request says which device the user asks for.
type Request struct {
	Choice    string // auto, cpu, cuda or cuda:N
	Precision string // auto, fp32, fp16 or bf16
	Threads   int    // of the CPU; 0 means all cores
	Version   string // of this program

	// Become replaces this program by another one, which has the CUDA engine. It returns only if
	// that fails. If Become is nil, this program is never replaced.
	Become func(program string) error
}

// Open opens the device that the request asks for. An unknown choice or precision, or a negative
// number of threads, is an *invalid.Input. If a CUDA device cannot be opened, Open returns the CPU if
// the choice was auto, otherwise an error.
func (r Request) Open() (Device, error) {
	c, err := ParseChoice(r.Choice)
	if err != nil {
		return nil, err
	}
	if err := CheckPrecision(c, r.Precision); err != nil {
		return nil, err
	}
	if r.Threads < 0 {
		return nil, &invalid.Input{File: "--threads", Found: strconv.Itoa(r.Threads), Expected: "0 (all cores) or more"}
	}
	h, m := host{threads: r.Threads, bf16: r.Precision == BF16}, ThisMachine(r.Version)
	if h.bf16 { // no GPU has it, so auto chooses the CPU too
		if c.Auto && m.GPU() {
			h.why = "a GPU is visible, but bf16 is for CPUs: --precision fp16 computes on the GPU"
		}
		return h, nil
	}
	m.CanReplace = r.Become != nil
	route, err := m.Route(c)
	if err != nil {
		return nil, err
	}
	h.why = route.Why
	var failed error
	switch {
	case route.Program != "":
		failed = fmt.Errorf("%s cannot be started: %w", route.Program, r.Become(route.Program))
	case route.CUDA:
		d, err := openCUDA(route.Index, r.Precision)
		var bad *invalid.Input
		if err == nil || errors.As(err, &bad) {
			return d, err
		}
		failed = fmt.Errorf("cannot be used: %w", err)
	}
	switch {
	case failed != nil && !c.Auto:
		return nil, fmt.Errorf("--device %v: %w; --device cpu computes on the CPU", c, failed)
	case failed != nil:
		h.why = "a GPU is visible, but " + failed.Error()
	}
	if r.Precision == FP16 { // the CPU would compute in another precision
		return nil, &invalid.Input{File: "--precision", Found: strconv.Quote(r.Precision) + ", and " + cmp.Or(h.why, "no GPU is visible"),
			Expected: "auto, fp32 or bf16 on a CPU"}
	}
	return h, nil
}

// CPU returns the CPU with a number of threads; 0 means all cores.
func CPU(threads int) Device { return host{threads: threads} }

// OneThread returns the CPU with one thread, in the precision of d. It returns nil if d is not a CPU.
func OneThread(d Device) Device {
	h, ok := d.(host)
	if !ok {
		return nil
	}
	h.threads = 1
	return h
}

// host is the CPU.
type host struct {
	threads int
	bf16    bool
	why     string
}

func (h host) Program(g *ops.Graph) (engine.Program[float32], error) {
	if h.bf16 {
		return cpu.NewBF16(g, h.threads)
	}
	return cpu.New(g, h.threads)
}

func (h host) Trainer(g *ops.Graph, o Training) (engine.Trainer, error) {
	p, err := h.Program(g)
	if err != nil {
		return nil, err
	}
	return engine.NewTrainer(p, g.Tensors, o.WeightDecay), nil
}

// Bytes adds the moments of a trainer to the bytes of the program.
func (h host) Bytes(g *ops.Graph, training bool) (float64, error) {
	n, err := cpu.Bytes(g, h.threads, h.bf16)
	if training {
		for _, t := range g.Tensors {
			n += 2 * 4 * float64(t.Size())
		}
	}
	return n, err
}

func (h host) Name() string {
	if h.bf16 {
		return "cpu (" + BF16 + ")"
	}
	return "cpu"
}

func (h host) Kernels() string {
	if h.bf16 {
		return simd.Name() + inBF16
	}
	return simd.Name()
}

func (h host) String() string {
	text := "cpu with " + invalid.Plural(cmp.Or(h.threads, runtime.GOMAXPROCS(0)), "thread", "threads")
	if h.bf16 {
		text += " in " + BF16
		if !simd.HasHalves() {
			text += " (emulated by the " + simd.Name() + " kernels, slower than fp32)"
		}
	}
	if h.why != "" {
		text += " (" + h.why + ")"
	}
	return text
}

func (host) Close() error { return nil }
