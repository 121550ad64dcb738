//go:build simt

package emulator_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/test/must"
	"github.com/acqnp/acqnp/kernels/emulator"
	"github.com/acqnp/acqnp/kernels/gpu"
)

func TestDeviceIsAsAskedFor(t *testing.T) {
	for capability, shared := range map[[2]int]int{{7, 5}: 64 << 10, {8, 0}: 163 << 10, {8, 6}: 99 << 10, {9, 0}: 227 << 10} {
		d := device(t, emulator.Options{Major: capability[0], Minor: capability[1], Memory: 1 << 20}).Device()
		if d.Name != "simt" || d.Major != capability[0] || d.Minor != capability[1] || d.SharedPerBlock != shared || d.Memory != 1<<20 {
			t.Errorf("%v: %+v", capability, d)
		}
	}
}

func TestMemoryIsFilledWithNaNAndCounted(t *testing.T) {
	d := device(t, emulator.Options{Memory: 4096})
	p := must.Get(d.Alloc(4000))(t)
	for i, v := range download[float32](t, d, p, 1000) {
		if !math.IsNaN(float64(v)) {
			t.Fatalf("new memory has %g at %d", v, i)
		}
	}
	_, err := d.Alloc(97)
	var e *gpu.Error
	if !errors.Is(err, gpu.ErrOutOfMemory) || !errors.As(err, &e) || e.Call != "alloc" || e.Bytes != 97 {
		t.Errorf("97 bytes too many: %v", err)
	}
	if q, err := d.Alloc(96); err != nil || d.Live() != 2 {
		t.Errorf("the last 96 bytes: %v, %d live", err, d.Live())
	} else if err := d.Free(q); err != nil {
		t.Error(err)
	}
	if err := d.Free(p); err != nil || d.Live() != 0 {
		t.Errorf("%v, %d live", err, d.Live())
	}
	if d.Free(p) == nil {
		t.Error("memory was freed twice")
	}
	must.Do(t, d.Free(0))
}

func TestCopiesStayInBounds(t *testing.T) {
	d := device(t, emulator.Options{})
	p := must.Get(d.Alloc(6))(t)
	for name, err := range map[string]error{
		"upload":         d.Upload(p, make([]byte, 7)),
		"upload from 1":  d.Upload(p+1, make([]byte, 6)),
		"upload before":  d.Upload(p-1, make([]byte, 1)),
		"upload nowhere": d.Upload(0, make([]byte, 1)),
		"download":       d.Download(make([]byte, 7), p),
	} {
		if err == nil {
			t.Errorf("%s: not refused", name)
		}
	}
	must.Do(t, errors.Join(d.Upload(p, []byte{1, 2, 3, 4, 5, 6}), d.Upload(p+1, []byte{0, 0}), d.Upload(p+5, []byte{9})))
	if got := download[byte](t, d, p, 6); string(got) != "\x01\x00\x00\x04\x05\x09" {
		t.Errorf("%v", got)
	}
}

func TestWrongLaunchesAreRefused(t *testing.T) {
	d := device(t, emulator.Options{Major: 7, Minor: 5})
	f := must.Get(d.Function("vocabulary_shared"))(t)
	x, out := upload(t, d, numbers(64, 0)), upload(t, d, make([]float32, 64))
	right, args := gpu.Line(1, 64, 256), gpu.Args(out, x)
	must.Do(t, d.Launch(f, right, args))
	for name, try := range map[string]struct {
		f    gpu.Func
		d    gpu.Dims
		p    gpu.Params
		want string
	}{
		"no function":   {0, right, args, "not a function"},
		"other driver":  {f + 1, right, args, "not a function"},
		"one argument":  {f, right, gpu.Args(out), "1 arguments, the kernel takes 2"},
		"three":         {f, right, gpu.Args(out, x, x), "3 arguments"},
		"wrong size":    {f, right, gpu.Args(out, int32(1)), "argument 1 has 4 bytes, the kernel takes 8"},
		"wrong type":    {f, right, gpu.Args(out, 1), "argument 1 is of a type"},
		"no blocks":     {f, gpu.Line(0, 64, 256), args, "grid"},
		"no threads":    {f, gpu.Line(1, 0, 256), args, "block"},
		"65 threads":    {f, gpu.Line(1, 65, 256), args, "the kernel's launch bounds are 64"},
		"1025 threads":  {f, gpu.Line(1, 1025, 256), args, "block"},
		"32x32x2":       {f, gpu.Dims{Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{32, 32, 2}}, args, "block"},
		"65 deep":       {f, gpu.Dims{Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{1, 1, 65}}, args, "block"},
		"65536 high":    {f, gpu.Dims{Grid: [3]uint32{1, 65536, 1}, Block: [3]uint32{1, 1, 1}}, args, "grid"},
		"shared memory": {f, gpu.Line(1, 64, 64<<10+1), args, "65537 bytes of shared memory, a block has 65536"},
	} {
		if err := d.Launch(try.f, try.d, try.p); err == nil || !strings.Contains(err.Error(), try.want) {
			t.Errorf("%s: %v", name, err)
		}
		_, err := d.Graph([]gpu.Node{{Func: try.f, Dims: try.d, Params: try.p}})
		if err == nil || !strings.Contains(err.Error(), try.want) {
			t.Errorf("%s in a graph: %v", name, err)
		}
	}
	if _, err := d.Function("vocabulary_nothing"); err == nil || !strings.Contains(err.Error(), "vocabulary_nothing") {
		t.Errorf("an unknown kernel: %v", err)
	}
	if err := d.Sync(); err != nil {
		t.Errorf("refused launches left %v", err)
	}
}

// TestGraphsReadMemoryAtReplay checks that a graph makes its launches when it is replayed, and reads
// what the memory holds then.
func TestGraphsReadMemoryAtReplay(t *testing.T) {
	for _, order := range []int{0, 1, 7} {
		d := device(t, emulator.Options{Order: order})
		f := must.Get(d.Function("vocabulary_copy"))(t)
		x, y, z := upload(t, d, numbers(256, 0)), upload(t, d, make([]float32, 256)), upload(t, d, make([]float32, 256))
		copies := func(to, from gpu.Ptr, after ...int) gpu.Node {
			return gpu.Node{Func: f, Dims: gpu.Line(1, 64, 2048), Params: gpu.Args(to, from, int32(256)), After: after}
		}
		w := upload(t, d, make([]float32, 256))
		g := must.Get(d.Graph([]gpu.Node{copies(y, x), copies(w, x), copies(z, y, 0)}))(t)
		if got := download[float32](t, d, z, 256); got[0] != 0 || got[255] != 0 {
			t.Error("Graph ran the kernels")
		}
		for from := range 3 {
			in := numbers(256, 1000*from)
			must.Do(t, errors.Join(d.Upload(x, bytesOf(in)), g.Replay()))
			for _, at := range []gpu.Ptr{w, z} {
				if got := download[float32](t, d, at, 256); !slices.Equal(got, in) {
					t.Fatalf("order %d, replay %d: %v", order, from, got)
				}
			}
		}
		must.Do(t, g.Close())
		if g.Replay() == nil {
			t.Error("a closed graph was replayed")
		}
		for _, after := range []int{-1, 0, 1} {
			if _, err := d.Graph([]gpu.Node{copies(y, x, after)}); err == nil {
				t.Errorf("node 0 after node %d", after)
			}
		}
	}
}

// TestGraphsRunInAnyOrderAllowed makes a graph whose second node lacks its dependency on the first.
// Another order of the nodes shows the error.
func TestGraphsRunInAnyOrderAllowed(t *testing.T) {
	d := device(t, emulator.Options{Order: 1})
	f := must.Get(d.Function("vocabulary_copy"))(t)
	x, y, z := upload(t, d, numbers(8, 1)), upload(t, d, make([]float32, 8)), upload(t, d, make([]float32, 8))
	g, err := d.Graph([]gpu.Node{
		{Func: f, Dims: gpu.Line(1, 64, 2048), Params: gpu.Args(y, x, int32(8))},
		{Func: f, Dims: gpu.Line(1, 64, 2048), Params: gpu.Args(z, y, int32(8))},
	})
	if err != nil {
		t.Fatal(err)
	}
	must.Do(t, g.Replay())
	if got := download[float32](t, d, z, 8); got[0] != 0 {
		t.Errorf("the nodes ran in the order of the list: %v", got)
	}
}

func TestPinnedMemoryIsFreed(t *testing.T) {
	d := device(t, emulator.Options{})
	b, err := d.Pinned(16)
	if err != nil || d.LivePinned() != 1 {
		t.Fatalf("%v, %d live", err, d.LivePinned())
	}
	if err := errors.Join(d.Unpin(b), d.Unpin(nil)); err != nil || d.LivePinned() != 0 {
		t.Errorf("%v, %d live", err, d.LivePinned())
	}
	if d.Unpin(make([]byte, 16)) == nil {
		t.Error("memory of Go was freed")
	}
}

// TestUploadsReadPinnedMemoryLate checks that an upload reads pinned memory only when a call waits for
// it, and other memory at once.
func TestUploadsReadPinnedMemoryLate(t *testing.T) {
	d := device(t, emulator.Options{})
	p := upload(t, d, []byte{0, 0, 0, 0})
	b := must.Get(d.Pinned(2))(t)
	b[0], b[1] = 1, 2
	own := []byte{3, 4}
	must.Do(t, errors.Join(d.Upload(p, b), d.Upload(p+2, own)))
	b[0], own[0] = 10, 30
	before := must.Get(d.Mark())(t)
	must.Do(t, d.Upload(p+1, b[:1]))
	must.Do(t, before.Wait())
	b[0] = 99 // after the first upload, before the second
	if got := download[byte](t, d, p, 4); got[0] != 10 || got[1] != 99 || got[2] != 3 || got[3] != 4 {
		t.Errorf("%v", got)
	}
}

// TestNodesStartEarly lists which nodes of a graph a device of compute capability 9.0 may start early.
func TestNodesStartEarly(t *testing.T) {
	for major, want := range map[int][]bool{
		8: {false, false, false, false, false, false, false},
		9: {false, true, false, false, false, false, true},
	} {
		d := device(t, emulator.Options{Major: major})
		f := must.Get(d.Function("vocabulary_copy"))(t)
		var nodes []gpu.Node
		for i, after := range [][]int{nil, {0}, {1}, {1}, {2, 3}, {4, 2}, {5}} { // a chain, a fork, a meeting, a chain
			x := upload(t, d, numbers(8, i))
			nodes = append(nodes, gpu.Node{Func: f, Dims: gpu.Line(1, 64, 2048), Params: gpu.Args(upload(t, d, numbers(8, 0)), x, int32(8)), After: after})
		}
		g := must.Get(d.Graph(nodes))(t)
		if got := g.Early(); !slices.Equal(got, want) {
			t.Errorf("compute capability %d: %v, want %v", major, got, want)
		}
		must.Do(t, errors.Join(g.Replay(), d.Sync()))
	}
}

// TestUploadsAhead copies to memory beside a launch that uses other memory. A launch or an upload that
// uses the same bytes between the event and the call is an error, one before the event or after the
// call is not.
func TestUploadsAhead(t *testing.T) {
	type call struct {
		name string
		err  string // pattern of the error; empty for none
	}
	for _, c := range []call{
		{"other", ""}, {"before", ""}, {"after", ""},
		{"read", "read of a global buffer to which an upload is still under way"},
		{"write", "write of a global buffer to which an upload is still under way"},
		{"upload", "an upload to the same bytes is still under way"},
	} {
		d := device(t, emulator.Options{})
		f := must.Get(d.Function("vocabulary_copy"))(t)
		other, to, out := upload(t, d, numbers(8, 1)), upload(t, d, numbers(8, 2)), upload(t, d, numbers(8, 3))
		b := must.Get(d.Pinned(32))(t)
		copy(b, bytesOf(numbers(8, 4)))
		copies := func(name string, to, from gpu.Ptr) {
			t.Helper()
			if c.name != name {
				to, from = out, other
			}
			must.Do(t, d.Launch(f, gpu.Line(1, 64, 2048), gpu.Args(to, from, int32(8))))
		}
		copies("before", out, to)
		event := must.Get(d.Mark())(t)
		copies("read", out, to)
		copies("write", to, other)
		if c.name == "upload" {
			must.Do(t, d.Upload(to+4, make([]byte, 4)))
		}
		done := must.Get(d.Ahead(event, func() error { return d.Upload(to, b) }))(t)
		copies("after", out, to)
		err := errors.Join(done.Wait(), d.Sync())
		if c.err == "" && err == nil {
			want := numbers(8, 4)
			if got := download[float32](t, d, to, 8); !slices.Equal(got, want) {
				t.Errorf("%s: %v, want %v", c.name, got, want)
			}
			if got := download[float32](t, d, out, 8); c.name == "after" && !slices.Equal(got, want) {
				t.Errorf("a launch after the uploads read %v, want %v", got, want)
			}
		}
		found := err != nil && strings.Contains(err.Error(), c.err)
		if c.err != "" && !found && (emulator.Checked() || c.name == "upload") || c.err == "" && err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestUploadsAheadNeedPinnedMemory(t *testing.T) {
	d := device(t, emulator.Options{})
	p := upload(t, d, make([]byte, 4))
	if _, err := d.Ahead(nil, func() error { return d.Upload(p, make([]byte, 4)) }); err == nil || !strings.Contains(err.Error(), "not pinned") {
		t.Errorf("memory of Go: %v", err)
	}
	if err := errors.Join(d.Upload(p, make([]byte, 4)), d.Sync()); err != nil {
		t.Errorf("after the error: %v", err)
	}
}

func TestErrorsOfKernelsComeLateAndStay(t *testing.T) {
	d := device(t, emulator.Options{})
	x := make([]float32, 1024)
	x[3] = 50
	px, out := upload(t, d, x), upload(t, d, make([]float32, 128))
	f := must.Get(d.Function("fault_trap"))(t)
	if err := d.Launch(f, gpu.Line(1, 64, 0), gpu.Args(out, px)); err != nil {
		t.Fatal("the launch waited:", err)
	}
	event := must.Get(d.Mark())(t)
	var e *gpu.Error
	if err := event.Wait(); !errors.As(err, &e) || e.Kernel != "fault_trap" {
		t.Fatal(err)
	}
	if err := d.Upload(px, make([]byte, 4)); !errors.As(err, &e) || e.Kernel != "fault_trap" {
		t.Error("a lost device goes on:", err)
	}
	if d.Free(px) == nil || d.Live() != 1 {
		t.Error("Free of a lost device did not free the memory, or returned no error")
	}
	if d.Close() == nil {
		t.Error("Close returned no error after a failure")
	}
	must.Do(t, d.Close())
	if d.Sync() == nil {
		t.Error("a closed driver goes on")
	}
}

// TestBlocksOfEverySize runs blocks with full warps and with partly filled ones, over a grid of
// three dimensions.
func TestBlocksOfEverySize(t *testing.T) {
	for _, order := range orders {
		for _, threads := range []int{1, 31, 32, 33, 255, 1000, 1024} {
			d := device(t, emulator.Options{Order: order})
			n := 24 * threads
			out := upload(t, d, make([]int32, n))
			f := must.Get(d.Function("vocabulary_places"))(t)
			must.Do(t, d.Launch(f, gpu.Dims{Grid: [3]uint32{2, 3, 4}, Block: [3]uint32{uint32(threads), 1, 1}}, gpu.Args(out)))
			for i, v := range download[int32](t, d, out, n) {
				if want := int32(i + threads*(threads-1)/2); v != want {
					t.Fatalf("order %d, %d threads: %d is %d, want %d", order, threads, i, v, want)
				}
			}
		}
	}
}
