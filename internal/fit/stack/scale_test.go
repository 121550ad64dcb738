package stack_test

import (
	"context"
	"encoding/json"
	"math"
	"testing"

	"github.com/acqnp/acqnp/internal/fit/stack"
	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/random"
	"github.com/acqnp/acqnp/internal/test/must"
)

// Lines in log x, with a second column that has two values and so no logarithm: the mixed model that sees
// log x gets most of the weight, a file keeps it, and an x that has no logarithm has a prediction.
func TestModelsSeeLogarithmsOfX(t *testing.T) {
	g := random.New(5, random.Validation)
	groups := make([]points.Group, 15)
	for k := range groups {
		groups[k].DX, groups[k].DY = 2, 1
		for i := range uint64(8) {
			x, side := math.Exp(6*g.Float(uint64(k), i)), float64(i%2)
			groups[k].X = append(groups[k].X, x, side)
			groups[k].Y = append(groups[k].Y, g.Normal(uint64(k), 100)-math.Log(x)+side+0.1*g.Normal(uint64(k), 200+i))
		}
	}
	s := must.Get(stack.Fit(context.Background(), groups, stack.Options{Threads: 2, Kinds: stack.Kinds()[:1]}))(t)
	if len(s.LogX) != 1 || s.LogX[0].Column != 0 {
		t.Errorf("logarithms of %v, want of column 0 alone", s.LogX)
	}
	if best := s.Candidates[0]; best.Name != "mixed model, log x" || best.Weight < 0.5 || best.LogDensity < s.Candidates[1].LogDensity+0.5 {
		t.Errorf("the candidates are %+v", s.Candidates)
	}
	content := must.Get(json.Marshal(s))(t)
	read := new(stack.Stack)
	must.Do(t, json.Unmarshal(content, read))
	must.Do(t, read.Open(stack.Kinds()))
	must.Do(t, read.Check(2))
	known, x := points.New(2, 1, []float64{3, 0}, []float64{-0.5}), []float64{20, 1, 0, 1}
	for i, d := range stack.Predicted(t, s, points.Question{Known: known, Targets: points.New(2, 0, x, nil)}) {
		again := stack.Predicted(t, read, points.Question{Known: known, Targets: points.New(2, 0, x, nil)})[i]
		if v := d.Mean(); v != again.Mean() || math.IsNaN(v) || math.IsInf(v, 0) {
			t.Errorf("x = %v: mean %g, and %g by the file", x[2*i:][:2], v, again.Mean())
		}
	}
	want := -0.5 + math.Log(3) - math.Log(20) + 1
	if got := stack.Predicted(t, s, points.Question{Known: known, Targets: points.New(2, 0, x, nil)})[0].Mean(); math.Abs(got-want) > 0.15 { // the noise has a deviation of 0.1
		t.Errorf("mean %.3f at x = 20, want %.3f", got, want)
	}
}

// Where some groups are normal and some log-normal, models of y and of log y share the mixture, and it is
// better than each alone.
func TestScalesAreMixed(t *testing.T) {
	g := random.New(5, random.Validation)
	groups := make([]points.Group, 40)
	for k := range groups {
		groups[k].DX, groups[k].DY = 1, 1
		for i := range 10 {
			z := g.Normal(uint64(k), uint64(i))
			y := 10 + 4*z
			if k%2 == 0 {
				y = math.Exp(1.5 * z)
			}
			groups[k].X, groups[k].Y = append(groups[k].X, g.Float(uint64(k), uint64(100+i))-1), append(groups[k].Y, max(y, 0.1))
		}
	}
	s := must.Get(stack.Fit(context.Background(), groups, stack.Options{Threads: 2, Kinds: stack.Kinds()[:1]}))(t)
	if len(s.Candidates) != 2 || s.Candidates[0].Scale == s.Candidates[1].Scale || !s.SeesLog() {
		t.Fatalf("candidates %+v, want a model of y and one of log y", s.Candidates)
	}
	for _, c := range s.Candidates {
		if c.Weight < 0.1 || c.LogDensity > s.Expected.LogDensity {
			t.Errorf("%s has the weight %.2f and the log density %.3f, the mixture has %.3f", c.Name, c.Weight, c.LogDensity, s.Expected.LogDensity)
		}
	}
	d := stack.Predicted(t, s, points.Question{Known: points.New(1, 1, nil, nil), Targets: points.New(1, 0, []float64{-0.5}, nil)})[0]
	if below := d.CDF(0); !(below > 0 && below < 0.1) || !(d.CDF(1e6) > 0.999) {
		t.Errorf("y is below 0 with probability %v and below 1e6 with %v", below, d.CDF(1e6))
	}
}

// Where groups grow by a line and every time is above 0, predictions stay near what the data support. Of time 0,
// just before the first day of the data, they say what they say of that day. Far beyond the last day, the mean is less
// than the line of the fastest group of a hundred (a slope of 11), and the deviation less than the mean.
func TestPredictionsBeyondTheDataStayNearThem(t *testing.T) {
	g := random.New(48, random.Validation)
	groups, least := make([]points.Group, 30), math.Inf(1)
	for k := range groups {
		groups[k].DX, groups[k].DY = 1, 1
		a, b := 40+3*g.Normal(uint64(k), 0), 6+1.5*g.Normal(uint64(k), 1)
		for i := range uint64(8) {
			x := 0.02 + 20*g.Float(uint64(k), 10+i)
			least = min(least, x)
			groups[k].X, groups[k].Y = append(groups[k].X, x), append(groups[k].Y, a+b*x+2*g.Normal(uint64(k), 30+i))
		}
	}
	s := must.Get(stack.Fit(t.Context(), groups, stack.Options{Threads: 2, Kinds: stack.Kinds()[:1]}))(t)
	if len(s.LogX) != 1 || !s.SeesLog() {
		t.Fatalf("logarithms of %v, of y: %v; want those of x and y", s.LogX, s.SeesLog())
	}
	for _, known := range []points.Points{points.New(1, 1, nil, nil), points.New(1, 1, []float64{5, 10}, []float64{72, 104})} {
		x := []float64{least, 0, 0.001, -1, 30, 100, 1000}
		d := stack.Predicted(t, s, points.Question{Known: known, Targets: points.New(1, 0, x, nil)})
		for _, at := range d[1:3] {
			if first := d[0]; math.Abs(at.Mean()-first.Mean()) > 1 || at.Variance() > 1.2*first.Variance() {
				t.Errorf("%d known points: %v ± %v at 0, %v ± %v on the first day", known.Len(), at.Mean(), math.Sqrt(at.Variance()), first.Mean(), math.Sqrt(first.Variance()))
			}
		}
		for i, at := range d {
			if mean, sd := at.Mean(), math.Sqrt(at.Variance()); !(mean > 20 && mean < 50+11*max(x[i], 1)) || !(sd < mean) {
				t.Errorf("%d known points: %v ± %v at %v", known.Len(), mean, sd, x[i])
			}
		}
	}
}
