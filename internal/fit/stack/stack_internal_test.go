package stack

import (
	"context"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/random"
	"github.com/acqnp/acqnp/internal/test/must"
)

// TwoLines draws groups of which each point is on one of two parallel lines, with a level of the
// group.
func TwoLines(groups, each int) []points.Group {
	g := random.New(11, random.Validation)
	all := make([]points.Group, groups)
	for k := range all {
		level := g.Normal(uint64(k), 0)
		all[k].DX, all[k].DY = 1, 1
		for i := range each {
			x := g.Float(uint64(k), uint64(1000+i))
			y := 5 + level + x
			if g.Float(uint64(k), uint64(2000+i)) < 0.5 {
				y += 3
			}
			all[k].X, all[k].Y = append(all[k].X, x), append(all[k].Y, y+0.2*g.Normal(uint64(k), uint64(3000+i)))
		}
	}
	return all
}

// Predicted returns what a stack predicts of a question.
func Predicted(t *testing.T, s *Stack, q points.Question) []likelihood.Distribution {
	t.Helper()
	return must.Get(s.Predict(t.Context(), nil, Reading{Question: q}))(t)
}

// At the weights that maximise a mean log density, its derivative by the weight of each model that
// is used is the same, and that of the others is less. The prior adds one group.
func TestWeightsAreBest(t *testing.T) {
	g := random.New(1, random.Validation)
	const points, models = 200, 4
	logs, share := make([][]float64, points), make([]float64, points)
	for i := range logs {
		share[i] = 1
		for j := range models {
			logs[i] = append(logs[i], g.Normal(uint64(i), uint64(j))-0.3*float64(j))
		}
	}
	w := weigh(logs, share, []float64{0.25, 0.25, 0.25, 0.25})
	sum := 0.0
	for j := range models {
		sum += w[j]
		slope := 1 / float64(models) / w[j] // of the prior
		for _, row := range logs {
			slope += math.Exp(row[j] - logMix(row, w))
		}
		if math.Abs(slope/(points+1)-1) > 1e-2 {
			t.Errorf("the slope by weight %d is %.4f, want 1", j, slope/(points+1))
		}
	}
	if math.Abs(sum-1) > 1e-12 {
		t.Errorf("the weights sum to %v", sum)
	}
}

// No model is asked about a group that it was fitted to, and each group is asked about in one fold.
func TestFoldsHoldGroupsOut(t *testing.T) {
	groups := TwoLines(13, 6)
	s := newSplit(groups, Options{Seed: 4})
	if s.byPoint || len(s.questions) == 0 {
		t.Fatalf("by point: %v, %d questions", s.byPoint, len(s.questions))
	}
	asked := map[int]int{}
	for _, q := range s.questions {
		if fold, known := asked[q.group]; known && fold != q.fold {
			t.Errorf("group %d is asked about in folds %d and %d", q.group, fold, q.fold)
		}
		asked[q.group] = q.fold
		for _, g := range s.training[q.fold] {
			if g.Y[0] == groups[q.group].Y[0] {
				t.Errorf("fold %d is fitted to group %d and asked about it", q.fold, q.group)
			}
		}
		if q.Known.Len()+q.Targets.Len() > groups[q.group].Len() {
			t.Errorf("group %d is asked for %d points given %d", q.group, q.Targets.Len(), q.Known.Len())
		}
	}
	if len(asked) != len(groups) {
		t.Errorf("%d of %d groups are asked about", len(asked), len(groups))
	}
}

// A row that a model learns from is coded without its own fold and the one that the model is asked about, and a question
// without its own. Here the codes say which two folds were left out.
func TestCodesLeaveFoldsOut(t *testing.T) {
	groups := TwoLines(13, 6)
	for k := range groups {
		for i := range groups[k].Len() {
			groups[k].Row(i)[0], groups[k].Rows = float64(i), append(groups[k].Rows, 6*k+i)
		}
	}
	code := func(a, b int) float64 { return float64(100 + 10*min(a, b) + max(a, b)) }
	s := newSplit(groups, Options{Seed: 4, Coder: func(map[int]int) func(a, b int) []float64 {
		return func(a, b int) []float64 { return slices.Repeat([]float64{code(a, b)}, 6) }
	}})
	for fold, training := range s.training {
		for _, g := range training {
			own := s.held[g.Rows[0]]
			other := fold
			if fold == folds {
				other = own
			}
			if want := code(own, other); g.X[0] != want || fold < folds && own == fold {
				t.Errorf("for fold %d, a row of fold %d has the code %v, want %v", fold, own, g.X[0], want)
			}
		}
	}
	for _, q := range s.questions {
		if want := code(q.fold, q.fold); q.Targets.X[0] != want || q.Known.Len() > 0 && q.Known.X[0] != want {
			t.Errorf("a question of fold %d has the code %v, want %v", q.fold, q.Targets.X[0], want)
		}
	}
	if s.Coding.Codes[0] != code(none, none) {
		t.Errorf("predictions have the code %v", s.Coding.Codes[0])
	}
}

var ofTwoLines = sync.OnceValues(func() (*Stack, error) {
	return Fit(context.Background(), TwoLines(20, 12), Options{Threads: 3, Kinds: Kinds()})
})

// stackOfTwoLines returns a stack for several tests to read, of 20 groups.
func stackOfTwoLines(t *testing.T) *Stack { return must.Get(ofTwoLines())(t) }

// A stack of two lines trusts the mixture of regressions, is the same with any number of threads, and
// predicts the same after it was written and read.
func TestStackOfTwoLines(t *testing.T) {
	s, groups := stackOfTwoLines(t), TwoLines(20, 12)
	text := string(must.Get(json.Marshal(s))(t))
	if one := must.Get(Fit(context.Background(), groups, Options{Threads: 1, Kinds: Kinds()}))(t); text != string(must.Get(json.Marshal(one))(t)) {
		t.Error("the stack depends on the number of threads")
	}
	if best := s.Candidates[0]; !strings.HasPrefix(best.Name, "regressions") || best.Weight < 0.5 {
		t.Errorf("%s has the weight %.2f, want regressions with more than a half", best.Name, best.Weight)
	}
	// Coverage of 90% by 200 and more targets of 20 groups: four standard errors of a group's share.
	if c := s.Expected.Coverage.Ninety; c < 0.8 || c > 0.98 {
		t.Errorf("intervals of 90%% hold %.3f", c)
	}
	var read Stack
	must.Do(t, json.Unmarshal([]byte(text), &read))
	must.Do(t, read.Open(Kinds()))
	known := points.New(1, 1, groups[0].X[:3], groups[0].Y[:3])
	a, b := Predicted(t, s, points.Question{Known: known, Targets: points.New(1, 0, []float64{0.5}, nil)})[0], Predicted(t, &read, points.Question{Known: known, Targets: points.New(1, 0, []float64{0.5}, nil)})[0]
	for y := 3.0; y < 12; y++ {
		if a.LogDensity(y) != b.LogDensity(y) {
			t.Errorf("log densities %v and %v of %v", a.LogDensity(y), b.LogDensity(y), y)
		}
	}
}

// A file that lacks numbers, or has others, is refused and does not panic.
func TestDamagedStacksAreRefused(t *testing.T) {
	s := stackOfTwoLines(t)
	if err := s.Check(1); err != nil {
		t.Fatalf("a stack is refused: %v", err)
	}
	text := must.Get(json.Marshal(s))(t)
	for _, change := range [][2]string{{`"width":`, `"width":-`}, {`"beta":[`, `"beta":[1,`}, {`"noise":`, `"noise":-`}, {`"share":`, `"share":-`},
		{`"cov":[`, `"cov":[0,`}, {`"levels":[0,`, `"levels":[1,`}, {`"weight":0`, `"weight":-0`}, {`"models":`, `"other":`}} {
		var read Stack
		damaged := strings.Replace(string(text), change[0], change[1], -1)
		if damaged == string(text) {
			t.Fatalf("the file has no %s", change[0])
		}
		if err := json.Unmarshal([]byte(damaged), &read); err == nil && read.Open(Kinds()) == nil && read.Check(1) == nil {
			t.Errorf("%s is taken for %s", change[1], change[0])
		}
	}
	if s.Check(2) == nil {
		t.Error("a stack for one column of x is taken for two")
	}
}

// Models without each fold are those of all folds, beside one of all groups or instead of it.
func TestModelsOfFoldsAreComplete(t *testing.T) {
	s := stackOfTwoLines(t)
	must.Do(t, s.OpenFolds(Kinds(), 1))
	if one := must.Get(Fit(context.Background(), TwoLines(1, 30), Options{Threads: 2, Kinds: Kinds()[1:2]}))(t); one.OpenFolds(Kinds(), 1) != nil {
		t.Error("models of points are refused")
	}
	of := s.Candidates[0].ByFold
	for what, change := range map[string]func(c *Candidate){
		"no folds":     func(c *Candidate) { c.ByFold = nil },
		"two folds":    func(c *Candidate) { c.ByFold = of[:2] },
		"seven models": func(c *Candidate) { c.Models, c.ByFold = slices.Concat(of, of[:2]), nil },
	} {
		damaged := *s
		damaged.Candidates = slices.Clone(s.Candidates)
		change(&damaged.Candidates[0])
		if damaged.OpenFolds(Kinds(), 1) == nil {
			t.Errorf("%s are taken", what)
		}
	}
}

// A weight may be above 1 by the rounding of the sum that it is divided by.
func TestWeightsMayRound(t *testing.T) {
	s := must.Get(Fit(context.Background(), TwoLines(8, 12), Options{Threads: 2, Kinds: Kinds()[:1]}))(t)
	c := &s.Candidates[0]
	for over, ok := range map[float64]bool{0: true, 4e-15: true, 1e-6: false} {
		s.Candidates = s.Candidates[:1]
		for b := range c.Weights {
			c.Weights[b] = 1 + over
		}
		c.Weight = 1 + over
		if err := s.Check(1); (err == nil) != ok {
			t.Errorf("weights of 1 + %g: %v", over, err)
		}
	}
}

// Of one group, folds are of points, and the context is the rest.
func TestStackOfOneGroup(t *testing.T) {
	s := must.Get(Fit(context.Background(), TwoLines(1, 120), Options{Threads: 2, Kinds: Kinds()}))(t)
	if !s.ByPoint || s.Calibrations[0].Groups != 120 {
		t.Errorf("by point: %v, calibrated on %d points, want 120", s.ByPoint, s.Calibrations[0].Groups)
	}
}

// Classes of a school are held out together, and a question about one knows rows of the others, but not its own twice,
// in every other question.
func TestFoldsOfGroupsInGroups(t *testing.T) {
	groups := manyGroups(20, 12)
	for i := range groups {
		groups[i].Outer = string(rune('a' + i/4)) // five schools of four classes
	}
	s := newSplit(groups, Options{Seed: 3})
	fold, beside := map[string]int{}, 0
	for _, q := range s.questions {
		outer := groups[q.group].Outer
		if f, known := fold[outer]; known && f != q.fold {
			t.Errorf("school %s is in folds %d and %d", outer, f, q.fold)
		}
		fold[outer] = q.fold
		for _, g := range s.training[q.fold] {
			if g.Outer == outer {
				t.Fatalf("fold %d was fitted to school %s", q.fold, outer)
			}
		}
		if own := q.Known.OfGroup().Len(); q.Known.Sibling != nil {
			beside++
			if n := q.Known.Len() - own; n != 36 || s.targets[q.first].known != own { // 3 classes of 12
				t.Errorf("%d rows beside %d", n, own)
			}
		}
	}
	if len(fold) != 5 || 2*beside != len(s.questions) {
		t.Errorf("%d schools, %d of %d questions with rows beside", len(fold), beside, len(s.questions))
	}
}
