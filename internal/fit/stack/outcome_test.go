package stack_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/acqnp/acqnp/internal/fit/simple"
	"github.com/acqnp/acqnp/internal/fit/stack"
	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/random"
	"github.com/acqnp/acqnp/internal/test/must"
)

// drawn returns 200 values in 20 groups.
func drawn(of func(normal float64) float64) []points.Group {
	g, all := random.New(3, random.Data), make([]points.Group, 20)
	for i := range 200 {
		k := &all[i%20]
		k.DX, k.DY, k.X, k.Y = 1, 1, append(k.X, float64(i)), append(k.Y, of(g.Normal(0, uint64(i))))
	}
	return all
}

func yOf(groups []points.Group) (y [][]float64) {
	for _, g := range groups {
		y = append(y, g.Y)
	}
	return y
}

// What is found is what the values are: a spike at an end is a bound, and rounded numbers that thin out are none.
func TestOutcomesAreFound(t *testing.T) {
	round := func(v, to float64) float64 { return math.Round(v/to) * to }
	for name, c := range map[string]struct {
		of   func(float64) float64
		want string
	}{
		"real":             {func(v float64) float64 { return v }, "numbers"},
		"rounded":          {func(v float64) float64 { return round(v, 0.5) }, "numbers"},
		"zeros":            {func(v float64) float64 { return max(0, v) }, "numbers of 0 or more"},
		"a limit":          {func(v float64) float64 { return min(1, v) }, "numbers of 1 or less"},
		"both":             {func(v float64) float64 { return min(max(-1.5, v), 1) }, "numbers from -1.5 to 1"},
		"a spike within":   {func(v float64) float64 { return max(v, min(0, v+1)) }, "numbers"},
		"counts":           {func(v float64) float64 { return math.Floor(math.Exp(v)) }, "whole numbers of 0 or more"},
		"counts above 0":   {func(v float64) float64 { return 20 + math.Round(3*v) }, "whole numbers of 0 or more"},
		"differences":      {func(v float64) float64 { return math.Round(2 * v) }, "whole numbers"},
		"yes or no":        {func(v float64) float64 { return max(0, math.Copysign(1, v-0.8)) }, "whole numbers from 0 to 1"},
		"two prices":       {func(v float64) float64 { return 9.99 + max(0, math.Copysign(5, v)) }, "numbers from 9.99 to 14.99"},
		"steps":            {func(v float64) float64 { return 9.5 + 5*min(3, math.Floor(math.Abs(v)/0.2)) }, "numbers of 24.5 or less"},
		"whole and wide":   {func(v float64) float64 { return math.Round(5000 + 1000*v) }, "numbers"},
		"whole and huge":   {func(v float64) float64 { return 1e17 + 16*math.Round(v) }, "numbers"},
		"the same, twice":  {func(float64) float64 { return 5 }, "numbers"},
		"a few zeros only": {func(v float64) float64 { return max(0, v+2.9) }, "numbers"},
	} {
		s, err := stack.OutcomeOf(yOf(drawn(c.of)), "")
		if err != nil || s.String() != c.want || !s.Real() && !s.Valid() {
			t.Errorf("%s: found %s, %v, want %s", name, s, err, c.want)
		}
	}
	stuck := drawn(func(v float64) float64 { return v })
	for i := range stuck[3].Y {
		stuck[3].Y[i] = -9
	}
	if s, _ := stack.OutcomeOf(yOf(stuck), ""); !s.Real() {
		t.Errorf("a group that is stuck: found %s, want any numbers", s)
	}
}

// Rounded numbers repeat themselves also at the ends, by chance: that is no bound. Of 300 samples of numbers without one,
// a rule of 3% finds one in at most 19 (three standard errors above 9).
func TestRoundedNumbersHaveNoBound(t *testing.T) {
	g := random.New(4, random.Data)
	for name, of := range map[string]func(u float64) float64{
		"tenths of even numbers": func(u float64) float64 { return 1 + math.Floor(9*u)/10 },
		"ages":                   func(u float64) float64 { return 20 + math.Floor(46*u) },
		"prices":                 func(u float64) float64 { return 5*math.Floor(2+8*u) - 0.01 },
		"a normal":               func(u float64) float64 { return 7 + math.Round(2*math.Sqrt2*math.Erfinv(2*u-1))/2 },
	} {
		found := 0
		for sample := range 300 {
			y := make([][]float64, 10)
			for i := range 50 {
				y[i%10] = append(y[i%10], of(g.Float(uint64(sample), uint64(i))))
			}
			s, err := stack.OutcomeOf(y, "")
			if err != nil {
				t.Fatal(err)
			}
			if s.High != nil || s.Low != nil && *s.Low != 0 {
				found++
			}
		}
		if found > 2*19 { // both ends
			t.Errorf("%s: found a bound in %d of 300 samples, want at most 38", name, found)
		}
	}
}

// What a user says counts, unless the values contradict it.
func TestOutcomesThatAreSaid(t *testing.T) {
	real, counts := drawn(func(v float64) float64 { return v }), drawn(func(v float64) float64 { return 9 + math.Round(2*v) })
	for _, c := range []struct {
		groups     []points.Group
		want       string
		said, fail string
	}{
		{counts, stack.Real, "numbers", ""},
		{counts, stack.Counts, "whole numbers of 0 or more", ""},
		{real, stack.Counts, "", "not all of them whole and 0 or more"},
		{real, stack.Bounded, "", "each in one row"},
		{drawn(func(v float64) float64 { return max(-1.9, v) }), stack.Bounded, "numbers of -1.9 or more", ""},
	} {
		s, err := stack.OutcomeOf(yOf(c.groups), c.want)
		switch {
		case c.fail != "" && (err == nil || !strings.Contains(err.Error(), c.fail)):
			t.Errorf("%s: %v, want an error with %q", c.want, err, c.fail)
		case c.fail == "" && (err != nil || s.String() != c.said):
			t.Errorf("%s: %s, %v, want %s", c.want, s, err, c.said)
		}
	}
}

// √y is a scale where y is 0 in places and nothing is below, and log y where all is above 0.
func TestScalesOfZeros(t *testing.T) {
	for _, c := range []struct {
		of   func(float64) float64
		want []likelihood.Scale
	}{
		{func(v float64) float64 { return max(0, v) }, []likelihood.Scale{likelihood.OfY, likelihood.RootY}},
		{func(v float64) float64 { return v }, []likelihood.Scale{likelihood.OfY}},
		{math.Exp, []likelihood.Scale{likelihood.OfY, likelihood.LogY}},
	} {
		groups := drawn(c.of)
		var lock sync.Mutex
		seen := map[float64]bool{} // the y that models see
		kind := stack.Kinds()[0]
		kind.Fit = func(groups []points.Group) (simple.Model, error) {
			lock.Lock()
			defer lock.Unlock()
			for _, g := range groups {
				for _, y := range g.Y {
					seen[y] = true
				}
			}
			return nil, errors.New("no model")
		}
		o := stack.Options{Threads: 1, Kinds: []stack.Kind{kind}}
		o.Outcome, _ = stack.OutcomeOf(yOf(groups), "")
		if _, err := stack.Fit(t.Context(), groups, o); err != stack.ErrNothing {
			t.Errorf("error %v, want %v", err, stack.ErrNothing)
		}
		var found []likelihood.Scale
		for _, s := range []likelihood.Scale{likelihood.OfY, likelihood.LogY, likelihood.RootY} {
			if slices.ContainsFunc(slices.Concat(yOf(groups)...), func(v float64) bool { return v > 0 && seen[s.Place(v)] }) { // no atom
				found = append(found, s)
			}
		}
		if !slices.Equal(found, c.want) {
			t.Errorf("scales %q, want %q", found, c.want)
		}
	}
}

// An end that repeats no more than the values next to it is a bound if models out of fold do better with it: grades are,
// and small counts and rounded numbers are not.
func TestEndsAreSettled(t *testing.T) {
	grade := func(v float64) float64 { return min(max(math.Round(3+1.7*v), 1), 5) }
	slider := func(v float64) float64 { // whose last step is a heap too
		if y := math.Round(70 + 60*v); y < 100 {
			return y
		}
		return 99 + math.Mod(math.Floor(1000*v), 2)
	}
	for name, c := range map[string]struct {
		of    func(float64) float64
		want  string
		lines int
	}{
		"grades":        {grade, "whole numbers from 1 to 5", 2},
		"a slider":      {slider, "numbers of 100 or less", 1},
		"small counts":  {func(v float64) float64 { return max(0, math.Round(math.Exp(0.7*v)-0.6)) }, "whole numbers of 0 or more", 0},
		"coarse normal": {func(v float64) float64 { return math.Round(9 + v) }, "whole numbers of 0 or more", 0},
	} {
		groups := drawn(c.of)
		o := stack.Options{Threads: 2, Kinds: stack.Kinds()}
		o.Outcome, _ = stack.OutcomeOf(yOf(groups), "")
		s, lines, err := o.Settle(t.Context(), groups)
		if err != nil || s.String() != c.want || len(lines) != c.lines {
			t.Errorf("%s: %s, %q, %v, want %s", name, s, lines, err, c.want)
		}
	}
}

// Counts, zeros, and 0 and 1 have models of their own, which are not tried where values are taken for any numbers.
func TestOutcomesHaveTheirModels(t *testing.T) {
	for _, c := range []struct {
		of    func(float64) float64
		want  string // of the outcome
		names []string
	}{
		{func(v float64) float64 { return math.Floor(math.Exp(v)) }, "", []string{"count model", "count model, log x"}},
		{func(v float64) float64 { return math.Floor(math.Exp(v)) }, stack.Real, nil},
		{func(v float64) float64 { return max(0, v) }, "", []string{"hurdle model", "hurdle model, log x", "hurdle model, log x, sqrt y", "hurdle model, sqrt y"}},
		{func(v float64) float64 { return float64(int(1 + v/9)) }, "", []string{"logistic model", "logistic model, log x"}},
	} {
		groups := drawn(c.of)
		o := stack.Options{Threads: 2, Kinds: []stack.Kind{stack.CountModel(), stack.LogisticModel(), stack.HurdleModel()}, Questions: 50}
		o.Kinds = stack.For(groups, o.Kinds)
		o.Outcome, _ = stack.OutcomeOf(yOf(groups), c.want)
		s, err := stack.Fit(t.Context(), groups, o)
		if c.names == nil {
			if err != stack.ErrNothing {
				t.Errorf("error %v, want %v", err, stack.ErrNothing)
			}
			continue
		}
		must.Do(t, err)
		var names []string
		for _, m := range s.Candidates {
			names = append(names, m.Name)
		}
		others := slices.ContainsFunc(names, func(n string) bool { return !slices.Contains(c.names, n) })
		if len(names) == 0 || others || len(s.Failed) > 0 {
			t.Errorf("models %q, failed %v, want of %q", names, s.Failed, c.names)
		}
	}
}
