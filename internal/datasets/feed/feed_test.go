package feed_test

import (
	"context"
	"errors"
	"math"
	"runtime"
	"slices"
	"testing"

	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/datasets/feed"
	"github.com/acqnp/acqnp/internal/engine"
	"github.com/acqnp/acqnp/internal/random"
	"github.com/acqnp/acqnp/internal/test/must"
)

// reads is a model that reads levels, bootstraps or neither.
type reads struct {
	name                string
	quantile, bootstrap bool
	natural             bool
}

func (r reads) Name() string    { return r.name }
func (r reads) Quantile() bool  { return r.quantile }
func (r reads) Bootstrap() bool { return r.bootstrap }
func (r reads) Natural() bool   { return r.natural }

var (
	cnp   = reads{name: "cnp"}
	cqnp  = reads{name: "cqnp", quantile: true}
	acqnp = reads{name: "acqnp", quantile: true}
	bnp   = reads{name: "bnp", bootstrap: true}
)

// inputs is a program that keeps what is written to its inputs.
type inputs struct {
	engine.Program[float32]
	v map[string][]float32
}

func (p inputs) Input(name string) []float32 {
	if p.v[name] == nil {
		p.v[name] = make([]float32, 1<<16)
	}
	return p.v[name]
}

// written returns a program with the feed in its inputs.
func written(f *feed.Feed) inputs {
	p := inputs{v: map[string][]float32{}}
	f.Write(p)
	return p
}

func draws(t *testing.T, m feed.Reader, c feed.Choice) feed.Draws {
	t.Helper()
	d := must.Get(feed.New(m, c))(t)
	return d
}

// some makes the batch of a step: dx = 2, dy = 1, with sizes and values that depend on the step.
func some(step int, b *datasets.Batch) error {
	*b = datasets.Batch{Groups: 1 + step%3, Points: 5 + step%4, Context: 1 + step%5, DX: 2, DY: 1}
	for i := range b.Groups * b.Points {
		b.X = append(b.X, float32(step), float32(i))
		b.Y = append(b.Y, float32(100*step+i))
	}
	return nil
}

// each makes the feeds of the steps 0 to n−1 of a source.
func each(t *testing.T, batch func(int, *datasets.Batch) error, d feed.Draws, n int, see func(step int, f *feed.Feed)) {
	t.Helper()
	feeds := feed.Start(batch, feed.AllPoints, d, 0, n)
	defer feeds.Close()
	for step := range n {
		f := must.Get(feeds.Next(t.Context()))(t)
		see(step, f)
		feeds.Release(f)
	}
}

func TestFeedsHoldTheirBatches(t *testing.T) {
	each(t, some, draws(t, cnp, feed.Choice{}), 30, func(step int, f *feed.Feed) {
		var b datasets.Batch
		_ = some(step, &b)
		e := f.Extents
		if e.Groups != b.Groups || e.Points != b.Points || e.Context != b.Context || e.Levels != 0 || f.Own {
			t.Fatalf("step %d: %v", step, e)
		}
		var pairs []float32
		for group := range b.Groups {
			for i := group * b.Points; i < group*b.Points+b.Context; i++ {
				pairs = append(pairs, b.X[2*i], b.X[2*i+1], b.Y[i])
			}
		}
		p := written(f)
		for name, want := range map[string][]float32{"context": pairs, "x": b.X, "y": b.Y} {
			if !slices.Equal(p.v[name][:len(want)], want) {
				t.Errorf("step %d: %s is not its batch's", step, name)
			}
		}
		if len(p.v) != 3 {
			t.Errorf("step %d writes %d inputs", step, len(p.v))
		}
	})
}

func TestDrawnLevelsAreTheStreams(t *testing.T) {
	for evaluation, stream := range map[bool]random.Stream{false: random.Levels, true: random.Levels | random.Evaluation} {
		d := draws(t, acqnp, feed.Choice{NumTau: 7, Spacing: feed.RandomLevels, Seed: 43, Evaluation: evaluation})
		each(t, some, d, 5, func(step int, f *feed.Feed) {
			want := make([]float32, f.Extents.Groups*f.Extents.Points*7)
			random.New(43, stream).Fill(uint64(step), 0, want)
			if got := written(f).v["u"]; f.Extents.Levels != 7 || !slices.Equal(got[:len(want)], want) || !slices.Equal(f.Levels(), want) {
				t.Errorf("step %d: other levels than the stream's", step)
			}
		})
	}
}

// In a grid, τ = 0.001..0.999. That is u itself for acqnp, and 0.001 + 0.998·u for cqnp. Models with the
// natural scale take midpoints.
func TestEvenlySpacedLevels(t *testing.T) {
	natural := func(r reads) reads {
		r.natural = true
		return r
	}
	for _, c := range []struct {
		model reads
		want  []float64
	}{
		{natural(acqnp), []float64{0.5}},
		{natural(acqnp), []float64{0.125, 0.375, 0.625, 0.875}},
		{natural(cqnp), []float64{0.125, 0.375, 0.625, 0.875}},
		{acqnp, []float64{0.5}},
		{cqnp, []float64{0.5}},
		{acqnp, []float64{0.001, 0.999}},
		{acqnp, []float64{0.001, 0.2505, 0.5, 0.7495, 0.999}},
		{cqnp, []float64{0, 0.25, 0.5, 0.75, 1}},
	} {
		if even := feed.Even(len(c.want), c.model); len(even) != len(c.want) {
			t.Fatalf("%d levels of %d", len(even), len(c.want))
		}
		d := draws(t, c.model, feed.Choice{NumTau: len(c.want), Spacing: feed.Spacing(c.model)})
		each(t, some, d, 2, func(_ int, f *feed.Feed) {
			for i, got := range f.Levels() {
				if want := c.want[i%len(c.want)]; math.Abs(float64(got)-want) > 1e-7 { // float32 below 1
					t.Errorf("%s: level %d of %d is %v, want %v", c.model.name, i%len(c.want), len(c.want), got, want)
				}
			}
		})
	}
}

func TestTargetsReadTheSameLevelsHoweverTheyAreCut(t *testing.T) {
	d := draws(t, cqnp, feed.Choice{NumTau: 3, Spacing: feed.RandomLevels, Seed: 1, Evaluation: true})
	x, y := []float32{1, 2, 3, 4}, []float32{5, 6} // two context points
	targets := make([]float32, 2*9)
	for i := range targets {
		targets[i] = float32(i)
	}
	var whole, part feed.Feed
	whole.Targets(d, 4, 0, x, y, targets, 2, 1)
	part.Targets(d, 4, 5, x, y, targets[2*5:], 2, 1)
	if !slices.Equal(whole.Levels()[15:], part.Levels()) {
		t.Error("the levels of a target change with the run it falls into")
	}
	if e := part.Extents; e.Groups != 1 || e.Context != 2 || e.Points != 4 || e.Levels != 3 {
		t.Errorf("extents %v", e)
	}
	p := written(&part)
	if !slices.Equal(p.v["context"][:6], []float32{1, 2, 5, 3, 4, 6}) || !slices.Equal(p.v["x"][:8], targets[10:]) || p.v["y"] != nil {
		t.Errorf("context %v, x %v", p.v["context"][:6], p.v["x"][:8])
	}
}

func TestBootstrapsAreTheStreams(t *testing.T) {
	const k, offset = 4, 1 << 33
	for evaluation, stream := range map[bool]random.Stream{false: random.Bootstrap, true: random.Bootstrap | random.Evaluation} {
		d := draws(t, bnp, feed.Choice{Bootstraps: k, Seed: 9, Evaluation: evaluation})
		g := random.New(9, stream)
		each(t, some, d, 6, func(step int, f *feed.Feed) {
			e := f.Extents
			if e.Levels != k {
				t.Fatalf("extents %v", e)
			}
			p := written(f)
			for i := range e.Groups * e.Context * k {
				context, residual := g.IntN(uint64(step), uint64(i), e.Context), g.IntN(uint64(step), offset+uint64(i), e.Context)
				if got := p.v["resample_context"][i]; got != float32(context) {
					t.Fatalf("step %d, context index %d: %v, want %d", step, i, got, context)
				}
				if got := p.v["resample_residual"][i]; got != float32(residual) {
					t.Fatalf("step %d, residual index %d: %v, want %d", step, i, got, residual)
				}
			}
			if p.v["u"] != nil {
				t.Error("levels for a model without")
			}
		})
	}
}

func TestBatchesKeepTheirOwnLevelsAndBootstraps(t *testing.T) {
	own := func(_ int, b *datasets.Batch) error {
		_ = some(5, b) // 3 groups of 6 points, 1 of them context
		b.NumTau, b.U = 2, make([]float32, 3*6*2)
		b.Bootstraps, b.Resample = 3, make([]int32, 2*3*1*3)
		for i := range b.U {
			b.U[i] = float32(i) / 64
		}
		for i := range b.Resample {
			b.Resample[i] = int32(i)
		}
		return nil
	}
	each(t, own, draws(t, acqnp, feed.Choice{NumTau: 7, Spacing: feed.GridLevels}), 1, func(_ int, f *feed.Feed) {
		if u := written(f).v["u"]; !f.Own || f.Extents.Levels != 2 || u[1] != 1.0/64 || u[35] != 35.0/64 {
			t.Errorf("own %v, %v", f.Own, f.Extents)
		}
	})
	each(t, own, draws(t, bnp, feed.Choice{Bootstraps: 4}), 1, func(_ int, f *feed.Feed) {
		p := written(f)
		context, residual := p.v["resample_context"], p.v["resample_residual"]
		if !f.Own || f.Extents.Levels != 3 || context[8] != 8 || residual[0] != 9 || residual[8] != 17 {
			t.Errorf("own %v, %v, %v, %v", f.Own, f.Extents, context[:9], residual[:9])
		}
	})
	each(t, own, draws(t, cnp, feed.Choice{}), 1, func(_ int, f *feed.Feed) {
		if f.Own || f.Extents.Levels != 0 {
			t.Errorf("own %v, %v", f.Own, f.Extents)
		}
	})
}

// Stratified levels are the random ones, each moved into its own part of (0, 1).
func TestStratifiedLevels(t *testing.T) {
	const n = 7
	of := func(spacing string) (levels [][]float32) {
		d := draws(t, acqnp, feed.Choice{NumTau: n, Spacing: spacing, Seed: 43})
		each(t, some, d, 9, func(_ int, f *feed.Feed) { levels = append(levels, slices.Clone(f.Levels())) })
		return levels
	}
	random, stratified := of(feed.RandomLevels), of(feed.StratifiedLevels)
	for step := range random {
		for i, u := range random[step] {
			v, k := stratified[step][i], i%n
			if want := (float32(k) + u) / n; v != want || v < float32(k)/n || v > float32(k+1)/n || v >= 1 {
				t.Fatalf("step %d, level %d of a point: found %v of u = %v, expected %v", step, k, v, u, want)
			}
		}
	}
	d := draws(t, acqnp, feed.Choice{NumTau: n, Spacing: feed.StratifiedLevels})
	if d.Generator() != nil {
		t.Error("a device would draw other levels")
	}
}

func TestWhatCannotBeDrawn(t *testing.T) {
	for says, c := range map[string]feed.Choice{
		"num-quantiles: found 0":        {NumTau: 0, Spacing: feed.RandomLevels},
		"level-spacing: found \"even\"": {NumTau: 1, Spacing: "even"},
	} {
		_, err := feed.New(acqnp, c)
		must.Refuse(t, err, says)
	}
	if _, err := feed.New(bnp, feed.Choice{}); err == nil {
		t.Error("no bootstraps: accepted")
	}
}

func TestSizesThatCannotBe(t *testing.T) {
	for says, size := range map[string]datasets.Batch{
		"0 groups":       {Groups: 0, Points: 3, Context: 1},
		"of 0 points":    {Groups: 1, Points: 0, Context: 0},
		"-1 of them":     {Groups: 1, Points: 3, Context: -1},
		"3 points, 4 of": {Groups: 1, Points: 3, Context: 4},
	} {
		feeds := feed.Start(func(_ int, b *datasets.Batch) error { *b = size; return nil }, feed.AllPoints, feed.Draws{}, 0, 1)
		_, err := feeds.Next(t.Context())
		must.Refuse(t, err, says)
		feeds.Close()
	}
}

// TestEmptyContext accepts a batch without context points, unless the model resamples them.
func TestEmptyContext(t *testing.T) {
	for name, d := range map[string]feed.Draws{
		"cnp": {}, "acqnp": draws(t, acqnp, feed.Choice{NumTau: 2, Spacing: feed.RandomLevels}), "bnp": draws(t, bnp, feed.Choice{Bootstraps: 2}),
	} {
		for _, points := range []feed.Points{feed.AllPoints, feed.TargetPoints} {
			feeds := feed.Start(func(_ int, b *datasets.Batch) error {
				*b = datasets.Batch{Groups: 2, Points: 3, DX: 1, DY: 1, X: []float32{1, 2, 3, 4, 5, 6}, Y: []float32{6, 5, 4, 3, 2, 1}}
				return nil
			}, points, d, 0, 1)
			f, err := feeds.Next(t.Context())
			switch {
			case name == "bnp":
				must.Refuse(t, err, "bnp")
			case err != nil:
				t.Errorf("%s: %v", name, err)
			default:
				p := inputs{v: map[string][]float32{"context": {7}, "x": make([]float32, 6), "y": make([]float32, 6)}}
				f.Write(p)
				if f.Extents.Context != 0 || f.Extents.Points != 3 || p.v["context"][0] != 7 ||
					!slices.Equal(p.v["x"], []float32{1, 2, 3, 4, 5, 6}) || !slices.Equal(p.v["y"], []float32{6, 5, 4, 3, 2, 1}) {
					t.Errorf("%s: %v, %v", name, f.Extents, p.v)
				}
			}
			feeds.Close()
		}
	}
}

func TestErrorsAndCancellingEndTheWait(t *testing.T) {
	broken := errors.New("broken")
	feeds := feed.Start(func(step int, b *datasets.Batch) error {
		if step == 1 {
			return broken
		}
		return some(step, b)
	}, feed.AllPoints, feed.Draws{}, 0, 9)
	defer feeds.Close()
	if _, err := feeds.Next(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := feeds.Next(t.Context()); !errors.Is(err, broken) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := feeds.Next(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestFeedsDoNotAllocate(t *testing.T) {
	const warm, all = 50, 250
	for _, m := range []reads{cnp, acqnp, bnp} {
		d := draws(t, m, feed.Choice{NumTau: 5, Spacing: feed.RandomLevels, Bootstraps: 3})
		keep := make([]float32, 64)
		same := func(step int, b *datasets.Batch) error {
			*b = datasets.Batch{Groups: 2, Points: 9, Context: 4, DX: 2, DY: 1, X: keep[:36], Y: keep[:18]}
			return nil
		}
		var before, after runtime.MemStats
		var p engine.Program[float32] = inputs{v: map[string][]float32{}}
		each(t, same, d, all, func(step int, f *feed.Feed) {
			f.Write(p)
			switch step {
			case warm:
				runtime.ReadMemStats(&before)
			case all - 1:
				runtime.ReadMemStats(&after)
			}
		})
		// The runtime allocates a little now and then. One allocation per step would make 199.
		if n := after.Mallocs - before.Mallocs; n > 100 {
			t.Errorf("%s: %d allocations in %d steps", m.name, n, all-1-warm)
		}
	}
}

// Levels that are drawn elsewhere are not in the feed. Generator returns the generator that draws
// them otherwise.
func TestLevelsDrawnElsewhere(t *testing.T) {
	d := draws(t, acqnp, feed.Choice{NumTau: 7, Spacing: feed.RandomLevels, Seed: 43})
	elsewhere := draws(t, acqnp, feed.Choice{NumTau: 7, Spacing: feed.RandomLevels, Seed: 43}).Elsewhere()
	var want [][]float32
	each(t, some, d, 5, func(_ int, f *feed.Feed) { want = append(want, slices.Clone(f.Levels())) })
	each(t, some, elsewhere, 5, func(step int, f *feed.Feed) {
		if u, ok := written(f).v["u"]; ok || f.Levels() != nil || f.Extents.Levels != 7 {
			t.Errorf("step %d: levels %v in a feed of %v", step, u, f.Extents)
		}
		got := make([]float32, len(want[step]))
		if elsewhere.Generator().Fill(uint64(step), 0, got); !slices.Equal(got, want[step]) {
			t.Errorf("step %d: other levels", step)
		}
	})
	for name, d := range map[string]feed.Draws{
		"grid":       draws(t, acqnp, feed.Choice{NumTau: 7, Spacing: feed.GridLevels}),
		"none":       draws(t, cnp, feed.Choice{}),
		"bootstraps": draws(t, bnp, feed.Choice{Bootstraps: 3}),
	} {
		if d.Generator() != nil {
			t.Errorf("%s: drawn by a generator", name)
		}
		each(t, some, d.Elsewhere(), 1, func(_ int, f *feed.Feed) {
			p := written(f)
			if name == "grid" && p.v["u"] == nil || name == "bootstraps" && p.v["resample_context"] == nil {
				t.Errorf("%s: not in the feed", name)
			}
		})
	}
}
