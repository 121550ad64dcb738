package pretrained_test

import (
	"math"
	"slices"
	"testing"

	"github.com/acqnp/acqnp/internal/datasets/prior"
	"github.com/acqnp/acqnp/internal/fit/pretrained"
	"github.com/acqnp/acqnp/internal/fit/simple"
	"github.com/acqnp/acqnp/internal/random"
)

// A task is siblings, and a group of which half is known.
type task struct {
	siblings []simple.Group
	context  simple.Group
	x, y     []float64
}

// invented returns tasks from invented data sets of 200 rows with at least two columns of x that vary.
func invented(n int) (all []task) {
	for step := uint64(0); len(all) < n; step++ {
		s := prior.Draw(random.New(11, random.Validation), step, 200)
		if s.Varying < 2 || len(s.Groups) < 6 {
			continue
		}
		var groups []simple.Group
		wide, from := s.Varying+s.Constant, 0
		for _, k := range s.Groups {
			groups = append(groups, simple.Group{DX: wide, X: s.X[from*wide : (from+k)*wide], Y: s.Y[from : from+k]})
			from += k
		}
		own := groups[0]
		if half := own.Points() / 2; half > 0 {
			all = append(all, task{groups[1:], simple.Group{DX: wide, X: own.X[:half*wide], Y: own.Y[:half]}, own.X[half*wide:], own.Y[half:]})
		}
	}
	return all
}

// scored returns the log density of each target, in deviations of the siblings' y.
func (t task) scored() (all []float64) {
	for i, d := range pretrained.New(t.siblings, pretrained.MostSiblings).Given(t.context, t.x) {
		all = append(all, d.LogDensity(t.y[i]))
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
	group := func(g simple.Group) simple.Group { return simple.Group{DX: wide, X: rows(dx, g.X), Y: g.Y} }
	changed := task{context: group(t.context), x: rows(dx, t.x), y: t.y}
	for _, g := range t.siblings {
		changed.siblings = append(changed.siblings, group(g))
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

// TestDataUnlikeTheInvented: of white noise the network makes no curve, a stray does not widen everything,
// and far outside the data widths grow.
func TestDataUnlikeTheInvented(t *testing.T) {
	draw := random.New(13, random.Validation)
	none := simple.Group{DX: 1}
	width := func(groups []simple.Group, x float64) float64 {
		d := pretrained.New(groups, pretrained.MostSiblings).Given(none, []float64{x})[0]
		return d.Quantile(0.95) - d.Quantile(0.05)
	}

	white := groupsOf(20, 12, func(k, i int) []float64 { return []float64{draw.Normal(uint64(k), uint64(i))} },
		func(k, i int) float64 { return draw.Normal(uint64(100+k), uint64(i)) })
	lost, n := 0.0, 0
	for k := range uint64(20) {
		context := simple.Group{DX: 1, X: []float64{0.5, -0.5, 1}, Y: []float64{draw.Normal(200+k, 1), draw.Normal(200+k, 2), draw.Normal(200+k, 3)}}
		for i, d := range pretrained.New(white, pretrained.MostSiblings).Given(context, []float64{-1, 0, 0.7, 1.5}) {
			y := draw.Normal(300+k, uint64(i))
			lost += -y*y/2 - math.Log(2*math.Pi)/2 - d.LogDensity(y)
			n++
		}
	}
	t.Logf("white noise: loses %.3f nats to the density that drew it", lost/float64(n))
	if lost/float64(n) > 0.1 { // 240 rows say the mean and the scale to 0.01; the rest is doubt about groups
		t.Errorf("white noise: loses %.3f nats to the density that drew it", lost/float64(n))
	}

	straight := lines(20, 12)
	near := width(straight, 0)
	for _, far := range []float64{-8, 8, 100} {
		wide := width(straight, far)
		t.Logf("x = %v: %.2f of the width at 0", far, wide/near)
		if !(wide > 1.05*near) {
			t.Errorf("x = %v: an interval of %.2f, at 0 of %.2f", far, wide, near)
		}
	}

	strayed := slices.Clone(straight)
	strayed[3] = simple.Group{DX: 1, X: straight[3].X, Y: slices.Clone(straight[3].Y)}
	strayed[3].Y[0] += 20
	wide := width(strayed, 0)
	t.Logf("an outlier of 20 deviations: %.2f of the width without", wide/near)
	if !(wide < 2*near) {
		t.Errorf("an outlier: an interval of %.2f, without of %.2f", wide, near)
	}
}
