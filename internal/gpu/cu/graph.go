//go:build gpu

package cu

import (
	"gorgonia.org/cu"

	"github.com/acqnp/acqnp/internal/gpu"
)

// graph is a captured sequence of launches.
type graph struct {
	d       *Driver
	destroy func() error
	launch  func() error
}

// Capture implements gpu.Driver. An error of record ends the capture and leaves the stream as it
// was.
func (d *Driver) Capture(record func() error) (gpu.Graph, error) {
	g := &graph{d: d}
	var own error // the error of record, which is a *gpu.Error already
	err := d.do("capture", 0, func() error {
		if err := beginCapture(d.stream); err != nil {
			return err
		}
		d.capturing = true
		own = record()
		d.capturing = false
		exec, err := endCapture(d.stream)
		if err != nil {
			return err
		}
		g.launch = func() error { return launchGraph(exec, d.stream) }
		g.destroy = func() error { return destroyGraph(exec) }
		if own != nil {
			return g.destroy()
		}
		return nil
	})
	if own != nil {
		return nil, own
	}
	if err != nil {
		return nil, err
	}
	d.graphs[g] = true
	return g, nil
}

// Replay implements gpu.Graph.
func (g *graph) Replay() error { return g.d.do("replay", 0, g.launch) }

// Close implements gpu.Graph. It waits, since a running graph must not be destroyed.
func (g *graph) Close() error {
	if !g.d.graphs[g] {
		return nil
	}
	return g.d.do("close graph", 0, func() error {
		delete(g.d.graphs, g)
		if err := g.d.stream.Synchronize(); err != nil {
			return err
		}
		return g.destroy()
	})
}

// event is a mark in the stream.
type event struct {
	d *Driver
	e cu.Event
}

// Mark implements gpu.Driver.
func (d *Driver) Mark() (gpu.Event, error) {
	e := &event{d: d}
	err := d.do("mark", 0, func() (err error) {
		if last := len(d.idle) - 1; last >= 0 {
			e.e, d.idle = d.idle[last], d.idle[:last]
		} else {
			if e.e, err = cu.MakeEvent(cu.DisableTiming); err != nil {
				return err
			}
			d.events = append(d.events, e.e)
		}
		return e.e.Record(d.stream)
	})
	if err != nil {
		return nil, err
	}
	return e, nil
}

// Wait implements gpu.Event.
func (e *event) Wait() error {
	return e.d.do("wait", 0, func() error {
		err := e.e.Synchronize()
		e.d.idle = append(e.d.idle, e.e)
		return err
	})
}
