package simple

import (
	"math"
	"sync"

	"github.com/acqnp/acqnp/internal/likelihood"
)

// countPart is a Gaussian that stands for neighbouring counts. It rounds to first, first+1, … with the probabilities of reach.
type countPart struct {
	likelihood.Gaussian
	low, high int // its counts, without high
	first     int
	reach     []float64
}

// Counts below alone have a part each, so narrow that it rounds to nothing else. From overlapping on, parts are nearly half as
// wide as they are apart, so that their sum is smooth; between the two they widen.
const (
	alone       = 12
	overlapping = 16
)

// countsWithParts is the number of counts that have parts.
const countsWithParts = 2000

// countParts are the parts of all counts below countsWithParts.
var countParts = sync.OnceValue(func() (parts []countPart) {
	apart := func(k float64) float64 { return max(math.Sqrt(k)/2, k/20) } // half a deviation of Poisson counts; a twentieth of large ones
	for low := 0; low < countsWithParts; {
		high := low + max(1, int(apart(float64(low))))
		middle := float64(low+high-1) / 2
		share := min(max((middle-alone)/(overlapping-alone), 0), 1)
		parts = append(parts, newCountPart(low, high, likelihood.Gaussian{Mean: middle, Scale: 0.1 + 0.45*apart(middle)*share}))
		low = high
	}
	return parts
})

func newCountPart(low, high int, g likelihood.Gaussian) countPart {
	const far = 6 // deviations, beyond which there is nothing
	p := countPart{Gaussian: g, low: low, high: high, first: max(0, int(g.Mean-far*g.Scale))}
	below := 0.0
	for k := p.first; k < high || float64(k) < g.Mean+far*g.Scale; k++ {
		upTo := g.CDF(float64(k) + 0.5)
		p.reach = append(p.reach, upTo-below)
		below = upTo
	}
	return p
}

// countMixture returns the parts and the logarithms of their weights that round to 0, 1, 2 … with nearly the probabilities p. The
// weights begin as those of the parts' own counts; a few steps of expectation and maximisation take back what the parts' overlap spreads.
func countMixture(p []float64) (parts []likelihood.Gaussian, logs []float64) {
	const steps = 3
	used := countParts()
	var weights []float64
	for _, part := range used {
		if part.low >= len(p) {
			break
		}
		weight := 0.0
		for _, v := range p[part.low:min(part.high, len(p))] {
			weight += v
		}
		weights = append(weights, weight)
	}
	used = used[:len(weights)]
	for range steps {
		refitWeights(used, weights, p)
	}
	for i, part := range used {
		if weights[i] > 0 {
			parts, logs = append(parts, part.Gaussian), append(logs, math.Log(weights[i]))
		}
	}
	return parts, logs
}

// refitWeights makes a step of expectation and maximisation of the weights.
func refitWeights(parts []countPart, weights, p []float64) {
	ratio := make([]float64, len(p)) // the mixture's probabilities, then p over them
	for i, part := range parts {
		for k, reach := range part.below(len(p)) {
			ratio[part.first+k] += weights[i] * reach
		}
	}
	for k, q := range ratio {
		if q > 0 {
			ratio[k] = p[k] / q
		}
	}
	for i, part := range parts {
		sum := 0.0
		for k, reach := range part.below(len(p)) {
			sum += reach * ratio[part.first+k]
		}
		weights[i] *= sum
	}
}

// below returns the reach up to a count, without it. One of the part's own counts is below it.
func (c countPart) below(count int) []float64 { return c.reach[:min(len(c.reach), count-c.first)] }
