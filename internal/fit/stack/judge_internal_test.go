package stack

import (
	"context"
	"encoding/json"
	"math"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/acqnp/acqnp/internal/fit/simple"
	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/random"
	"github.com/acqnp/acqnp/internal/test/must"
)

// manyGroups draws groups of a few points.
func manyGroups(n, each int) []points.Group {
	g := random.New(12, random.Validation)
	all := make([]points.Group, n)
	for k := range all {
		all[k].DX, all[k].DY = 1, 1
		for i := range each {
			all[k].X, all[k].Y = append(all[k].X, g.Float(uint64(k), uint64(i))), append(all[k].Y, g.Normal(uint64(k), uint64(1000+i)))
		}
	}
	return all
}

// The questions are bounded, ask about all sizes of contexts equally often and leave no fold out.
func TestQuestionsAreBounded(t *testing.T) {
	for _, c := range []struct{ groups, points, most, asked, questions int }{
		{20, 30, mostQuestions, 20, 200}, {300, 30, mostQuestions, 300, 900}, {3000, 5, mostQuestions, 1000, 1000}, {700, 2, mostQuestions, 700, 700},
		{20, 30, 200, 20, 200}, {75, 30, 200, 75, 150}, {300, 30, 200, 200, 200},
	} {
		s := newSplit(manyGroups(c.groups, c.points), Options{Seed: 3, Questions: c.most})
		sizes, folded := map[int]int{}, map[int]int{}
		for _, q := range s.questions {
			sizes[q.Known.Len()]++
			folded[q.fold]++
		}
		if len(s.questions) != c.questions || s.units != c.asked {
			t.Errorf("%d groups: %d questions about %d groups, want %d about %d", c.groups, len(s.questions), s.units, c.questions, c.asked)
		}
		for _, counts := range []map[int]int{sizes, folded} {
			for key, n := range counts {
				// Folds and sizes take turns, so that counts differ by a few at most.
				if want := len(s.questions) / len(counts); n < want-5 || n > want+5 {
					t.Errorf("%d groups: %d questions with %d points or in this fold, want about %d", c.groups, n, key, want)
				}
			}
		}
		share := 0.0
		for _, target := range s.targets {
			share += target.share
		}
		if math.Abs(share-float64(s.units)) > 1e-6 {
			t.Errorf("the shares of %d groups sum to %v", s.units, share)
		}
	}
}

// Contexts and samples of large data have the stated sizes.
func TestLargeDataAreSampled(t *testing.T) {
	one := manyGroups(1, 6000)
	for _, q := range newSplit(one, Options{Seed: 1}).questions {
		if n := q.Known.Len(); n != mostContext {
			t.Errorf("a context of %d points", n)
		}
	}
	if got := sample(one, 500, 1); len(got) != 1 || got[0].Len() != 500 {
		t.Errorf("a sample of %d points of one group, want 500", got[0].Len())
	}
	got := sample(manyGroups(1000, 50), 5000, 1)
	if len(got) != 100 || got[0].Len() != 50 {
		t.Errorf("a sample of %d groups with %d points, want 100 with 50", len(got), got[0].Len())
	}
}

// A stack is judged by the other folds' choice: outcomes of a fold do not change the weights by which they
// are predicted.
func TestFoldsDoNotChooseForThemselves(t *testing.T) {
	s := newSplit(TwoLines(20, 12), Options{Seed: 1})
	trials := []*trial{{logs: make([]float64, len(s.targets))}, {logs: make([]float64, len(s.targets))}}
	g := random.New(2, random.Validation)
	for i := range s.targets {
		trials[0].logs[i], trials[1].logs[i] = g.Normal(0, uint64(i)), g.Normal(1, uint64(i))
	}
	before := s.choose(trials, 2)
	for i, target := range s.targets {
		if target.fold == 2 {
			trials[0].logs[i] += 5
		}
	}
	after := s.choose(trials, 2)
	for b := range spans {
		if !slices.Equal(before.span[b], after.span[b]) {
			t.Errorf("span %d: weights %v became %v", b, before.span[b], after.span[b])
		}
	}
	if all := s.choose(trials, folds); all.mean[0] < before.mean[0]+0.05 {
		t.Errorf("all targets give the weight %v, want more than %v", all.mean[0], before.mean[0])
	}
}

// A model that is the best without known points alone has its weight there, however small its weight is over all
// contexts, and a scale on which it is so is tried on all folds.
func TestAModelForContextsOfOneSize(t *testing.T) {
	s := newSplit(TwoLines(40, 60), Options{Seed: 1})
	good, alone := &trial{kind: Kind{Name: "a"}, logs: make([]float64, len(s.targets))}, &trial{kind: Kind{Name: "a"}, scale: scale{y: likelihood.LogY}, logs: make([]float64, len(s.targets))}
	for i, target := range s.targets {
		if alone.logs[i] = -5; target.known == 0 {
			alone.logs[i] = 1
		}
	}
	for _, tr := range []*trial{good, alone} {
		tr.models[0] = &simple.Mixed{}
	}
	c := s.choose([]*trial{good, alone}, folds)
	for b := range spans {
		if w := c.span[b][1]; b == 0 && w < 0.8 || b > 0 && w > 0 {
			t.Errorf("from %d known points: a weight of %v", spans[b], w)
		}
	}
	if c.mean[1] < 0.1 || c.mean[1] > 0.3 { // a fifth of the questions
		t.Errorf("a mean weight of %v", c.mean[1])
	}
	if behind := s.halve([]*trial{good, alone}); behind != nil {
		t.Errorf("left out: %v", behind[0].title())
	}
	for i := range s.targets {
		alone.logs[i] = min(alone.logs[i], -1)
	}
	if behind := s.halve([]*trial{good, alone}); len(behind) != 1 || behind[0] != alone {
		t.Errorf("left out: %d, want the scale that is behind everywhere", len(behind))
	}
}

// Held has the fold that asks about each group, OfFold keeps the models without it, and all
// others are fitted to all groups.
func TestOneFoldOfAStack(t *testing.T) {
	groups := TwoLines(13, 6)
	for i := range groups {
		for k := range groups[i].Len() {
			groups[i].Rows = append(groups[i].Rows, 6*i+k)
		}
	}
	s := must.Get(Fit(context.Background(), groups, Options{Threads: 2, Kinds: Kinds()[:2], Seed: 7}))(t)
	for _, q := range newSplit(groups, Options{Seed: 7}).questions {
		for _, row := range groups[q.group].Rows {
			if s.Held[row] != q.fold {
				t.Errorf("group %d is asked about in fold %d, and row %d is held out by fold %d", q.group, q.fold, row, s.Held[row])
			}
		}
	}
	of := foldsOf(groups, 7)
	logDensity := func() float64 {
		logs := must.Get(s.OutOfFold(context.Background(), groups, of, false, 200, 2))(t)
		mean, _ := logs.Mean()
		return mean
	}
	want := logDensity()
	for i := range of { // as of a group whose first rows a sample has left out
		of[i][0], of[i][1] = 0, 0
	}
	if got := logDensity(); got != want {
		t.Errorf("a log density of %v, want %v: groups are asked of models that were fitted to them", got, want)
	}
	one := s.OfFold(3)
	for i, c := range one.Candidates {
		all := s.Candidates[i]
		if len(all.Models) > 0 && (len(c.Models) != 1 || c.Models[0].Model != all.ByFold[3].Model || len(all.Models) != 1) {
			t.Errorf("%s has %d models, and %d of a fold", c.Name, len(all.Models), len(c.Models))
		}
	}
}

// A scale that is clearly behind on the first fold is not fitted to the others, and the stack is that of
// the other scale alone.
func TestAScaleIsLeftOut(t *testing.T) {
	groups := manyGroups(120, 5)
	for k := range groups {
		for i, z := range groups[k].Y {
			groups[k].Y[i] = math.Exp(2 * z)
			groups[k].X[i]-- // so x has no logarithm
		}
	}
	var text []string
	for _, o := range []Options{{}, {Log: true}} {
		mixed := Kinds()[0]
		fit := mixed.Fit
		var fits atomic.Int32
		mixed.Fit = func(groups []points.Group) (simple.Model, error) { fits.Add(1); return fit(groups) }
		done := 0
		o.Kinds, o.Threads, o.Done = []Kind{mixed}, 2, func() { done++ }
		s := must.Get(Fit(context.Background(), groups, o))(t)
		b, _ := json.Marshal(s)
		text = append(text, string(b))
		if want := map[bool]int{false: folds + 2, true: folds + 1}[o.Log]; int(fits.Load()) != want || done != o.Jobs(groups) {
			t.Errorf("log y alone: %v: %d models were fitted, want %d; %d of %d are reported", o.Log, fits.Load(), want, done, o.Jobs(groups))
		}
	}
	if text[0] != text[1] {
		t.Error("the stack differs from that of log y alone")
	}
}
