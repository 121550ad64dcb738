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

	// Session returns a Session. The caller closes it.
	Session(r Room) (Session, error)

	// Predict yields what a Session yields, once.
	Predict(ctx context.Context, questions []points.Question, pieces ...Piece) iter.Seq2[Target, error]

	// Recall returns the questions with what else is known of their groups: what the predictor has kept of groups
	// of its training that have their names, unless these are new, and points beside. It adds a line on how many do.
	Recall(questions []points.Question, asNew bool, w *warning.Record) []points.Question

	// Warn adds lines about what the model does not know: names that the training did not have, targets
	// outside the data of a fit, and known y that models of log y cannot take. text returns the text of a
	// raw number of a column of x, also of an unknown name.
	Warn(questions []points.Question, text func(c int, v float64) string, w *warning.Record)

	// Cost returns what a question takes whose targets are predicted in pieces.
	Cost(q points.Question, pieces []Piece) (Cost, error)

	// Sequence returns what predicts the targets of the questions one after the other, in a number of draws.
	// The caller closes it.
	Sequence(questions []points.Question, draws int) (Sequence, error)
}

// Cost is about what a question takes, for a server that bounds it. Work is counted in evaluations of a component of a
// distribution, some tens of nanoseconds each.
type Cost struct {
	Components int     // the most of a predictive distribution
	Readings   int     // ways to read the question: names that the training did not have may be like any that it had
	Work       float64 // of the distributions; 0 where a run takes moments, between which predictions see that ctx has ended
	Draw       float64 // work of a joint draw of a target in one reading, with all others known
	Program    float64 // bytes of a program that lasts as long as a prediction, since few groups have so many known points
}

// Room says what a Session is made for.
type Room struct {
	Context, Targets int // of a group, at first
	Levels           int // the most levels or bootstraps, with levels that are evenly spaced; 0 for the predictor's own
}

// Sketch yields the predictions of a session with at most a number of levels or bootstraps, as [Room] says.
func Sketch(ctx context.Context, p Predictor, levels int, questions []points.Question, pieces ...Piece) iter.Seq2[Target, error] {
	return func(yield func(Target, error) bool) {
		s, err := p.Session(Room{Levels: levels})
		if err != nil {
			yield(Target{}, err)
			return
		}
		defer s.Close()
		s.Predict(ctx, questions, pieces...)(yield)
	}
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

// A Session predicts again and again with one compiled program, which grows with the largest group. It
// is for one goroutine at a time.
type Session interface {
	// Predict yields the predictions for the targets of the pieces in order or, without any, for all targets of the
	// questions, in memory that does not depend on their number. The sequence ends at the first error: an *invalid.Input
	// if a group does not fit the model. Ranging over the sequence again yields the same predictions, which do not
	// depend on the pieces.
	Predict(ctx context.Context, questions []points.Question, pieces ...Piece) iter.Seq2[Target, error]

	// Close frees the program.
	Close()
}
