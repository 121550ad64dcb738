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

import (
	"math"
)

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
	Calibration                   // groups and points that calibrate predictions
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

// unit maps a word to [0, 1). It takes the upper 24 bits, which float32 holds exactly.
func unit(word uint32) float32 { return float32(word>>8) * (1.0 / (1 << 24)) }

// Float returns the number at an index of a step, uniform on the multiples of 2⁻²⁴ in [0, 1).
func (g Generator) Float(step, index uint64) float64 {
	return float64(unit(g.Uint32(step, index)))
}

// Fill sets dst[i] to Float(step, index+i). It makes four numbers at a time.
func (g Generator) Fill(step, index uint64, dst []float32) {
	fill(g, step, index, dst, unit)
}

// Floats sets dst[i] to Float(step, index+i), as Fill does.
func (g Generator) Floats(step, index uint64, dst []float64) {
	fill(g, step, index, dst, func(word uint32) float64 { return float64(unit(word)) })
}

// Words sets dst[i] to Uint32(step, index+i). It makes four numbers at a time.
func (g Generator) Words(step, index uint64, dst []uint32) {
	fill(g, step, index, dst, func(word uint32) uint32 { return word })
}

// fill sets dst[i] to what of makes of the word at index+i.
func fill[T float32 | float64 | uint32](g Generator, step, index uint64, dst []T, of func(word uint32) T) {
	for len(dst) > 0 && index&3 != 0 {
		dst[0] = of(g.Uint32(step, index))
		dst, index = dst[1:], index+1
	}
	count := uint32(index >> 2)
	for len(dst) >= 4 {
		a, b, c, d := g.block(step, count)
		dst[0], dst[1], dst[2], dst[3] = of(a), of(b), of(c), of(d)
		dst, count = dst[4:], count+1
	}
	for i := range dst {
		dst[i] = of(g.Uint32(step, uint64(count)<<2+uint64(i)))
	}
}

// Normal returns a standard normal number. It is the Box–Muller transform of the numbers at 2·index
// and 2·index+1 of the step. It uses all 32 bits of both, so the tails reach 6.6 standard
// deviations. Indices must be below 2³³.
func (g Generator) Normal(step, index uint64) float64 {
	u, v, c, d := g.block(step, uint32(index>>1))
	if index&1 == 1 {
		u, v = c, d
	}
	return boxMuller(u, v)
}

// Normals sets dst[i] to Normal(step, index+i). It makes two numbers at a time.
func (g Generator) Normals(step, index uint64, dst []float64) {
	if len(dst) > 0 && index&1 == 1 {
		dst[0] = g.Normal(step, index)
		dst, index = dst[1:], index+1
	}
	for len(dst) > 0 {
		a, b, c, d := g.block(step, uint32(index>>1))
		if dst[0] = boxMuller(a, b); len(dst) == 1 {
			return
		}
		dst[1] = boxMuller(c, d)
		dst, index = dst[2:], index+2
	}
}

func boxMuller(u, v uint32) float64 {
	radius := math.Sqrt(-2 * math.Log((float64(u)+1)*(1.0/(1<<32)))) // in (0, 1], never 0
	return radius * math.Cos(float64(v)*(2*math.Pi/(1<<32)))
}

// IntN returns the number at an index of a step, uniform on {0..n−1} up to a bias below n·2⁻³². It
// panics unless 1 ≤ n ≤ 2³².
func (g Generator) IntN(step, index uint64, n int) int {
	if n < 1 || uint64(n) > 1<<32 {
		panic("random: IntN needs n from 1 to 2³²")
	}
	return Below(g.Uint32(step, index), n)
}

// Below maps a word to {0..n−1}, as IntN does. 1 ≤ n ≤ 2³².
func Below(word uint32, n int) int { return int(uint64(word) * uint64(n) >> 32) }

// Between returns the number at an index of a step, uniform on {lo..hi}.
func (g Generator) Between(step, index uint64, lo, hi int) int {
	return lo + g.IntN(step, index, hi-lo+1)
}

// Order returns the numbers 0..n−1 in random order, as Perm does.
func (g Generator) Order(step uint64, n int) []int {
	order := make([]int, n)
	g.Perm(step, order)
	return order
}

// Perm sets dst to a random permutation of 0..len(dst)−1, by the inside-out form of the
// Fisher–Yates shuffle. It uses the numbers at 0..len(dst)−1 of the step.
func (g Generator) Perm(step uint64, dst []int) {
	for i := range dst {
		j := g.IntN(step, uint64(i), i+1)
		dst[i] = dst[j]
		dst[j] = i
	}
}
