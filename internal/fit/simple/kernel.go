package simple

import (
	"errors"
	"math"

	"github.com/acqnp/acqnp/internal/fit/kde"
	"github.com/acqnp/acqnp/internal/likelihood"
)

// Kernel is a conditional kernel density of package kde: the y of the context's nearest points, and
// where none is near, the normal distribution of all y. It is for a context of many points.
type Kernel struct {
	Units  units      `json:"units"`
	Widths kde.Widths `json:"widths"`
}

// FitKernel chooses the widths by which points are predicted best, each from the others of its
// group. It returns an error if no group has two points.
func FitKernel(groups []Group) (*Kernel, error) {
	m := &Kernel{Units: unitsOf(groups)}
	var functions [][]float32
	most := 0
	for _, g := range groups {
		functions = append(functions, interleaved(m.Units.group(g)))
		most = max(most, g.Points())
	}
	if most < 2 {
		return nil, errNoFit
	}
	m.Widths = kde.Choose(functions, groups[0].DX)
	return m, nil
}

// interleaved returns the points as package kde reads them, [n, DX+1] with y last.
func interleaved(g Group) []float32 {
	var all []float32
	for i, y := range g.Y {
		for _, v := range g.row(i) {
			all = append(all, float32(v))
		}
		all = append(all, float32(y))
	}
	return all
}

// leastWeight is the weight below which a point of the context is left out of a prediction.
const leastWeight = 1e-6

// Columns implements [Model].
func (m *Kernel) Columns() int { return len(m.Units.X) }

// Check implements [Model].
func (m *Kernel) Check() error {
	if !(m.Widths.X > 0 && m.Widths.Y > 0) {
		return errDamaged
	}
	return errors.Join(m.Units.check(), sound(lengthOf{[]float64{m.Widths.X, m.Widths.Y}, 2}))
}

// Given implements [Model].
func (m *Kernel) Given(context Group, x []float64) []likelihood.GaussianMixture {
	points, dx := interleaved(m.Units.group(context)), len(m.Units.X)
	targets := m.Units.points(x)
	out := make([]likelihood.GaussianMixture, len(targets)/dx)
	var weights []float64
	at := make([]float32, dx)
	for t := range out {
		for c, v := range targets[t*dx:][:dx] {
			at[c] = float32(v)
		}
		weights = m.Widths.Weights(weights, points, at)
		var parts []likelihood.Gaussian
		var logs []float64
		rest := 1.0
		for i, w := range weights {
			if w < leastWeight {
				continue
			}
			rest -= w
			parts = append(parts, likelihood.Gaussian{Mean: float64(points[i*(dx+1)+dx]), Scale: m.Widths.Y})
			logs = append(logs, math.Log(w))
		}
		parts, logs = append(parts, likelihood.Gaussian{Mean: 0, Scale: 1}), append(logs, math.Log(rest))
		out[t] = m.Units.mixture(parts, logs)
	}
	return out
}
