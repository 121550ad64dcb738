package stack

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/acqnp/acqnp/internal/fit/simple"
	"github.com/acqnp/acqnp/internal/likelihood"
)

// A model that cannot be fitted in one fold, one with numbers that no file holds, and one whose predictions are not
// finite are left out, and the stack says why. The others make the mixture.
func TestFailedModelsAreNamed(t *testing.T) {
	ok := Kinds()[0]
	kinds := []Kind{ok, ok, ok, ok}
	var fits atomic.Int32
	kinds[1].Name, kinds[1].Fit = "of four folds", func(groups []simple.Group) (simple.Model, error) {
		if fits.Add(1) == 3 {
			return nil, errors.New("too few points")
		}
		return ok.Fit(groups)
	}
	kinds[2].Name, kinds[2].Fit = "of no file", func([]simple.Group) (simple.Model, error) {
		return &simple.Regressions{Alpha: math.Inf(1)}, nil
	}
	kinds[3].Name, kinds[3].Read = "of no answer", func(content []byte) (simple.Model, error) {
		m, err := ok.Read(content)
		return infinite{m}, err
	}
	groups := twoLines(12, 6)
	for _, g := range groups { // neither x nor y has a logarithm
		for i := range g.Y {
			g.X[i], g.Y[i] = g.X[i]-1, -g.Y[i]
		}
	}
	s, err := Fit(t.Context(), groups, Options{Threads: 2, Kinds: kinds})
	if err != nil {
		t.Fatal(err)
	}
	want := []Failure{{"of four folds", "too few points"}, {"of no file", "a number of the model is not finite"}, {"of no answer", "a prediction is not finite"}}
	if !slices.Equal(s.Failed, want) {
		t.Errorf("failed: %v, want %v", s.Failed, want)
	}
	if len(s.Candidates) == 0 || slices.ContainsFunc(s.Candidates, func(c Candidate) bool { return c.Name != ok.Name }) {
		t.Errorf("the candidates are %+v, want the %s alone", s.Candidates, ok.Name)
	}
	if text, err := json.Marshal(s); err != nil || !json.Valid(text) {
		t.Error(err)
	}
}

// An infinite model predicts what is not finite.
type infinite struct{ simple.Model }

func (m infinite) Given(context simple.Group, x []float64) []likelihood.GaussianMixture {
	all := m.Model.Given(context, x)
	for i, d := range all {
		all[i] = d.In(likelihood.Units{Factor: math.Inf(1)})
	}
	return all
}
