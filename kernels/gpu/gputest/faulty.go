// Package gputest provides a driver for tests, whose calls can be made to fail.
package gputest

import (
	"time"

	"github.com/acqnp/acqnp/kernels/gpu"
)

// Driver wraps a driver. It counts the calls to it, its graphs and its events, and can make one call
// fail.
type Driver struct {
	Graphs, Events int // made, and not closed or waited for yet

	driver gpu.Driver
	n      int
	err    error
	calls  int
}

// Faulty returns a Driver whose n-th call, counted from 1, returns err; with n = 0 no call fails.
// Calls of Device are not counted. A call that fails does nothing, except that Free and Close still
// free what they would.
func Faulty(d gpu.Driver, n int, err error) *Driver { return &Driver{driver: d, n: n, err: err} }

// Calls returns the number of calls so far.
func (d *Driver) Calls() int { return d.calls }

// fault counts one call and returns the error if it has to fail.
func (d *Driver) fault() error {
	d.calls++
	if d.calls == d.n {
		return d.err
	}
	return nil
}

// call makes a call that does nothing when it fails.
func (d *Driver) call(f func() error) error {
	if err := d.fault(); err != nil {
		return err
	}
	return f()
}

// result is call for a call with a result.
func result[T any](d *Driver, f func() (T, error)) (v T, err error) {
	if err = d.fault(); err == nil {
		v, err = f()
	}
	return v, err
}

// release makes a call that frees something even when it fails.
func (d *Driver) release(f func() error) error {
	fault, err := d.fault(), f()
	if fault != nil {
		return fault
	}
	return err
}

// The calls of gpu.Driver. Those that the work of Time makes are counted too.

func (d *Driver) Device() gpu.Device { return d.driver.Device() }
func (d *Driver) Alloc(bytes int) (gpu.Ptr, error) {
	return result(d, func() (gpu.Ptr, error) { return d.driver.Alloc(bytes) })
}
func (d *Driver) Free(p gpu.Ptr) error { return d.release(func() error { return d.driver.Free(p) }) }
func (d *Driver) Pinned(bytes int) ([]byte, error) {
	return result(d, func() ([]byte, error) { return d.driver.Pinned(bytes) })
}
func (d *Driver) Unpin(b []byte) error { return d.release(func() error { return d.driver.Unpin(b) }) }
func (d *Driver) Upload(dst gpu.Ptr, src []byte) error {
	return d.call(func() error { return d.driver.Upload(dst, src) })
}

// Ahead frees the event after even when it fails.
func (d *Driver) Ahead(after gpu.Event, work func() error) (gpu.Event, error) {
	if e, ok := after.(*event); ok {
		d.Events--
		after = e.e
	}
	return d.mark(func() (gpu.Event, error) { return d.driver.Ahead(after, work) })
}
func (d *Driver) Download(dst []byte, src gpu.Ptr) error {
	return d.call(func() error { return d.driver.Download(dst, src) })
}
func (d *Driver) Function(name string) (gpu.Func, error) {
	return result(d, func() (gpu.Func, error) { return d.driver.Function(name) })
}
func (d *Driver) Launch(f gpu.Func, dims gpu.Dims, p gpu.Params) error {
	return d.call(func() error { return d.driver.Launch(f, dims, p) })
}
func (d *Driver) Graph(nodes []gpu.Node) (gpu.Graph, error) {
	return result(d, func() (gpu.Graph, error) {
		g, err := d.driver.Graph(nodes)
		if err != nil {
			return nil, err
		}
		d.Graphs++
		return &graph{d, g}, nil
	})
}
func (d *Driver) Time(work func() error) (time.Duration, error) {
	return result(d, func() (time.Duration, error) { return d.driver.Time(work) })
}
func (d *Driver) Mark() (gpu.Event, error) { return d.mark(d.driver.Mark) }

// mark is result for a call that makes an event.
func (d *Driver) mark(f func() (gpu.Event, error)) (gpu.Event, error) {
	return result(d, func() (gpu.Event, error) {
		e, err := f()
		if err != nil {
			return nil, err
		}
		d.Events++
		return &event{d, e}, nil
	})
}
func (d *Driver) Sync() error  { return d.call(d.driver.Sync) }
func (d *Driver) Close() error { return d.release(d.driver.Close) }

type graph struct {
	d *Driver
	g gpu.Graph
}

func (g *graph) Replay() error { return g.d.call(g.g.Replay) }
func (g *graph) Early() []bool { return g.g.Early() }
func (g *graph) Close() error {
	g.d.Graphs--
	return g.d.release(g.g.Close)
}

type event struct {
	d *Driver
	e gpu.Event
}

func (e *event) Wait() error {
	e.d.Events--
	return e.d.call(e.e.Wait)
}
