package cuda

import (
	"cmp"
	"errors"

	"github.com/acqnp/acqnp/internal/engine"
	"github.com/acqnp/acqnp/internal/models/ops"
	"github.com/acqnp/acqnp/kernels/gpu"
)

// firstScale is the loss scale that half precision starts with.
const firstScale = 65536

// Trainer makes optimiser steps on a device. Drawing levels, forward, backward, the search for a NaN
// or an infinity, and Adam are one CUDA graph, replayed for every batch. Steps take turns between two
// sides, each with buffers of inputs on the host and on the device, and a graph. While a step of one
// side runs, the caller writes the next step's inputs to the other's buffers, and they are uploaded.
type Trainer struct {
	*machine
	optimiser
	hosts   [2]*host
	sent    [2]gpu.Event // after the last uploads of each side; nil if they are done
	done    [2]gpu.Event // after the last step of each side; nil if nothing has to wait for it
	next    int          // the side of the coming step
	params  []float32    // for State
	moments [2][]float32
	status  []byte // a struct Training
	err     error  // of the device; the trainer cannot be used after it
}

var _ engine.Trainer = (*Trainer)(nil)

// NewTrainer compiles a float32 graph with gradients for training on the driver's device. Its
// parameters are 0 until Load. The caller closes the driver after the trainer.
func NewTrainer(d gpu.Driver, g *ops.Graph, o Options) (engine.Trainer, error) {
	if g.Grads == nil {
		return nil, errors.New("cuda: a graph without gradients cannot be trained")
	}
	c, err := compile(d, g, o, true)
	if err != nil {
		return nil, err
	}
	t := &Trainer{optimiser: c.optimise(o.WeightDecay)}
	if t.machine, err = load(d, c, o); err != nil {
		return nil, err
	}
	if err := t.begin(); err != nil {
		return nil, cmp.Or(err, t.Close())
	}
	return t, nil
}

// begin allocates the host's memory and sets the state to zeros.
func (t *Trainer) begin() (err error) {
	for i := range t.hosts {
		if t.hosts[i], err = t.newHost(); err != nil {
			return err
		}
	}
	if t.status, err = t.pinnedBytes(trainingBytes); err != nil {
		return err
	}
	for _, v := range []*[]float32{&t.params, &t.moments[0], &t.moments[1]} {
		if *v, err = t.pinned(t.n); err != nil {
			return err
		}
	}
	return t.Load(engine.State{Params: make([]float32, t.n)})
}

// Input returns the buffer of an input of the coming step; nil for levels that are drawn on the
// device.
func (t *Trainer) Input(name string) []float32 { return t.hosts[t.next].inputs[name] }

// Step starts an optimiser step and returns while the device works on it.
func (t *Trainer) Step(e ops.Extents, batch int, rate float64) error {
	if t.err != nil {
		return t.err
	}
	if err := t.check(e); err != nil {
		return err
	}
	t.err = t.start(e, batch, rate)
	return t.err
}

// start uploads a step's inputs, while the previous step runs, and starts its work. Then it waits for
// the uploads of the previous step, so that the caller can write to that step's buffers.
func (t *Trainer) start(e ops.Extents, batch int, rate float64) (err error) {
	side, last := t.next, t.done[t.next]
	t.done[side] = nil // Ahead frees it
	t.sent[side], err = t.driver.Ahead(last, func() error { return t.upload(side, t.hosts[side], e, batch, rate) })
	if err != nil {
		t.sent[side] = nil
		return err
	}
	if err := t.run(side); err != nil {
		return err
	}
	if t.done[side], err = t.driver.Mark(); err != nil {
		t.done[side] = nil
		return err
	}
	t.next = 1 - side
	return wait(&t.sent[t.next])
}

// wait waits for an event, unless it is nil, and forgets it.
func wait(e *gpu.Event) error {
	event := *e
	if event == nil {
		return nil
	}
	*e = nil
	return event.Wait()
}

// Loss returns the cost of the last step's batch.
func (t *Trainer) Loss() (float32, error) {
	status, err := t.look()
	return status.Loss, err
}

// look waits for the steps and returns their outcome.
func (t *Trainer) look() (training, error) {
	if t.closed {
		return training{}, errClosed
	}
	if t.err == nil {
		t.err = t.driver.Download(t.status, t.ptr(t.training))
	}
	if t.err != nil {
		return training{}, t.err
	}
	status := readTraining(t.status)
	return status, t.nonFinite(status)
}

// nonFinite returns the error of the first step with a NaN or an infinity.
func (t *Trainer) nonFinite(s training) error {
	if s.Bad == 0 {
		return nil
	}
	e := &engine.NonFiniteError{Batch: int(s.BadBatch), Quantity: quantities[s.Bad], Tensor: "loss", Value: s.BadValue}
	if e.Quantity != "loss" {
		e.Tensor = engine.TensorAt(t.source.Tensors, int(s.BadIndex))
	}
	return e
}

// State copies the optimiser's state from the device.
func (t *Trainer) State() (engine.State, error) {
	status, err := t.look()
	if err != nil {
		return engine.State{}, err
	}
	t.err = cmp.Or(t.download(t.params, t.machine.params), t.download(t.moments[0], t.m), t.download(t.moments[1], t.v))
	if t.err != nil {
		return engine.State{}, t.err
	}
	s := engine.State{Params: t.params, M: t.moments[0], V: t.moments[1], Updates: int(status.Updates)}
	if t.scaled {
		s.LossScale = engine.LossScale{Scale: status.Scale, Good: int(status.Good)}
	}
	return s, nil
}

// Load goes on from a state.
func (t *Trainer) Load(s engine.State) error {
	if err := s.Check(t.n); err != nil {
		return err
	}
	if t.closed {
		return errClosed
	}
	if t.err == nil {
		t.err = t.restore(s)
	}
	return t.err
}

// restore uploads a state.
func (t *Trainer) restore(s engine.State) error {
	if err := t.driver.Upload(t.ptr(t.machine.params), bytesOf(s.Params)); err != nil {
		return err
	}
	if err := cmp.Or(t.moment(t.m, s.M), t.moment(t.v, s.V)); err != nil {
		return err
	}
	status := training{Updates: int32(s.Updates), Scale: 1}
	if t.scaled {
		status.Scale, status.Good = cmp.Or(s.Scale, firstScale), int32(s.Good)
	}
	return t.driver.Upload(t.ptr(t.training), status.bytes())
}

// moment uploads a moment. A nil moment counts as zeros.
func (t *Trainer) moment(to region, v []float32) error {
	if v == nil {
		v = make([]float32, t.n)
	}
	return t.driver.Upload(t.ptr(to), bytesOf(v))
}

// Close waits for the steps and frees the device's memory. The driver stays open.
func (t *Trainer) Close() error {
	if t.closed {
		return nil
	}
	return cmp.Or(wait(&t.sent[0]), wait(&t.sent[1]), wait(&t.done[0]), wait(&t.done[1]), t.machine.Close())
}
