package pretrained_test

import (
	"encoding/json"
	"math"
	"slices"
	"testing"

	"github.com/acqnp/acqnp/internal/fit/pretrained"
	"github.com/acqnp/acqnp/internal/fit/simple"
	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/random"
)

// asked is a group of three known points and x of five targets, in the units of lines.
func asked() (context simple.Group, x []float64) {
	return simple.Group{DX: 1, X: []float64{-1, 0.2, 1.3}, Y: []float64{2, 2.9, 3.1}}, []float64{-1.5, -0.5, 0, 0.7, 2}
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
	want := pretrained.New(groups, pretrained.MostSiblings).Given(context, x)
	same := likelihood.Units{Factor: 1}
	check := func(what string, groups []simple.Group, context simple.Group, x []float64, u likelihood.Units) {
		t.Helper()
		if d := worst(want, pretrained.New(groups, pretrained.MostSiblings).Given(context, x), u); !(d < 1e-3) {
			t.Errorf("%s: quantiles move by %g deviations", what, d)
		}
	}
	backwards := slices.Clone(groups)
	slices.Reverse(backwards)
	check("the order of groups", backwards, context, x, same)
	var turned []simple.Group
	for _, g := range groups {
		turned = append(turned, reversed(g))
	}
	check("the order of rows", turned, reversed(context), x, same)
	of := func(g simple.Group, x, y likelihood.Units) simple.Group {
		return simple.Group{DX: 1, X: in(x, g.X), Y: in(y, g.Y)}
	}
	for _, u := range []likelihood.Units{{Factor: 1000, Offset: -5000}, {Factor: 1e-6}, {Factor: 3, Offset: 1e6}} {
		var inX, inY []simple.Group
		for _, g := range groups {
			inX, inY = append(inX, of(g, u, same)), append(inY, of(g, same, u))
		}
		check("the units of x", inX, of(context, u, same), in(u, x), same)
		check("the units of y", inY, of(context, same, u), x, u)
	}
	reversedX := pretrained.New(groups, pretrained.MostSiblings).Given(context, []float64{2, 0.7, 0, -0.5, -1.5})
	slices.Reverse(reversedX)
	if d := worst(want, reversedX, same); !(d < 1e-3) {
		t.Errorf("the order of targets: quantiles move by %g deviations", d)
	}
}

func reversed(g simple.Group) simple.Group {
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
	content, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	read, err := pretrained.Kind(pretrained.MostSiblings).Read(content)
	if err != nil || read.Check() != nil || read.Columns() != 1 {
		t.Fatal(err, read.Check(), read.Columns())
	}
	for i, d := range read.Given(context, x) {
		if want := m.Given(context, x)[i]; d.LogDensity(3) != want.LogDensity(3) || d.Mean() != want.Mean() {
			t.Errorf("target %d: mean %v after reading, want %v", i, d.Mean(), want.Mean())
		}
	}
	for _, bad := range []string{`{}`, `{"columns":1,"x":[[1]],"y":[[]]}`, `{"columns":1,"x":[[1]],"y":[]}`, `{"columns":2,"x":[[1]],"y":[[1]]}`, `{"columns":1,"x":[[1e200]],"y":[[1]]}`, `3`} {
		if m, err := pretrained.Kind(pretrained.MostSiblings).Read([]byte(bad)); err == nil && m.Check() == nil {
			t.Errorf("%s was read", bad)
		}
	}
}

// From awkward data, the network predicts densities that are finite at all y of the data, with and without
// a context, and does not panic.
func TestAwkwardData(t *testing.T) {
	draw := random.New(8, random.Validation)
	line := func(_, i int) []float64 { return []float64{float64(i)} }
	normal := func(k, i int) float64 { return draw.Normal(uint64(k), uint64(i)) }
	for name, groups := range map[string][]simple.Group{
		"constant y":       groupsOf(8, 6, line, func(int, int) float64 { return 3 }),
		"y of 0":           groupsOf(8, 6, line, func(int, int) float64 { return 0 }),
		"constant x":       groupsOf(8, 6, func(int, int) []float64 { return []float64{2} }, normal),
		"one point each":   groupsOf(40, 1, func(k, _ int) []float64 { return []float64{float64(k)} }, normal),
		"one group":        groupsOf(1, 30, line, normal),
		"one point":        groupsOf(1, 1, line, normal),
		"two points":       groupsOf(2, 1, line, normal),
		"y of 1e-300":      groupsOf(8, 6, line, func(k, i int) float64 { return 1e-300 * normal(k, i) }),
		"y of 1e99":        groupsOf(8, 6, line, func(k, i int) float64 { return 1e99 * normal(k, i) / 10 }),
		"y of 1e9 and 1":   groupsOf(8, 6, line, func(k, i int) float64 { return 1e9 + normal(k, i) }),
		"an outlier of x":  groupsOf(8, 6, func(k, i int) []float64 { return []float64{float64(i) + map[bool]float64{true: 1e9}[k+i == 0]} }, normal),
		"an exact line":    groupsOf(8, 6, line, func(k, i int) float64 { return float64(k + 2*i) }),
		"a point repeated": groupsOf(8, 6, func(k, _ int) []float64 { return []float64{float64(k)} }, func(k, _ int) float64 { return float64(k) }),
		"500 groups":       groupsOf(500, 3, line, normal),
		"3,000 groups":     groupsOf(3000, 1, line, normal),
		"5,000 rows in one": append(groupsOf(3, 4, line, normal),
			groupsOf(1, 5000, line, normal)...),
		"twelve columns": groupsOf(8, 6, func(k, i int) []float64 {
			row := make([]float64, 12)
			for c := range row {
				row[c] = draw.Normal(uint64(100+c), uint64(k*(1-c%2)*6+i*(c%2)))
			}
			return row
		}, normal),
	} {
		m := pretrained.New(groups, pretrained.MostSiblings)
		if err := m.Check(); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		own := groups[len(groups)-1]
		x := own.X[:min(20, own.Points())*own.DX]
		for _, context := range []simple.Group{{DX: own.DX}, own} {
			for i, d := range m.Given(context, x) {
				if l := d.LogDensity(own.Y[i]); math.IsNaN(l) || math.IsInf(l, 0) {
					t.Errorf("%s: log density %v at row %d, %d points of context", name, l, i, context.Points())
				}
			}
		}
	}
}

// groupsOf returns groups with x and y of group k and point i.
func groupsOf(groups, points int, x func(k, i int) []float64, y func(k, i int) float64) []simple.Group {
	all := make([]simple.Group, groups)
	for k := range all {
		for i := range points {
			row := x(k, i)
			all[k].DX = len(row)
			all[k].X, all[k].Y = append(all[k].X, row...), append(all[k].Y, y(k, i))
		}
	}
	return all
}
