package serve

import (
	"context"
	"fmt"
	"math"

	"github.com/acqnp/acqnp/internal/files/tabular"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/predict"
)

// Bounds of a small request, which takes some tens of milliseconds.
const (
	smallContext = 128 // points
	smallTargets = 256
	smallWork    = 3_000_000
)

// A load is about what a request takes. Work is counted as [predict.Cost] does.
type load struct {
	numbers    float64 // of the answer, at most
	predicting float64 // work for the distributions, which the sessions share
	work       float64 // for all else
	bytes      float64 // of memory, for each session
	shared     float64 // bytes of memory for all sessions together
	readings   int     // the most ways in which a question is read
	small      bool
}

// weigh returns the load of a request.
func (q *question) weigh() (l load, err error) {
	const ofComponent = 3 * 8 // bytes
	r, dy := q.request, float64(len(q.model.About.Units.YNames))
	targets, parts, context, largest, points := predict.CountTargets(q.questions), 0, 0, 0, 0
	pieces := make([][]predict.Piece, len(q.questions))
	for _, p := range predict.Pieces(q.questions, 2*cap(q.model.large.idle)) {
		pieces[p.Group], largest = append(pieces[p.Group], p), max(largest, p.Number)
	}
	for i, one := range q.questions {
		cost, err := q.model.Predictor.Cost(one, pieces[i])
		if err != nil {
			return l, err
		}
		parts, l.readings, l.bytes = max(parts, cost.Components), max(l.readings, cost.Readings), max(l.bytes, cost.Program)
		context, points = max(context, one.Known.Len()), max(points, len(one.Known.X)+len(one.Targets.X))
		l.predicting += cost.Work
		l.work += float64(r.draws) * float64(one.Targets.Len()) * cost.Draw * float64(cost.Readings)
	}
	if r.covers() { // values of y whose span is that of all distributions
		l.predicting *= 2
	}
	each, evaluations := 2+float64(r.draws), 0.0 // an int may overflow
	for _, a := range r.asks {
		cells := float64(a.cells())
		evaluations += a.Work * cells
		switch a.Kind {
		case tabular.Number:
			each += cells
		case tabular.Pairs: // a region has at most an interval for each component
			each += 2 * cells * float64(parts)
		case tabular.Object:
			each += 4 * cells * float64(parts)
		}
	}
	outcomes := float64(targets) * dy
	l.numbers = outcomes * each
	l.work += outcomes * evaluations * float64(parts)
	// A session holds the distributions of a piece while it is made and after. A number has up to 24 bytes, and the slices of
	// targets may be half empty. A target has braces, keys and its x. Each joint draw has the points of its group, in
	// float64 and in what the model sees of them.
	l.bytes += 2 * ofComponent * float64(largest) * dy * float64(parts)
	l.shared = 48*l.numbers + 400*float64(targets) + 24*float64(r.draws)*float64(points)*(1+dy)
	l.small = context <= smallContext && targets <= smallTargets && r.draws == 0 && l.predicting+l.work <= smallWork
	return l, nil
}

// admit refuses a request whose answer, or the work for it, would be too large, before any work. Then it
// takes memory for the answer, and returns the sessions that answer.
func (s *Server) admit(ctx context.Context, q *question, body int, t *ticket) (*sessions, error) {
	l, err := q.weigh()
	if err != nil {
		return nil, err
	}
	if l.numbers > float64(s.Numbers) {
		return nil, beyond("numbers in the answer", int(min(l.numbers, math.MaxInt32)), s.Numbers)
	}
	number := float64(cap(q.model.large.idle))
	if work := l.predicting/number + l.work; work > float64(s.Work) {
		found := fmt.Sprintf("%.0f evaluations of a component of a distribution", work)
		if l.readings > 1 {
			found += fmt.Sprintf(", since names that the data lack are read in %d ways", l.readings)
		}
		return nil, &tooLarge{&invalid.Input{Key: "work for the answer", Found: found, Expected: fmt.Sprintf("at most %d", s.Work)}}
	}
	if err := t.answers(ctx, body, l.shared+l.bytes*number); err != nil || !l.small {
		return q.model.large, err
	}
	return q.model.small, nil
}
