package simple_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/fit/simple"
	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/random"
	"github.com/acqnp/acqnp/internal/test/must"
)

// factorial returns 60 groups of 10 points of two columns of so many names, as models see them but for the first columns
// of each that are left out. Names have deviations of 0.7, cells of together, groups of 0.5 and points of 0.5.
func factorial(a, b, left int, together float64) []points.Group {
	draw := random.New(uint64(a), random.Validation)
	normal := func(what, of int) float64 { return draw.Normal(uint64(what), uint64(of)) }
	names := func(k, i int) (int, int) {
		return draw.IntN(uint64(1000+k), uint64(i), a), draw.IntN(uint64(2000+k), uint64(i), b)
	}
	return groupsOf(60, 10, func(k, i int) []float64 {
		x := make([]float64, a+b)
		v, w := names(k, i)
		x[v], x[a+w] = 1, 1
		return append(x[left:a:a], x[a+left:]...)
	}, func(k, i int) float64 {
		v, w := names(k, i)
		return 0.7*(normal(3000, v)+normal(3001, w)) + together*normal(3002, v*b+w) + 0.5*normal(3003, k) + 0.5*normal(k, i)
	})
}

// scoreOf returns the mean log density of the last half of the groups by a model of the first half: of each point given
// the two before it, or of the first two given none.
func scoreOf(t *testing.T, fit func([]points.Group) (simple.Model, error), all []points.Group) (mean float64) {
	t.Helper()
	half, n := len(all)/2, 0
	m := must.Get(fit(all[:half]))(t)
	must.Do(t, m.Check())
	for _, g := range all[half:] {
		for i := range g.Len() {
			known := g.Cut(i/3*2, i/3*2)
			if i >= 2 {
				known = g.Cut(i-2, i)
			}
			mean += m.Given(known, g.Cut(i, i+1))[0].LogDensity(g.Y[i])
			n++
		}
	}
	return mean / float64(n)
}

// A row between the names makes their columns numbers, of which the mixed model knows no cells. Where names act together,
// it is better by at least 0.15 nats with cells; where they do not, it loses at most 0.01. So it is with columns of 0 and 1
// that are numbers: without those of the first names. The Gaussian process, which has products of
// numbers too, is as good to 0.01.
func TestNamesThatActTogether(t *testing.T) {
	for _, size := range [][3]int{{6, 4, 0}, {2, 2, 0}, {2, 2, 1}} {
		for _, together := range []float64{0.8, 0} {
			t.Run(fmt.Sprint(size, together), func(t *testing.T) {
				t.Parallel()
				groups, numbers := factorial(size[0], size[1], size[2], together), factorial(size[0], size[1], size[2], together)
				for c := range numbers[0].Row(0) {
					numbers[0].Row(0)[c] = 0.5
				}
				mixed, process := scoreOf(t, fits["mixed"], groups), scoreOf(t, fits["GP"], groups)
				gain := mixed - scoreOf(t, fits["mixed"], numbers)
				t.Logf("%.4f, and the process is better by %.4f", gain, process-mixed)
				if least := map[bool]float64{true: 0.15, false: -0.01}[together > 0]; gain < least || process < mixed-0.01 {
					t.Errorf("the mixed model gains %.3f, want at least %g; the process is at %.3f, the mixed model at %.3f", gain, least, process, mixed)
				}
			})
		}
	}
}

// With one column of names, or with names of one that say those of the other, models have no cells.
func TestNamesThatCannotActTogether(t *testing.T) {
	one, nested := factorial(3, 1, 0, 0), factorial(4, 1, 0, 0)
	for _, g := range nested { // the last columns are of a name that holds two of the first ones
		for i := range g.Len() {
			row := g.Row(i)
			row[4] = row[0] + row[1]
		}
	}
	for k := range nested {
		g := &nested[k]
		var x []float64
		for i := range g.Len() {
			x = append(append(x, g.Row(i)...), 1-g.Row(i)[4])
		}
		g.X, g.DX = x, 6
	}
	for name, groups := range map[string][]points.Group{"one": one, "nested": nested} {
		for model, fit := range fits {
			content := string(must.Get(json.Marshal(must.Get(fit(groups))(t)))(t))
			if strings.Contains(content, "crossings") || strings.Contains(content, "cells") {
				t.Errorf("%s, %s: found cells in %.300s", name, model, content)
			}
		}
	}
}
