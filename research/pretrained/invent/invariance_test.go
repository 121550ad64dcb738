package invent_test

import (
	"math"
	"slices"
	"testing"

	"github.com/acqnp/acqnp/internal/fit/pretrained"
	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/random"
	"github.com/acqnp/acqnp/research/pretrained/prior"
)

// A task is siblings, and a group of which half is known.
type task struct {
	siblings []points.Group
	context  points.Points
	targets  points.Points
}

// invented returns tasks from invented data sets of 200 rows with at least two columns of x that vary.
func invented(n int) (all []task) {
	for step := uint64(0); len(all) < n; step++ {
		s := prior.Draw(random.New(11, random.Validation), step, 200)
		if s.Varying < 2 || len(s.Groups) < 6 {
			continue
		}
		var groups []points.Group
		rows, from := points.New(s.Varying+s.Constant, 1, s.X, s.Y), 0
		for _, k := range s.Groups {
			groups = append(groups, points.Group{Points: rows.Cut(from, from+k)})
			from += k
		}
		own := groups[0]
		if half := own.Len() / 2; half > 0 {
			all = append(all, task{groups[1:], own.Cut(0, half), own.Cut(half, own.Len())})
		}
	}
	return all
}

// scored returns the log density of each target, in deviations of the siblings' y.
func (t task) scored() (all []float64) {
	for i, d := range pretrained.New(t.siblings, pretrained.MostSiblings).Given(t.context, t.targets) {
		all = append(all, d.LogDensity(t.targets.Y[i]))
	}
	return all
}

// with returns the task with f applied to each row of x.
func (t task) with(f func(row []float64) []float64) task {
	rows := func(dx int, x []float64) (all []float64) {
		for row := range slices.Chunk(x, dx) {
			all = append(all, f(slices.Clone(row))...)
		}
		return all
	}
	dx := t.context.DX
	wide := len(f(make([]float64, dx)))
	group := func(p points.Points) points.Points { return points.New(wide, 1, rows(dx, p.X), p.Y) }
	changed := task{context: group(t.context), targets: group(t.targets)}
	for _, g := range t.siblings {
		changed.siblings = append(changed.siblings, points.Group{Points: group(g.Points)})
	}
	return changed
}

// TestWhatShouldHardlyMatter changes data sets in ways that a network must have learned to ignore, and
// bounds what a target of 60 invented data sets loses. An order of columns and a copy of a group cost
// nothing but for chance, of which 0.06 is three standard errors. A column of noise does cost: 200 rows
// cannot say for sure that it is one. -v prints what is lost.
func TestWhatShouldHardlyMatter(t *testing.T) {
	noise := random.New(12, random.Validation)
	draws := uint64(0)
	all := invented(60)
	for _, change := range []struct {
		what  string
		most  float64
		apply func(task) task
	}{
		{"columns in another order", 0.06, func(t task) task {
			return t.with(func(row []float64) []float64 { return append(row[1:], row[0]) })
		}},
		{"a column of noise", 0.2, func(t task) task {
			return t.with(func(row []float64) []float64 { draws++; return append(row, noise.Normal(0, draws)) })
		}},
		{"a copy of a group", 0.02, func(t task) task {
			t.siblings = append(slices.Clone(t.siblings), t.siblings[0])
			return t
		}},
	} {
		var lost, moved []float64
		for _, one := range all {
			before, after := one.scored(), change.apply(one).scored()
			for i := range before {
				lost, moved = append(lost, before[i]-after[i]), append(moved, math.Abs(before[i]-after[i]))
			}
		}
		mean, sd := meanOf(lost)
		size, _ := meanOf(moved)
		t.Logf("%s: loses %.4f ± %.4f nats a target, which moves by %.3f (%d targets)", change.what, mean, sd/math.Sqrt(float64(len(lost))), size, len(lost))
		if !(mean < change.most) {
			t.Errorf("%s: loses %.4f nats a target", change.what, mean)
		}
	}
}

func meanOf(v []float64) (mean, deviation float64) {
	for _, d := range v {
		mean += d / float64(len(v))
	}
	for _, d := range v {
		deviation += (d - mean) * (d - mean) / float64(len(v)-1)
	}
	return mean, math.Sqrt(deviation)
}
