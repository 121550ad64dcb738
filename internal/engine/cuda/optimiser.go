package cuda

import (
	"encoding/binary"
	"math"
	"slices"
)

// optimiser holds Adam's moments on the device, in the layout of the parameters.
type optimiser struct{ m, v region }

// optimise adds the launches after the gradient: Adam, which searches its own results for NaNs and
// infinities. Kernel sums has searched the gradients that it wrote. If other kernels wrote some, a
// launch of check comes first.
func (c *compiler) optimise(weightDecay float64) optimiser {
	o := optimiser{m: c.keep(c.n), v: c.keep(c.n)}
	all := c.grid(c.n, threads, threads)
	if slices.ContainsFunc(c.steps, func(s *step) bool { return s.kind != bySums && touches(s.writes, []region{c.grads}) }) {
		c.emit("check", all, c.grads, written{c.training}, c.n)
	}
	c.emit("adam", all, c.step, written{c.training}, c.cost, written{c.params}, written{o.m}, written{o.v}, c.grads, c.n,
		float32(weightDecay), flag(c.scaled))
	return o
}

// trainingBytes is the size of struct Training of kernels/training.h. scaleAt is the position of
// its field scale, counted in float32s.
const (
	trainingBytes = 48
	scaleAt       = 10
)

// training is a struct Training.
type training struct {
	BadBatch     int64 // the first batch with a NaN or an infinity
	Bad          int32 // what was not finite, an index of quantities; 0 if nothing
	BadIndex     int32 // its index in the flat vector
	BadValue     float32
	Loss         float32 // the last step's
	Updates      int32
	Done         int32
	First, After int32 // of the kernels; math.MaxInt32 for nothing
	Scale        float32
	Good         int32
}

// quantities holds the names of the kernels' enum Quantity.
var quantities = [...]string{1: "loss", "gradient", "m", "v", "weight"}

// bytes returns a struct Training to start or go on from.
func (t training) bytes() []byte {
	t.First, t.After = math.MaxInt32, math.MaxInt32
	b, _ := binary.Append(nil, binary.LittleEndian, t) // its size is fixed
	return b
}

func readTraining(b []byte) (t training) {
	_, _ = binary.Decode(b, binary.LittleEndian, &t) // its size is fixed
	return t
}
