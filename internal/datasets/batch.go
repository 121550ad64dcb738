// Package datasets makes the batches that models are trained and evaluated on.
//
// A function is a set of points (x, y). A batch holds several functions with the same number N of
// points. The first N_c points of each function are its context; the model predicts y at all N.
//
// A [Source] makes the batches of one benchmark:
//
//	source, err := datasets.Open(experiment, dataDir)
//	var b datasets.Batch
//	err = source.Train(0, &b) // b.X [B, N, dx], b.Y [B, N, dy]
//
// There are four sources, one for each kind of benchmark: synthetic (functions drawn from a random
// process), speedFlow, images and ownSource (your own CSV files).
//
// A batch depends only on a seed and its number. Every random number in it comes from package
// random at a fixed index. So a resumed run and a run with another number of threads have the same
// batches.
//
// A task is one function with its context and its targets. A tasks file ([WriteTasks],
// [OpenTasks]) holds evaluation batches, so that other programs can evaluate on the same ones.
//
// Sources work in the model's units. [Scaling] converts between these and raw units, those of the
// files.
package datasets

import "slices"

// A Batch is a number of functions with the same number of points. The first Context points of
// every function are its context.
type Batch struct {
	Functions int // B
	Points    int // N, context and target together
	Context   int // N_c
	DX, DY    int

	X []float32 // [B, N, dx], in the model's units
	Y []float32 // [B, N, dy], in the model's units

	// Ranges says which context points each point reads, where functions are data sets of groups: those of
	// its own group, and those of its siblings. A range is the first of them, counted in the function, and
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
	b.Functions, b.Points, b.Context, b.DX, b.DY = s.Functions, s.Points, s.Context, dx, dy
	n := s.Functions * s.Points
	b.X = slices.Grow(b.X[:0], n*dx)[:n*dx]
	b.Y = slices.Grow(b.Y[:0], n*dy)[:n*dy]
	b.Ranges = b.Ranges[:0]
	b.NumTau, b.U = 0, b.U[:0]
	b.Bootstraps, b.Resample = 0, b.Resample[:0]
}

// A Size is the largest size of the batches of a source. Engines plan their memory by it.
type Size struct{ Functions, Points, Context int }

// SizeKeys are the keys of the configuration, or the flag, that set a Size. "" means that no key does.
type SizeKeys struct{ Functions, Points, Context string }

// extents are what a source knows of its batches from the start.
type extents struct {
	dx, dy              int
	train, eval         Size
	batches             int // of the evaluation
	trainKeys, evalKeys SizeKeys
}

func (e *extents) Dims() (dx, dy int)               { return e.dx, e.dy }
func (e *extents) TrainSize() Size                  { return e.train }
func (e *extents) EvalSize() Size                   { return e.eval }
func (e *extents) EvalBatches() int                 { return e.batches }
func (e *extents) sizeKeys() (train, eval SizeKeys) { return e.trainKeys, e.evalKeys }

// TrainKeys returns the keys that set a source's TrainSize.
func TrainKeys(source any) SizeKeys {
	if s, ok := source.(interface{ sizeKeys() (train, eval SizeKeys) }); ok {
		train, _ := s.sizeKeys()
		return train
	}
	return SizeKeys{}
}

// EvalKeys returns the keys that set the EvalSize of a source or of a tasks file.
func EvalKeys(source any) SizeKeys {
	if s, ok := source.(interface{ sizeKeys() (train, eval SizeKeys) }); ok {
		_, eval := s.sizeKeys()
		return eval
	}
	return SizeKeys{}
}

// A Source makes the training and evaluation batches of one benchmark. A batch depends only on its
// seed and its number, never on earlier batches.
//
// The methods of a source must not be called at the same time. They reuse the slices of dst, and
// grow them if they are too small.
type Source interface {
	// Dims returns the dimensions of x and y.
	Dims() (dx, dy int)
	// TrainSize returns the largest size of a training batch.
	TrainSize() Size
	// EvalSize returns the largest size of an evaluation batch.
	EvalSize() Size
	// Train makes the batch of a training step, counted from 0, under train.seed.
	Train(step int, dst *Batch) error
	// Eval makes evaluation batch i, counted from 0, under eval.seed.
	Eval(i int, dst *Batch) error
	// EvalBatches returns the number of evaluation batches: eval.batches, or fewer if the test set
	// is smaller.
	EvalBatches() int
}

// Validated is a source with validation batches, which say when training should end. They are the
// same at every call. A function of a batch is one function of the data with a context of one size.
// The validation's log-likelihood is the mean over the targets of each, then over all of them; so
// a source can take a function several times, with other sizes.
type Validated interface {
	Source
	// ValidSize returns the largest size of a validation batch.
	ValidSize() Size
	// ValidBatches returns the number of validation batches, 0 if the source has none.
	ValidBatches() int
	// Valid makes validation batch i, counted from 0. It has at least one target.
	Valid(i int, dst *Batch) error
}
