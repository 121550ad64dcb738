package serve

import (
	"context"

	"golang.org/x/sync/errgroup"

	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/predict"
)

// sessions are the idle sessions of a model, each of which answers one request at a time. Small requests
// have sessions of their own: otherwise one would wait for as long as the large ones before it take,
// which is seconds each.
type sessions struct{ idle chan predict.Session }

func newSessions(p predict.Predictor, number, context, targets int) (*sessions, error) {
	l := &sessions{make(chan predict.Session, number)}
	for range number {
		s, err := p.Session(predict.Room{Context: context, Targets: targets})
		if err != nil {
			return nil, err
		}
		l.idle <- s
	}
	return l, nil
}

// use calls f with an idle session. It waits for one until ctx ends. The caller must be a user of the
// model: see Model.enter.
func (l *sessions) use(ctx context.Context, f func(predict.Session) error) error {
	select {
	case p := <-l.idle:
		defer func() { l.idle <- p }()
		return f(p)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// spread divides a prediction into pieces, which the sessions share. It calls each for every target,
// in any order and from several goroutines at once. Those who wait for a session get one first come,
// first served, and a request waits for no more than there are: so requests take turns.
func (l *sessions) spread(ctx context.Context, questions []points.Question, each func(context.Context, predict.Target) error) error {
	workers, ctx := errgroup.WithContext(ctx)
	workers.SetLimit(cap(l.idle))
	for _, piece := range predict.Pieces(questions, 2*cap(l.idle)) {
		workers.Go(func() error {
			return l.use(ctx, func(p predict.Session) error {
				for t, err := range p.Predict(ctx, questions, piece) {
					if err == nil {
						err = each(ctx, t)
					}
					if err != nil {
						return err
					}
				}
				return nil
			})
		})
	}
	return workers.Wait()
}

// close closes all sessions, which are idle.
func (l *sessions) close() {
	for range cap(l.idle) {
		(<-l.idle).Close()
	}
}
