package serve

import (
	"context"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/acqnp/acqnp/internal/predict"
)

// A lane has sessions, each of which answers one request at a time. Small requests have a lane of their
// own: otherwise one would wait for as long as the large ones before it take, which is seconds each.
type lane struct {
	idle    chan predict.Session
	turn    chan struct{} // held by the request that hands out pieces
	columns int           // of x
}

func newLane(p predict.Predictor, sessions, context, targets int) (*lane, error) {
	l := &lane{make(chan predict.Session, sessions), make(chan struct{}, 1), len(p.About().Units.XNames)}
	for range sessions {
		s, err := p.Session(context, targets)
		if err != nil {
			return nil, err
		}
		l.idle <- s
	}
	return l, nil
}

// use calls f with an idle session. It waits for one until ctx ends. The caller must be a user of the
// model: see Model.enter.
func (l *lane) use(ctx context.Context, f func(predict.Session) error) error {
	select {
	case p := <-l.idle:
		defer l.giveBack(p)
		return f(p)
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (l *lane) giveBack(p predict.Session) {
	p.Shrink()
	l.idle <- p
}

// spread divides a prediction into pieces, which the sessions share. It calls each for every target,
// in any order and from several goroutines at once.
//
// Requests take turns, first come, first served. In its turn a request hands out twice as many pieces as
// there are sessions, so that all stay busy until the next turn. A small request has no more pieces.
func (l *lane) spread(ctx context.Context, functions []predict.Function, each func(context.Context, predict.Target) error) error {
	turn := 2 * cap(l.idle)
	pieces := predict.Pieces(functions, l.columns, turn)
	workers, ctx := errgroup.WithContext(ctx)
	for some := range slices.Chunk(pieces, turn) {
		select {
		case l.turn <- struct{}{}:
		case <-ctx.Done():
			workers.Go(ctx.Err)
			return workers.Wait()
		}
		for _, piece := range some {
			l.hand(ctx, workers, func(p predict.Session) error {
				for t, err := range p.Piece(ctx, functions, piece) {
					if err == nil {
						err = each(ctx, t)
					}
					if err != nil {
						return err
					}
				}
				return nil
			})
		}
		<-l.turn
	}
	return workers.Wait()
}

// hand waits for an idle session and starts work on it. If ctx ends first, workers gets its error.
func (l *lane) hand(ctx context.Context, workers *errgroup.Group, work func(predict.Session) error) {
	select {
	case p := <-l.idle:
		workers.Go(func() error {
			defer l.giveBack(p)
			return work(p)
		})
	case <-ctx.Done():
		workers.Go(ctx.Err)
	}
}

// close closes all sessions, which are idle.
func (l *lane) close() {
	for range cap(l.idle) {
		(<-l.idle).Close()
	}
}
