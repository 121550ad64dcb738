// Command roofline prints the tables of docs/explanation/cuda.md: for each kernel of a training step,
// its floating-point operations, the bytes of device memory that it moves, and the least time that
// these take on some GPUs. Without arguments it prints the predicted times of ACQNP's fused branch in
// half precision: what the matrix unit, shared memory, instructions, L2, memory and latency take.
//
//	go run ./tools/roofline
//	go run ./tools/roofline configs/lissajous/acqnp.yaml configs/lissajous/cnp.yaml
//	go run ./tools/roofline configs/lissajous/acqnp.yaml model.adaptor_form=residual
//
// Arguments of the form KEY=VALUE override keys of all configurations.
package main

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"

	"gorgonia.org/tensor"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/engine/analysis"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/models/ops"
)

// gpu holds the published figures of a device: TFLOP/s of dense products in half precision, tf32
// (0: none) and float32, and TB/s of its memory. On Hopper, products by mma.sync reach about 60% of
// the rate that was measured with Hopper's own instructions.
type gpu struct {
	name             string
	fp16, tf32, fp32 float64
	memory           float64
}

var gpus = []gpu{
	{"T4", 65, 0, 8.1, 0.32},
	{"A100", 312, 156, 19.5, 1.555},
	{"H100", 0.6 * 798, 0.6 * 798 / 2, 67, 3.0},
	{"H200", 0.6 * 790, 0.6 * 790 / 2, 67, 4.3},
}

var precisions = []struct {
	name string
	rate func(gpu) float64 // of products, TFLOP/s
}{
	{"fp32", func(g gpu) float64 { return g.fp32 }},
	{"tf32", func(g gpu) float64 { return g.tf32 }},
	{"fp16", func(g gpu) float64 { return g.fp16 }},
}

// work is the work of one kernel in a step, or of several kernels of one kind.
type work struct {
	name     string
	launches int
	flops    float64
	bytes    float64
}

// ms returns the least time at a rate of products: that of the arithmetic or of the memory,
// whichever is longer.
func (w work) ms(tflops float64, g gpu) float64 {
	return 1e3 * max(w.flops/(tflops*1e12), w.bytes/(g.memory*1e12))
}

func main() {
	var set config.Overrides
	paths := slices.DeleteFunc(os.Args[1:], func(arg string) bool {
		override := strings.Contains(arg, "=")
		if override {
			set.Set = append(set.Set, arg)
		}
		return override
	})
	if len(paths) == 0 {
		printPredictions()
	}
	for _, path := range paths {
		if err := describe(path, set); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

// describe prints a configuration's tables at lissajous' mean size.
func describe(path string, set config.Overrides) error {
	x, err := config.Load(path, set)
	if err != nil {
		return err
	}
	e := ops.Extents{Functions: 128, Context: 26, Points: 53}
	if x.Train.Loss == config.Targets {
		e.Points -= e.Context
	}
	switch x.Model.Name {
	case "acqnp", "cqnp":
		e.Levels = 50
	case "bnp":
		e.Levels = 4
	}
	m, err := models.New(x.Model, 1, 1)
	if err != nil {
		return err
	}
	g, err := m.Build(tensor.Float32, e, models.Training)
	if err != nil {
		return err
	}
	a, err := analysis.Analyse(g)
	if err != nil {
		return err
	}
	kernels := []work{{name: "branch_forward"}, {name: "branch_backward"}}
	s := step{e: e, fused: kernels, kept: map[string][]work{"tf32": slices.Clone(kernels), "fp16": slices.Clone(kernels)}}
	for _, u := range a.Units {
		s.add(u)
	}
	s.print(title(x.Model))
	return nil
}

// title returns a model's name, with its form of adaptor and aggregation unless they are the
// paper's.
func title(m config.Model) string {
	t := m.Name
	if m.AdaptorForm == config.Residual {
		t += ", residual adaptor"
	}
	if m.Aggregation != "" && m.Aggregation != config.Mean {
		t += ", " + m.Aggregation
	}
	return t
}

// print prints the kernels and their sum. For a model with quantile levels it prints the same with
// the quantile branch fused.
func (s *step) print(title string) {
	fmt.Printf("\n**%s**\n\n| kernel | launches | GFLOP | MB |", title)
	for _, g := range gpus {
		fmt.Printf(" %s, ms |", g.name)
	}
	fmt.Print("\n| --- | --- | --- | --- |")
	for range gpus {
		fmt.Print(" --- |")
	}
	fmt.Println()
	var all, rest work
	for _, w := range s.kernels {
		s.line(w, func(g gpu) float64 { return w.ms(g.fp32, g) })
		all = all.plus(w)
	}
	all.name, rest.name = "all, fp32, one kernel an operation", "the rest, fp32"
	s.line(all, func(g gpu) float64 { return s.sum(s.kernels, g, g.fp32) })
	if s.fused[0].launches == 0 {
		return
	}
	for _, w := range s.unfused {
		rest = rest.plus(w)
	}
	for i := range s.fused {
		for _, p := range precisions {
			w := s.branchIn(p.name)[i]
			s.line(work{w.name + ", " + p.name, w.launches, w.flops, w.bytes}, func(g gpu) float64 { return w.ms(p.rate(g), g) })
		}
	}
	s.line(rest, func(g gpu) float64 { return s.sum(s.unfused, g, g.fp32) })
	for _, p := range precisions {
		whole := rest
		for _, w := range s.branchIn(p.name) {
			whole = whole.plus(w)
		}
		whole.name = "all, branch fused, " + p.name
		s.line(whole, func(g gpu) float64 { return s.sum(s.unfused, g, g.fp32) + s.sum(s.branchIn(p.name), g, p.rate(g)) })
	}
}

// branchIn returns the branch's kernels in a precision.
func (s *step) branchIn(precision string) []work {
	if ws := s.kept[precision]; ws != nil {
		return ws
	}
	return s.fused
}

// sum returns the milliseconds of all kernels at a rate of products in TFLOP/s.
func (s *step) sum(ws []work, g gpu, rate float64) (ms float64) {
	for _, w := range ws {
		ms += w.ms(rate, g)
	}
	return ms
}

// line prints a row of the table.
func (s *step) line(w work, ms func(gpu) float64) {
	fmt.Printf("| %s | %d | %s | %s |", w.name, w.launches, short(w.flops/1e9), short(w.bytes/1e6))
	for _, g := range gpus {
		fmt.Printf(" %s |", short(ms(g)))
	}
	fmt.Println()
}

// short formats a number with at most three digits.
func short(v float64) string {
	switch {
	case math.IsInf(v, 0): // the GPU has no such arithmetic
		return "none"
	case v == 0:
		return "0"
	case v < 0.001:
		return "<0.001"
	case v >= 100:
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.2g", v)
}

// plus returns the sum of two works under the name of the first.
func (w work) plus(v work) work {
	return work{w.name, w.launches + v.launches, w.flops + v.flops, w.bytes + v.bytes}
}

// merge adds work to the entry with the same name.
func merge(ws []work, w work) []work {
	if i := slices.IndexFunc(ws, func(o work) bool { return o.name == w.name }); i >= 0 {
		ws[i] = ws[i].plus(w)
		return ws
	}
	return append(ws, w)
}
