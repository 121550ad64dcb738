package datasets

import (
	"fmt"
	"math"
	"slices"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/random"
)

// csvSource is the source of your own CSV files. It holds out whole functions (data.split:
// function) or a part of the points of each function (data.split: point). What is held out depends
// only on data.seed.
//
// Training draws functions, N points of each, and N_c. If functions are held out, evaluation draws
// a context from each of them; all its other points are targets. If points are held out, the
// context is the training points of a function and the targets are its held-out points, as in
// speed-flow.
type csvSource struct {
	e             config.Experiment
	scaling       Scaling
	x, y          []float32 // [points of all functions, dx or dy], in the model's units
	functions     []span
	training      []int // indices of the functions to train on
	test          []int // indices of the functions to evaluate on
	points        []int // [lo, hi]: N ~ U{lo..hi} in training
	evalBatchSize int

	deck   deck
	chosen []int // functions of a batch, scratch
	picked []int // points of a function, scratch
}

// A span is the place of a function's points in x and y. Its first train points are for training.
type span struct{ first, points, train int }

func newCSVSource(e config.Experiment, dataDir string) (Source, error) {
	functions, err := readCSV(e.Data, dataDir)
	if err != nil {
		return nil, err
	}
	s := &csvSource{e: e}
	order, err := s.split(functions)
	if err != nil {
		return nil, err
	}
	if err := s.setPoints(functions); err != nil {
		return nil, err
	}
	column := func(c int) []float64 { return s.trainingColumn(functions, order, c) }
	if s.scaling, err = csvScaling(e.Data, functions[0].path, column); err != nil {
		return nil, err
	}
	if err := s.store(functions, order); err != nil {
		return nil, err
	}
	s.evalBatchSize = e.Eval.BatchSize
	if !s.sameSizes() {
		// with one function a batch, every function has the same weight in the mean over batches
		s.evalBatchSize = 1
	}
	return s, s.checkEvalSize()
}

// split divides the functions, or the points of each, into training and test. It returns an order
// of the points of each function that puts those for training first; nil means the order of the
// rows.
func (s *csvSource) split(functions []csvFunction) (order [][]int, err error) {
	d, g := s.e.Data, random.New(s.e.Data.Seed, random.Split)
	s.functions, order = make([]span, len(functions)), make([][]int, len(functions))
	first := 0
	for i, f := range functions {
		s.functions[i] = span{first: first, points: f.N}
		first += f.N
	}
	if d.SplitBy == "function" {
		n := trainingPart(d.TrainFraction, len(functions))
		if n < 1 || n >= len(functions) {
			return nil, refuse("data.train_fraction", d.TrainFraction,
				"a fraction that leaves some of the %d functions on both sides (data.split: point splits their points instead)", len(functions))
		}
		all := make([]int, len(functions))
		g.Perm(0, all)
		s.training, s.test = all[:n:n], all[n:]
		slices.Sort(s.training)
		slices.Sort(s.test)
		for _, i := range s.training {
			s.functions[i].train = functions[i].N
		}
		return order, nil
	}
	for i, f := range functions {
		n := trainingPart(d.TrainFraction, f.N)
		if n < 1 || n >= f.N {
			return nil, f.refuse(fmt.Sprintf("with %d points", f.N), "enough points for data.train_fraction %g to split", d.TrainFraction)
		}
		order[i] = make([]int, f.N)
		g.Perm(uint64(i), order[i])
		s.functions[i].train = n
		s.training, s.test = append(s.training, i), append(s.test, i)
	}
	return order, nil
}

// setPoints sets the bounds of N in training: those of data.points, or the size of the smallest
// function, held out or not. So every context that training draws leaves targets in every
// evaluation.
func (s *csvSource) setPoints(functions []csvFunction) error {
	smallest, least := 0, math.MaxInt
	for i, f := range s.functions {
		n := f.points
		if s.e.Data.SplitBy == "point" {
			n = f.train
		}
		if n < least {
			smallest, least = i, n
		}
	}
	n := min(least, config.MaxCSVPoints)
	s.points = []int{n, n}
	need, why := 6, "a context of 3 points and 3 targets"
	switch d := s.e.Data; {
	case d.Points != nil:
		s.points = d.Points
		need, why = d.Points[1], "what data.points asks for"
	case d.Context != nil:
		need, why = d.Context[1]+1, "the context of data.context and a target"
	}
	if least < need {
		f := &functions[smallest]
		found := fmt.Sprintf("with %d points", f.N)
		if s.e.Data.SplitBy == "point" {
			found = fmt.Sprintf("with %d points, %d of them for training", f.N, least)
		}
		return f.refuse(found, "at least %d (%s)", need, why)
	}
	return nil
}

// contexts returns the bounds of N_c in a batch of n points of each function.
func (s *csvSource) contexts(n int) (lo, hi int) {
	if c := s.e.Data.Context; c != nil {
		return c[0], c[1]
	}
	return 3, n - 3
}

// trainingColumn returns the training part of column c of [x, y], from which the scaling is
// learned.
func (s *csvSource) trainingColumn(functions []csvFunction, order [][]int, c int) []float64 {
	dx, dy := s.Dims()
	var column []float64
	for i, f := range functions {
		values, width, at := f.X, dx, c
		if c >= dx {
			values, width, at = f.Y, dy, c-dx
		}
		for k := range s.functions[i].train {
			if order[i] != nil {
				k = order[i][k]
			}
			column = append(column, values[k*width+at])
		}
	}
	return column
}

// store keeps the points in the model's units. It refuses numbers that scaling makes infinite.
func (s *csvSource) store(functions []csvFunction, order [][]int) error {
	dx, dy := s.Dims()
	most, all := 0, 0
	for _, f := range functions {
		most, all = max(most, f.N), all+f.N
	}
	s.x, s.y = make([]float32, 0, all*dx), make([]float32, 0, all*dy)
	for i := range functions {
		f := &functions[i]
		x, y := s.scaling.ModelX(f.X), s.scaling.ModelY(f.Y)
		for k, v := range slices.Concat(x, y) {
			if math.IsInf(float64(v), 0) {
				raw := slices.Concat(f.X, f.Y)[k]
				return f.refuse(fmt.Sprintf("with %g, far outside the training part", raw), "numbers that scaling keeps finite")
			}
		}
		s.x = append(s.x, pickRows(x, dx, order[i])...)
		s.y = append(s.y, pickRows(y, dy, order[i])...)
		f.X, f.Y = nil, nil
	}
	s.deck = newDeck(max(most, len(functions)))
	return nil
}

// pickRows returns the rows of v [len(v)/width, width] in the given order. A nil order keeps the
// rows as they are.
func pickRows[T any](v []T, width int, order []int) []T {
	if order == nil {
		return v
	}
	picked := make([]T, 0, len(order)*width)
	for _, i := range order {
		picked = append(picked, v[i*width:(i+1)*width]...)
	}
	return picked
}

// checkEvalSize refuses evaluation batches beyond the limits of package config. Their number of
// points depends on the files.
func (s *csvSource) checkEvalSize() error {
	size, levels := s.EvalSize(), max(s.e.Eval.NumTau, s.e.Model.EvalBootstraps, 1)
	dx, dy := s.Dims()
	points := size.Functions * size.Points
	if points*(dx+dy) > config.MaxNumbers || points*levels > config.MaxRows {
		return refuse("eval.batch_size", fmt.Sprintf("a batch of %d functions of %d points", size.Functions, size.Points),
			"fewer functions, or fewer levels or bootstraps")
	}
	return nil
}

// Scaling returns the scaling, which is learned from the training part alone.
func (s *csvSource) Scaling() Scaling { return s.scaling }

// Dims returns the number of columns of data.x and of data.y.
func (s *csvSource) Dims() (dx, dy int) { return len(s.e.Data.XColumns), len(s.e.Data.YColumns) }
