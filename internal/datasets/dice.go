package datasets

import (
	"math"

	"github.com/acqnp/acqnp/internal/random"
)

// A dice makes random numbers one after another, from consecutive words of a step of a random stream.
type dice struct {
	g          random.Generator
	step, word uint64
}

// uniform returns a number from [lo, hi).
func (d *dice) uniform(lo, hi float64) float64 {
	d.word++
	return lo + (hi-lo)*d.g.Float(d.step, d.word-1)
}

// logUniform returns a number from [lo, hi) whose logarithm is uniform.
func (d *dice) logUniform(lo, hi float64) float64 {
	return math.Exp(d.uniform(math.Log(lo), math.Log(hi)))
}

// normal returns a standard normal number.
func (d *dice) normal() float64 {
	pair := (d.word + 1) / 2
	d.word = 2*pair + 2
	return d.g.Normal(d.step, pair)
}

// chance returns true with probability p.
func (d *dice) chance(p float64) bool { return d.uniform(0, 1) < p }

// choose returns index i with a probability in proportion to weights[i].
func (d *dice) choose(weights ...float64) int {
	total := 0.0
	for _, w := range weights {
		total += w
	}
	at := d.uniform(0, total)
	for i, w := range weights {
		if at -= w; at < 0 {
			return i
		}
	}
	return len(weights) - 1
}
