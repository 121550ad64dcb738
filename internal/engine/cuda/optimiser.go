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

// training is the part of struct Training that the host reads and writes.
type training struct {
	badBatch int // the first batch with a NaN or an infinity
	bad      int // what was not finite, an index of quantities; 0 if nothing
	badIndex int // its index in the flat vector
	badValue float32
	loss     float32 // the last step's
	updates  int
	scale    float32
	good     int
}

// quantities holds the names of the kernels' enum Quantity.
var quantities = [...]string{1: "loss", "gradient", "m", "v", "weight"}

// bytes returns a struct Training to start or go on from.
func (t training) bytes() []byte {
	b := make([]byte, trainingBytes)
	binary.LittleEndian.PutUint32(b[24:], uint32(t.updates))
	binary.LittleEndian.PutUint32(b[32:], math.MaxInt32) // first and after: nothing
	binary.LittleEndian.PutUint32(b[36:], math.MaxInt32)
	binary.LittleEndian.PutUint32(b[4*scaleAt:], math.Float32bits(t.scale))
	binary.LittleEndian.PutUint32(b[44:], uint32(t.good))
	return b
}

func readTraining(b []byte) training {
	word := func(at int) int { return int(int32(binary.LittleEndian.Uint32(b[at:]))) }
	number := func(at int) float32 { return math.Float32frombits(binary.LittleEndian.Uint32(b[at:])) }
	return training{
		badBatch: int(binary.LittleEndian.Uint64(b)), bad: word(8), badIndex: word(12), badValue: number(16),
		loss: number(20), updates: word(24), scale: number(4 * scaleAt), good: word(44),
	}
}
