// Package datasets makes the batches that models train on and are judged by.
package datasets

// Batch is one draw of functions. The first Context points of every function are its context set.
type Batch struct {
	Functions int // B
	Points    int // N, context and target together
	Context   int // N_c
	DX, DY    int

	X []float32 // [B, N, dx], as the model sees them (scaled and shifted)
	Y []float32 // [B, N, dy]

	// NumTau and U are set only where the levels came with the batch (a tasks file); otherwise the caller draws them.
	NumTau int
	U      []float32 // [B, N, N_τ], levels of a point side by side

	// Bootstraps and Resample likewise: which context point, and which residual, takes the place of each in every
	// bootstrap, indices from 0 to N_c−1.
	Bootstraps int     // k
	Resample   []int32 // [2, B, N_c, k], bootstraps of a point side by side
}

// Size bounds the batches of a source, so that engines can plan memory once.
type Size struct{ Functions, Points, Context int }

// Source makes training and evaluation batches of one benchmark. A batch depends on its seed and its number alone,
// never on which were made before, so that a resumed run sees the same data.
// Methods may be called from one goroutine at a time. They grow dst's slices when too small and otherwise reuse them.
type Source interface {
	Dims() (dx, dy int)
	TrainSize() Size
	EvalSize() Size
	// Train makes the batch of a training step (counted from 0) under experiment.Train.Seed.
	Train(step int, dst *Batch) error
	// Eval makes evaluation batch i (counted from 0) under experiment.Eval.Seed.
	Eval(i int, dst *Batch) error
	// EvalBatches is how many evaluation batches there are: eval.batches, or fewer for a source with a fixed test set
	// (speed-flow: 1).
	EvalBatches() int
}
