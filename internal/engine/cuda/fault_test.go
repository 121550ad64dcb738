//go:build simt

package cuda_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/engine"
	"github.com/acqnp/acqnp/internal/engine/cuda"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/kernels/emulator"
	"github.com/acqnp/acqnp/kernels/gpu"
	"github.com/acqnp/acqnp/kernels/gpu/gputest"
)

// counting is a driver that counts the resources that have not been freed.
type counting struct {
	gpu.Driver
	memory, graphs, events, pinned int
}

func (c *counting) Pinned(bytes int) ([]byte, error) {
	b, err := c.Driver.Pinned(bytes)
	if err == nil {
		c.pinned++
	}
	return b, err
}

func (c *counting) Unpin(b []byte) error {
	if b != nil {
		c.pinned--
	}
	return c.Driver.Unpin(b)
}

func (c *counting) Alloc(bytes int) (gpu.Ptr, error) {
	p, err := c.Driver.Alloc(bytes)
	if err == nil {
		c.memory++
	}
	return p, err
}

func (c *counting) Free(p gpu.Ptr) error {
	if p != 0 {
		c.memory--
	}
	return c.Driver.Free(p)
}

func (c *counting) Graph(nodes []gpu.Node) (gpu.Graph, error) {
	g, err := c.Driver.Graph(nodes)
	if err != nil {
		return nil, err
	}
	c.graphs++
	return &countedGraph{g, c}, nil
}

type countedGraph struct {
	gpu.Graph
	c *counting
}

func (g *countedGraph) Close() error {
	g.c.graphs--
	return g.Graph.Close()
}

func (c *counting) Mark() (gpu.Event, error) {
	e, err := c.Driver.Mark()
	if err != nil {
		return nil, err
	}
	c.events++
	return &countedEvent{e, c}, nil
}

type countedEvent struct {
	gpu.Event
	c *counting
}

func (e *countedEvent) Wait() error {
	e.c.events--
	return e.Event.Wait()
}

var errInjected = errors.New("injected")

// TestEveryFaultIsAnError repeats a run and makes a different call to the driver fail each time. The
// run must return an error and free everything. An event whose wait failed counts as freed.
func TestEveryFaultIsAnError(t *testing.T) {
	s := small("cqnp")
	m := build(t, s)
	evaluate := func(d gpu.Driver) error {
		p, err := cuda.New(d, graph(t, m, s.e, models.Training), cuda.Options{})
		if err != nil {
			return err
		}
		fill(p, m, s.e, 1)
		for range 2 { // the second run makes the graph
			if err = p.Run(s.e); err != nil {
				break
			}
		}
		return errors.Join(err, p.Close(), p.Close())
	}
	train := func(d gpu.Driver) error {
		tr, err := cuda.NewTrainer(d, graph(t, m, s.e, models.Training), cuda.Options{})
		if err != nil {
			return err
		}
		return errors.Join(steps(tr, m, s), tr.Close(), tr.Close())
	}
	for name, work := range map[string]func(gpu.Driver) error{"program": evaluate, "trainer": train} {
		t.Run(name, func(t *testing.T) {
			counted := &counting{Driver: openDevice(t)}
			whole := gputest.Faulty(counted, 0, nil)
			if err := work(whole); err != nil {
				t.Fatal(err)
			}
			for n := 1; n <= whole.Calls(); n++ {
				counted.memory, counted.graphs, counted.events, counted.pinned = 0, 0, 0, 0
				if err := work(gputest.Faulty(counted, n, errInjected)); !errors.Is(err, errInjected) {
					t.Errorf("call %d of %d failed, and what came out is %v", n, whole.Calls(), err)
				}
				if counted.memory != 0 || counted.pinned != 0 || counted.graphs != 0 || counted.events > 1 {
					t.Errorf("call %d failed, and %d allocations, %d pinned ones, %d graphs and %d events are left", n, counted.memory, counted.pinned, counted.graphs, counted.events)
				}
			}
		})
	}
}

// steps makes three steps and reads the outcome.
func steps(tr engine.Trainer, m *models.Model, s shape) error {
	if err := tr.Load(engine.State{Params: m.Initial(1)}); err != nil {
		return err
	}
	for batch := range 3 {
		inputs(tr.Input, m, s.e, uint64(batch))
		if err := tr.Step(s.e, batch, 0.01); err != nil {
			return err
		}
	}
	_, lossErr := tr.Loss()
	_, stateErr := tr.State()
	return errors.Join(lossErr, stateErr)
}

// TestTooLittleMemory compiles for a device without enough memory.
func TestTooLittleMemory(t *testing.T) {
	s := small("acqnp")
	m := build(t, s)
	full := &gpu.Error{Call: "alloc", Bytes: 1, Cause: gpu.ErrOutOfMemory}
	_, err := cuda.New(gputest.Faulty(openDevice(t), 1, full), graph(t, m, s.e, models.Training), cuda.Options{})
	if !errors.Is(err, gpu.ErrOutOfMemory) || !strings.Contains(err.Error(), "MB") || !strings.Contains(err.Error(), s.e.String()) {
		t.Errorf("got %v, want how much was asked for, and for what", err)
	}
}

// TestTuringHasNoFusedFloat32 runs float32 where the matrix unit has no tf32.
func TestTuringHasNoFusedFloat32(t *testing.T) {
	s := shape{sized("acqnp", 64), 1, 1, small("acqnp").e}
	m := build(t, s)
	for capability, unfused := range map[int]bool{75: true, 80: false} {
		d := emulator.New(emulator.Options{Major: capability / 10, Minor: capability % 10})
		closing(t, d)
		p, err := cuda.New(d, graph(t, m, s.e, models.Evaluation), cuda.Options{Fused: true})
		if err != nil {
			t.Fatal(err)
		}
		closing(t, p)
		if got := p.(interface{ Unfused() bool }).Unfused(); got != unfused {
			t.Errorf("capability %d: without fused kernels: %v, expected %v", capability, got, unfused)
		}
	}
}
