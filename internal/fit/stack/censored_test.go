package stack_test

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"testing"

	"github.com/acqnp/acqnp/internal/fit/stack"
	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/random"
	"github.com/acqnp/acqnp/internal/test/must"
)

// assay returns the points of group k: level and slope of its own, of noise 0.4, about whose half lies below the limit of its
// clinic. below says what stands for these.
func assay(k int, exp bool, below int8) (full, seen points.Group) {
	g, step := random.New(5, random.Data), uint64(k+1)
	a, b, limit := g.Normal(step, 0), 0.3+0.2*g.Normal(step, 1), []float64{-9, 0.3, 1}[k%3]
	on := func(v float64) float64 {
		if exp {
			return math.Exp(v)
		}
		return v
	}
	for i := range 9 {
		x := 1 + 3*g.Float(step, uint64(100+i))
		y := a + b*(x-1) + 0.4*g.Normal(step, uint64(20+i))
		one := points.Points{X: []float64{x}, DX: 1, DY: 1, Rows: []int{9*k + i}}
		full.Append(one)
		full.Y = append(full.Y, on(y))
		seen.Append(one)
		if side := below; y < limit {
			seen.AppendY(on(limit), side)
		} else {
			seen.AppendY(on(y), 0)
		}
	}
	full.DY, seen.DY = 1, 1
	return full, seen
}

// With limits that differ by group, a stack predicts values below them nearly as one that was fitted to the values, from
// known points with limits too; on y and on its logarithm. One that takes limits for values does not. A file predicts the
// same, and threads change nothing.
func TestLimitsOfGroups(t *testing.T) {
	for _, exp := range []bool{false, true} {
		var all, limited, taken []points.Group
		for k := range 21 {
			full, seen := assay(k, exp, points.Below)
			_, value := assay(k, exp, 0)
			all, limited, taken = append(all, full), append(limited, seen), append(taken, value)
		}
		options := stack.Options{Threads: 2, Kinds: stack.Kinds()[:1], Questions: 60}
		if exp {
			options.Kinds, options.Log = stack.Kinds()[:2], true
		}
		mean := func(s *stack.Stack, known int) (mean float64) {
			for k := range 60 {
				full, seen := assay(1000+k, exp, points.Below)
				_, value := assay(1000+k, exp, 0)
				known := points.Question{Known: []points.Group{full, seen, value}[known].Cut(0, 3), Targets: points.New(1, 0, full.X[3:], nil)}
				for i, d := range must.Get(s.Predict(t.Context(), nil, stack.Reading{Question: known}))(t) {
					mean += d.LogDensity(full.Y[3+i]) / (60 * 6)
				}
			}
			return mean
		}
		s := must.Get(stack.Fit(t.Context(), limited, options))(t)
		best, got, crude := mean(must.Get(stack.Fit(t.Context(), all, options))(t), 0), mean(s, 1), mean(must.Get(stack.Fit(t.Context(), taken, options))(t), 2)
		if t.Logf("exp %v: fitted to values %.3f, to limits %.3f, to limits as values %.3f", exp, best, got, crude); got < best-0.15 || got < crude+0.3 {
			t.Errorf("exp %v: the mean log density with limits is %.3f, that of a fit to the values %.3f, with limits as values %.3f", exp, got, best, crude)
		}
		if below := slices.ContainsFunc(s.Asked, func(a stack.Asked) bool { return !(a.PIT >= 0 && a.PIT <= 1) }); below || s.Expected.CRPS <= 0 {
			t.Errorf("expected scores %+v", s.Expected)
		}
		content := must.Get(json.Marshal(s))(t)
		options.Threads = 3
		if again := must.Get(json.Marshal(must.Get(stack.Fit(t.Context(), limited, options))(t)))(t); !bytes.Equal(again, content) {
			t.Error("another number of threads gives another stack")
		}
		var read stack.Stack
		must.Do(t, json.Unmarshal(content, &read))
		must.Do(t, read.Open(stack.Kinds()))
		must.Do(t, read.Check(1))
		if v := mean(&read, 1); v != got {
			t.Errorf("the file predicts with the log density %v, want %v", v, got)
		}
	}
}
