// Package datasets makes the batches that models are trained and evaluated on.
//
// A group is a set of points (x, y). A batch holds several groups with the same number N of
// points. The first N_c points of each group are its context; the model predicts y at all N.
//
// A [Source] makes the batches of one benchmark:
//
//	source, err := benchmark.Open(experiment, dataDir)
//	var b datasets.Batch
//	err = source.Train.Make(0, &b) // b.X [B, N, dx], b.Y [B, N, dy]
//
// A batch depends only on a seed and its number. Every random number in it comes from package
// random at a fixed index. So a resumed run and a run with another number of threads have the same
// batches.
//
// A task is one group with its context and its targets. A tasks file ([WriteTasks],
// [OpenTasks]) holds evaluation batches, so that other programs can evaluate on the same ones.
//
// Sources work in the model's units. [Scaling] converts between these and raw units, those of the
// files.
package datasets

import (
	"fmt"
	"slices"

	"github.com/acqnp/acqnp/internal/invalid"
)

// A Batch is a number of groups with the same number of points. The first Context points of
// every group are its context.
type Batch struct {
	Groups  int // B
	Points  int // N, context and target together
	Context int // N_c
	DX, DY  int

	X []float32 // [B, N, dx], in the model's units
	Y []float32 // [B, N, dy], in the model's units

	// Ranges says which context points each point reads, where each group is a data set of inner groups: those of
	// its own group, and those of its siblings. A range is the first of them, counted in the group, and
	// the end. Other sources have none.
	Ranges []float32 // [B, N, 4]

	// NumTau and U are set only if the batch comes with its levels, as from a tasks file. Otherwise
	// the caller draws them.
	NumTau int
	U      []float32 // [B, N, N_τ]

	// Bootstraps and Resample are set only if the batch comes with its bootstraps. For each place
	// in the context and each bootstrap, Resample has two indices from 0 to N_c−1: the context
	// point to put there (first half) and the residual (second half).
	Bootstraps int     // k
	Resample   []int32 // [2, B, N_c, k]
}

// Reshape sets a batch's sizes and the lengths of X and Y, and removes levels and bootstraps.
func (b *Batch) Reshape(s Size, dx, dy int) {
	b.Groups, b.Points, b.Context, b.DX, b.DY = s.Groups, s.Points, s.Context, dx, dy
	n := s.Groups * s.Points
	b.X = slices.Grow(b.X[:0], n*dx)[:n*dx]
	b.Y = slices.Grow(b.Y[:0], n*dy)[:n*dy]
	b.Ranges = b.Ranges[:0]
	b.NumTau, b.U = 0, b.U[:0]
	b.Bootstraps, b.Resample = 0, b.Resample[:0]
}

// A Size is the size of a batch, or the largest of some.
type Size struct{ Groups, Points, Context int }

// SizeKeys are the keys of the configuration, or the flag, that set a Size. "" means that no key does.
type SizeKeys struct{ Groups, Points, Context string }

// Count returns how many batches of a size n groups make, at most most unless that is 0. The last one may be smaller.
func Count(n, size, most int) int {
	n = (n + size - 1) / size
	if most > 0 {
		return min(most, n)
	}
	return n
}

// Share returns fraction·n, rounded down. The small term makes up for rounding errors: 0.29·100 is 28.999….
func Share(fraction float64, n int) int { return int(fraction*float64(n) + 1e-9) }

// Refuse returns an *invalid.Input about a value of the configuration that the data do not allow.
func Refuse(key string, found any, expected string, values ...any) error {
	return &invalid.Input{Key: key, Found: fmt.Sprint(found), Expected: fmt.Sprintf(expected, values...)}
}
