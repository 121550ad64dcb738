package stack_test

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/fit/stack"
	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/points"
)

// answers draws 30 people with 10 whole answers each, of which a share is rounded to 10.
func answers(share float64) (all []points.Group) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 30 {
		g, own := points.Group{Points: points.Points{DX: 1, DY: 1}}, 60+8*r.NormFloat64()
		for range 10 {
			x := r.Float64()
			y := math.Round(own + 5*x + 10*r.NormFloat64())
			if r.Float64() < share {
				y = math.Round(y/10) * 10
			}
			g.X, g.Y = append(g.X, x), append(g.Y, y)
		}
		all = append(all, g)
	}
	return all
}

func heapOf(t *testing.T, groups []points.Group) (stack.Options, string) {
	t.Helper()
	o := stack.Options{Outcome: likelihood.Support{Whole: true}, Kinds: []stack.Kind{stack.MixedModel()}, Threads: 1, Questions: 100}
	h, line, err := o.Heap(context.Background(), groups)
	if err != nil {
		t.Fatal(err)
	}
	o.Heaps = h
	return o, line
}

func TestValuesThatPeopleRound(t *testing.T) {
	if o, line := heapOf(t, answers(0)); o.Heaps != nil || line != "" {
		t.Errorf("without heaps: %v, %s", o.Heaps, line)
	}
	groups := answers(0.4)
	o, line := heapOf(t, groups)
	tens := 0.0
	for _, h := range o.Heaps {
		if h.Step == 10 || h.Step == 20 {
			tens += h.Share
		}
	}
	if math.Abs(tens-0.4) > 0.1 { // three errors of a share of 300
		t.Fatalf("heaps %v, want 40%% to 10", o.Heaps)
	}
	if !strings.Contains(line, "to multiples of 10") {
		t.Errorf("said is %s", line)
	}
	without := o
	without.Heaps = nil
	with, plain := fitWith(t, groups, o), fitWith(t, groups, without)
	// A share of 0.4 that has ten probabilities gains 0.34 nats if predictions are wide beside 10.
	if gain := with.Expected.LogDensity - plain.Expected.LogDensity; gain < 0.2 || gain > 0.5 {
		t.Errorf("the log density gains %.3f", gain)
	}
	if c := with.Expected.Coverage.Ninety; c < 0.85 || c > 0.95 { // two errors of 300 rows
		t.Errorf("intervals of 90%% hold %.3f", c)
	}
	d, err := with.Predict(context.Background(), nil, stack.Reading{Question: points.Question{Known: groups[0].Cut(0, 3), Targets: points.New(1, 1, []float64{0.5}, nil)}})
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for y := -200.0; y < 400; y++ {
		sum += math.Exp(d[0].LogDensity(y))
	}
	if math.Abs(sum-1) > 2e-4 { // far tails have 1e-4
		t.Errorf("the probabilities sum to %g", sum)
	}
	// 0.4 of what is nearest to 60, ten numbers about as likely, are 60: a share of 0.1 more or less is 2 or 3.
	if more := math.Exp(d[0].LogDensity(60) - d[0].LogDensity(61)); math.Abs(more-(1+0.4*10/0.6)) > 3 {
		t.Errorf("60 is %.1f times as likely as 61", more)
	}
}

func fitWith(t *testing.T, groups []points.Group, o stack.Options) *stack.Stack {
	t.Helper()
	s, err := stack.Fit(context.Background(), groups, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
