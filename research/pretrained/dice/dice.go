// Package dice makes random numbers one after another, for code that draws a number of them that
// depends on what it has drawn.
package dice

import (
	"math"

	"github.com/acqnp/acqnp/internal/random"
)

// A Dice makes random numbers one after another, from consecutive words of a step of a random stream.
type Dice struct {
	g          random.Generator
	step, word uint64
}

// New returns a dice whose first number comes from a word of a step.
func New(g random.Generator, step, word uint64) *Dice { return &Dice{g, step, word} }

// Word returns the word that the next number comes from, or the one before a normal number's.
func (d *Dice) Word() uint64 { return d.word }

// Uniform returns a number from [lo, hi).
func (d *Dice) Uniform(lo, hi float64) float64 {
	d.word++
	return lo + (hi-lo)*d.g.Float(d.step, d.word-1)
}

// LogUniform returns a number from [lo, hi) whose logarithm is uniform.
func (d *Dice) LogUniform(lo, hi float64) float64 {
	return math.Exp(d.Uniform(math.Log(lo), math.Log(hi)))
}

// Normal returns a standard normal number.
func (d *Dice) Normal() float64 {
	pair := (d.word + 1) / 2
	d.word = 2*pair + 2
	return d.g.Normal(d.step, pair)
}

// Chance returns true with probability p.
func (d *Dice) Chance(p float64) bool { return d.Uniform(0, 1) < p }

// Below returns a number from {0..n−1}, for n from 1 to 2³².
func (d *Dice) Below(n int) int {
	d.word++
	return d.g.IntN(d.step, d.word-1, n)
}

// Choose returns index i with a probability in proportion to weights[i].
func (d *Dice) Choose(weights ...float64) int {
	total := 0.0
	for _, w := range weights {
		total += w
	}
	at := d.Uniform(0, total)
	for i, w := range weights {
		if at -= w; at < 0 {
			return i
		}
	}
	return len(weights) - 1
}
