//go:build gpu

// These tests use testdata/driver.c, a stand-in for libcuda.so.1. Run them with make cuda.
package cu_test

import (
	"encoding/binary"
	"errors"
	"math"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/acqnp/acqnp/internal/test/must"
	"github.com/acqnp/acqnp/kernels/gpu"
	"github.com/acqnp/acqnp/kernels/gpu/cu"
)

// open opens the stand-in. The end of the test closes it and checks that everything is freed.
func open(t *testing.T) *cu.Driver {
	t.Helper()
	d := must.Get(cu.Open(0))(t)
	if d.Device().Name != "stand-in" {
		d.Close()
		t.Skip("on a GPU; these tests are for the stand-in, make cuda")
	}
	t.Cleanup(func() {
		for range 2 {
			if err := d.Close(); err != nil {
				t.Error("close:", err)
			}
		}
	})
	return d
}

// on returns a function that returns its value, or fails the test on an error.
func on[V any](t *testing.T) func(V, error) V {
	return func(v V, err error) V {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func floats(t *testing.T, d gpu.Driver, p gpu.Ptr, n int) []float32 {
	t.Helper()
	b := make([]byte, 4*n)
	must.Do(t, d.Download(b, p))
	v := make([]float32, n)
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return v
}

func TestDeviceIsDescribed(t *testing.T) {
	want := gpu.Device{Name: "stand-in", Major: 7, Minor: 5, Multiprocessors: 40, SharedPerBlock: 65536, Memory: 1 << 30}
	if got := open(t).Device(); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestMemoryGoesThereAndBack(t *testing.T) {
	d := open(t)
	p := on[gpu.Ptr](t)(d.Alloc(12))
	pinned := on[[]byte](t)(d.Pinned(12))
	if !slices.Equal(pinned, make([]byte, 12)) {
		t.Errorf("pinned memory starts as %v", pinned)
	}
	binary.LittleEndian.PutUint32(pinned[4:], math.Float32bits(2.5))
	must.Do(t, d.Upload(p, pinned))
	must.Do(t, d.Upload(p+8, []byte{0, 0, 128, 63}))
	must.Same(t, []float32{0, 2.5, 1}, floats(t, d, p, 3), "downloaded")
	must.Do(t, d.Upload(p+4, make([]byte, 4)))
	must.Same(t, []float32{0, 0, 1}, floats(t, d, p, 3), "after an upload in it")
	must.Do(t, d.Free(p))
	must.Do(t, d.Free(0))
}

func TestLaunchesAndGraphs(t *testing.T) {
	d := open(t)
	p := on[gpu.Ptr](t)(d.Alloc(16))
	fill, count := on[gpu.Func](t)(d.Function("fill")), on[gpu.Func](t)(d.Function("count"))
	must.Do(t, d.Launch(fill, gpu.Line(1, 32, 0), gpu.Args(p, int32(4), float32(3))))
	if got := floats(t, d, p, 4); !slices.Equal(got, []float32{3, 3, 3, 3}) {
		t.Fatalf("fill left %v", got)
	}
	big := gpu.Line(1, 1, 60000) // more shared memory than a kernel may use by default
	g := on[gpu.Graph](t)(d.Graph([]gpu.Node{
		{Func: fill, Dims: gpu.Line(1, 32, 0), Params: gpu.Args(p+4, int32(1), float32(0))},
		{Func: count, Dims: big, Params: gpu.Args(p), After: []int{0}},
	}))
	if got := floats(t, d, p, 4); !slices.Equal(got, []float32{3, 3, 3, 3}) {
		t.Fatalf("making the graph has already done something: %v", got)
	}
	for range 2 {
		must.Do(t, g.Replay())
	}
	must.Same(t, []float32{5, 0, 3, 3}, floats(t, d, p, 4), "two replays left")
	must.Do(t, g.Close())
	must.Do(t, g.Close())
	open := on[gpu.Graph](t)(d.Graph(nil)) // closed by the driver
	must.Do(t, open.Replay())
	for range 3 {
		e := on[gpu.Event](t)(d.Mark())
		must.Do(t, e.Wait())
	}
	on[gpu.Event](t)(d.Mark()) // never waited for
	must.Do(t, d.Sync())
}

// TestProgrammaticEdges makes a chain and a fork of kernels that were compiled for compute capability 9.0,
// and for others. A driver that refuses the edges, here or at the end, gets a graph without them.
func TestProgrammaticEdges(t *testing.T) {
	for _, c := range []struct {
		version, refused string
		chain            bool
	}{{"75", "", false}, {"80", "", false}, {"90", "", true}, {"100", "", true}, {"90", "cuGraphAddDependencies_v2", false}, {"90", "cuFuncGetAttribute", false}} {
		t.Run(c.version+" "+c.refused, func(t *testing.T) {
			d := open(t)
			p := on[gpu.Ptr](t)(d.Alloc(16))
			fill, count := on[gpu.Func](t)(d.Function("fill")), on[gpu.Func](t)(d.Function("count"))
			t.Setenv("PTX_VERSION", c.version)
			t.Setenv("FAIL_CODE", "801")
			t.Setenv("FAIL_CALL", c.refused)
			node := func(after ...int) gpu.Node {
				return gpu.Node{Func: count, Dims: gpu.Line(1, 1, 60000), Params: gpu.Args(p), After: after}
			}
			zero := gpu.Node{Func: fill, Dims: gpu.Line(1, 1, 0), Params: gpu.Args(p, int32(4), float32(0))}
			for want, nodes := range map[int][]gpu.Node{0: {zero, node(0), node(0)}, 2: {zero, node(0), node(1)}} {
				g := on[gpu.Graph](t)(d.Graph(nodes))
				got := 0
				for _, early := range g.Early() {
					if early {
						got++
					}
				}
				if !c.chain {
					want = 0
				}
				if got != want || len(g.Early()) != len(nodes) {
					t.Errorf("%d nodes start early, want %d", got, want)
				}
				must.Do(t, g.Replay())
				must.Same(t, []float32{2, 0, 0, 0}, floats(t, d, p, 4), "a replay left")
				must.Do(t, g.Close())
			}
		})
	}
}

// TestUploadsAhead makes uploads beside a launch. The stand-in refuses a call that uses the same memory
// as one of the other stream without an order between them.
func TestUploadsAhead(t *testing.T) {
	d := open(t)
	p := on[gpu.Ptr](t)(d.Alloc(16))
	count := on[gpu.Func](t)(d.Function("count"))
	b := on[[]byte](t)(d.Pinned(4))
	launch := func() { must.Do(t, d.Launch(count, gpu.Line(1, 1, 60000), gpu.Args(p))) }
	ahead := func(after gpu.Event) (gpu.Event, error) {
		return d.Ahead(after, func() error { return d.Upload(p, b) })
	}
	launch()
	for i := range 3 { // events are used again
		binary.LittleEndian.PutUint32(b, math.Float32bits(float32(10*i)))
		done := on[gpu.Event](t)(ahead(on[gpu.Event](t)(d.Mark())))
		launch() // after the upload
		must.Do(t, done.Wait())
		if got := floats(t, d, p, 1); got[0] != float32(10*i+1) {
			t.Fatalf("the launch left %v", got)
		}
		launch()
	}
	if _, err := ahead(nil); err == nil || !strings.Contains(err.Error(), "CUDA_ERROR_710") {
		t.Errorf("an upload to memory that a launch may use: %v", err)
	}
	must.Do(t, d.Sync())
	must.Do(t, on[gpu.Event](t)(ahead(nil)).Wait())
	if _, err := d.Ahead(nil, func() error { return d.Upload(p, make([]byte, 4)) }); err == nil || !strings.Contains(err.Error(), "not pinned") {
		t.Errorf("memory of Go: %v", err)
	}
	mine := errors.New("mine")
	if _, err := d.Ahead(nil, func() error { return mine }); err != mine {
		t.Errorf("got %v", err)
	}
	launch()
}

// TestEventsAreReused makes more events once none can be created.
func TestEventsAreReused(t *testing.T) {
	d := open(t)
	for i := range 3 {
		before := on[gpu.Event](t)(d.Mark())
		uploaded := on[gpu.Event](t)(d.Ahead(before, func() error { return nil }))
		after := on[gpu.Event](t)(d.Mark())
		must.Do(t, errors.Join(uploaded.Wait(), after.Wait()))
		if i == 0 {
			t.Setenv("FAIL_CODE", "2")
			t.Setenv("FAIL_CALL", "cuEventCreate")
		}
	}
}

// TestOtherGoroutines uses the driver from another goroutine, as tests and training loops do.
func TestOtherGoroutines(t *testing.T) {
	d := open(t)
	done := make(chan error)
	go func() {
		p, err := d.Alloc(4)
		if err == nil {
			err = errors.Join(d.Upload(p, make([]byte, 4)), d.Sync(), d.Free(p))
		}
		done <- err
	}()
	must.Do(t, <-done)
}

func TestLaunchAllocatesNothing(t *testing.T) {
	d := open(t)
	p := on[gpu.Ptr](t)(d.Alloc(4))
	fill, args := on[gpu.Func](t)(d.Function("fill")), gpu.Args(p, int32(1), float32(1))
	must.NotAllocate(t, "a launch", 100, func() {
		if err := d.Launch(fill, gpu.Line(1, 1, 0), args); err != nil {
			t.Fatal(err)
		}
	})
}

func TestWhatDoesNotFitIsRefused(t *testing.T) {
	d := open(t)
	p := on[gpu.Ptr](t)(d.Alloc(4))
	fill := on[gpu.Func](t)(d.Function("fill"))
	_, unknown := d.Function("nothing")
	_, gpu9 := cu.Open(9)
	for want, err := range map[string]error{
		`CUDA function nothing: no kernel "nothing"`:      unknown,
		"no GPU 9: there are 1":                           gpu9,
		"CUDA launch fill: 1 arguments":                   d.Launch(fill, gpu.Line(1, 1, 0), gpu.Args(p)),
		"CUDA launch fill: argument 1 has 8 bytes":        d.Launch(fill, gpu.Line(1, 1, 0), gpu.Args(p, p, float32(1))),
		"CUDA launch fill: error 1 (CUDA_ERROR_1)":        d.Launch(fill, gpu.Line(0, 1, 0), gpu.Args(p, int32(1), float32(1))),
		"CUDA launch: no kernel has the number 7":         d.Launch(7, gpu.Line(1, 1, 0), nil),
		"CUDA launch fill: error 1 (CUDA_ERROR_1) ":       d.Launch(fill, gpu.Line(1, 1, 1<<20), gpu.Args(p, int32(1), float32(1))),
		"CUDA alloc (2147483648 bytes): out of memory on": func() error { _, err := d.Alloc(2 << 30); return err }(),
	} {
		var e *gpu.Error
		if err == nil || !strings.Contains(err.Error(), strings.TrimSpace(want)) || !errors.As(err, &e) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestGraphsThatDoNotFitAreRefused(t *testing.T) {
	d := open(t)
	p := on[gpu.Ptr](t)(d.Alloc(4))
	fill := on[gpu.Func](t)(d.Function("fill"))
	right := gpu.Node{Func: fill, Dims: gpu.Line(1, 1, 0), Params: gpu.Args(p, int32(1), float32(1))}
	itself, many, shape := right, right, right
	itself.After, many.Params, shape.Dims = []int{1}, gpu.Args(p), gpu.Line(0, 1, 0)
	for want, node := range map[string]gpu.Node{
		"CUDA graph fill: node 1 comes after node 1": itself, "CUDA launch fill: 1 arguments": many,
		"CUDA graph fill: error 1 (CUDA_ERROR_1)": shape, "CUDA launch: no kernel has the number 7": {Func: 7},
	} {
		if _, err := d.Graph([]gpu.Node{right, node}); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
		must.Do(t, d.Sync()) // the driver still works
	}
}

// TestMemoryOfGoIsStaged uploads memory of Go larger than the driver's pinned memory. The stand-in
// refuses asynchronous copies of any memory that is not pinned.
func TestMemoryOfGoIsStaged(t *testing.T) {
	d := open(t)
	src := make([]byte, 5<<19)
	for i := range src {
		src[i] = byte(i % 251)
	}
	p := on[gpu.Ptr](t)(d.Alloc(len(src)))
	must.Do(t, d.Upload(p, src))
	got := make([]byte, len(src))
	must.Do(t, d.Download(got, p))
	if !slices.Equal(got, src) {
		t.Error("other bytes came back")
	}
}

func TestPinnedMemoryIsFreed(t *testing.T) {
	d := open(t)
	for range 100 { // the stand-in holds 64
		b := on[[]byte](t)(d.Pinned(8))
		p := on[gpu.Ptr](t)(d.Alloc(8))
		must.Do(t, errors.Join(d.Upload(p, b), d.Unpin(b), d.Free(p)))
	}
	must.Do(t, d.Unpin(nil))
	if err := d.Unpin(make([]byte, 8)); err == nil || !strings.HasPrefix(err.Error(), "CUDA unpin (8 bytes): ") {
		t.Errorf("memory of Go: %v", err)
	}
}

func TestTimeOfWork(t *testing.T) {
	d := open(t)
	took := on[time.Duration](t)(d.Time(func() error { time.Sleep(2 * time.Millisecond); return nil }))
	if took < 2*time.Millisecond {
		t.Errorf("took %v", took)
	}
	mine := errors.New("mine")
	if _, err := d.Time(func() error { return mine }); err != mine {
		t.Errorf("got %v", err)
	}
}

func TestErrorsAreOneLineEach(t *testing.T) {
	for _, c := range []struct{ call, code, want string }{
		{"cuMemcpyHtoDAsync", "700", "CUDA upload (4 bytes): the GPU is lost to this process: this call, or a kernel started before it; ACQNP_CUDA_DEBUG=1 names the kernel: error 700 (CUDA_ERROR_700)"},
		{"cuMemcpyHtoDAsync", "214", "CUDA upload (4 bytes): the GPU is lost: error 214 (CUDA_ERROR_214)"},
		{"cuMemAlloc", "2", "CUDA alloc (4 bytes): out of memory on the device"},
		{"cuMemHostAlloc", "2", "CUDA pinned (4 bytes): the host has too little memory that can be pinned"},
		{"cuLaunchKernel", "719", "CUDA launch fill: the GPU is lost to this process"},
		{"cuLaunchKernel", "2", "CUDA launch fill: out of memory on the device"},
		{"cuLaunchKernel", "716", "CUDA launch fill: the GPU is lost to this process"},
		{"cuStreamSynchronize", "715", "CUDA close: the GPU is lost to this process"},
		{"cuGraphCreate", "1", "CUDA graph: error 1"},
		{"cuGraphAddKernelNode", "1", "CUDA graph fill: error 1"},
		{"cuGraphInstantiate", "2", "CUDA graph: out of memory on the device"},
		{"cuGraphLaunch", "700", "CUDA replay: the GPU is lost"},
		{"cuStreamWaitEvent", "700", "CUDA ahead: the GPU is lost"},
		{"cuEventSynchronize", "702", "CUDA wait: a kernel ran longer than the driver allows"},
		{"cuModuleGetFunction", "2", "CUDA function count: out of memory on the device"},
		{"cuModuleLoadData", "209", "CUDA open: no kernel image of this program runs on stand-in (compute capability 7.5) with this driver, which is for CUDA 11.4; releases need one for 12.0 or later (version 525): error 209"},
		{"cuModuleLoadData", "200", "CUDA open: no kernel image of this program runs on stand-in (compute capability 7.5) with this driver, which is for CUDA 11.4; releases"},
		{"cuDevicePrimaryCtxRetain", "2", "CUDA open: out of memory on the device"}, // others fill it
		{"cuDevicePrimaryCtxRetain", "46", "CUDA open: another process has the GPU for itself, or nobody may use it: nvidia-smi shows processes and compute mode: error 46"},
	} {
		t.Run(c.call+" "+c.code, func(t *testing.T) {
			err := everyCall(t, c.call, c.code)
			var e *gpu.Error
			if err == nil || !errors.As(err, &e) || !strings.HasPrefix(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
			if out := c.code == "2" && c.call != "cuMemHostAlloc"; errors.Is(err, gpu.ErrOutOfMemory) != out {
				t.Errorf("out of memory: %v", !out)
			}
		})
	}
}

// everyCall makes each kind of call while one of the driver's functions fails. It returns the first
// error.
func everyCall(t *testing.T, call, code string) error {
	d := open(t)
	fill := on[gpu.Func](t)(d.Function("fill"))
	p := on[gpu.Ptr](t)(d.Alloc(4))
	launch := func() error { return d.Launch(fill, gpu.Line(1, 1, 0), gpu.Args(p, int32(1), float32(1))) }
	t.Setenv("FAIL_CODE", code)
	t.Setenv("FAIL_CALL", call) // undone before the driver is closed
	var first error
	note := func(err error) {
		if first == nil {
			first = err
		}
	}
	if other, err := cu.Open(0); err != nil {
		note(err)
	} else {
		note(other.Close())
	}
	_, err := d.Function("count")
	note(err)
	_, err = d.Alloc(4)
	note(err)
	_, err = d.Pinned(4)
	note(err)
	note(d.Upload(p, make([]byte, 4)))
	note(launch())
	g, err := d.Graph([]gpu.Node{{Func: fill, Dims: gpu.Line(1, 1, 0), Params: gpu.Args(p, int32(1), float32(1))}})
	note(err)
	if err == nil {
		note(g.Replay())
	}
	ahead, err := d.Ahead(nil, func() error { return nil })
	note(err)
	if err == nil {
		note(ahead.Wait())
	}
	e, err := d.Mark()
	note(err)
	if err == nil {
		note(e.Wait())
	}
	return first
}

// A GPU that is too old is said to be, before an image is tried on it.
func TestOldGPU(t *testing.T) {
	open(t)
	t.Setenv("CAPABILITY", "70")
	if d, err := cu.Open(0); err == nil || err.Error() != "CUDA open: stand-in has compute capability 7.0, expected 7.5 or more" {
		t.Errorf("%v, error %v", d, err)
	}
}

// TestNoGPU checks that a program without a usable GPU ends at its start.
func TestNoGPU(t *testing.T) {
	open(t)
	cmd := exec.Command("/proc/self/exe", "-test.run=^$")
	cmd.Env = append(cmd.Environ(), "FAIL_CALL=cuInit", "FAIL_CODE=100")
	var out, words strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &words
	err := cmd.Run()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 1 || out.Len() > 0 ||
		words.String() != "acqnp: no usable NVIDIA GPU: error 100 (CUDA_ERROR_100)\n" {
		t.Errorf("%v, stdout %q, stderr %q", err, &out, &words)
	}
}
