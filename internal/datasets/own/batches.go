package own

import (
	"slices"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/random"
)

// trainSize returns the size of the largest batch of training: train.batch_size groups with the most points that it
// takes.
func (s *source) trainSize() datasets.Size {
	_, context := s.contexts(s.points[1])
	return datasets.Size{Groups: s.e.Train.BatchSize, Points: s.points[1], Context: context}
}

// evaluation returns the batches of evaluation, of the largest group. If groups differ in size, each has its own batch,
// so that every group has the same weight in the mean over batches.
func (s *source) evaluation() datasets.Batches {
	s.evalBatchSize = s.e.Eval.BatchSize
	var size datasets.Size
	first, known, _ := s.evaluated(s.test[0])
	for _, i := range s.test {
		n, context, _ := s.evaluated(i)
		size.Points, size.Context = max(size.Points, n), max(size.Context, context)
		if n != first || context != known {
			s.evalBatchSize = 1
		}
	}
	size.Groups = min(s.evalBatchSize, len(s.test))
	return datasets.Batches{Size: size, Count: datasets.Count(len(s.test), s.evalBatchSize, s.e.Eval.Batches), Make: s.eval,
		Keys: datasets.SizeKeys{Groups: "eval.batch_size"}}
}

// evaluated returns how many points an evaluation takes of group i, the largest context among them, and how many it leaves
// out.
func (s *source) evaluated(i int) (points, context, leftOut int) {
	f := s.spans[i]
	if s.byPoint() {
		known, _, held := s.evaluatedPoints(f)
		context = min(known, config.MaxPoints/2)
		points = context + min(held, config.MaxPoints/2)
		return points, context, known + held - points
	}
	points = min(f.points, config.MaxPoints)
	_, context = s.contexts(points)
	return points, context, f.points - points
}

// unevaluated returns how many points of the groups to test an evaluation leaves out.
func (s *source) unevaluated() (n int) {
	for _, i := range s.test {
		_, _, leftOut := s.evaluated(i)
		n += leftOut
	}
	return n
}

// evalNames returns the names of the groups of evaluation batch i, "" without data.group.
func (s *source) evalNames(i int) []string {
	var names []string
	for _, f := range s.test[i*s.evalBatchSize : min((i+1)*s.evalBatchSize, len(s.test))] {
		names = append(names, s.names[f])
	}
	return names
}

// train draws N ~ U{points}, N_c ~ U{context}, train.batch_size groups, and N points of each
// without replacement. N is at most the size of the smallest group of the batch. A group occurs
// several times in a batch if there are too few of them.
func (s *source) train(step int, dst *datasets.Batch) error {
	seed, size := s.e.Train.Seed, s.e.Train.BatchSize
	sizes := random.New(seed, random.Sizes)
	n := sizes.Between(uint64(step), 0, s.points[0], s.points[1])
	s.chosen = slices.Grow(s.chosen[:0], size)[:size]
	s.rounds.fill(step, s.chosen)
	for _, i := range s.chosen {
		n = min(n, s.spans[i].train)
	}
	lo, hi := s.contexts(n)
	dst.Reshape(datasets.Size{Groups: size, Points: n, Context: sizes.Between(uint64(step), 1, lo, hi)}, s.dx, s.dy)
	points := random.New(seed, random.Data)
	s.picked = slices.Grow(s.picked[:0], n)[:n]
	for b, i := range s.chosen {
		f := s.spans[i]
		s.deck.draw(points, uint64(step)*uint64(size)+uint64(b), f.train, s.picked)
		s.fill(dst, b, i)
	}
	return nil
}

// eval takes the next groups in the order of the files. If groups are held out, it draws N_c
// once for the batch; the context of a group depends only on the number of the group.
func (s *source) eval(i int, dst *datasets.Batch) error {
	first := i * s.evalBatchSize
	if i < 0 || first >= len(s.test) {
		return datasets.Refuse("eval.batches", i+1, "at most %d, which cover the test groups", datasets.Count(len(s.test), s.evalBatchSize, 0))
	}
	chosen := s.test[first:min(first+s.evalBatchSize, len(s.test))]
	n, context, _ := s.evaluated(chosen[0])
	if !s.byPoint() {
		lo, hi := s.contexts(n)
		context = random.New(s.e.Eval.Seed, random.Sizes|random.Evaluation).Between(uint64(i), 1, lo, hi)
	}
	dst.Reshape(datasets.Size{Groups: len(chosen), Points: n, Context: context}, s.dx, s.dy)
	s.picked = slices.Grow(s.picked[:0], n)[:n]
	points := random.New(s.e.Eval.Seed, random.Data|random.Evaluation)
	for b, k := range chosen {
		f := s.spans[k]
		if !s.byPoint() {
			s.deck.draw(points, uint64(k), f.points, s.picked)
		} else {
			_, held, count := s.evaluatedPoints(f)
			for p := range s.picked {
				if s.picked[p] = p; p >= context { // spread over the rows, which may be in order of time
					s.picked[p] = held + (p-context)*count/(n-context)
				}
			}
		}
		s.fill(dst, b, k)
	}
	return nil
}

// fill writes group b: the picked points of group i of the files.
func (s *source) fill(dst *datasets.Batch, b, i int) {
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
