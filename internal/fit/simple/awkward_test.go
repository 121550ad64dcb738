package simple_test

import (
	"maps"
	"math"
	"testing"

	"github.com/acqnp/acqnp/internal/fit/pretrained"
	"github.com/acqnp/acqnp/internal/fit/simple"
	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/random"
	"github.com/acqnp/acqnp/internal/test/must"
)

// fits are the models.
var fits = map[string]func(groups []points.Group) (simple.Model, error){
	"mixed": simple.FitMixed, "GP": simple.FitGP, "regressions": simple.FitRegressions,
}

// groupsOf returns groups with x and y of group k and point i.
func groupsOf(groups, each int, x func(k, i int) []float64, y func(k, i int) float64) []points.Group {
	all := make([]points.Group, groups)
	for k := range all {
		for i := range each {
			row := x(k, i)
			all[k].DX, all[k].DY = len(row), 1
			all[k].X, all[k].Y = append(all[k].X, row...), append(all[k].Y, y(k, i))
		}
	}
	return all
}

// From awkward data, a model either cannot be fitted or predicts densities that are finite at all y of
// the data, with and without a context.
func TestAwkwardData(t *testing.T) {
	all := maps.Clone(fits)
	all["grid"], all["network"] = simple.FitGrid, pretrained.Kind(pretrained.MostSiblings).Fit
	draw := random.New(8, random.Validation)
	line := func(_, i int) []float64 { return []float64{float64(i)} }
	normal := func(k, i int) float64 { return draw.Normal(uint64(k), uint64(i)) }
	for name, groups := range map[string][]points.Group{
		"constant y":       groupsOf(8, 6, line, func(int, int) float64 { return 3 }),
		"y of 0":           groupsOf(8, 6, line, func(int, int) float64 { return 0 }),
		"constant x":       groupsOf(8, 6, func(int, int) []float64 { return []float64{2} }, normal),
		"ties of y":        groupsOf(8, 6, line, func(k, i int) float64 { return float64((k + i) % 2) }),
		"one point each":   groupsOf(40, 1, func(k, _ int) []float64 { return []float64{float64(k)} }, normal),
		"one group":        groupsOf(1, 30, line, normal),
		"two points":       groupsOf(2, 1, line, normal),
		"one point":        groupsOf(1, 1, line, normal),
		"y of 1e99":        groupsOf(8, 6, line, func(k, i int) float64 { return 1e99 * normal(k, i) / 10 }),
		"y of 1e-300":      groupsOf(8, 6, line, func(k, i int) float64 { return 1e-300 * normal(k, i) }),
		"y of 1e300":       groupsOf(8, 6, line, func(k, i int) float64 { return 1e300 * normal(k, i) }),
		"y of 1e9 and 1":   groupsOf(8, 6, line, func(k, i int) float64 { return 1e9 + normal(k, i) }),
		"an outlier of y":  groupsOf(8, 6, line, func(k, i int) float64 { return normal(k, i) + map[bool]float64{true: 1e9}[k+i == 0] }),
		"an outlier of x":  groupsOf(8, 6, func(k, i int) []float64 { return []float64{float64(i) + map[bool]float64{true: 1e9}[k+i == 0]} }, normal),
		"an exact line":    groupsOf(8, 6, line, func(k, i int) float64 { return float64(k + 2*i) }),
		"a point repeated": groupsOf(8, 6, func(k, _ int) []float64 { return []float64{float64(k)} }, func(k, _ int) float64 { return float64(k) }),
	} {
		for model, fit := range all {
			m, err := fit(groups)
			if err != nil {
				continue
			}
			if err := m.Check(); err != nil {
				t.Errorf("%s, %s: %v", name, model, err)
			}
			for k, g := range groups {
				none := points.New(g.DX, 1, nil, nil)
				for _, context := range []points.Points{none, g.Points} {
					for i, d := range m.Given(context, g.Points) {
						if v := d.LogDensity(g.Y[i]); math.IsNaN(v) || math.IsInf(v, 0) {
							t.Fatalf("%s, %s: the log density of point %d of group %d, %v, is %v with a context of %d", name, model, i, k, g.Y[i], v, context.Len())
						}
					}
				}
			}
		}
	}
}

// A few outliers change what is predicted for other groups little, with a context that has one too: the
// noise of ordinary points has a deviation of 0.2.
func TestOutliersDoNotRuinAFit(t *testing.T) {
	draw := random.New(9, random.Validation)
	groups := groupsOf(20, 8, func(k, i int) []float64 { return []float64{4*draw.Float(uint64(k), uint64(100+i)) - 2} },
		func(k, i int) float64 { return draw.Normal(uint64(k), 99) + 0.2*draw.Normal(uint64(k), uint64(i)) })
	for k := range 3 {
		groups[5*k].Y[k] = 1e9
	}
	g := groups[19]
	context := points.New(1, 1, g.X[:6], append([]float64{-1e9}, g.Y[1:6]...))
	for _, model := range []string{"mixed", "GP"} {
		m, err := fits[model](groups[:19])
		if err != nil {
			t.Fatalf("%s: %v", model, err)
		}
		d := m.Given(context, g.Cut(6, 7))[0]
		if low, high := d.Quantile(0.1), d.Quantile(0.9); low < g.Y[6]-1.5 || high > g.Y[6]+1.5 || high-low < 0.2 {
			t.Errorf("%s: an interval of 80%% from %.3f to %.3f for %.3f", model, low, high, g.Y[6])
		}
	}
}

// With far tails a value that nothing foretells has a density above e^−100, and others lose less than
// 0.001.
func TestFarTails(t *testing.T) {
	draw := random.New(9, random.Validation)
	groups := groupsOf(12, 6, func(_, i int) []float64 { return []float64{float64(i)} },
		func(k, i int) float64 { return draw.Normal(uint64(k), 99) + 0.2*draw.Normal(uint64(k), uint64(i)) })
	context := points.New(1, 1, groups[3].X[:2], groups[3].Y[:2])
	for name, fit := range fits {
		m, err := fit(groups)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		plain := m.Given(context, points.New(1, 0, []float64{2.5}, nil))[0]
		m.AddFarTails()
		far := m.Given(context, points.New(1, 0, []float64{2.5}, nil))[0]
		for _, y := range []float64{1e3, -1e6, 1e9} {
			if v := far.LogDensity(y); !(v > -100) {
				t.Errorf("%s: log density %.1f of %g", name, v, y)
			}
		}
		if a, b := plain.LogDensity(plain.Mean()), far.LogDensity(plain.Mean()); math.Abs(a-b) > 1e-3 {
			t.Errorf("%s: log densities %.5f without and %.5f with far tails", name, a, b)
		}
	}
}

// A category of 200 names, a column for each, is learnt with shrinkage: names differ by a deviation of
// 1, and of 6 points each has the noise 0.3.
func TestManyNames(t *testing.T) {
	draw := random.New(10, random.Validation)
	const names = 200
	groups := groupsOf(60, 20, func(k, i int) []float64 {
		x := make([]float64, names)
		x[(20*k+i)%names] = 1
		return x
	}, func(k, i int) float64 {
		return draw.Normal(uint64((20*k+i)%names), 7) + 0.3*draw.Normal(uint64(k), uint64(1000+i))
	})
	m := must.Get(simple.FitGP(groups[:50]))(t)
	sum, n := 0.0, 0.0
	for _, g := range groups[50:] {
		for i, d := range m.Given(points.New(names, 1, nil, nil), g.Points) {
			sum += d.LogDensity(g.Y[i])
			n++
		}
	}
	// A normal of the noise has −0.21; means of 5 points each cost 0.1, and names unknown would be at −1.46.
	if sum/n < -0.6 {
		t.Errorf("a point has a log density of %.3f, want at least −0.6", sum/n)
	}
}

// Off the line of two columns that depend on each other, where no point of the data lies, predictions are as unsure as
// y varies over such a distance: by some tens of its deviation, 2.
func TestOffTheLineOfTwoColumns(t *testing.T) {
	draw := random.New(9, random.Validation)
	groups := groupsOf(12, 8, func(k, i int) []float64 {
		x := 4*draw.Float(uint64(k), uint64(i)) - 2
		return []float64{x, 3 - 2*x}
	}, func(k, i int) float64 {
		x := 4*draw.Float(uint64(k), uint64(i)) - 2
		return draw.Normal(uint64(k), 50) + x + 0.3*draw.Normal(uint64(k), uint64(100+i))
	})
	for kind, fit := range fits {
		m := must.Get(fit(groups))(t)
		d := m.Given(points.New(2, 1, nil, nil), points.New(2, 0, []float64{0, 13}, nil))[0] // 3 on the line, and 5 is the most of the data
		if sd := math.Sqrt(d.Variance()); !(math.Abs(d.Mean()) < 40) || !(sd < 40) {
			t.Errorf("%s: %v ± %v off the line", kind, d.Mean(), sd)
		}
	}
}
