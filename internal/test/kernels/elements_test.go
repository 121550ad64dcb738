//go:build simt || gpu

package kernels

import (
	"slices"
	"testing"

	"github.com/acqnp/acqnp/internal/models/ops"
	"github.com/acqnp/acqnp/internal/test/must"
	"github.com/acqnp/acqnp/kernels/gpu"
)

// few is the tolerance for functions of a few operations in float32.
const few = 1e-6

// An element is an operation that is declared by an element, with the bounds of each input.
type element struct {
	o         ops.Op
	tolerance float64
	in        [][2]float64
}

// The bounds of inputs.
var (
	wide, near1, share, above0 = [2]float64{-30, 30}, [2]float64{-1, 1}, [2]float64{0, 1}, [2]float64{1e-9, 9}
	decoded                    = [2]float64{-3, 3}
)

// elements returns cases of every operation that is declared by an element.
func elements(e ops.Extents) (all []element) {
	add := func(o ops.Op, tolerance float64, in ...[2]float64) { all = append(all, element{o, tolerance, in}) }
	op := func(k ops.Kind, out ops.Space, width int, in ...any) ops.Op { // in: space and width of each input
		o := ops.Op{Kind: k, Out: out, Width: width, Scale: -1.5, Shift: 0.3}
		if k != ops.Affine {
			o.Scale, o.Shift, o.Floor = 0, 0, floor
		}
		for i := 0; i < len(in); i += 2 {
			o.In, o.Widths = append(o.In, in[i].(ops.Space)), append(o.Widths, in[i+1].(int))
		}
		return o
	}
	for _, s := range []ops.Space{ops.Group, ops.Point, ops.Row, ops.Ensemble} {
		for k, in := range map[ops.Kind][][2]float64{ops.Add: {wide, wide}, ops.Mul: {wide, near1}, ops.Affine: {wide}, ops.Exp: {wide},
			ops.Log: {above0}, ops.Softplus: {wide}, ops.Positive: {wide}, ops.Sigmoid: {wide}, ops.SigmoidGrad: {near1, share}} {
			add(op(k, s, 3, []any{s, 3, s, 3}[:2*len(in)]...), few, in...)
		}
	}
	add(op(ops.UniformLevel, ops.Row, 1, ops.Row, 1), few, share)
	add(op(ops.UniformLogit, ops.Row, 1, ops.Row, 1), few, share)
	for _, c := range []struct {
		s, above ops.Space
		d, width int
	}{{ops.Row, ops.Point, 3, 3}, {ops.Row, ops.Point, 1, 1}, {ops.Row, ops.Point, 5, 1}, {ops.Point, ops.Point, 9, 1}, {ops.Context, ops.Context, 2, 1}} {
		add(op(ops.Sum, c.above, c.width, c.s, c.d), 20*roundings(e.Levels*c.d), [2]float64{-20, 20})
		add(op(ops.LogSumExp, c.above, c.width, c.s, c.d), 20*roundings(e.Levels*c.d), [2]float64{-20, 20})
		add(op(ops.Spread, c.s, c.d, c.above, c.width), 0, wide)
	}
	for _, c := range []struct {
		s                  ops.Space
		width, from, whole int
	}{{ops.Context, 3, 1, 5}, {ops.Row, 1, 0, 2}, {ops.Row, 2, 3, 5}, {ops.Point, 1, 1, 3}} {
		columns, pad := op(ops.Columns, c.s, c.width, c.s, c.whole), op(ops.Pad, c.s, c.whole, c.s, c.width)
		columns.From, pad.From = c.from, c.from
		add(columns, 0, wide)
		add(pad, 0, wide)
		add(op(ops.Join, c.s, c.whole, c.s, c.width, c.s, c.whole-c.width), 0, wide, wide)
	}
	add(op(ops.Ones, ops.Point, 1, ops.Point, 4), 0, wide)
	for from, to := range map[ops.Space]ops.Space{ops.Context: ops.Group, ops.Resample: ops.Ensemble} {
		add(op(ops.SetMean, to, 37, from, 37), roundings(e.Context), near1)
		add(op(ops.SetMeanGrad, from, 37, to, 37), few, near1)
		add(op(ops.Gather, ops.Resample, 5, from, 5, ops.Resample, 1), 0, near1, [2]float64{0, float64(e.Context)})
	}
	for above, below := range map[ops.Space]ops.Space{ops.Point: ops.Row, ops.Context: ops.Resample} {
		plain := op(ops.EnsembleAdd, below, 9, above, 9, ops.Ensemble, 9)
		rectified := plain
		rectified.ReLU = true
		add(plain, few, near1, near1)
		add(rectified, few, near1, near1)
	}
	add(op(ops.Residual, ops.Resample, 3, ops.Resample, 6, ops.Context, 3), few, decoded, decoded)
	add(op(ops.Perturb, ops.Resample, 3, ops.Resample, 6, ops.Resample, 3, ops.Ensemble, 3), 4*few, decoded, decoded, near1)
	// e to the power of up to 10 has ten times the rounding of its exponent.
	add(op(ops.LogMeanExpGrad, ops.Row, 1, ops.Point, 1, ops.Row, 1, ops.Point, 1), likely, near1, [2]float64{-9, 5}, [2]float64{-5, 5})
	add(op(ops.NegMeanGrad, ops.Point, 1, ops.Scalar, 1), few, near1)
	return all
}

// TestElements compares every operation that is declared by an element with its plain kernel.
func TestElements(t *testing.T) {
	d, r := newDevice(t), newSource(40)
	tested := map[ops.Kind]bool{}
	for _, e := range []ops.Extents{one, odd, many} {
		for _, c := range elements(e) {
			tested[c.o.Kind] = true
			in := make([][]float32, len(c.in))
			for i, bounds := range c.in {
				in[i] = r.uniform(e.Rows(c.o.In[i])*c.o.Widths[i], bounds[0], bounds[1])
				if bounds[0] <= 0 {
					in[i][0] = 0
				}
				for j, v := range in[i] {
					if c.o.Kind == ops.Gather && i == 1 {
						in[i][j] = float32(int(v))
					}
				}
			}
			got := d.sameAtAnyGrid(func(grid int) [][]float32 { return [][]float32{d.element(e, c.o, grid, in...)} })
			near(t, name(c.o.Kind, " of ", c.o.In, c.o.Widths, " in ", c.o.Out, " at ", e), got[0], reference(&c.o, e, in...), c.tolerance)
		}
	}
	for _, kind := range ops.Kinds() {
		if kind.Element() != "" && !tested[kind] {
			t.Errorf("%s is not tested", kind)
		}
	}
}

// element runs the task of an operation that is declared by an element.
func (d *device) element(e ops.Extents, o ops.Op, grid int, in ...[]float32) []float32 {
	d.t.Helper()
	t := newTask(string(o.Kind))
	t.set("s", int(o.Out))
	t.set("other", int(o.Out))
	if i := slices.IndexFunc(o.In, func(s ops.Space) bool { return s != o.Out }); i >= 0 {
		t.set("other", int(o.In[i]))
	}
	t.set("k", o.Widths[0])
	t.set("d", o.Width)
	if o.ReLU {
		t.set("relu", 1)
	}
	if o.Kind == ops.Affine {
		t.set("shift", float32(o.Shift))
		t.set("scale", float32(o.Scale))
	} else {
		t.set("from", o.From)
		t.set("floor", float32(o.Floor))
	}
	extents := d.upload(raw([]int32{int32(e.Groups), int32(e.Context), int32(e.Points), int32(e.Levels)}))
	memory := []gpu.Ptr{extents, d.alloc(4 * e.Rows(o.Out) * o.Width)}
	t.set("out", memory[1])
	for i, v := range in {
		memory = append(memory, d.upload(raw(v)))
		t.set([]string{"a", "b", "c"}[i], memory[len(memory)-1])
	}
	d.launchTask(t, grid, extents)
	out := download[float32](d, memory[1], e.Rows(o.Out)*o.Width)
	for _, p := range memory {
		must.Do(d.t, d.Free(p))
	}
	return out
}

// TestAddOfAWeight adds gradients of a weight, which is one row and whose rows lie apart in the result.
func TestAddOfAWeight(t *testing.T) {
	d, r := newDevice(t), newSource(4)
	const rows, columns, stride = 3, 37, 40
	a, b := r.uniform(rows*columns, -1, 1), r.uniform(rows*columns, -1, 1)
	task := newTask("add")
	extents, out := d.upload(raw([]int32{1, 1, 1, 1})), d.upload(raw(make([]float32, rows*stride)))
	for field, v := range map[string]any{"s": int(ops.Parameter), "k": columns, "d": rows * columns, "stride": stride,
		"a": d.upload(raw(a)), "b": d.upload(raw(b)), "out": out} {
		task.set(field, v)
	}
	d.launchTask(task, 1, extents)
	for i, v := range download[float32](d, out, rows*stride) {
		want := float32(0)
		if row, column := i/stride, i%stride; column < columns {
			want = a[row*columns+column] + b[row*columns+column]
		}
		if v != want {
			t.Errorf("number %d is %g, want %g", i, v, want)
		}
	}
}

// TestSetMeanGradOfTwo adds two gradients of a mean.
func TestSetMeanGradOfTwo(t *testing.T) {
	d, r := newDevice(t), newSource(5)
	n := odd.Rows(ops.Group) * 3
	grad, more, sum := r.uniform(n, -1, 1), r.uniform(n, -1, 1), make([]float32, n)
	for i, v := range more {
		sum[i] = grad[i] + v
	}
	o := ops.Op{Kind: ops.SetMeanGrad, In: []ops.Space{ops.Group}, Widths: []int{3}, Out: ops.Context, Width: 3}
	near(t, "gradient of the mean from two", d.element(odd, o, 2, grad, more), reference(&o, odd, sum), few)
}

func TestEnsembleAddGrad(t *testing.T) {
	d, r := newDevice(t), newSource(6)
	const width = 9
	for _, e := range []ops.Extents{one, odd} {
		for above, below := range map[ops.Space]ops.Space{ops.Point: ops.Row, ops.Context: ops.Resample} {
			for _, relu := range []bool{false, true} {
				grad, y := r.uniform(e.Rows(below)*width, -1, 1), r.rectified(e.Rows(below)*width)
				for part, kernel := range []string{"ensemble_add_grad_point", "ensemble_add_grad_level"} {
					to := []ops.Space{above, ops.Ensemble}[part]
					o := &ops.Op{Kind: ops.EnsembleAddGrad, Part: part, In: []ops.Space{below, below}, Out: to, Width: width, ReLU: relu}
					got := d.sameAtAnyGrid(func(grid int) [][]float32 {
						return d.run(kernel, grid, 256, e, grad, y, result(e.Rows(to)*width), to, above, width, relu)
					})
					near(t, name(kernel, " of ", above, " to ", below, ", ReLU ", relu), got[0], reference(o, e, grad, y), roundings(e.Points+e.Context+e.Levels))
				}
			}
		}
	}
}
