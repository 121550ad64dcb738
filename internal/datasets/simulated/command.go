package simulated

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/invalid"
)

// A simulator asks copies of a command for the batches of one kind. A question is a line such as "train 17" on a copy's
// standard input, and the answer a tasks file of one batch on its standard output. Copy k is asked for the batches whose
// number leaves the remainder k, ahead of their turn, so that all copies work while batches are taken in order. The
// answer depends on the question alone: a run that resumes asks for the batches that it would have asked for.
type simulator struct {
	command []string
	kind    string // train or eval
	bounds  bounds
	first   *datasets.Source // of the first answer, which says how many columns there are; nil before it
	copies  []*process
	next    int // the batch after the last one
	asked   int // batches from next on and before it are asked for
}

// openCommand asks for the first training batch, which says how many columns there are.
func openCommand(e config.Experiment) (*datasets.Source, error) {
	ofTrain, ofEval := boundsOf(e)
	train := &simulator{command: e.Data.Command, kind: "train", copies: make([]*process, 1), bounds: ofTrain}
	if err := train.batch(0, &datasets.Batch{}); err != nil {
		train.close()
		return nil, err
	}
	eval := &simulator{command: e.Data.Command, kind: "eval", copies: make([]*process, 1), bounds: ofEval, first: train.first}
	return &datasets.Source{DX: train.first.DX, DY: train.first.DY, Scaling: train.first.Scaling,
		Train:   datasets.Batches{Size: ofTrain.most, Keys: ofTrain.keys, Make: train.batch},
		Eval:    datasets.Batches{Size: ofEval.most, Keys: ofEval.keys, Make: eval.batch, Count: e.Eval.Batches},
		Threads: func(n int) { train.spread(n); eval.spread(n) },
		Close:   func() error { train.close(); eval.close(); return nil }}, nil
}

// spread sets the number of copies, 0 for one a core.
func (s *simulator) spread(n int) {
	if n == 0 {
		n = runtime.GOMAXPROCS(0)
	}
	if n != len(s.copies) {
		s.close()
		s.copies = make([]*process, n)
	}
}

// batch asks for batch i.
func (s *simulator) batch(i int, dst *datasets.Batch) error {
	if i != s.next {
		if s.asked > s.next { // copies have questions whose answers nobody waits for
			s.close()
		}
		s.asked = i
	}
	for s.next = i; s.asked < i+len(s.copies); s.asked++ {
		s.ask(s.asked)
	}
	s.next++
	content, err := s.answer(i)
	if err != nil {
		return err
	}
	return s.read(i, content, dst)
}

func (s *simulator) question(i int) string { return fmt.Sprintf("%s %d", s.kind, i) }

// ask writes a question. What goes wrong shows when its answer is read.
func (s *simulator) ask(i int) {
	k := i % len(s.copies)
	if s.copies[k] == nil {
		s.copies[k] = start(s.command)
	}
	s.copies[k].ask(s.question(i))
}

// answer reads the answer to batch i. It starts a copy that has ended once more, and asks again.
func (s *simulator) answer(i int) ([]byte, error) {
	k := i % len(s.copies)
	content, err := s.copies[k].answer()
	for again := 0; err != nil; again++ {
		s.copies[k].end()
		if again == 1 {
			found := fmt.Sprintf("%q, asked for %q: %v", strings.Join(s.command, " "), s.question(i), err)
			if said := s.copies[k].said.last(); said != "" {
				found += ": " + said
			}
			s.copies[k] = nil
			s.close()
			return nil, &invalid.Input{Key: "data.command", Found: found, Expected: "a tasks file of one batch on standard output"}
		}
		s.copies[k] = nil
		s.ask(i)
		content, err = s.copies[k].answer()
	}
	return content, nil
}

// read reads batch i from an answer.
func (s *simulator) read(i int, content []byte, dst *datasets.Batch) error {
	name := fmt.Sprintf("the answer of data.command to %q", s.question(i))
	t, err := datasets.ReadTasks(content, name)
	if err != nil {
		return err
	}
	if s.first == nil {
		s.first = t
	}
	if err := sameColumns(t, s.first, name, "the first batch"); err != nil {
		return err
	}
	if n := t.Eval.Count; n != 1 {
		return &invalid.Input{File: name, Found: invalid.Plural(n, "batch", "batches"), Expected: "one"}
	}
	if err := s.bounds.check(t.Eval.Size, name); err != nil {
		return err
	}
	if err := t.Eval.Make(0, dst); err != nil {
		return err
	}
	if dst.NumTau+dst.Bootstraps > 0 {
		return &invalid.Input{File: name, Found: "levels or bootstraps", Expected: "x and y alone"}
	}
	return nil
}

// close ends the copies. batch starts them again.
func (s *simulator) close() {
	for k, p := range s.copies {
		if p != nil {
			p.end()
			s.copies[k] = nil
		}
	}
	s.asked = s.next
}
