//go:build simt

package cuda_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/engine"
	"github.com/acqnp/acqnp/internal/engine/cuda"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/test/must"
	"github.com/acqnp/acqnp/kernels/emulator"
	"github.com/acqnp/acqnp/kernels/gpu"
	"github.com/acqnp/acqnp/kernels/gpu/gputest"
)

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
			device := emulator.New(emulator.Options{})
			closing(t, device)
			whole := gputest.Faulty(device, 0, nil)
			must.Do(t, work(whole))
			for n := 1; n <= whole.Calls(); n++ {
				faulty := gputest.Faulty(device, n, errInjected)
				if err := work(faulty); !errors.Is(err, errInjected) {
					t.Errorf("call %d of %d failed, and what came out is %v", n, whole.Calls(), err)
				}
				if device.Live() != 0 || device.LivePinned() != 0 || faulty.Graphs != 0 || faulty.Events > 1 {
					t.Errorf("call %d failed, and %d allocations, %d pinned ones, %d graphs and %d events are left",
						n, device.Live(), device.LivePinned(), faulty.Graphs, faulty.Events)
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
