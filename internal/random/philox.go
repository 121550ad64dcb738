// Package random makes all random numbers of the program. A number depends only on four things:
//
//   - the seed, which the configuration states;
//   - the [Stream], one for each use, such as the data or the initial weights;
//   - the step, such as the number of a batch;
//   - the index of the number within the step.
//
// A [Generator] has no state, so the numbers can be made in any order. They are the same in a
// resumed run, with another number of threads and on another device. A checkpoint stores no
// generator.
//
// The generator is Philox 4x32-10 of Salmon et al., "Parallel Random Numbers: As Easy as 1, 2, 3",
// SC 2011.
package random

// Stream is one use of randomness. Streams with the same seed, steps and indices give unrelated
// numbers.
type Stream uint32

// The streams. Their numbers never change: they are part of what a seed means.
const (
	Data        Stream = iota + 1 // functions of a synthetic process
	Sizes                         // numbers of points and of context points
	Levels                        // quantile levels
	Bootstrap                     // resampling
	Shuffle                       // order of training examples and partitions
	Pixels                        // context pixels of images
	Split                         // training and held-out parts of a data set
	Weights                       // initial weights
	Draws                         // samples from a prediction
	Search                        // values of a random search
	Calibration                   // functions and points that calibrate predictions
	Orders                        // of targets that join the context one after another
)

// Evaluation is a bit that evaluation adds to a stream: stream | Evaluation. Evaluation then draws
// other numbers than training with the same seed.
const Evaluation Stream = 0x100

// Validation is the bit that validation during training adds to a stream.
const Validation Stream = 0x200

// Generator makes the numbers of one stream under one seed. It is a small value, safe to copy and
// to use from many goroutines.
//
// The number at an index of a step is word index%4 of the Philox block with the key (seed low, seed
// high) at the counter (index/4, step low, step high, stream). Indices must be below 2³⁴.
type Generator struct {
	key    [2]uint32
	stream uint32
}

// New returns the generator of a stream under a seed.
func New(seed uint64, s Stream) Generator {
	return Generator{key: [2]uint32{uint32(seed), uint32(seed >> 32)}, stream: uint32(s)}
}

// Key returns the seed and the stream, for a GPU kernel that makes the same numbers.
func (g Generator) Key() (seed uint64, s Stream) {
	return uint64(g.key[1])<<32 | uint64(g.key[0]), Stream(g.stream)
}

// The multipliers and the key increments (Weyl sequence) of Philox 4x32.
const (
	multiplier0 = 0xD2511F53
	multiplier1 = 0xCD9E8D57
	increment0  = 0x9E3779B9
	increment1  = 0xBB67AE85
)

// round computes one of the ten rounds. It is small enough to be inlined.
func round(c0, c1, c2, c3, k0, k1 uint32) (uint32, uint32, uint32, uint32) {
	p0, p1 := uint64(c0)*multiplier0, uint64(c2)*multiplier1
	return uint32(p1>>32) ^ c1 ^ k0, uint32(p1), uint32(p0>>32) ^ c3 ^ k1, uint32(p0)
}

// block returns the four words at the counter (count, step low, step high, stream).
func (g Generator) block(step uint64, count uint32) (a, b, c, d uint32) {
	k0, k1 := g.key[0], g.key[1]
	a, b, c, d = round(count, uint32(step), uint32(step>>32), g.stream, k0, k1)
	a, b, c, d = round(a, b, c, d, k0+1*increment0&mask, k1+1*increment1&mask)
	a, b, c, d = round(a, b, c, d, k0+2*increment0&mask, k1+2*increment1&mask)
	a, b, c, d = round(a, b, c, d, k0+3*increment0&mask, k1+3*increment1&mask)
	a, b, c, d = round(a, b, c, d, k0+4*increment0&mask, k1+4*increment1&mask)
	a, b, c, d = round(a, b, c, d, k0+5*increment0&mask, k1+5*increment1&mask)
	a, b, c, d = round(a, b, c, d, k0+6*increment0&mask, k1+6*increment1&mask)
	a, b, c, d = round(a, b, c, d, k0+7*increment0&mask, k1+7*increment1&mask)
	a, b, c, d = round(a, b, c, d, k0+8*increment0&mask, k1+8*increment1&mask)
	return round(a, b, c, d, k0+9*increment0&mask, k1+9*increment1&mask)
}

// mask keeps the constant multiples of the increments within 32 bits.
const mask = 1<<32 - 1

// Uint32 returns the number at an index of a step as 32 random bits.
func (g Generator) Uint32(step, index uint64) uint32 {
	a, b, c, d := g.block(step, uint32(index>>2))
	switch index & 3 {
	case 0:
		return a
	case 1:
		return b
	case 2:
		return c
	}
	return d
}
