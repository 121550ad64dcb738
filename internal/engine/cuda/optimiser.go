package cuda

import (
	"encoding/binary"
	"math"

	"github.com/acqnp/acqnp/internal/gpu"
)

// optimiser is where a trainer's state lies on the device.
type optimiser struct {
	m, v     region // Adam's moments, in the layout of the parameters
	training region // struct Training
}

// optimise adds the launches behind a gradient: the look for numbers that are none, and Adam.
func (c *compiler) optimise(weightDecay float64, scaled bool) optimiser {
	o := optimiser{m: c.keep(c.n), v: c.keep(c.n), training: c.keep(trainingBytes / 4)}
	all := c.over(c.n, threads, threads)
	found := c.keep(int(all.Grid[0]))
	c.emit("check", all, c.grads, found, c.n)
	c.emit("adam_begin", gpu.Line(1, threads, 0), c.step, o.training, c.cost, c.grads, found, int(all.Grid[0]), c.n, flag(scaled))
	c.emit("adam", all, o.training, c.params, o.m, o.v, c.grads, c.n, float32(weightDecay))
	return o
}

// trainingBytes is the size of struct Training of kernels/training.h.
const trainingBytes = 48

// training is the part of struct Training that the host reads and writes.
type training struct {
	badBatch int // the first whose loss or gradient was not finite
	bad      int // 0, loss or gradient
	badIndex int // in the flat gradient
	badValue float32
	loss     float32 // of the last step
	updates  int
	scale    float32
	good     int
}

// What was not finite.
const (
	badLoss     = 1
	badGradient = 2
)

func (t training) write() []byte {
	b := make([]byte, trainingBytes)
	binary.LittleEndian.PutUint32(b[24:], uint32(t.updates))
	binary.LittleEndian.PutUint32(b[40:], math.Float32bits(t.scale))
	binary.LittleEndian.PutUint32(b[44:], uint32(t.good))
	return b
}

func readTraining(b []byte) training {
	word := func(at int) int { return int(int32(binary.LittleEndian.Uint32(b[at:]))) }
	number := func(at int) float32 { return math.Float32frombits(binary.LittleEndian.Uint32(b[at:])) }
	return training{
		badBatch: int(binary.LittleEndian.Uint64(b)), bad: word(8), badIndex: word(12), badValue: number(16),
		loss: number(20), updates: word(24), scale: number(40), good: word(44),
	}
}
