package datasets

import (
	"slices"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/random"
)

// setSizes sets the sizes of batches: in training, train.batch_size groups with the most points that it takes, and in
// the evaluation the largest group. If groups differ in size, each has its own batch there.
func (s *ownSource) setSizes() {
	_, context := s.contexts(s.points[1])
	s.extents.train = Size{s.e.Train.BatchSize, s.points[1], context}
	s.trainKeys = SizeKeys{Functions: "train.batch_size", Points: "data.points", Context: "data.context"}
	s.evalKeys = SizeKeys{Functions: "eval.batch_size"}
	s.evalBatchSize = s.e.Eval.BatchSize
	first, known := s.evaluated(s.test[0])
	for _, i := range s.test {
		n, context := s.evaluated(i)
		s.eval.Points, s.eval.Context = max(s.eval.Points, n), max(s.eval.Context, context)
		if n != first || context != known {
			s.evalBatchSize = 1 // so that every group has the same weight in the mean over batches
		}
	}
	s.eval.Functions = min(s.evalBatchSize, len(s.test))
	s.batches = batchesOf(len(s.test), s.evalBatchSize)
	if most := s.e.Eval.Batches; most > 0 {
		s.batches = min(most, s.batches)
	}
}

// evaluated returns how many points an evaluation takes of group i, and the largest context
// among them.
func (s *ownSource) evaluated(i int) (points, context int) {
	f := s.spans[i]
	if s.byPoint() {
		known, _, held := s.evaluatedPoints(f)
		context = min(known, config.MaxPoints/2)
		return context + min(held, config.MaxPoints/2), context
	}
	points = min(f.points, config.MaxPoints)
	_, context = s.contexts(points)
	return points, context
}

// EvalNames returns the names of the groups of evaluation batch i, "" without data.group.
func (s *ownSource) EvalNames(i int) []string {
	var names []string
	for _, f := range s.test[i*s.evalBatchSize : min((i+1)*s.evalBatchSize, len(s.test))] {
		names = append(names, s.names[f])
	}
	return names
}

// Train draws N ~ U{points}, N_c ~ U{context}, train.batch_size groups, and N points of each
// without replacement. N is at most the size of the smallest group of the batch. A group occurs
// several times in a batch if there are too few of them.
func (s *ownSource) Train(step int, dst *Batch) error {
	seed, size := s.e.Train.Seed, s.e.Train.BatchSize
	sizes := random.New(seed, random.Sizes)
	n := between(sizes, step, 0, s.points[0], s.points[1])
	s.chosen = slices.Grow(s.chosen[:0], size)[:size]
	s.rounds.fill(step, s.chosen)
	for _, i := range s.chosen {
		n = min(n, s.spans[i].train)
	}
	lo, hi := s.contexts(n)
	dx, dy := s.Dims()
	dst.Reshape(Size{size, n, between(sizes, step, 1, lo, hi)}, dx, dy)
	points := random.New(seed, random.Data)
	s.picked = slices.Grow(s.picked[:0], n)[:n]
	for b, i := range s.chosen {
		f := s.spans[i]
		s.deck.draw(points, uint64(step)*uint64(size)+uint64(b), f.train, s.picked)
		s.fill(dst, b, i)
	}
	return nil
}

// Eval takes the next groups in the order of the files. If groups are held out, it draws N_c
// once for the batch; the context of a group depends only on the number of the group.
func (s *ownSource) Eval(i int, dst *Batch) error {
	first := i * s.evalBatchSize
	if i < 0 || first >= len(s.test) {
		return refuse("eval.batches", i+1, "at most %d, which cover the test groups", batchesOf(len(s.test), s.evalBatchSize))
	}
	chosen := s.test[first:min(first+s.evalBatchSize, len(s.test))]
	n, context := s.evaluated(chosen[0])
	if !s.byPoint() {
		lo, hi := s.contexts(n)
		context = between(random.New(s.e.Eval.Seed, random.Sizes|random.Evaluation), i, 1, lo, hi)
	}
	dx, dy := s.Dims()
	dst.Reshape(Size{len(chosen), n, context}, dx, dy)
	s.picked = slices.Grow(s.picked[:0], n)[:n]
	points := random.New(s.e.Eval.Seed, random.Data|random.Evaluation)
	for b, k := range chosen {
		f := s.spans[k]
		if !s.byPoint() {
			s.deck.draw(points, uint64(k), f.points, s.picked)
		} else {
			_, held, _ := s.evaluatedPoints(f)
			for p := range s.picked {
				if s.picked[p] = p; p >= context {
					s.picked[p] = held + p - context
				}
			}
		}
		s.fill(dst, b, k)
	}
	return nil
}

// fill writes group b: the picked points of group i of the files.
func (s *ownSource) fill(dst *Batch, b, i int) {
	at, width := b*dst.Points, dst.DX
	for k, p := range s.picked {
		p += s.spans[i].first
		copy(dst.X[(at+k)*dst.DX:], s.x[p*width:][:width])
		copy(dst.Y[(at+k)*dst.DY:][:dst.DY], s.y[p*dst.DY:])
	}
}

// A deck draws cards without replacement, in a time that does not depend on its size. Between
// draws, card i is at index i.
type deck struct {
	cards []int
	from  []int // the swaps to undo after a draw
}

// newDeck returns a deck of the cards 0 to n−1.
func newDeck(n int) deck {
	d := deck{cards: make([]int, n)}
	for i := range d.cards {
		d.cards[i] = i
	}
	return d
}

// draw fills dst with different cards below n in random order. It uses the numbers at 0 to
// len(dst)−1 of the step.
func (d *deck) draw(g random.Generator, step uint64, n int, dst []int) {
	d.from = d.from[:0]
	for i := range dst {
		j := i + g.IntN(step, uint64(i), n-i)
		d.cards[i], d.cards[j] = d.cards[j], d.cards[i]
		dst[i] = d.cards[i]
		d.from = append(d.from, j)
	}
	for i, j := range slices.Backward(d.from) {
		d.cards[i], d.cards[j] = d.cards[j], d.cards[i]
	}
}
