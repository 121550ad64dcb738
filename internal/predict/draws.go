package predict

import (
	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/random"
)

// together is the first index of the random numbers of draws by a copula. It lies above those of [Distribution.Draw].
const together = picks + picks/2

// drawStep returns the step of the random numbers of a target's draws.
func drawStep(t Target) uint64 { return uint64(t.Group)<<32 | uint64(t.Target) }

// draws returns n draws of the channels, from draw first on, [n, dy]: the target's joint draws, if it has some. A draw
// does not depend on the number of others.
func (t Target) draws(g random.Generator, first, n int) (all []float64) {
	step, dy := drawStep(t), len(t.Channels)
	switch {
	case t.Draws != nil:
		return t.Draws[first*dy:][:n*dy]
	case t.Copula != nil:
		return t.drawsTogether(g, first, n)
	}
	for i := first; i < first+n; i++ {
		for c, channel := range t.Channels {
			all = append(all, channel.Draw(g, step, uint64(i*dy+c)))
		}
	}
	return all
}

// drawsTogether returns the draws by the copula.
func (t Target) drawsTogether(g random.Generator, first, n int) (all []float64) {
	of := make([]likelihood.Distribution, len(t.Channels))
	for c, channel := range t.Channels {
		of[c] = channel.Distribution
	}
	for from := first / likelihood.Batch * likelihood.Batch; from < first+n; from += likelihood.Batch {
		var u [likelihood.Batch][2]float64
		for k := range u {
			for part := range u[k] {
				u[k][part] = g.Float(drawStep(t), together+uint64(2*(from+k)+part))
			}
		}
		for k, y := range t.Copula.Draw(of, u) {
			if i := from + k; i >= first && i < first+n {
				all = append(all, y...)
			}
		}
	}
	return all
}
