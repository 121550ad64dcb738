package serve

import (
	"context"
	"math"
	"slices"
	"sync"

	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/predict"
)

// A span is where most of the distributions of a channel lie.
type span struct{ low, high float64 }

// A span reaches from the quantile of level outer to that of level 1−outer, and further on both sides by
// margin times their distance. It holds 0.9995 of a Gaussian. With levels nearer to 0 and 1, heavy tails
// would widen it so much that few points would show the rest.
const (
	outer  = 0.01
	margin = 0.25
)

// spans hold a span for each channel of each group. It covers all targets that were added.
type spans struct {
	mu sync.Mutex
	of [][]span // [group][channel]
}

func newSpans(groups, channels int) *spans {
	s := &spans{of: make([][]span, groups)}
	for i := range s.of {
		s.of[i] = slices.Repeat([]span{{math.Inf(1), math.Inf(-1)}}, channels)
	}
	return s
}

// add widens the spans. Several goroutines may call it.
func (s *spans) add(_ context.Context, t predict.Target) error {
	for c, d := range t.Channels {
		own := spanOf(d)
		s.mu.Lock()
		all := &s.of[t.Group][c]
		all.low, all.high = min(all.low, own.low), max(all.high, own.high)
		s.mu.Unlock()
	}
	return nil
}

func spanOf(d predict.Distribution) span {
	const most = math.MaxFloat64 / 8 // or spans and their spacing are infinite
	q := likelihood.ApproximateQuantiles(d.Distribution, outer, 1-outer)
	low, high := max(q[0], -most), min(q[1], most)
	by := margin * (high - low)
	if d.Log() { // the density is 0 below 0
		return span{max(0, low-by), high + by}
	}
	return span{low - by, high + by}
}

// grid returns evenly spaced y over the span, both ends included.
func (s span) grid(points int) []float64 {
	y := make([]float64, points)
	for i := range y {
		y[i] = s.low + (s.high-s.low)*(float64(i)/float64(points-1))
	}
	return y
}
