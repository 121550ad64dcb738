package engine_test

import (
	"math"
	"slices"
	"testing"

	"github.com/acqnp/acqnp/internal/engine"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/models/ops"
	"github.com/acqnp/acqnp/internal/random"
	"github.com/acqnp/acqnp/internal/test/must"
)

// A dataRow is a row of a data set: x [2], y [2] and the levels of its prediction.
type dataRow struct{ x, y, u []float64 }

// A dataGroup has context rows and targets. One without targets is a sibling.
type dataGroup struct{ context, targets []dataRow }

const groupLevels = 5

// groupsOf draws groups with so many context rows and targets.
func groupsOf(seed uint64, sizes ...[2]int) (all []dataGroup) {
	r := random.New(seed, random.Data)
	draw := func(group, row, n int, shift float64) []float64 {
		v := make([]float64, n)
		for i := range v {
			v[i] = float64(float32(r.Float(uint64(group), uint64(100*row+10*n+i)))) + shift // exact in float32
		}
		return v
	}
	for g, size := range sizes {
		rows := make([]dataRow, size[0]+size[1])
		for i := range rows {
			rows[i] = dataRow{draw(g, i, 2, -0.5), draw(g, i, 2, 0.25), draw(g, i, groupLevels, 0)}
		}
		all = append(all, dataGroup{rows[:size[0]], rows[size[0]:]})
	}
	return all
}

// clone copies a data set with its numbers.
func clone(set []dataGroup) (all []dataGroup) {
	rows := func(of []dataRow) (all []dataRow) {
		for _, r := range of {
			all = append(all, dataRow{slices.Clone(r.x), slices.Clone(r.y), slices.Clone(r.u)})
		}
		return all
	}
	for _, g := range set {
		all = append(all, dataGroup{rows(g.context), rows(g.targets)})
	}
	return all
}

// set copies numbers to an input, and fails if there is none.
func set(t *testing.T, p engine.Program[float64], name string, v []float64) {
	t.Helper()
	in := p.Input(name)
	if len(in) < len(v) || in == nil {
		t.Fatalf("input %s has room for %d numbers, not %d", name, len(in), len(v))
	}
	copy(in, v)
}

// levelsOf returns the Levels of a model's extents.
func levelsOf(m *models.Model) int {
	if m.Quantile() {
		return groupLevels
	}
	return 0
}

// whole returns the log-likelihood of every target, by groups, from the graph that reads a whole data
// set. The siblings come first in it.
func whole(t *testing.T, m *models.Model, all []dataGroup) (ll []float64) {
	t.Helper()
	var context, ofContext, x, y, u, ofPoints []float64
	rows := 0
	add := func(g dataGroup) {
		for _, r := range g.context {
			context = append(append(context, r.x...), r.y...)
			ofContext = append(ofContext, float64(rows), float64(rows+len(g.context)))
		}
		for _, r := range g.targets {
			x, y, u = append(x, r.x...), append(y, r.y...), append(u, r.u...)
			ofPoints = append(ofPoints, float64(rows), float64(rows+len(g.context)))
		}
		rows += len(g.context)
	}
	for _, siblings := range []bool{true, false} {
		for _, g := range all {
			if siblings == (len(g.targets) == 0) {
				add(g)
			}
		}
	}
	known := float64(siblingRows(all))
	e := ops.Extents{Groups: 1, Context: rows, Points: len(x) / 2, Levels: levelsOf(m)}
	p := truth[float64](t, m, e, models.Evaluation)
	for i, v := range m.Initial(3) {
		p.Params()[i] = float64(v)
	}
	set(t, p, "x", x)
	set(t, p, "y", y)
	set(t, p, "group", ofPoints)
	set(t, p, "siblings", slices.Repeat([]float64{0, known}, e.Points))
	if rows > 0 {
		set(t, p, "context", context)
		set(t, p, "context_group", ofContext)
		set(t, p, "context_siblings", slices.Repeat([]float64{0, known}, rows))
	}
	if m.Quantile() {
		set(t, p, "u", u)
	}
	run(t, p, e)
	return slices.Clone(p.Output("loglik")[:e.Points])
}

// siblingRows returns the number of rows of the siblings.
func siblingRows(all []dataGroup) (n int) {
	for _, g := range all {
		if len(g.targets) == 0 {
			n += len(g.context)
		}
	}
	return n
}

// severalGroups are the sizes of groups of the tests: context rows and targets.
var severalGroups = [][2]int{{3, 0}, {1, 0}, {4, 2}, {6, 0}, {1, 3}}

// groupModels are small models of every name that reads groups, with two layers and more.
func groupModels(t *testing.T) map[string]*models.Model {
	all := map[string]*models.Model{}
	for _, form := range []string{"cnp/groups", "cqnp/groups//natural", "acqnp/groups/residual/natural", "acqnp/groups/plain"} {
		c := sized(form, 8, []int{6}, 2)
		m := must.Get(models.New(c, 2, 2))(t)
		all[form] = m
	}
	return all
}

// furthest returns the largest difference of log-likelihoods.
func furthest(t *testing.T, got, want []float64) (most float64) {
	t.Helper()
	if len(got) != len(want) || len(want) == 0 {
		t.Fatalf("%d numbers, want %d", len(got), len(want))
	}
	for i := range want {
		if d := math.Abs(got[i] - want[i]); !(d <= most) {
			most = d
		}
	}
	return most
}

// TestOrderOfGroupsDoesNotMatter: other orders of groups and of rows in them give the same
// log-likelihoods, but for the rounding of float64.
func TestOrderOfGroupsDoesNotMatter(t *testing.T) {
	for form, m := range groupModels(t) {
		all := groupsOf(6, severalGroups...)
		want := whole(t, m, all)
		other := clone(all)
		for _, g := range other {
			slices.Reverse(g.context)
		}
		other[0], other[1], other[3] = other[3], other[0], other[1] // the siblings
		if d := furthest(t, whole(t, m, other), want); !(d < 1e-12) {
			t.Errorf("%s: siblings and rows in another order: %.2g apart", form, d)
		}
		other[2], other[4] = other[4], other[2] // the groups with 2 and 3 targets
		if d := furthest(t, whole(t, m, other), slices.Concat(want[2:], want[:2])); !(d < 1e-12) {
			t.Errorf("%s: groups with targets in another order: %.2g apart", form, d)
		}
	}
}

// TestWhatIsNotSeenDoesNotMatter changes numbers that a prediction must not depend on, and one that it
// must depend on. The other log-likelihoods keep their bits.
func TestWhatIsNotSeenDoesNotMatter(t *testing.T) {
	for form, m := range groupModels(t) {
		all := groupsOf(7, severalGroups...)
		want := whole(t, m, all) // of two targets of group 2 and three of group 4
		for name, c := range map[string]struct {
			change func(all []dataGroup)
			keeps  []int // log-likelihoods
		}{
			"a target":                        {func(all []dataGroup) { all[2].targets[0].x[1] += 0.5; all[2].targets[0].y[0] += 2 }, []int{1, 2, 3, 4}},
			"the context of another group":    {func(all []dataGroup) { all[2].context[1].x[0] += 0.5; all[2].context[2].y[1] += 2 }, []int{2, 3, 4}},
			"the size of the group's context": {func(all []dataGroup) { all[4].context = nil }, []int{0, 1}},
			"a sibling":                       {func(all []dataGroup) { all[3].context[0].y[0] += 0.5 }, nil},
		} {
			other := clone(all)
			c.change(other)
			got := whole(t, m, other)
			for i := range want {
				if same, keeps := got[i] == want[i], slices.Contains(c.keeps, i); same != keeps {
					t.Errorf("%s, %s changed: log-likelihood %d was %v and is %v", form, name, i, want[i], got[i])
				}
			}
		}
	}
}
