package gputest

import (
	"errors"
	"testing"
	"time"

	"github.com/acqnp/acqnp/internal/engine/gpu"
)

// fake counts the calls that reach it.
type fake struct{ calls, released int }

func (f *fake) Device() gpu.Device                          { return gpu.Device{Name: "fake"} }
func (f *fake) Alloc(int) (gpu.Ptr, error)                  { f.calls++; return 16, nil }
func (f *fake) Free(gpu.Ptr) error                          { f.released++; return nil }
func (f *fake) Pinned(n int) ([]byte, error)                { f.calls++; return make([]byte, n), nil }
func (f *fake) Upload(gpu.Ptr, []byte) error                { f.calls++; return nil }
func (f *fake) Download([]byte, gpu.Ptr) error              { f.calls++; return nil }
func (f *fake) Zero(gpu.Ptr, int) error                     { f.calls++; return nil }
func (f *fake) Function(string) (gpu.Func, error)           { f.calls++; return 1, nil }
func (f *fake) Launch(gpu.Func, gpu.Dims, gpu.Params) error { f.calls++; return nil }
func (f *fake) Unpin([]byte) error                          { f.released++; return nil }
func (f *fake) Graph([]gpu.Node) (gpu.Graph, error)         { f.calls++; return fakeGraph{f}, nil }
func (f *fake) Time(work func() error) (time.Duration, error) {
	f.calls++
	return 0, work()
}
func (f *fake) Mark() (gpu.Event, error) { f.calls++; return fakeEvent{f}, nil }
func (f *fake) Sync() error              { f.calls++; return nil }
func (f *fake) Close() error             { f.released++; return nil }

type fakeGraph struct{ f *fake }

func (g fakeGraph) Replay() error { g.f.calls++; return nil }
func (g fakeGraph) Close() error  { g.f.released++; return nil }

type fakeEvent struct{ f *fake }

func (e fakeEvent) Wait() error { e.f.calls++; return nil }

// everything makes every call once and stops at the first that fails.
func everything(d gpu.Driver) error {
	var graph gpu.Graph
	var event gpu.Event
	for _, call := range []func() error{
		func() error { _, err := d.Alloc(1); return err },
		func() error { _, err := d.Pinned(1); return err },
		func() error { return d.Upload(0, nil) },
		func() error { return d.Download(nil, 0) },
		func() error { return d.Zero(0, 1) },
		func() error { _, err := d.Function(""); return err },
		func() error { return d.Launch(1, gpu.Dims{}, nil) },
		func() (err error) { graph, err = d.Graph(nil); return err },
		func() error { return graph.Replay() },
		func() error { return graph.Close() },
		func() (err error) { event, err = d.Mark(); return err },
		func() error { return event.Wait() },
		func() error { return d.Sync() },
		func() error {
			_, err := d.Time(func() error { return d.Launch(1, gpu.Dims{}, nil) })
			return err
		},
		func() error { return d.Unpin(nil) },
		func() error { return d.Free(0) },
		func() error { return d.Close() },
	} {
		if err := call(); err != nil {
			return err
		}
	}
	return nil
}

func TestEveryCallCanFail(t *testing.T) {
	whole := Faulty(&fake{}, 0, nil)
	if err := everything(whole); err != nil || whole.Calls() != 18 {
		t.Fatalf("%v after %d calls, want 18", err, whole.Calls())
	}
	planted := errors.New("planted")
	for n := 1; n <= whole.Calls(); n++ {
		f := &fake{}
		d := Faulty(f, n, planted)
		if err := everything(d); !errors.Is(err, planted) {
			t.Errorf("call %d: %v", n, err)
		}
		if d.Calls() != n {
			t.Errorf("call %d: %d calls were counted", n, d.Calls())
		}
		// Calls that free something do so even if they fail: closing the graph (10th), Unpin, Free
		// and Close.
		releases := map[int]int{10: 1, 11: 1, 12: 1, 13: 1, 14: 1, 15: 1, 16: 2, 17: 3, 18: 4}[n]
		if f.released != releases {
			t.Errorf("call %d: %d releases, want %d", n, f.released, releases)
		}
	}
}
