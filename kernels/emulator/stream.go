//go:build simt

package emulator

// #include "simt_runtime.h"
import "C"

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"
	"unsafe"

	"github.com/acqnp/acqnp/kernels/gpu"
)

// stream is the queue of calls that have not been done yet.
type stream struct {
	queue []func() error
	done  int   // calls done so far
	err   error // error of the call that failed; no call is done after it

	ahead    *[]upload      // where Upload puts its copies, during Ahead
	underWay []C.simt_range // what uploads of Ahead write beside the call that is being done
}

// upload is a copy of src to dst that has not been made.
type upload struct {
	dst gpu.Ptr
	src []byte
}

func (u upload) to() C.simt_range {
	return C.simt_range{begin: C.uint64_t(u.dst), end: C.uint64_t(u.dst) + C.uint64_t(len(u.src))}
}

func (s *stream) add(f func() error) {
	s.queue = append(s.queue, f)
}

// run does the first n calls of the queue.
func (s *stream) run(n int) error {
	for _, f := range s.queue[:n] {
		if s.err = f(); s.err != nil {
			s.queue = nil
			return s.err
		}
	}
	s.queue = s.queue[n:]
	s.done += n
	return nil
}

// holds returns an error unless a range is within one allocation.
func holds(call string, p gpu.Ptr, bytes int) error {
	machine.Lock()
	defer machine.Unlock()
	if bytes < 0 || C.simt_holds(C.uint64_t(p), C.uint64_t(bytes)) == 0 {
		return &gpu.Error{Call: call, Bytes: bytes, Cause: errors.New("the bytes are not within one allocation")}
	}
	return nil
}

func (e *Driver) Upload(dst gpu.Ptr, src []byte) error {
	if err := e.usable("upload"); err != nil || len(src) == 0 {
		return err
	}
	if err := holds("upload", dst, len(src)); err != nil {
		return err
	}
	pinned := e.isPinned(src)
	if e.stream.ahead != nil {
		if !pinned {
			return &gpu.Error{Call: "upload", Bytes: len(src), Cause: errors.New("ahead, of memory that is not pinned")}
		}
		*e.stream.ahead = append(*e.stream.ahead, upload{dst, src})
		return nil
	}
	if !pinned {
		src = append([]byte(nil), src...)
	}
	e.stream.add(func() error { return e.upload(upload{dst, src}) })
	return nil
}

// upload makes a copy. It is an error if another one to the same bytes is under way.
func (e *Driver) upload(u upload) error {
	to := u.to()
	for _, r := range e.stream.underWay {
		if to.begin < r.end && r.begin < to.end {
			return &gpu.Error{Call: "upload", Bytes: len(u.src), Cause: errors.New("an upload to the same bytes is still under way")}
		}
	}
	machine.Lock()
	defer machine.Unlock()
	C.simt_upload(to.begin, unsafe.Pointer(unsafe.SliceData(u.src)), to.end-to.begin)
	return nil
}

// Ahead implements gpu.Driver. It makes the copies after all earlier calls, the latest that a device
// may make them. From the call after the event on they are under way, and a call that uses the bytes
// that they write is an error.
func (e *Driver) Ahead(after gpu.Event, work func() error) (gpu.Event, error) {
	if err := e.usable("ahead"); err != nil {
		return nil, err
	}
	from, to := 0, len(e.stream.queue)
	if after != nil {
		from = max(0, after.(*event).calls-e.stream.done)
	}
	var copies []upload
	e.stream.ahead = &copies
	err := work()
	e.stream.ahead = nil
	if err != nil {
		return nil, err
	}
	for i, call := range e.stream.queue[from:to] {
		e.stream.queue[from+i] = func() error {
			before := e.stream.underWay
			for _, u := range copies {
				e.stream.underWay = append(e.stream.underWay, u.to())
			}
			err := call()
			e.stream.underWay = before
			return err
		}
	}
	for _, u := range copies {
		e.stream.add(func() error { return e.upload(u) })
	}
	return e.Mark()
}

func (e *Driver) Download(dst []byte, src gpu.Ptr) error {
	if err := e.Sync(); err != nil || len(dst) == 0 {
		return err
	}
	if err := holds("download", src, len(dst)); err != nil {
		return err
	}
	machine.Lock()
	defer machine.Unlock()
	C.simt_download(unsafe.Pointer(unsafe.SliceData(dst)), C.uint64_t(src), C.uint64_t(len(dst)))
	return nil
}

// shape returns an error if the kernel, this device or every device rejects the shape of a launch.
func (e *Driver) shape(f function, d gpu.Dims) error {
	threads := 1
	for i, most := range [3]uint32{1024, 1024, 64} {
		if d.Block[i] < 1 || d.Block[i] > most {
			return fmt.Errorf("a block of %v threads", d.Block)
		}
		threads *= int(d.Block[i])
	}
	if threads > 1024 {
		return fmt.Errorf("a block of %v threads", d.Block)
	}
	if most := launchBounds()[f.name]; most > 0 && threads > most {
		return fmt.Errorf("a block of %v threads, the kernel's launch bounds are %d", d.Block, most)
	}
	for i, most := range [3]uint32{1<<31 - 1, 65535, 65535} {
		if d.Grid[i] < 1 || d.Grid[i] > most {
			return fmt.Errorf("a grid of %v blocks", d.Grid)
		}
	}
	if int(d.Shared) > e.device.SharedPerBlock {
		return fmt.Errorf("%d bytes of shared memory, a block has %d", d.Shared, e.device.SharedPerBlock)
	}
	return nil
}

func (e *Driver) Launch(f gpu.Func, d gpu.Dims, p gpu.Params) error {
	call, err := e.prepare(f, d, p)
	if err != nil {
		return err
	}
	e.stream.add(call)
	return nil
}

// prepare returns the call that makes a launch.
func (e *Driver) prepare(f gpu.Func, d gpu.Dims, p gpu.Params) (func() error, error) {
	if err := e.usable("launch"); err != nil {
		return nil, err
	}
	if f < 1 || int(f) > len(e.functions) {
		return nil, &gpu.Error{Call: "launch", Cause: errors.New("not a function of this driver")}
	}
	fn := e.functions[f-1]
	err := e.shape(fn, d)
	if err == nil {
		err = p.Check(fn.sizes)
	}
	if err != nil {
		return nil, &gpu.Error{Call: "launch", Kernel: fn.name, Cause: err}
	}
	arguments := make([]C.uint64_t, len(p)+1)
	for i, a := range p {
		arguments[i] = C.uint64_t(a.Bits)
	}
	return func() error { return e.launch(fn, d, arguments) }, nil
}

func (e *Driver) launch(f function, d gpu.Dims, arguments []C.uint64_t) error {
	machine.Lock()
	defer machine.Unlock()
	report := C.simt_launch(f.kernel, index(d.Grid), index(d.Block), C.uint(d.Shared), C.int(e.order),
		C.int(e.device.Capability()), unsafe.SliceData(e.stream.underWay), C.int(len(e.stream.underWay)), &arguments[0])
	if report == nil {
		return nil
	}
	return &gpu.Error{Call: "launch", Kernel: f.name, Cause: errors.New(sourceLine(uint64(C.simt_failed_at())) + C.GoString(report))}
}

func index(d [3]uint32) C.simt_index { return C.simt_index{C.uint(d[0]), C.uint(d[1]), C.uint(d[2])} }

func (e *Driver) Graph(nodes []gpu.Node) (gpu.Graph, error) {
	if err := e.usable("graph"); err != nil {
		return nil, err
	}
	g := &graph{emulator: e, early: make([]bool, len(nodes))}
	if e.device.Capability() >= 90 {
		g.early = gpu.Early(nodes)
	}
	order, err := e.sorted(nodes)
	if err != nil {
		return nil, &gpu.Error{Call: "graph", Cause: err}
	}
	for _, i := range order {
		call, err := e.prepare(nodes[i].Func, nodes[i].Dims, nodes[i].Params)
		if err != nil {
			return nil, err
		}
		g.calls = append(g.calls, call)
	}
	return g, nil
}

// sorted returns an order of nodes in which each comes after the nodes in its After list. Of the
// nodes that could be next it takes the first, the last, or a random one (see Options.Order).
func (e *Driver) sorted(nodes []gpu.Node) ([]int, error) {
	random := rand.New(rand.NewPCG(uint64(e.order), 0))
	var order, ready []int
	left, next := make([]int, len(nodes)), make([][]int, len(nodes))
	for i, n := range nodes {
		for _, before := range n.After {
			if before < 0 || before >= i {
				return nil, fmt.Errorf("node %d comes after node %d", i, before)
			}
			next[before] = append(next[before], i)
			left[i]++
		}
		if left[i] == 0 {
			ready = append(ready, i)
		}
	}
	for len(ready) > 0 {
		slices.Sort(ready)
		at := 0
		switch e.order {
		case 0:
		case 1:
			at = len(ready) - 1
		default:
			at = random.IntN(len(ready))
		}
		i := ready[at]
		ready = slices.Delete(ready, at, at+1)
		order = append(order, i)
		for _, n := range next[i] {
			if left[n]--; left[n] == 0 {
				ready = append(ready, n)
			}
		}
	}
	return order, nil
}

type graph struct {
	emulator *Driver
	calls    []func() error
	early    []bool
	closed   bool
}

func (g *graph) Early() []bool { return g.early }

func (g *graph) Replay() error {
	if err := g.emulator.usable("replay"); err != nil {
		return err
	}
	if g.closed {
		return &gpu.Error{Call: "replay", Cause: errors.New("the graph is closed")}
	}
	g.emulator.stream.queue = append(g.emulator.stream.queue, g.calls...)
	return nil
}

func (g *graph) Close() error {
	g.closed = true
	return nil
}

func (e *Driver) Mark() (gpu.Event, error) {
	if err := e.usable("mark"); err != nil {
		return nil, err
	}
	return &event{e, e.stream.done + len(e.stream.queue)}, nil
}

type event struct {
	emulator *Driver
	calls    int // the number of the stream's calls before it
}

func (v *event) Wait() error {
	if err := v.emulator.usable("wait"); err != nil {
		return err
	}
	if n := v.calls - v.emulator.stream.done; n > 0 {
		return v.emulator.stream.run(n)
	}
	return nil
}

func (e *Driver) Time(work func() error) (time.Duration, error) {
	if err := e.Sync(); err != nil {
		return 0, err
	}
	began := time.Now()
	if err := work(); err != nil {
		return 0, err
	}
	err := e.Sync()
	return time.Since(began), err
}

func (e *Driver) Sync() error {
	if err := e.usable("sync"); err != nil {
		return err
	}
	return e.stream.run(len(e.stream.queue))
}
