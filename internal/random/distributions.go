package random

import "math"

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

// Perm sets dst to a random permutation of 0..len(dst)−1, by the inside-out form of the
// Fisher–Yates shuffle. It uses the numbers at 0..len(dst)−1 of the step.
func (g Generator) Perm(step uint64, dst []int) {
	for i := range dst {
		j := g.IntN(step, uint64(i), i+1)
		dst[i] = dst[j]
		dst[j] = i
	}
}
