// Package datasets makes the batches that models are trained and evaluated on.
//
// A function is a set of points (x, y). A batch is a number of functions with the same number N of
// points, the first N_c of which are the context of each function; the model predicts y at all of
// them. A source makes the batches of one benchmark: Open returns it for an experiment. There are
// four sources, one for each kind of benchmark in the catalogue: synthetic (functions drawn from a
// random process), speedFlow, images and csvSource (a person's own CSV files).
//
// A batch depends on a seed and its number alone. Every number in it comes from package random, at
// an index that is fixed by what the number is for. So a resumed run, and a run with another number
// of threads, has the same batches.
//
// A task is one function with its context and its targets. A tasks file (WriteTasks, OpenTasks)
// holds evaluation batches, so that other programs can evaluate on the same ones.
//
// Sources work in the model's units. Scaling turns raw units, those of the files, into them and
// back.
package datasets

import "slices"

// A Batch is one draw of functions. The first Context points of every function are its context.
type Batch struct {
	Functions int // B
	Points    int // N, context and target together
	Context   int // N_c
	DX, DY    int

	X []float32 // [B, N, dx], in the model's units
	Y []float32 // [B, N, dy], in the model's units

	// NumTau and U are set only where the batch brings its levels (a tasks file may). The caller
	// draws them otherwise.
	NumTau int
	U      []float32 // [B, N, N_τ], levels of a point side by side

	// Bootstraps and Resample are set only where the batch brings its bootstraps. For each place in
	// the context and each bootstrap, Resample holds the index, 0 to N_c−1, of the context point
	// that is put there (first half) and of the residual (second half).
	Bootstraps int     // k
	Resample   []int32 // [2, B, N_c, k], bootstraps of a point side by side
}

// reshape sets a batch's sizes and the lengths of X and Y, and drops levels and bootstraps.
func (b *Batch) reshape(s Size, dx, dy int) {
	b.Functions, b.Points, b.Context, b.DX, b.DY = s.Functions, s.Points, s.Context, dx, dy
	n := s.Functions * s.Points
	b.X = slices.Grow(b.X[:0], n*dx)[:n*dx]
	b.Y = slices.Grow(b.Y[:0], n*dy)[:n*dy]
	b.NumTau, b.U = 0, b.U[:0]
	b.Bootstraps, b.Resample = 0, b.Resample[:0]
}

// A Size bounds the batches of a source, so that an engine can plan memory once.
type Size struct{ Functions, Points, Context int }

// A Source makes the training and evaluation batches of one benchmark. A batch depends on its seed
// and its number alone, never on what was made before.
//
// The methods of a source must not be called at the same time. They grow the slices of dst if these
// are too small, and reuse them otherwise.
type Source interface {
	Dims() (dx, dy int)
	TrainSize() Size
	EvalSize() Size
	// Train makes the batch of a training step, counted from 0, under train.seed.
	Train(step int, dst *Batch) error
	// Eval makes evaluation batch i, counted from 0, under eval.seed.
	Eval(i int, dst *Batch) error
	// EvalBatches returns the number of evaluation batches: eval.batches, or fewer if the test set
	// ends before (speed-flow has 1).
	EvalBatches() int
}
