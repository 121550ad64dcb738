// Command roofline predicts the time of a training step on some GPUs, and prints the tables of
// research/roofline.md. Without arguments it prints the predicted times of ACQNP's fused branch:
// what the matrix unit, shared memory, instructions, L2 and memory take, and a warp alone. The
// instructions are those of the machine code, each as often as its loops go round.
//
//	go run -C research ./roofline                                # as recorded in counts.txt
//	go run -C research ./roofline --fatbins ../kernels/fatbin    # counted again (needs cuobjdump)
//	go run -C research ./roofline --fatbins ../kernels/fatbin --record counts.txt
//	go run -C research ./roofline --ceilings FILE                # on a GPU as measured, and on others like it
//
// With configurations it prints, for each kernel of a training step, its floating-point operations,
// the bytes of device memory that it moves, and the least time that these take.
//
//	go run -C research ./roofline ../configs/lissajous/acqnp.yaml ../configs/lissajous/cnp.yaml
//	go run -C research ./roofline ../configs/lissajous/acqnp.yaml model.adaptor_form=residual
//
// Arguments of the form KEY=VALUE override keys of all configurations.
package main

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"

	"gorgonia.org/tensor"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/engine/analysis"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/models/ops"
)

// device holds the published figures of a device: TFLOP/s of dense products in half precision and of
// float32 without the matrix unit, and TB/s of its memory. On Hopper, products by
// mma.sync are taken to reach 60% of the rate that was measured with Hopper's own instructions.
type device struct {
	name       string
	fp16, fp32 float64
	memory     float64
}

var devices = []device{
	{"T4", 65, 8.1, 0.32},
	{"A100", 312, 19.5, 1.555},
	{"H100", 0.6 * 798, 67, 3.0},
	{"H200", 0.6 * 790, 67, 4.3},
}

// The precisions of the fused branch. In fp32 each product is three of halves.
var precisions = []struct {
	name    string
	kernels string               // in their names
	element float64              // bytes of a hidden value
	rate    func(device) float64 // of products, TFLOP/s
}{
	{"fp32", "f32", 4, func(g device) float64 { return g.fp16 / 3 }},
	{"fp16", "f16", 2, func(g device) float64 { return g.fp16 }},
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
func (w work) ms(tflops float64, g device) float64 {
	return 1e3 * max(w.flops/(tflops*1e12), w.bytes/(g.memory*1e12))
}

func main() {
	fatbins := flag.String("fatbins", "", "count the machine code of the fatbins in `DIR`")
	record := flag.String("record", "", "print nothing but the counts of the fatbins that `FILE` has: counts.txt or pairs.txt")
	ceilings := flag.String("ceilings", "", "take a GPU's constants from `FILE`, which research/roofline/ceilings.cu has printed")
	flag.Parse()
	if err := run(*fatbins, *record, *ceilings, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "roofline:", err)
		os.Exit(2)
	}
}

func run(fatbins, record, ceilings string, args []string) error {
	var set config.Overrides
	paths := slices.DeleteFunc(args, func(arg string) bool {
		override := strings.Contains(arg, "=")
		if override {
			set.Set = append(set.Set, arg)
		}
		return override
	})
	for _, path := range paths {
		if err := describe(path, set); err != nil {
			return err
		}
	}
	if len(paths) > 0 {
		return nil
	}
	cs, err := loadCounts(fatbins, record)
	if err != nil {
		return err
	}
	if record != "" {
		return printCounts(os.Stdout, cs)
	}
	of, err := chipsOf(ceilings)
	if err != nil {
		return err
	}
	rest := map[bool]remainder{}
	for _, hopper := range []bool{false, true} {
		if rest[hopper], err = remainderOf("../configs/lissajous/acqnp.yaml", hopper); err != nil {
			return err
		}
	}
	return report{of, cs, rest}.print()
}

// chipsOf returns the GPUs of the tables, or the one that was measured and the others like it.
func chipsOf(ceilings string) ([]chip, error) {
	if ceilings == "" {
		return chips, nil
	}
	f, err := os.Open(ceilings)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	all, err := measured(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", ceilings, err)
	}
	return all, nil
}

// describe prints a configuration's tables.
func describe(path string, set config.Overrides) error {
	x, s, _, err := count(path, set)
	if err == nil {
		s.print(title(x.Model))
	}
	return err
}

var noOverrides config.Overrides

// count adds up the kernels of a configuration's training step at lissajous' mean size.
func count(path string, set config.Overrides) (x config.Experiment, s *step, g *ops.Graph, err error) {
	if x, err = config.Load(path, set); err != nil {
		return x, nil, nil, err
	}
	e := ops.Extents{Groups: 128, Context: 26, Points: 53}
	if x.Train.Loss == config.Targets {
		e.Points -= e.Context
	}
	switch x.Model.Name {
	case "acqnp", "cqnp":
		e.Levels = levels
	case "bnp":
		e.Levels = 4
	}
	m, err := models.New(x.Model, 1, 1)
	if err != nil {
		return x, nil, nil, err
	}
	if g, err = m.Build(tensor.Float32, e, models.Training); err != nil {
		return x, nil, nil, err
	}
	a, err := analysis.Analyse(g)
	if err != nil {
		return x, nil, nil, err
	}
	s = &step{e: e, fused: map[string][]work{}}
	for _, p := range precisions {
		s.fused[p.name] = []work{{name: "branch_forward"}, {name: "branch_backward"}}
	}
	for _, u := range a.Units {
		s.add(u)
	}
	return x, s, g, nil
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
	for _, g := range devices {
		fmt.Printf(" %s, ms |", g.name)
	}
	fmt.Print("\n| --- | --- | --- | --- |")
	for range devices {
		fmt.Print(" --- |")
	}
	fmt.Println()
	var all, rest work
	for _, w := range s.kernels {
		s.line(w, func(g device) float64 { return w.ms(g.fp32, g) })
		all = all.plus(w)
	}
	all.name, rest.name = "all, fp32, one kernel an operation", "the rest, fp32"
	s.line(all, func(g device) float64 { return s.sum(s.kernels, g, g.fp32) })
	if s.fused["fp16"][0].launches == 0 {
		return
	}
	for _, w := range s.unfused {
		rest = rest.plus(w)
	}
	for i := range s.fused["fp16"] {
		for _, p := range precisions {
			w := s.fused[p.name][i]
			s.line(work{w.name + ", " + p.name, w.launches, w.flops, w.bytes}, func(g device) float64 { return w.ms(p.rate(g), g) })
		}
	}
	s.line(rest, func(g device) float64 { return s.sum(s.unfused, g, g.fp32) })
	for _, p := range precisions {
		whole := rest
		for _, w := range s.fused[p.name] {
			whole = whole.plus(w)
		}
		whole.name = "all, branch fused, " + p.name
		s.line(whole, func(g device) float64 { return s.sum(s.unfused, g, g.fp32) + s.sum(s.fused[p.name], g, p.rate(g)) })
	}
}

// sum returns the milliseconds of all kernels at a rate of products in TFLOP/s.
func (s *step) sum(ws []work, g device, rate float64) (ms float64) {
	for _, w := range ws {
		ms += w.ms(rate, g)
	}
	return ms
}

// line prints a row of the table.
func (s *step) line(w work, ms func(device) float64) {
	fmt.Printf("| %s | %d | %s | %s |", w.name, w.launches, short(w.flops/1e9), short(w.bytes/1e6))
	for _, g := range devices {
		fmt.Printf(" %s |", short(ms(g)))
	}
	fmt.Println()
}

// short formats a number with at most three digits.
func short(v float64) string {
	switch {
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
