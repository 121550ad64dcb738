package feed_test

import (
	"slices"
	"testing"

	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/datasets/feed"
	"github.com/acqnp/acqnp/internal/models/ops"
	"github.com/acqnp/acqnp/internal/random"
	"github.com/acqnp/acqnp/internal/test/must"
)

// A feed of targets has the batch's context, the targets as its points, and as its levels the first
// numbers of the step's stream.
func TestFeedsOfTargets(t *testing.T) {
	d := draws(t, acqnp, feed.Choice{NumTau: 3, Spacing: feed.RandomLevels, Seed: 43})
	batch := func(step int, b *datasets.Batch) error {
		_ = some(step, b)
		b.Context = 1 + step%4 // below the number of points
		return nil
	}
	feeds := feed.Start(batch, feed.TargetPoints, d, 0, 20)
	defer feeds.Close()
	for step := range 20 {
		f := must.Get(feeds.Next(t.Context()))(t)
		var b datasets.Batch
		_ = batch(step, &b)
		var context, x, y []float32
		for i := range b.Groups * b.Points {
			if i%b.Points < b.Context {
				context = append(context, b.X[2*i], b.X[2*i+1], b.Y[i])
				continue
			}
			x, y = append(x, b.X[2*i], b.X[2*i+1]), append(y, b.Y[i])
		}
		want := ops.Extents{Groups: b.Groups, Context: b.Context, Points: b.Points - b.Context, Levels: 3}
		if f.Extents != want {
			t.Fatalf("step %d: %v, want %v", step, f.Extents, want)
		}
		levels := make([]float32, len(y)*3)
		random.New(43, random.Levels).Fill(uint64(step), 0, levels)
		p := written(f)
		for name, want := range map[string][]float32{"context": context, "x": x, "y": y, "u": levels} {
			if !slices.Equal(p.v[name][:len(want)], want) {
				t.Errorf("step %d: %s is not that of the targets", step, name)
			}
		}
		feeds.Release(f)
	}
}

func TestFeedsOfTargetsNeedOne(t *testing.T) {
	full := datasets.Batch{Groups: 1, Points: 2, Context: 2, DX: 1, DY: 1, X: make([]float32, 2), Y: make([]float32, 2)}
	feeds := feed.Start(func(_ int, b *datasets.Batch) error { *b = full; return nil }, feed.TargetPoints, feed.Draws{}, 0, 1)
	defer feeds.Close()
	_, err := feeds.Next(t.Context())
	must.Refuse(t, err)
}
