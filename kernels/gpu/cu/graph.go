//go:build gpu

package cu

import (
	"cmp"
	"slices"
	"time"

	"gorgonia.org/cu"

	"github.com/acqnp/acqnp/kernels/gpu"
)

// graph is a graph of launches.
type graph struct {
	d       *Driver
	early   []bool // nodes with a programmatic edge
	destroy func() error
	launch  func() error
}

// Graph implements gpu.Driver. A driver that refuses programmatic edges gets a graph without them.
func (d *Driver) Graph(nodes []gpu.Node) (gpu.Graph, error) {
	early := gpu.Early(nodes)
	g, err := d.graph(nodes, early)
	if err != nil && slices.Contains(early, true) {
		g, err = d.graph(nodes, make([]bool, len(nodes)))
	}
	if err != nil {
		return nil, err
	}
	d.graphs[g] = true
	return g, nil
}

// graph makes a graph. From early it removes the nodes whose kernel does not wait for its inputs, or
// all if the driver has no programmatic edges.
func (d *Driver) graph(nodes []gpu.Node, early []bool) (*graph, error) {
	b := newGraphBuilder(len(nodes))
	err := d.call("graph", 0, b.begin)
	defer b.end()
	for i, n := range nodes {
		if err == nil {
			early[i], err = d.addNode(b, n, early[i])
		}
	}
	if err != nil {
		return nil, err
	}
	g := &graph{d: d, early: early}
	err = d.call("graph", 0, func() error {
		exec, err := b.instantiate()
		g.launch = func() error { return launchGraph(exec, d.stream) }
		g.destroy = func() error { return destroyGraph(exec) }
		return err
	})
	return g, err
}

// addNode adds a node to a graph, early if its kernel waits for its inputs and the driver can start it
// so, and reports whether it did. Its error names the kernel.
func (d *Driver) addNode(b *graphBuilder, n gpu.Node, early bool) (bool, error) {
	k, err := d.checked(n.Func, n.Params)
	if err != nil {
		return false, err
	}
	d.set(n.Dims, n.Params)
	err = d.callKernel("graph", k.name, 0, func() error {
		if err := k.allow(n.Dims.Shared); err != nil {
			return err
		}
		early = early && startsEarly(k.handle)
		return b.add(k.handle, &d.dims, &d.values, len(n.Params), n.After, early)
	})
	return early, err
}

func (g *graph) Early() []bool { return g.early }

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
	var events []cu.Event // before and after the work
	err := d.call("time", 0, func() error {
		for range 2 {
			e, err := cu.MakeEvent(cu.DefaultEvent)
			if err != nil {
				return err
			}
			events = append(events, e)
		}
		if err := d.stream.Synchronize(); err != nil {
			return err
		}
		return events[0].Record(d.stream)
	})
	var own error
	var ms float64
	if err == nil {
		own = work()
		err = d.call("time", 0, func() (err error) {
			if err = events[1].Record(d.stream); err == nil {
				err = events[1].Synchronize()
			}
			if err == nil {
				ms, err = elapsed(events[0], events[1])
			}
			return err
		})
	}
	for i := range events {
		err = cmp.Or(err, d.call("time", 0, func() error { return cu.DestroyEvent(&events[i]) }))
	}
	return time.Duration(ms * float64(time.Millisecond)), cmp.Or(own, err)
}

// event is a mark in the stream.
type event struct {
	d *Driver
	e cu.Event
}

func (d *Driver) Mark() (gpu.Event, error) {
	e, err := d.mark("mark", d.stream)
	if err != nil {
		return nil, err
	}
	return e, nil
}

// mark records an event in a stream.
func (d *Driver) mark(call string, s cu.Stream) (*event, error) {
	e := &event{d: d}
	err := d.call(call, 0, func() (err error) {
		if last := len(d.idle) - 1; last >= 0 {
			e.e, d.idle = d.idle[last], d.idle[:last]
		} else {
			if e.e, err = cu.MakeEvent(cu.DisableTiming); err != nil {
				return err
			}
			d.events = append(d.events, e.e)
		}
		return e.e.Record(s)
	})
	return e, err
}

func (e *event) Wait() error {
	return e.d.call("wait", 0, func() error {
		err := e.e.Synchronize()
		e.d.idle = append(e.d.idle, e.e)
		return err
	})
}
