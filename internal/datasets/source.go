package datasets

import (
	"io"

	"github.com/acqnp/acqnp/internal/config/catalogue"
	"github.com/acqnp/acqnp/internal/invalid/warning"
	"github.com/acqnp/acqnp/internal/points"
)

// A Source makes the batches of one benchmark. A batch depends only on its seed and its number, never
// on earlier batches. Its functions must not be called at the same time. They reuse the slices
// of dst, and grow them if they are too small.
type Source struct {
	DX, DY  int     // the columns of x and y that the model sees
	Scaling Scaling // from raw units into the model's

	Train Batches // by the number of a training step, counted from 0, under train.seed; there is no last one
	Eval  Batches // under eval.seed: eval.batches of them, or fewer if the test set is smaller

	// Valid are the validation's batches, which say when training should end; none if it has no Make. They are
	// the same at every call, and have at least one target. A group of a batch is one group of the data
	// with a context of one size. The validation's log-likelihood is the mean over the targets of each, then
	// over all of them; so a source can take a group several times, with other sizes.
	Valid Batches

	// StepsPerEpoch is how many steps take every training group once, if the training split is fixed; the
	// last of them may have a smaller batch. 0 for sources that draw groups.
	StepsPerEpoch int

	// Image is the shape of groups that are images, the zero value of others: N = height·width points with
	// x = (row, column) and one y for each channel. A batch has all pixels of its images.
	Image catalogue.Shape

	Threads func(n int) // sets the goroutines that make a batch, which does not depend on them; 0 is one for each core; nil with one

	// Of tasks:
	Benchmark string       // that a tasks file is of, "" if it does not say
	Close     func() error // of files and commands; nil for others

	// Of a user's own tables:
	EvalNames     func(i int) []string    // of the groups of evaluation batch i, "" without data.group; nil of benchmarks
	EvaluatedPart string                  // what Eval takes if nothing is held out for a test: valid, or train without validation; "" with a test
	Split         func(w io.Writer) error // writes what each group, or each of its rows, is for; nil of benchmarks
	Calibration   []points.Question       // what is held back for it, in raw units
	Warnings      []string                // on rows and groups that are left out
}

// Batches are those of one use: training, evaluation or validation.
type Batches struct {
	Size  Size     // of the largest one, by which engines plan their memory
	Keys  SizeKeys // which set it
	Count int      // 0 for training
	Make  func(i int, dst *Batch) error
}

// Dims returns the columns of x and y that the model sees.
func (s *Source) Dims() (dx, dy int) { return s.DX, s.DY }

// SetThreads sets the goroutines on which the source makes a batch, if it has several: see Threads.
func (s *Source) SetThreads(n int) {
	if s.Threads != nil {
		s.Threads(n)
	}
}

// End closes the files of the source, and ends its commands, if it has any.
func (s *Source) End() error {
	if s.Close == nil {
		return nil
	}
	return s.Close()
}

// Warn adds the source's warnings.
func (s *Source) Warn(w *warning.Record) {
	for _, line := range s.Warnings {
		w.Add("%s", line)
	}
}
