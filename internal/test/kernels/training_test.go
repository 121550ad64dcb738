//go:build simt || gpu

package kernels

import (
	"encoding/binary"
	"math"
	"slices"
	"testing"

	"github.com/acqnp/acqnp/internal/engine"
	"github.com/acqnp/acqnp/internal/models/ops"
	"github.com/acqnp/acqnp/internal/random"
	"github.com/acqnp/acqnp/internal/test/must"
	"github.com/acqnp/acqnp/kernels/gpu"
)

func line(blocks, threads int) gpu.Dims { return gpu.Line(blocks, threads, 0) }

// step is a struct Step.
func step(e ops.Extents, batch uint64, rate float64) []byte {
	b, err := binary.Append(nil, binary.LittleEndian, struct {
		Groups, Context, Points, Levels int32
		Batch                           uint64
		Rate                            float64
	}{int32(e.Groups), int32(e.Context), int32(e.Points), int32(e.Levels), batch, rate})
	if err != nil {
		panic(err)
	}
	return b
}

// training is a struct Training, see training.h.
type training struct {
	BadBatch       uint64
	Bad, BadIndex  int32
	BadValue, Loss float32
	Updates        int32
	Done           int32
	First, After   int32
	Scale          float32
	Good           int32
}

func (v training) bytes() []byte {
	b, err := binary.Append(nil, binary.LittleEndian, v)
	if err != nil {
		panic(err)
	}
	return b
}

// optimiser is Adam on the device.
type optimiser struct {
	*device
	n                    int
	scaled               bool
	params, m, v, grads  gpu.Ptr
	training, step, loss gpu.Ptr
}

func newOptimiser(t *testing.T, params []float32, start training, scaled bool) *optimiser {
	d, n := newDevice(t), len(params)
	start.First, start.After = math.MaxInt32, math.MaxInt32
	o := &optimiser{device: d, n: n, scaled: scaled, params: d.upload(raw(params)), m: d.upload(make([]byte, 4*n)),
		v: d.upload(make([]byte, 4*n)), grads: d.alloc(4 * n), training: d.upload(start.bytes()), step: d.alloc(32),
		loss: d.alloc(4)}
	return o
}

func (o *optimiser) update(batch int, rate float64, loss float32, grads []float32, decay float32) training {
	o.t.Helper()
	for p, data := range map[gpu.Ptr][]byte{
		o.step: step(one, uint64(batch), rate), o.loss: raw([]float32{loss}), o.grads: raw(grads),
	} {
		must.Do(o.t, o.Upload(p, data))
	}
	scaled := int32(0)
	if o.scaled {
		scaled = 1
	}
	o.launch("check", line(3, 256), o.grads, o.training, int32(o.n))
	o.launch("adam", line(2, 256), o.step, o.training, o.loss, o.params, o.m, o.v, o.grads, int32(o.n), decay,
		scaled)
	var now training
	must.Do(o.t, must.Err(binary.Decode(download[byte](o.device, o.training, 48), binary.LittleEndian, &now)))
	return now
}

// TestAdam compares with the host's Adam. A compiler may fuse a product and a sum, so a step may
// differ by a unit in the last place of a term, and ten steps by 10 units of the largest number.
// Numbers below the bounds are exactly 0.
func TestAdam(t *testing.T) {
	const n = 1003
	for _, decay := range []float64{0, 1e-5} {
		r := newSource(50)
		params := r.uniform(n, -1, 1)
		params[0] = 0
		host := engine.NewAdam[float32](n, decay)
		want := slices.Clone(params)
		o := newOptimiser(t, params, training{Scale: 1}, false)
		for i := range 10 {
			grads := r.uniform(n, -1, 1)
			grads[0], grads[1], grads[2] = 0, 1e-33, 1e-20 // moments that become 0
			rate := 1e-3 / float64(i+1)
			host.Update(want, grads, rate)
			now := o.update(i, rate, 0.5, grads, float32(decay))
			if now.Updates != int32(i+1) || now.Loss != 0.5 || now.Bad != 0 {
				t.Fatalf("after step %d: %+v", i, now)
			}
		}
		for _, c := range []struct {
			what string
			at   gpu.Ptr
			want []float32
		}{{"parameters", o.params, want}, {"first moments", o.m, host.M}, {"second moments", o.v, host.V}} {
			got := download[float32](o.device, c.at, n)
			tolerance := 1e-6 * float64(slices.Max(c.want))
			for i, w := range c.want {
				if d := math.Abs(float64(got[i] - w)); !(d <= tolerance) || w == 0 && got[i] != 0 {
					t.Errorf("decay %g: %s: number %d is %g, want %g", decay, c.what, i, got[i], w)
					break
				}
			}
		}
	}
}

// TestFirstNonFiniteStopsUpdates: the first NaN or infinity is recorded with its batch, index and
// value, and nothing is updated after it.
func TestFirstNonFiniteStopsUpdates(t *testing.T) {
	const n = 777
	inf, nan := float32(math.Inf(-1)), float32(math.NaN())
	for _, c := range []struct {
		what  string
		loss  float32
		place int // the index of the bad number in the gradient, or −1
		want  training
	}{
		{"gradient", 1, 300, training{BadBatch: 8, Bad: 2, BadIndex: 300, BadValue: inf}},
		{"loss", nan, -1, training{BadBatch: 8, Bad: 1}},
		{"loss and gradient", nan, 300, training{BadBatch: 8, Bad: 1}},
	} {
		params := newSource(51).uniform(n, -1, 1)
		o := newOptimiser(t, params, training{Scale: 1}, false)
		grads := make([]float32, n)
		o.update(7, 1e-3, 1, grads, 0)
		before := download[float32](o.device, o.params, n)
		if c.place >= 0 {
			grads[c.place], grads[n-1] = inf, nan
		}
		o.update(8, 1e-3, c.loss, grads, 0.1)
		now := o.update(9, 1e-3, 1, make([]float32, n), 0.1)
		if now.Bad != c.want.Bad || now.BadBatch != c.want.BadBatch || now.BadIndex != c.want.BadIndex || now.Updates != 1 {
			t.Errorf("%s: %+v, want %+v and one update", c.what, now, c.want)
		}
		if c.want.Bad == 2 && now.BadValue != inf || c.want.Bad == 1 && now.BadValue == now.BadValue {
			t.Errorf("%s: noted %g", c.what, now.BadValue)
		}
		if !slices.Equal(download[float32](o.device, o.params, n), before) {
			t.Errorf("%s: the parameters were updated", c.what)
		}
	}
}

// TestFirstOverflowStopsUpdates: a gradient whose square overflows, and a first moment and a weight
// beyond float32, are recorded, the one with the lowest index, and nothing is updated after it.
func TestFirstOverflowStopsUpdates(t *testing.T) {
	const n, place = 777, 300
	inf := float32(math.Inf(1))
	for _, c := range []struct {
		what               string
		param, grad, decay float32
		rate               float64
		quantity           int32
	}{
		{"first moment", 3e38, 1e38, 1, 1e-3, 3},
		{"second moment", 1, 1e30, 1, 1e-3, 4},
		{"weight", -3.3e38, 1, 0, 3e37, 5},
	} {
		params, grads := make([]float32, n), make([]float32, n)
		o := newOptimiser(t, params, training{Scale: 1}, false)
		o.update(7, 1e-3, 1, grads, 0)
		params[place], params[n-1] = c.param, c.param
		grads[place], grads[n-1] = c.grad, c.grad
		must.Do(t, o.Upload(o.params, raw(params)))
		o.update(8, c.rate, 1, grads, c.decay)
		before := download[float32](o.device, o.params, n)
		now := o.update(9, 1e-3, 1, make([]float32, n), 1)
		if now.Bad != c.quantity || now.BadBatch != 8 || now.BadIndex != place || math.Abs(float64(now.BadValue)) != float64(inf) || now.Updates != 2 {
			t.Errorf("%s: %+v", c.what, now)
		}
		if got := download[float32](o.device, o.params, n); !slices.Equal(got[:place], before[:place]) || !slices.Equal(got[place+1:n-1], before[place+1:n-1]) {
			t.Errorf("%s: the parameters were updated afterwards", c.what)
		}
	}
}

// TestLossScale checks that the update uses the gradient without its scale, that overflow halves
// the scale and skips the step, that 2000 steps without overflow double it, and that overflow at
// scale 1 is an error.
func TestLossScale(t *testing.T) {
	params := []float32{1, 2, 3}
	inf := float32(math.Inf(1))
	o := newOptimiser(t, params, training{Scale: 4, Good: 1997}, true)
	plain := newOptimiser(t, params, training{Scale: 1}, false)
	plain.update(0, 1e-3, 1, []float32{1, -2, 0.5}, 0.01)

	now := o.update(0, 1e-3, 1, []float32{4, -8, 2}, 0.01)
	if now.Scale != 4 || now.Good != 1998 || now.Updates != 1 {
		t.Errorf("after a good step: %+v", now)
	}
	want := download[float32](plain.device, plain.params, 3)
	if got := download[float32](o.device, o.params, 3); !slices.Equal(got, want) {
		t.Errorf("updated to %v, want %v", got, want)
	}
	o.update(1, 1e-3, 1, make([]float32, 3), 0)
	if now = o.update(2, 1e-3, 1, make([]float32, 3), 0); now.Scale != 8 || now.Good != 0 || now.Updates != 3 {
		t.Errorf("after 2000 good steps: %+v", now)
	}
	high := newOptimiser(t, params, training{Scale: 65536, Good: 1999}, true)
	if now := high.update(0, 1e-3, 1, make([]float32, 3), 0); now.Scale != 131072 || now.Good != 0 {
		t.Errorf("a scale of 65536 after 2000 good steps: %+v", now)
	}
	for i, scale := range []float32{4, 2, 1} {
		now = o.update(3+i, 1e-3, 1, []float32{0, inf, 0}, 0)
		if now.Scale != scale || now.Good != 0 || now.Bad != 0 || now.Updates != 3 {
			t.Errorf("after overflow: %+v, want the scale %g", now, scale)
		}
	}
	if now = o.update(6, 1e-3, 1, []float32{0, inf, 0}, 0); now.Bad != 2 || now.BadBatch != 6 || now.BadIndex != 1 {
		t.Errorf("after overflow at scale 1: %+v", now)
	}
}

// TestLevels checks that the levels have the same bits as the host's, for any seed, batch and
// number of rows.
func TestLevels(t *testing.T) {
	d := newDevice(t)
	for _, c := range []struct {
		e     ops.Extents
		seed  uint64
		batch uint64
	}{{one, 0, 0}, {odd, 0x123456789abcdef0, 3}, {ops.Extents{Groups: 2, Points: 3, Levels: 1}, math.MaxUint64, 1<<40 + 7}} {
		want := make([]float32, c.e.Rows(ops.Row))
		random.New(c.seed, random.Levels).Fill(c.batch, 0, want)
		for _, grid := range []int{1, 5} {
			u := d.alloc(4 * len(want))
			task := d.taskOf("levels", []any{u, int32(ops.Row), uint32(c.seed), uint32(c.seed >> 32), uint32(random.Levels)})
			d.launchTask(task, grid, d.upload(step(c.e, c.batch, 0)))
			if got := download[float32](d, u, len(want)); !slices.Equal(got, want) {
				t.Errorf("seed %x, batch %d: %v, want %v", c.seed, c.batch, got, want)
			}
		}
	}
}

// TestBlocks loads and stores blocks like ops.LoadBlock and ops.StoreBlock: columns of a weight,
// heads, a vector.
func TestBlocks(t *testing.T) {
	d, r := newDevice(t), newSource(60)
	blocks := []ops.Block{
		{Rows: 5, Cols: 3, Offset: 0, Stride: 7}, {Rows: 5, Cols: 4, Offset: 3, Stride: 7},
		{Rows: 1, Cols: 9, Vector: true, Offset: 35, Stride: 9}, {Rows: 6, Cols: 6, Offset: 44, Stride: 2, Strip: 2},
		{Rows: 23, Cols: 19, Offset: 80, Stride: 19},
	}
	const size = 80 + 23*19
	var table []byte
	place, leaves := 0, []int{}
	for _, b := range blocks {
		strip := b.Strip
		if strip == 0 {
			strip = b.Cols
		}
		var err error
		table, err = binary.Append(table, binary.LittleEndian, struct {
			Place                                     int64
			Rows, Cols, Offset, Stride, Strip, Unused int32
		}{int64(place), int32(b.Rows), int32(b.Cols), int32(b.Offset), int32(b.Stride), int32(strip), 0})
		if err != nil {
			t.Fatal(err)
		}
		leaves = append(leaves, place)
		place += b.Rows*b.Cols + 5 // with a gap between them
	}
	flat := r.uniform(size, -1, 1)
	where, all := d.upload(table), d.upload(make([]byte, 4*place))
	dims := line(2, 256)
	dims.Grid[1] = uint32(len(blocks))
	d.launch("load_blocks", dims, where, d.upload(raw(flat)), all)
	got, want := download[float32](d, all, place), make([]float32, place)
	for i, b := range blocks {
		ops.LoadBlock(want[leaves[i]:][:b.Rows*b.Cols], flat, b)
	}
	if !slices.Equal(got, want) {
		t.Errorf("loaded %v, want %v", got, want)
	}
	back := d.upload(make([]byte, 4*size))
	d.launch("store_blocks", dims, where, all, back)
	if got := download[float32](d, back, size); !slices.Equal(got, flat) {
		t.Errorf("stored %v, want %v", got, flat)
	}
}

// TestSumsFindNonFiniteGradients: kernel sums keeps the lowest index of the flat gradient at which it
// wrote a NaN or an infinity, and ignores what it writes elsewhere.
func TestSumsFindNonFiniteGradients(t *testing.T) {
	const n, weights, biases, width, outputs, stride = 100, 10, 60, 3, 7, 5
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	for _, c := range []struct {
		what   string
		bad    map[int]float32 // by their place in the sums of a slice: weights, then biases
		inside bool            // the results belong to the flat gradient
		want   int32
	}{
		{"nothing", nil, true, math.MaxInt32},
		{"a weight and a bias", map[int]float32{13: inf, 23: nan}, true, weights + 4*stride + 1},
		{"two biases", map[int]float32{26: nan, 23: -inf}, true, biases + 2},
		{"other memory", map[int]float32{13: nan}, false, math.MaxInt32},
	} {
		o := newOptimiser(t, make([]float32, n), training{Scale: 1}, false)
		partial := make([]float32, outputs*(width+1))
		for i, v := range c.bad {
			partial[i] = v
		}
		out := o.grads
		if !c.inside {
			out = o.alloc(4 * n)
		}
		task := o.taskOf("weight_grad_sum", []any{o.upload(raw(partial)), out + 4*weights, out + 4*biases, int32(ops.Parameter),
			int32(width), int32(outputs), int32(stride)})
		o.launch("sums", line(2, 128), o.step, o.upload(raw(task)), o.grads, int32(n), o.training)
		if first := download[int32](o.device, o.training, 12)[8]; first != c.want {
			t.Errorf("%s: %d, want %d", c.what, first, c.want)
		}
	}
}
