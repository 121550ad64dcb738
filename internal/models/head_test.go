package models_test

import (
	"math"
	"slices"
	"testing"

	"gorgonia.org/tensor"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/models/ops"
	"github.com/acqnp/acqnp/internal/test/must"
)

// everyHead returns a small model of each head: those that model.head names, and those of the models with
// bootstraps and with levels.
func everyHead() map[string]config.Model {
	all := map[string]config.Model{}
	for name, c := range everyNetwork() {
		switch {
		case name == "bnp", name == "cqnp mean":
			all[name] = c
			c.ScaleForm, c.SigmaFloor = config.NaturalScale, 0.03
			all[name+" with other scales"] = c
		case name == "cnp mean":
			for _, head := range config.Heads() {
				c.Head = head
				all[head] = c
			}
			c.ScaleForm = config.NaturalScale
			all[c.Head+" with other scales"] = c
		}
	}
	return all
}

// TestHeadsStateWhatPredictionsAre compares the graph of every head, run by the plain kernels and lowered
// to arrays, with the distributions of package likelihood and with those of predictions.
func TestHeadsStateWhatPredictionsAre(t *testing.T) {
	e := ops.Extents{Groups: 1, Context: 1, Points: 4, Levels: 5}
	for name, c := range everyHead() {
		for _, dy := range []int{1, 3} {
			m := must.Get(models.New(c, 2, dy))(t)
			g := must.Get(m.BuildHead(tensor.Float64, e))(t)
			states, fed := computed(g, e, m)
			written := must.Get(lowered(g, e, m, fed, 0))(t)
			near := func(what string, got, want []float64) {
				if d := distance(got, want); !(d < 1e-14) { // numbers up to 3
					t.Errorf("%s, %d channels: %s differs by %g", name, dy, what, d)
				}
			}
			for output := range states {
				near(output+", lowered,", written[output], states[output])
			}
			rows, levels := narrowed(fed["components"]), e.Levels
			if g.Inputs[0].Space == ops.Point {
				levels = 1
			}
			for point := range e.Points {
				for channel := range dy {
					got := statedAt(states, (point*levels*dy+channel)*m.Parts(), levels, dy*m.Parts(), m.Parts())
					raw := rows[point*levels*m.RowWidth():][:levels*m.RowWidth()]
					if m.Quantile() {
						z := narrowed(fed["logit"])[point*levels:][:levels]
						near("a mixture", got, numbersOf(likelihood.NewMixture(raw, z, dy, channel, m.Scale())))
						continue
					}
					near("a prediction", numbersOf(m.States(rows, e.Points).At(point, channel, likelihood.Units{Factor: 1})), got)
					if m.Parts() == 1 {
						var each []likelihood.Gaussian
						for row := range slices.Chunk(raw, m.RowWidth()) {
							each = append(each, likelihood.NewGaussian(row, dy, channel, m.SigmaFloor()))
						}
						near("a Gaussian", got, numbersOf(likelihood.GaussianMixtureOf(each)))
					}
				}
			}
		}
	}
}

// statedAt returns μ, σ and the weight of each part: some at first, and again after each stride, for a
// number of levels.
func statedAt(states map[string][]float64, first, levels, stride, parts int) (all []float64) {
	for level := range levels {
		for at := first + level*stride; at < first+level*stride+parts; at++ {
			all = append(all, states["mu"][at], states["sigma"][at], math.Exp(states["log_weight"][at]))
		}
	}
	return all
}

// numbersOf returns μ, σ and the weight of each component.
func numbersOf(d likelihood.Distribution) (all []float64) {
	for _, p := range d.Components() {
		all = append(all, p.Mu, p.Sigma, p.Weight)
	}
	return all
}

// narrowed returns numbers as float32.
func narrowed(row []float64) []float32 {
	out := slices.Repeat([]float32{0}, len(row))
	for i, v := range row {
		out[i] = float32(v)
	}
	return out
}
