package pretrained_test

import (
	"encoding/json"
	"math"
	"slices"
	"testing"

	"github.com/acqnp/acqnp/internal/fit/pretrained"
	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/random"
	"github.com/acqnp/acqnp/internal/test/must"
)

// lines returns groups of rows on lines with an intercept of their own.
func lines(groups, rows int) (all []points.Group) {
	r := random.New(1, random.Data)
	for g := range groups {
		group := points.Group{Points: points.New(1, 1, nil, nil)}
		for i := range rows {
			x := r.Normal(uint64(g), uint64(2*i+2))
			group.X, group.Y = append(group.X, x), append(group.Y, 3+r.Normal(uint64(g), 0)+0.5*x+0.3*r.Normal(uint64(g), uint64(2*i+3)))
		}
		all = append(all, group)
	}
	return all
}

// asked is a group of three known points and x of five targets, in the units of lines.
func asked() (context points.Points, x []float64) {
	return points.New(1, 1, []float64{-1, 0.2, 1.3}, []float64{2, 2.9, 3.1}), []float64{-1.5, -0.5, 0, 0.7, 2}
}

// worst returns the largest difference of quantiles between two predictions, in deviations of the first.
func worst(want, got []likelihood.GaussianMixture, u likelihood.Units) (most float64) {
	for i, d := range want {
		for _, p := range []float64{0.02, 0.25, 0.5, 0.75, 0.98} {
			here, there := d.Quantile(p), (got[i].Quantile(p)-u.Offset)/u.Factor
			most = max(most, math.Abs(here-there)/math.Sqrt(d.Variance()))
		}
	}
	return most
}

// TestWhatDoesNotMatter changes a data set in ways that say nothing about a new group. Predictions stay
// within 1e-3 deviations: sums of float32 in another order differ by 1e-5, and layers multiply that.
func TestWhatDoesNotMatter(t *testing.T) {
	groups := lines(20, 9)
	context, x := asked()
	want := pretrained.New(groups, pretrained.MostSiblings).Given(context, points.New(1, 0, x, nil))
	same := likelihood.Units{Factor: 1}
	check := func(what string, groups []points.Group, context points.Points, x []float64, u likelihood.Units) {
		t.Helper()
		if d := worst(want, pretrained.New(groups, pretrained.MostSiblings).Given(context, points.New(1, 0, x, nil)), u); !(d < 1e-3) {
			t.Errorf("%s: quantiles move by %g deviations", what, d)
		}
	}
	backwards := slices.Clone(groups)
	slices.Reverse(backwards)
	check("the order of groups", backwards, context, x, same)
	var turned []points.Group
	for _, g := range groups {
		turned = append(turned, points.Group{Points: reversed(g.Points)})
	}
	check("the order of rows", turned, reversed(context), x, same)
	of := func(g points.Points, x, y likelihood.Units) points.Points {
		return points.New(1, 1, in(x, g.X), in(y, g.Y))
	}
	for _, u := range []likelihood.Units{{Factor: 1000, Offset: -5000}, {Factor: 1e-6}, {Factor: 3, Offset: 1e6}} {
		var inX, inY []points.Group
		for _, g := range groups {
			inX, inY = append(inX, points.Group{Points: of(g.Points, u, same)}), append(inY, points.Group{Points: of(g.Points, same, u)})
		}
		check("the units of x", inX, of(context, u, same), in(u, x), same)
		check("the units of y", inY, of(context, same, u), x, u)
	}
	reversedX := pretrained.New(groups, pretrained.MostSiblings).Given(context, points.New(1, 0, []float64{2, 0.7, 0, -0.5, -1.5}, nil))
	slices.Reverse(reversedX)
	if d := worst(want, reversedX, same); !(d < 1e-3) {
		t.Errorf("the order of targets: quantiles move by %g deviations", d)
	}
}

func reversed(g points.Points) points.Points {
	g.X, g.Y = slices.Clone(g.X), slices.Clone(g.Y)
	slices.Reverse(g.X)
	slices.Reverse(g.Y)
	return g
}

func in(u likelihood.Units, values []float64) (all []float64) {
	for _, v := range values {
		all = append(all, u.Offset+u.Factor*v)
	}
	return all
}

// TestAFileHoldsTheModel: what is read predicts what was written, to the bit.
func TestAFileHoldsTheModel(t *testing.T) {
	context, x := asked()
	m := pretrained.New(lines(30, 4), pretrained.MostSiblings)
	content := must.Get(json.Marshal(m))(t)
	read, err := pretrained.Kind(pretrained.MostSiblings).Read(content)
	if err != nil || read.Check() != nil || read.Columns() != 1 {
		t.Fatal(err, read.Check(), read.Columns())
	}
	for i, d := range read.Given(context, points.New(1, 0, x, nil)) {
		if want := m.Given(context, points.New(1, 0, x, nil))[i]; d.LogDensity(3) != want.LogDensity(3) || d.Mean() != want.Mean() {
			t.Errorf("target %d: mean %v after reading, want %v", i, d.Mean(), want.Mean())
		}
	}
	for _, bad := range []string{`{}`, `{"columns":1,"x":[[1]],"y":[[]]}`, `{"columns":1,"x":[[1]],"y":[]}`, `{"columns":2,"x":[[1]],"y":[[1]]}`, `{"columns":1,"x":[[1e200]],"y":[[1]]}`, `3`} {
		if m, err := pretrained.Kind(pretrained.MostSiblings).Read([]byte(bad)); err == nil && m.Check() == nil {
			t.Errorf("%s was read", bad)
		}
	}
}

// From many groups, many rows and many columns, the network predicts densities that are finite at y of the data.
func TestLargeData(t *testing.T) {
	many := slices.Repeat([]points.Group{{Points: points.New(1, 1, []float64{1}, []float64{2})}, {Points: points.New(1, 1, []float64{2}, []float64{-1})}}, 1500)
	wide := lines(8, 6)
	draw := random.New(8, random.Validation)
	for k := range wide {
		wide[k].DX, wide[k].X = 12, nil
		for i := range wide[k].Y {
			for c := range 12 {
				wide[k].X = append(wide[k].X, draw.Normal(uint64(100+c), uint64(k*(1-c%2)*6+i*(c%2))))
			}
		}
	}
	for name, groups := range map[string][]points.Group{"500 groups": lines(500, 3), "3,000 groups": many,
		"5,000 rows in one": append(lines(3, 4), lines(1, 5000)...), "twelve columns": wide} {
		m := pretrained.New(groups, pretrained.MostSiblings)
		must.Do(t, m.Check())
		own := groups[len(groups)-1]
		targets := own.Cut(0, min(20, own.Len()))
		for _, context := range []points.Points{own.Cut(0, 0), own.Points} {
			for i, d := range m.Given(context, targets) {
				if l := d.LogDensity(own.Y[i]); math.IsNaN(l) || math.IsInf(l, 0) {
					t.Errorf("%s: log density %v at row %d, %d points of context", name, l, i, context.Len())
				}
			}
		}
	}
}
