//go:build gpu

package cu

import (
	"cmp"
	"time"

	"gorgonia.org/cu"

	"github.com/acqnp/acqnp/kernels/gpu"
)

// graph is a graph of launches.
type graph struct {
	d       *Driver
	destroy func() error
	launch  func() error
}

func (d *Driver) Graph(nodes []gpu.Node) (gpu.Graph, error) {
	b := newGraphBuilder(len(nodes))
	err := d.call("graph", 0, b.begin)
	defer b.end()
	for _, n := range nodes {
		if err == nil {
			err = d.addNode(b, n)
		}
	}
	if err != nil {
		return nil, err
	}
	g := &graph{d: d}
	err = d.call("graph", 0, func() error {
		exec, err := b.instantiate()
		g.launch = func() error { return launchGraph(exec, d.stream) }
		g.destroy = func() error { return destroyGraph(exec) }
		return err
	})
	if err != nil {
		return nil, err
	}
	d.graphs[g] = true
	return g, nil
}

// addNode adds a node to a graph. Its error names the kernel.
func (d *Driver) addNode(b *graphBuilder, n gpu.Node) error {
	k, err := d.checked(n.Func, n.Params)
	if err != nil {
		return err
	}
	d.set(n.Dims, n.Params)
	return d.callKernel("graph", k.name, 0, func() error {
		if err := k.allow(n.Dims.Shared); err != nil {
			return err
		}
		return b.add(k.handle, &d.dims, &d.values, len(n.Params), n.After)
	})
}

func (g *graph) Replay() error { return g.d.call("replay", 0, g.launch) }

// Close implements gpu.Graph. It waits, since a running graph must not be destroyed.
func (g *graph) Close() error {
	if !g.d.graphs[g] {
		return nil
	}
	return g.d.call("close graph", 0, func() error {
		delete(g.d.graphs, g)
		if err := g.d.stream.Synchronize(); err != nil {
			return err
		}
		return g.destroy()
	})
}

func (d *Driver) Time(work func() error) (time.Duration, error) {
	var from, to cu.Event
	err := d.call("time", 0, func() (err error) {
		if from, err = cu.MakeEvent(cu.DefaultEvent); err != nil {
			return err
		}
		if to, err = cu.MakeEvent(cu.DefaultEvent); err != nil {
			return cmp.Or(err, cu.DestroyEvent(&from))
		}
		if err := d.stream.Synchronize(); err != nil {
			return err
		}
		return from.Record(d.stream)
	})
	if err != nil {
		return 0, err
	}
	own := work()
	var ms float64
	err = d.call("time", 0, func() (err error) {
		if err = to.Record(d.stream); err == nil {
			err = to.Synchronize()
		}
		if err == nil {
			ms, err = elapsed(from, to)
		}
		return cmp.Or(err, cu.DestroyEvent(&from), cu.DestroyEvent(&to))
	})
	return time.Duration(ms * float64(time.Millisecond)), cmp.Or(own, err)
}

// event is a mark in the stream.
type event struct {
	d *Driver
	e cu.Event
}

func (d *Driver) Mark() (gpu.Event, error) {
	e := &event{d: d}
	err := d.call("mark", 0, func() (err error) {
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

func (e *event) Wait() error {
	return e.d.call("wait", 0, func() error {
		err := e.e.Synchronize()
		e.d.idle = append(e.d.idle, e.e)
		return err
	})
}
