package stack_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/acqnp/acqnp/internal/fit/simple"
	"github.com/acqnp/acqnp/internal/fit/stack"
	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/test/must"
)

// A model that cannot be fitted in one fold, one with numbers that no file holds, and those whose predictions or scores
// are not finite are left out, and the stack says why. The others make the mixture.
func TestFailedModelsAreNamed(t *testing.T) {
	ok := stack.Kinds()[0]
	kinds := []stack.Kind{ok, ok, ok, ok, ok}
	var fits atomic.Int32
	kinds[1].Name, kinds[1].Fit = "of four stack.Folds", func(groups []points.Group) (simple.Model, error) {
		if fits.Add(1) == 3 {
			return nil, errors.New("too few points")
		}
		return ok.Fit(groups)
	}
	kinds[2].Name, kinds[2].Fit = "of no file", func([]points.Group) (simple.Model, error) {
		return &simple.Regressions{Alpha: math.Inf(1)}, nil
	}
	for i, u := range []likelihood.Units{{Factor: math.Inf(1)}, {Factor: 1e-170}} {
		kinds[3+i].Name, kinds[3+i].Read = []string{"of no answer", "of no score"}[i], func(content []byte) (simple.Model, error) {
			m, err := ok.Read(content)
			return changed{m, func(all []likelihood.GaussianMixture) {
				for i, d := range all {
					all[i] = d.In(u)
				}
			}}, err
		}
	}
	groups := stack.TwoLines(12, 6)
	for _, g := range groups { // neither x nor y has a logarithm
		for i := range g.Y {
			g.X[i], g.Y[i] = g.X[i]-1, -g.Y[i]
		}
	}
	s := must.Get(stack.Fit(t.Context(), groups, stack.Options{Threads: 2, Kinds: kinds}))(t)
	want := []stack.Failure{{"of four stack.Folds", "too few points"}, {"of no file", "a number of the model is not finite"}, {"of no answer", "a prediction is not finite"},
		{"of no score", "a score of its predictions is not finite"}}
	if !slices.Equal(s.Failed, want) {
		t.Errorf("failed: %v, want %v", s.Failed, want)
	}
	if len(s.Candidates) == 0 || slices.ContainsFunc(s.Candidates, func(c stack.Candidate) bool { return c.Name != ok.Name }) {
		t.Errorf("the candidates are %+v, want the %s alone", s.Candidates, ok.Name)
	}
	if text, err := json.Marshal(s); err != nil || !json.Valid(text) {
		t.Error(err)
	}
}

// A model that cannot be fitted to all groups alone is no failed one: the models without each fold predict.
func TestAModelOfAllGroupsFails(t *testing.T) {
	kind, groups := stack.Kinds()[0], stack.TwoLines(12, 6)
	fit := kind.Fit
	kind.Fit = func(some []points.Group) (simple.Model, error) {
		if len(some) == len(groups) {
			return nil, errors.New("too many points")
		}
		return fit(some)
	}
	s := must.Get(stack.Fit(t.Context(), groups, stack.Options{Threads: 2, NoLog: true, Kinds: []stack.Kind{kind}}))(t)
	if want := []stack.Failure{{kind.Name, "too many points"}}; !slices.Equal(s.OfFolds, want) || len(s.Failed) > 0 || len(s.Candidates[0].Models) != stack.Folds {
		t.Errorf("failed: %v, of folds: %v, want %v", s.Failed, s.OfFolds, want)
	}
}

// A kind that fails on the first fold is not fitted without the others.
func TestAFailedModelIsNotFittedAgain(t *testing.T) {
	kinds, fits := []stack.Kind{stack.Kinds()[0], stack.Kinds()[0]}, atomic.Int32{}
	kinds[1].Name, kinds[1].Fit = "of nothing", func([]points.Group) (simple.Model, error) {
		fits.Add(1)
		return nil, errors.New("too few points")
	}
	o, done := stack.Options{Threads: 1, NoLog: true, Kinds: kinds}, 0
	o.Done = func() { done++ }
	must.Get(stack.Fit(t.Context(), stack.TwoLines(12, 6), o))(t)
	if scales := o.Jobs(stack.TwoLines(12, 6)) / len(kinds) / (stack.Folds + 1); int(fits.Load()) != scales || done != o.Jobs(stack.TwoLines(12, 6)) {
		t.Errorf("%d fits on %d scales, %d jobs reported", fits.Load(), scales, done)
	}
}

// A model that cannot be fitted on any scale, for one reason, is named once.
func TestOneReasonIsNamedOnce(t *testing.T) {
	kinds := []stack.Kind{stack.Kinds()[0], stack.Kinds()[0]}
	kinds[1].Name, kinds[1].Fit = "of nothing", func([]points.Group) (simple.Model, error) { return nil, errors.New("too few points") }
	groups := stack.TwoLines(12, 6)
	o := stack.Options{Threads: 2, Kinds: kinds}
	if o.Jobs(groups) < 2*len(kinds)*(stack.Folds+1) {
		t.Fatal("there is only one scale")
	}
	s := must.Get(stack.Fit(t.Context(), groups, o))(t)
	if want := []stack.Failure{{"of nothing", "too few points"}}; !slices.Equal(s.Failed, want) {
		t.Errorf("failed: %v, want %v", s.Failed, want)
	}
}

// When ctx ends, no further question is asked, and the error is that of ctx.
func TestNoQuestionAfterTheEnd(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var asked atomic.Int32
	kind := stack.Kinds()[0]
	read := kind.Read
	kind.Read = func(content []byte) (simple.Model, error) {
		m, err := read(content)
		return changed{m, func([]likelihood.GaussianMixture) {
			if asked.Add(1) == 3 {
				cancel()
			}
		}}, err
	}
	if _, err := stack.Fit(ctx, stack.TwoLines(40, 12), stack.Options{Threads: 1, Kinds: []stack.Kind{kind}}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
	if n := asked.Load(); n != 3 {
		t.Errorf("%d questions were asked, want 3", n)
	}
}

// A changed model changes its answers.
type changed struct {
	simple.Model
	change func([]likelihood.GaussianMixture)
}

func (m changed) Given(context, targets points.Points) []likelihood.GaussianMixture {
	all := m.Model.Given(context, targets)
	m.change(all)
	return all
}
