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
		parts = append(parts, newCountPart(low, high, gaussianAt(middle, apart(middle))))
		low = high
	}
	return parts
})

// gaussianAt returns the part in the middle of counts, of parts so far apart.
func gaussianAt(middle, apart float64) likelihood.Gaussian {
	share := min(max((middle-alone)/(overlapping-alone), 0), 1)
	return likelihood.Gaussian{Mean: middle, Scale: 0.1 + 0.45*apart*share}
}

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

// manyCounts is countsAt for exposures with which counts reach beyond those that have parts. A part has the probability of its
// middle for each of its counts: parts are so near to one another that this needs no refitting. Each node spreads over a part of
// the deviation of η, as a smaller shape: without it, nodes of few other sources of variance would be humps of their own.
func (m *glmm) manyCounts(mean, deviation, exposure float64) (parts []likelihood.Gaussian, logs []float64) {
	const spread, nothing = 0.3, 1e-9
	shape := 1 / (1/m.Shape + spread*spread*deviation*deviation)
	own, most := math.Sqrt(1/shape+1/(exposure*rateAt(mean))), 0.0
	ofShape, _ := math.Lgamma(shape)
	var constants, slopes []float64 // of the logarithm of a node's probability, along the count
	for _, n := range normalNodes {
		rate := max(exposure*rateAt(mean+deviation*n.z*math.Sqrt(1-spread*spread)), 1e-300)
		most = max(most, rate)
		constants, slopes = append(constants, math.Log(n.weight)-ofShape-shape*math.Log1p(rate/shape)), append(slopes, -math.Log1p(shape/rate))
	}
	for low, sum := 0.0, 0.0; ; {
		apart := max(math.Sqrt(low)/2, low*min(0.05, own/2))
		n := max(1, math.Floor(apart))
		middle, p := low+(n-1)/2, 0.0
		choices := logChoices(middle, shape)
		for i, c := range constants {
			p += n * math.Exp(c+choices+middle*slopes[i])
		}
		if low += n; p > nothing*sum {
			parts, logs = append(parts, gaussianAt(middle, apart)), append(logs, math.Log(p))
		} else if low > most {
			return parts, logs
		}
		sum += p
	}
}

// logChoices returns log Γ(k+r)/Γ(k+1), of large k without the difference of large numbers.
func logChoices(k, r float64) float64 {
	if k > 1e9 {
		return (r - 1) * math.Log(k+r/2)
	}
	a, _ := math.Lgamma(k + r)
	b, _ := math.Lgamma(k + 1)
	return a - b
}
