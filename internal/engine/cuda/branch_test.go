//go:build simt || gpu

package cuda_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/engine"
	"github.com/acqnp/acqnp/internal/engine/cuda"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/models/ops"
	"github.com/acqnp/acqnp/internal/test/must"
	"github.com/acqnp/acqnp/kernels/gpu"
)

// listening is a driver that records which kernels were launched.
type listening struct {
	gpu.Driver
	names    map[gpu.Func]string
	launched []string
}

func (l *listening) Function(name string) (gpu.Func, error) {
	f, err := l.Driver.Function(name)
	l.names[f] = name
	return f, err
}

func (l *listening) Launch(f gpu.Func, d gpu.Dims, p gpu.Params) error {
	l.launched = append(l.launched, l.names[f])
	return l.Driver.Launch(f, d, p)
}

// fused returns the number of branches whose fused kernels were launched in a precision. It fails
// if the numbers of forward and backward kernels differ.
func (l *listening) fused(t *testing.T, precision string) int {
	t.Helper()
	forward, backward := 0, 0
	for _, name := range l.launched {
		if strings.HasPrefix(name, "branch_forward_"+precision) {
			forward++
		}
		if strings.HasPrefix(name, "branch_backward_"+precision) {
			backward++
		}
	}
	if forward != backward {
		t.Errorf("%d branches forward and %d backward", forward, backward)
	}
	return forward
}

func fusedProgram(t *testing.T, m *models.Model, e ops.Extents, p cuda.Precision) (engine.Program[float32], *listening) {
	t.Helper()
	d := &listening{Driver: openDevice(t), names: map[gpu.Func]string{}}
	program := must.Get(cuda.New(d, graph(t, m, e, models.Training), cuda.Options{Fused: true, Precision: p}))(t)
	closing(t, program)
	return program, d
}

// TestFusedBranchAgrees compares the fused branch with the float64 reference. float32 has the usual
// bound. fp16 keeps 11 bits of a factor, an error of 5e-4. The sign of a ReLU's input that is closer to
// 0 than that may change. At these sizes one row contributes several hundredths of a sum, so the bound
// is a tenth of a tensor's largest gradient. There are kernels for widths 64 and 128. CQNP has one
// branch, its decoder. ACQNP has two, ψ and the decoder, for every form of adaptor and whether r
// belongs to a group or to a point.
func TestFusedBranchAgrees(t *testing.T) {
	names := map[cuda.Precision]string{cuda.FP32: "f32", cuda.FP16: "f16"}
	all := []cuda.Precision{cuda.FP32, cuda.FP16}
	wide := func(variant string, width int) shape {
		return shape{sized(variant, width), 1, 2, ops.Extents{Groups: 2, Context: 3, Points: 5, Levels: 7}}
	}
	for _, c := range []struct {
		shape
		precisions []cuda.Precision
	}{
		{wide("cqnp", 64), all}, {wide("acqnp", 64), all},
		{shape{sized("acqnp", 64), 1, 3, ops.Extents{Groups: 1, Context: 1, Points: 1, Levels: 3}}, all},
		{shape{sized("acqnp", 128), 1, 1, ops.Extents{Groups: 1, Context: 2, Points: 3, Levels: 5}}, all},
		{wide("acqnp residual", 64), all}, {wide("acqnp residual transformer", 64), all}, {wide("cqnp transformer", 64), all[:1]},
		{shape{sized("acqnp residual attention", 128), 1, 1, ops.Extents{Groups: 1, Context: 2, Points: 3, Levels: 5}}, all},
	} {
		branches := map[string]int{"cqnp": 1, "acqnp": 2}[c.model.Name]
		m := build(t, c.shape)
		want := truth(t, m, c.e, models.Training)
		fill(want, m, c.e, 1)
		run(t, want, c.e)
		for _, p := range c.precisions {
			t.Run(c.String()+" "+names[p], func(t *testing.T) {
				got, d := fusedProgram(t, m, c.e, p)
				fill(got, m, c.e, 1)
				run(t, got, c.e)
				if n := d.fused(t, names[p]); n != branches {
					t.Fatalf("%d fused branches, want %d: %v", n, branches, d.launched)
				}
				if p == cuda.FP32 {
					agree(t, "reference", m, got, want)
					return
				}
				roughly(t, m, got, want)
			})
		}
	}
}

// roughly compares gradients, relative to the largest of their tensor. Where the reference is only
// float64 rounding error, as for the bias of attention's keys, the result must be only float32
// rounding error.
func roughly(t *testing.T, m *models.Model, got engine.Program[float32], want engine.Program[float64]) {
	t.Helper()
	if d := worst(got.Output("loglik"), want.Output("loglik")); !(d < 0.01) {
		t.Errorf("loglik differs by %.2g", d)
	}
	for _, p := range m.Tensors() {
		g, w := got.Grads()[p.Offset:p.Offset+p.Size()], want.Grads()[p.Offset:p.Offset+p.Size()]
		largest, diff := 0.0, 0.0
		for i := range w {
			largest = max(largest, math.Abs(w[i]))
			if d := math.Abs(float64(g[i]) - w[i]); !(d <= diff) {
				diff = d
			}
		}
		if !(diff <= 0.1*largest || largest < 1e-15 && diff < 1e-8) {
			t.Errorf("gradient of %s differs by %.2g where the largest is %.2g", p.Name, diff, largest)
		}
	}
}

// TestWhatCannotBeFusedRunsUnfused asks for fused branches, for models without branches and for widths
// without such kernels. Only the latter say that they lack them.
func TestWhatCannotBeFusedRunsUnfused(t *testing.T) {
	for i, s := range []shape{small("cnp"), small("bnp"), {sized("acqnp", 20), 1, 1, small("acqnp").e}, small("acqnp")} {
		m := build(t, s)
		want := truth(t, m, s.e, models.Training)
		fill(want, m, s.e, 1)
		run(t, want, s.e)
		for _, p := range []cuda.Precision{cuda.FP32, cuda.FP16} {
			got, d := fusedProgram(t, m, s.e, p)
			fill(got, m, s.e, 1)
			run(t, got, s.e)
			about := got.(interface {
				Precision() cuda.Precision
				Unfused() bool
			})
			if d.fused(t, "") != 0 || about.Precision() != cuda.FP32 || about.Unfused() != (i > 1) {
				t.Errorf("%v: runs in %v, without fused kernels: %v; %v", s, about.Precision(), about.Unfused(), d.launched)
			}
			agree(t, "reference", m, got, want)
		}
	}
}

// TestFusedExtentsWithinCapacity is TestExtentsWithinCapacity of fused branches.
func TestFusedExtentsWithinCapacity(t *testing.T) {
	for _, name := range []string{"acqnp", "acqnp residual attention"} {
		s := shape{sized(name, 64), 2, 3, small(name).e}
		capacity := ops.Extents{Groups: 3, Context: 4, Points: 8, Levels: 5}
		withinCapacity(t, build(t, s), capacity, []ops.Extents{capacity, {Groups: 1, Context: 1, Points: 1, Levels: 1}, s.e},
			cuda.Options{Fused: true, Precision: cuda.FP16})
	}
}

// TestFusedTrainsLikeUnfused compares the losses of fused steps, in each precision, with those of
// unfused steps. It does not compare parameters, because Adam turns differences in rounding into
// steps of full size.
func TestFusedTrainsLikeUnfused(t *testing.T) {
	for _, name := range []string{"acqnp", "acqnp residual transformer"} {
		s := shape{sized(name, 64), 2, 3, small(name).e}
		m := build(t, s)
		want := trainer(t, m, s.e, cuda.Options{})
		var losses []float64
		for batch := range 5 {
			step(t, want, m, s.e, batch)
			losses = append(losses, float64(loss(t, want)))
		}
		for p, bound := range map[cuda.Precision]float64{cuda.FP32: 1e-3, cuda.FP16: 0.05} {
			got := trainer(t, m, s.e, cuda.Options{Fused: true, Precision: p})
			for batch, w := range losses {
				step(t, got, m, s.e, batch)
				if g := float64(loss(t, got)); !(math.Abs(g-w) <= bound*max(1, math.Abs(w))) {
					t.Errorf("%s, %v, batch %d: loss %v, want %v", name, p, batch, g, w)
				}
			}
		}
	}
}

// TestOverflowSkipsTheStep gives half precision a gradient that is too large at the first scale. float32 has
// no scale and skips no step.
func TestOverflowSkipsTheStep(t *testing.T) {
	s := shape{sized("acqnp", 64), 2, 3, small("acqnp").e}
	m := build(t, s)
	half := cuda.Options{Fused: true, Precision: cuda.FP16}
	tr := trainer(t, m, s.e, half)
	first := state(t, tr)
	if first.Scale <= 1 {
		t.Fatalf("starts with a scale of %v", first.Scale)
	}
	overflow := func(tr engine.Trainer, batch int) {
		inputs(tr.Input, m, s.e, uint64(batch))
		for i := range tr.Input("y") {
			tr.Input("y")[i] *= 1e4
		}
		must.Do(t, tr.Step(s.e, batch, 0.01))
	}
	overflow(tr, 0)
	after := state(t, tr)
	if after.Updates != 0 || after.Scale != first.Scale/2 || after.Good != 0 || !slices.Equal(after.Params, first.Params) {
		t.Errorf("after an overflow: %d updates, scale %v, %d good steps", after.Updates, after.Scale, after.Good)
	}
	exact := trainer(t, m, s.e, cuda.Options{Fused: true})
	overflow(exact, 0)
	if after := state(t, exact); after.Updates != 1 || after.LossScale != (engine.LossScale{}) {
		t.Errorf("in float32: %d updates, %+v", after.Updates, after.LossScale)
	}
	step(t, tr, m, s.e, 1)
	good := state(t, tr)
	if good.Updates != 1 || good.Scale != after.Scale || good.Good != 1 {
		t.Errorf("after a good step: %d updates, scale %v, %d good steps", good.Updates, good.Scale, good.Good)
	}
	other := trainer(t, m, s.e, half)
	load(t, other, good)
	step(t, tr, m, s.e, 2)
	step(t, other, m, s.e, 2)
	if !sameState(state(t, tr), state(t, other)) {
		t.Error("a scale that was handed over leads elsewhere")
	}
	load(t, tr, engine.State{Params: first.Params, LossScale: engine.LossScale{Scale: 1}})
	inputs(tr.Input, m, s.e, 0)
	for i := range tr.Input("y") {
		tr.Input("y")[i] *= 1e9
	}
	must.Do(t, tr.Step(s.e, 7, 0.01))
	var bad *engine.NonFiniteError
	if _, err := tr.Loss(); !errors.As(err, &bad) || bad.Batch != 7 || bad.Quantity != "gradient" {
		t.Errorf("overflow at scale 1: got %v", err)
	}
}

// TestFusedOverflowWithin has gradients that are too large for a half in one hidden layer of the decoder alone,
// the first: its weights and bias are divided by a power of two by which those of the next layer are
// multiplied, which changes no other number. The step is not applied, and the loss scale falls.
func TestFusedOverflowWithin(t *testing.T) {
	s := shape{sized("acqnp", 64), 2, 3, small("acqnp").e}
	m := build(t, s)
	enlarged := m.Initial(1)
	found := 0
	for _, p := range m.Tensors() {
		by := map[string]float32{"0.weight": 1. / 512, "0.bias": 1. / 512, "2.weight": 512}[strings.TrimPrefix(p.Name, "_decoder._mlp._net.")]
		for i := range enlarged[p.Offset:][:p.Size()] {
			if by != 0 {
				enlarged[p.Offset+i] *= by
			}
		}
		found += min(1, int(by*512))
	}
	if found != 3 {
		t.Fatalf("%d of 3 tensors of the decoder: %v", found, m.Tensors())
	}
	for updates, params := range map[int][]float32{1: m.Initial(1), 0: enlarged} {
		tr := trainer(t, m, s.e, cuda.Options{Fused: true, Precision: cuda.FP16})
		load(t, tr, engine.State{Params: params, LossScale: engine.LossScale{Scale: 1 << 16}})
		step(t, tr, m, s.e, 0)
		if got := state(t, tr); got.Updates != updates || got.Scale != float32(int(1)<<(15+updates)) {
			t.Errorf("%d updates at a scale of %v, want %d", got.Updates, got.Scale, updates)
		}
	}
}
