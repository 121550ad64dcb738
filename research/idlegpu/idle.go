// Package idlegpu has a GPU that does nothing, to measure the host's part of a step.
package idlegpu

import (
	"time"

	"github.com/acqnp/acqnp/kernels/gpu"
)

// New returns a Driver whose calls do nothing and return at once. Downloads leave the destination as
// it is.
func New() gpu.Driver { return &idle{} }

type idle struct{ used gpu.Ptr }

func (*idle) Device() gpu.Device {
	return gpu.Device{Name: "idle", Major: 9, Multiprocessors: 132, SharedPerBlock: 227 << 10, Memory: 1 << 40}
}

func (d *idle) Alloc(bytes int) (gpu.Ptr, error) {
	p := d.used + 1<<20
	d.used = p + gpu.Ptr(bytes+255)&^255
	return p &^ 255, nil
}

func (*idle) Free(gpu.Ptr) error                          { return nil }
func (*idle) Pinned(bytes int) ([]byte, error)            { return make([]byte, bytes), nil }
func (*idle) Unpin([]byte) error                          { return nil }
func (*idle) Upload(gpu.Ptr, []byte) error                { return nil }
func (*idle) Download([]byte, gpu.Ptr) error              { return nil }
func (*idle) Function(string) (gpu.Func, error)           { return 1, nil }
func (*idle) Launch(gpu.Func, gpu.Dims, gpu.Params) error { return nil }
func (*idle) Graph([]gpu.Node) (gpu.Graph, error)         { return done{}, nil }
func (*idle) Mark() (gpu.Event, error)                    { return done{}, nil }
func (*idle) Sync() error                                 { return nil }
func (*idle) Close() error                                { return nil }

func (*idle) Ahead(_ gpu.Event, work func() error) (gpu.Event, error) { return done{}, work() }

func (*idle) Time(work func() error) (time.Duration, error) { return 0, work() }

// done is a graph or an event without work.
type done struct{}

func (done) Replay() error { return nil }
func (done) Early() []bool { return nil }
func (done) Close() error  { return nil }
func (done) Wait() error   { return nil }
