// Package random is the one source of randomness: Philox 4x32-10 (Salmon et al., Parallel Random Numbers: As Easy as
// 1, 2, 3, SC 2011), a generator without state. A number depends on (seed, stream, step, index) and on nothing else, so
// a resumed run, another number of threads and another device see the same numbers.
package random

// Stream keeps the uses of randomness apart: equal seeds, steps and indices of two streams give unrelated numbers.
type Stream uint32

const (
	Data      Stream = iota + 1 // functions of a synthetic process
	Sizes                       // numbers of points and of context points
	Levels                      // quantile levels
	Bootstrap                   // resampling
	Shuffle                     // order of training examples and partitions
	Pixels                      // context pixels of images
	Split                       // training and held-out parts of a data set
	Weights                     // initial weights
	Draws                       // samples from a prediction
)

// Evaluation is or-ed into a stream that evaluation uses, so that equal seeds never make it repeat the training data.
const Evaluation Stream = 0x100

// Generator is one stream under one seed: a small value, safe to copy and to share between goroutines.
//
// Its numbers are words of the Philox cipher with key (seed low, seed high) at the counter
// (index/4, step low, step high, stream), word index%4. Indices must stay below 2³⁴.
type Generator struct {
	key    [2]uint32
	stream uint32
}

// New is the generator of a stream under a seed.
func New(seed uint64, s Stream) Generator {
	return Generator{key: [2]uint32{uint32(seed), uint32(seed >> 32)}, stream: uint32(s)}
}

// Key is what a generator was made of, for a device that makes the same numbers.
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

// round is one of the ten rounds; it is small so that the compiler inlines it.
func round(c0, c1, c2, c3, k0, k1 uint32) (uint32, uint32, uint32, uint32) {
	p0, p1 := uint64(c0)*multiplier0, uint64(c2)*multiplier1
	return uint32(p1>>32) ^ c1 ^ k0, uint32(p1), uint32(p0>>32) ^ c3 ^ k1, uint32(p0)
}

// block is the cipher: the four words at counter (count, step low, step high, stream). Neighbouring blocks do not
// depend on each other, so the processor overlaps those of Fill's loop.
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

// Uint32 is the word at an index.
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
