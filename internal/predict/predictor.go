package predict

import (
	"context"
	"iter"

	"github.com/acqnp/acqnp/internal/invalid/warning"
	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/run"
)

// A Predictor answers [points.Question]s: a [Trained], the network of a run, or what acqnp fit wrote. Its methods
// change nothing.
type Predictor interface {
	About() About

	// Predict yields the predictions for all targets of the questions, in order, in memory that does
	// not depend on their number. The sequence ends at the first error: an *invalid.Input if a function
	// does not fit the model. Ranging over the sequence again yields the same predictions.
	Predict(ctx context.Context, questions []points.Question) iter.Seq2[Target, error]

	// Session returns a Session that at first has room for numbers of context points and of targets. The
	// caller closes it.
	Session(context, targets int) (Session, error)

	// Limited returns the predictor with at most a number of levels or bootstraps. Its levels are the evenly
	// spaced ones that it takes.
	Limited(number int) Predictor

	// Recall returns the questions with what else is known of their groups: what the predictor has kept of groups
	// of its training that have their names, unless these are new, and points beside. It adds a line on how many do.
	Recall(questions []points.Question, asNew bool, w *warning.Record) []points.Question

	// Warn adds lines about what the model does not know: names that the training did not have, targets
	// outside the data of a fit, and known y that models of log y cannot take. text returns the text of a
	// raw number of a column of x, also of an unknown name.
	Warn(questions []points.Question, text func(c int, v float64) string, w *warning.Record)

	// MostComponents returns about the largest number of components of a predictive distribution of a function.
	MostComponents(q points.Question) int

	// Readings returns in how many ways a function is read: names that the training did not have may be like any of
	// the names that it had. Each way takes the work of a prediction, and has its components.
	Readings(q points.Question) int

	// Work returns about how much work the distributions of a number of targets of a function take, in the units of
	// DrawWork. It is 0 where a run takes moments, between which predictions see that ctx has ended.
	Work(q points.Question, targets int) float64

	// DrawWork returns about how much work a joint draw of a target takes, with the points that are known
	// or drawn before it, in units of the evaluation of a component of a distribution, some tens of
	// nanoseconds.
	DrawWork(points int) float64

	// ProgramBytes returns the memory of a program that Session.Shrink frees, for groups of so many
	// context points; 0 if Shrink keeps it.
	ProgramBytes(context int) (float64, error)

	// Sequence returns what predicts the targets of the questions one after the other, in a number of draws.
	// The caller closes it.
	Sequence(questions []points.Question, draws int) (Sequence, error)
}

// About says what predicts, and what from.
type About struct {
	Model      string // its name, "fit" for what acqnp fit wrote
	Parameters int    // 0 for what acqnp fit wrote
	Formula    string // of what acqnp fit wrote, such as "price ~ age | product"; "" for a network
	Variant    string // as config.Experiment.Variant names it
	Benchmark  string // "" for what acqnp fit wrote
	Data       string // the benchmark, or the name of your own file without its extension
	File       string // the name of your own file, without its folder; "" for a benchmark
	Group      string // the column of your own file that names groups; "" without one
	Units      run.Units
	Outcomes   []likelihood.Support // the values of each column of y, of what acqnp fit wrote; nil for any numbers
	Recalls    bool                 // it keeps rows of the groups of its training, see Predictor.Recall
	Nested     bool                 // groups are in outer groups
	Weights    run.Weights          // where they were read from
	ValidLL    *float64             // as training measured it; nil if it did not
	Seed       uint64               // of draws where none is given

	// Question says what is predicted from what, for titles: "price ~ age | product, of prices.csv" for what
	// acqnp fit wrote, or "prices.csv: price from age, by product".
	Question string
}

// A Session predicts again and again with one compiled program, which grows with the largest function. It
// is for one goroutine at a time.
type Session interface {
	// Predict yields what [Predictor.Predict] yields.
	Predict(ctx context.Context, questions []points.Question) iter.Seq2[Target, error]

	// Piece yields the targets of a piece, with the bits that they have from Predict.
	Piece(ctx context.Context, questions []points.Question, piece Piece) iter.Seq2[Target, error]

	// Shrink frees the program if it has room for more context than most groups have. The next
	// prediction compiles a new one.
	Shrink()

	// Close frees the program.
	Close()
}
