package predict

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/datasets/feed"
	"github.com/acqnp/acqnp/internal/likelihood/score"
	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/run"
)

// The most targets that an evaluation scores. Scores take longer than log-likelihoods, and means over
// this number of targets are precise enough.
const (
	scoredTargets    = 500
	scoredOwnTargets = 4000 // of own data, whose groups are listed one by one
)

// A scorer scores the predictions of some targets of each evaluation batch, evenly spread over its
// groups and over the targets of each. It draws levels of its own, even if a tasks file has levels.
type scorer struct {
	*session
	tally    *score.Tally
	threads  int
	most     int // targets, of all batches
	batches  int
	names    func(i int) []string // of the groups of a batch; nil for benchmarks
	taken    []points.Question    // of the batch, with the targets to score
	before   int                  // groups taken of earlier batches
	unscored string               // why there is no result: the first score that is not finite
}

func newScorer(t Trained, source *datasets.Source, batches, threads int) (*scorer, error) {
	p, err := newSession(t, nil)
	if err != nil {
		return nil, err
	}
	s := &scorer{session: p, tally: score.NewTally(make([]string, p.dy)), threads: max(1, threads), most: scoredTargets, batches: batches}
	if source.EvalNames != nil {
		s.most, s.names = scoredOwnTargets, source.EvalNames
	}
	size := source.Eval.Size
	p.Capacity.Context, p.Capacity.Points = size.Context, min(size.Points, 1+s.most/batches, targetsPerRun)
	return s, nil
}

// take copies the context and the targets to score from the feed of a batch.
func (s *scorer) take(batch int, f *feed.Feed) error {
	s.before, s.taken = s.before+len(s.taken), nil
	p, e := s.session, f.Extents
	each := e.Points - e.Context
	all := e.Groups * each
	last, n := -1, min((batch+1)*s.most/s.batches-batch*s.most/s.batches, all)
	for k := range n {
		at := k * all / n
		group := at / each
		first := group * e.Points
		raw := func(from, n int) points.Points {
			return p.scaling.Raw(f.X()[from*p.dx:][:n*p.dx], f.Y()[from*p.dy:][:n*p.dy])
		}
		if group != last {
			last = group
			s.taken = append(s.taken, points.Question{Name: s.name(batch, group), Known: raw(first, e.Context)})
		}
		s.taken[len(s.taken)-1].Targets.Append(raw(first+e.Context+at%each, 1))
	}
	return nil
}

// name returns a name that no other group of the evaluation has, unless the data have it.
func (s *scorer) name(batch, group int) string {
	if s.names != nil {
		return s.names(batch)[group]
	}
	return fmt.Sprintf("%d/%d", batch, group)
}

// score scores the targets that were taken.
func (s *scorer) score(ctx context.Context, batch int, _ *run.BatchResult) error {
	if s.unscored != "" {
		return nil
	}
	names := Names{XNames: make([]string, s.session.columns), Questions: s.taken}
	err := Scores{Names: names, Threads: s.threads}.Each(s.predictions(ctx), func(_ Target, points []score.Point) error {
		s.tally.Add(points)
		return nil
	})
	var bad notFinite
	if errors.As(err, &bad) {
		s.unscored, err = fmt.Sprintf("evaluation batch %d: %v", batch, err), nil
	}
	return err
}

// predictions yields the predictions for the groups that were taken.
func (s *scorer) predictions(ctx context.Context) iter.Seq2[Target, error] {
	return func(yield func(Target, error) bool) {
		for j, q := range s.taken {
			renamed := func(t Target, err error) bool {
				t.Group = j
				return yield(t, err)
			}
			if !s.session.piece(ctx, q, Piece{Group: s.before + j, Number: q.Targets.Len()}, renamed) {
				return
			}
		}
	}
}

// addTo sets the scores of an evaluation.
func (s *scorer) addTo(e *run.Eval) {
	if e.Unscored = s.unscored; s.unscored != "" {
		return
	}
	summary := s.tally.Summary()
	e.Means = &summary.Means
	if s.names != nil {
		e.PerGroup = summary.PerGroup
	}
}
