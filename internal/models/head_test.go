package models_test

import (
	"fmt"
	"math"
	"testing"

	"gorgonia.org/tensor"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/models/ops"
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
		}
	}
	return all
}

// TestHeadsStateWhatPredictionsAre compares the graph of every head, run by the plain kernels and lowered
// to arrays, with the distributions that predict makes of the same rows.
func TestHeadsStateWhatPredictionsAre(t *testing.T) {
	for name, c := range everyHead() {
		for _, dy := range []int{1, 3} {
			m, err := models.New(c, 2, dy)
			if err != nil {
				t.Fatal(err)
			}
			e := ops.Extents{Functions: 1, Context: 1, Points: 4, Levels: 5}
			g, err := m.BuildHead(tensor.Float64, e)
			if err != nil {
				t.Fatal(err)
			}
			states, fed := computed(g, e, m)
			written, err := lowered(g, e, m, fed, 0)
			if err != nil {
				t.Fatal(err)
			}
			for output := range states {
				if d := distance(written[output], states[output]); !(d < 1e-14) { // numbers up to 3
					t.Errorf("%s, %d channels: %s differs by %g when lowered", name, dy, output, d)
				}
			}
			compareHead(t, fmt.Sprintf("%s, %d channels", name, dy), m, e, states, fed)
		}
	}
}

// compareHead compares the outputs of a head's graph with the distributions of its inputs.
func compareHead(t *testing.T, name string, m *models.Model, e ops.Extents, states, fed map[string][]float64) {
	t.Helper()
	levels := 1
	if m.Quantile() || m.Bootstrap() {
		levels = e.Levels
	}
	_, dy := m.Dims()
	raw := narrowed(fed["components"])
	for point := range e.Points {
		rows := raw[point*levels*m.RowWidth():][:levels*m.RowWidth()]
		for channel := range dy {
			var d likelihood.Distribution
			if m.Quantile() {
				d = likelihood.NewMixture(rows, narrowed(fed["logit"])[point*levels:][:levels], dy, channel, m.Scale())
			} else {
				d = m.Gaussians(rows, channel)
			}
			var got, want []float64
			for _, p := range d.Components() {
				want = append(want, p.Mu, p.Sigma, p.Weight)
			}
			for level := range levels {
				for part := range m.Parts() {
					at := ((point*levels+level)*dy+channel)*m.Parts() + part
					got = append(got, states["mu"][at], states["sigma"][at], math.Exp(states["log_weight"][at]))
				}
			}
			if d := distance(got, want); !(d < 1e-14) { // inputs are float32 numbers; numbers up to 3
				t.Errorf("%s: point %d, channel %d differs by %g", name, point, channel, d)
			}
		}
	}
}
