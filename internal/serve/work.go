package serve

import (
	"context"
	"fmt"
	"math"

	"github.com/acqnp/acqnp/internal/files/tabular"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/predict"
)

// Work is counted in evaluations of a component of a distribution, some tens of nanoseconds each.

// Bounds of a small request, which takes some tens of milliseconds.
const (
	smallContext = 128 // points
	smallTargets = 256
	smallWork    = 3_000_000
)

// sessions returns the sessions of the model for a request of this size.
func (q *question) sessions() *sessions {
	if q.context() <= smallContext && predict.CountTargets(q.questions) <= smallTargets && q.request.draws == 0 && q.predicting()+q.work() <= smallWork {
		return q.model.small
	}
	return q.model.large
}

// admit refuses a request whose answer, or the work for it, would be too large, before any work. Then it
// takes memory for the answer.
func (s *Server) admit(ctx context.Context, q *question, body int, t *ticket) error {
	n := q.numbers()
	if n > float64(s.Numbers) {
		return beyond("numbers in the answer", int(min(n, math.MaxInt32)), s.Numbers)
	}
	sessions := float64(cap(q.model.large.idle))
	if work := q.predicting()/sessions + q.work(); work > float64(s.Work) {
		return &tooLarge{&invalid.Input{Key: "work for the answer", Found: fmt.Sprintf("%.0f evaluations of a component of a distribution%s", work, q.since()),
			Expected: fmt.Sprintf("at most %d", s.Work)}}
	}
	program, err := q.model.Predictor.ProgramBytes(q.context())
	if err != nil {
		return err
	}
	// A number has up to 24 bytes, and the slices of targets may be half empty. A target has braces,
	// keys and its x.
	bytes := 48*n + 400*float64(predict.CountTargets(q.questions)) + q.drawing() + program*sessions + q.held(sessions)
	return t.answers(ctx, body, bytes)
}

// numbers returns the largest number of numbers that an answer may have.
func (q *question) numbers() float64 {
	each, parts := 2+float64(q.request.draws), q.components() // an int may overflow
	for _, a := range q.request.asks {
		cells := float64(a.cells())
		switch a.Kind {
		case tabular.Number:
			each += cells
		case tabular.Pairs: // a region has at most an interval for each component
			each += 2 * cells * parts
		case tabular.Object:
			each += 4 * cells * parts
		}
	}
	return q.outcomes() * each
}

// work returns about how many evaluations of a component the answer takes.
func (q *question) work() float64 {
	r, each := q.request, 0.0
	for _, a := range r.asks {
		each += a.Work * float64(a.cells())
	}
	work := q.outcomes() * each * q.components()
	for _, one := range q.questions {
		if targets := one.Targets.Len(); r.draws > 0 {
			work += float64(r.draws) * float64(targets) * q.model.Predictor.DrawWork(one.Known.Len()+targets) * float64(q.model.Predictor.Readings(one))
		}
	}
	return work
}

// predicting returns about how much work the distributions take, in the same units. The sessions share it.
func (q *question) predicting() (work float64) {
	for _, piece := range q.pieces() {
		work += q.model.Predictor.Work(q.questions[piece.Function], piece.Number)
	}
	if q.request.covers() { // whose span is that of all distributions
		work *= 2
	}
	return work
}

// pieces returns the pieces in which sessions predict.
func (q *question) pieces() []predict.Piece {
	return predict.Pieces(q.questions, 2*cap(q.model.large.idle))
}

// since says why a request of few points takes much work, "" if it need not.
func (q *question) since() string {
	ways := 0
	for _, one := range q.questions {
		ways = max(ways, q.model.Predictor.Readings(one))
	}
	if ways < 2 {
		return ""
	}
	return fmt.Sprintf(", since names that the data lack are read in %d ways", ways)
}

// held returns the bytes of the distributions that sessions hold at a time: a piece each, while it is made and after.
func (q *question) held(sessions float64) float64 {
	const ofComponent = 3 * 8
	targets := 0
	for _, piece := range q.pieces() {
		targets = max(targets, piece.Number)
	}
	return 2 * ofComponent * sessions * float64(targets*len(q.model.About.Units.YNames)) * q.components()
}

// drawing returns the bytes that joint draws take while they are made: each has the points of its
// function, in float64 and in what the model sees of them.
func (q *question) drawing() float64 {
	most, u := 0, q.model.About.Units
	for _, one := range q.questions {
		most = max(most, len(one.Known.X)+len(one.Targets.X))
	}
	return 24 * float64(q.request.draws) * float64(most) * float64(1+len(u.YNames))
}

// outcomes returns the number of distributions of an answer.
func (q *question) outcomes() float64 {
	return float64(predict.CountTargets(q.questions)) * float64(len(q.model.About.Units.YNames))
}

// context returns the largest number of context points of a function.
func (q *question) context() (most int) {
	for _, one := range q.questions {
		most = max(most, one.Known.Len())
	}
	return most
}

// components returns the largest number of components of a distribution of the answer.
func (q *question) components() float64 {
	most := 0
	for _, one := range q.questions {
		most = max(most, q.model.Predictor.MostComponents(one))
	}
	return float64(most)
}
