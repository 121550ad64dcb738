package feed_test

import (
	"slices"
	"testing"

	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/datasets/feed"
	"github.com/acqnp/acqnp/internal/test/must"
)

// The ranges of data sets of groups are divided into those of context points and those of the points of a
// run: all of them, or the targets. Batches without ranges, whose feeds take the place of others, have none.
func TestRangesGoToTheirInputs(t *testing.T) {
	batch := func(step int, b *datasets.Batch) error {
		if err := some(step, b); err != nil {
			return err
		}
		b.Context = 1 + step%4 // below the number of points
		for i := range 4 * b.Groups * b.Points {
			if step%3 != 1 {
				b.Ranges = append(b.Ranges, float32(1000*step+i))
			}
		}
		return nil
	}
	for _, points := range []feed.Points{feed.AllPoints, feed.TargetPoints} {
		feeds := feed.Start(batch, points, draws(t, cnp, feed.Choice{}), 0, 20)
		for step := range 20 {
			f := must.Get(feeds.Next(t.Context()))(t)
			var b datasets.Batch
			_ = batch(step, &b)
			want := map[string][]float32{}
			for i := 0; i < len(b.Ranges); i += 4 {
				own, siblings := b.Ranges[i:i+2], b.Ranges[i+2:i+4]
				known := i/4%b.Points < b.Context
				if known {
					want["context_group"], want["context_siblings"] = append(want["context_group"], own...), append(want["context_siblings"], siblings...)
				}
				if points == feed.AllPoints || !known {
					want["group"], want["siblings"] = append(want["group"], own...), append(want["siblings"], siblings...)
				}
			}
			p := written(f)
			for _, name := range []string{"context_group", "context_siblings", "group", "siblings"} {
				got := p.v[name]
				if got != nil {
					got = got[:len(want[name])]
				}
				if !slices.Equal(got, want[name]) {
					t.Errorf("step %d, points %d: %s is %v, want %v", step, points, name, got, want[name])
				}
			}
			feeds.Release(f)
		}
		feeds.Close()
	}
}
