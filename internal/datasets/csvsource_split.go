package datasets

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/acqnp/acqnp/internal/datasets/rows"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/random"
)

// A span is the place of a function's points in x and y. Its first train points are for training,
// the next valid points for validation, the last calibration points for the calibration and those
// between for the test. A function that is held out whole has no points for training.
type span struct{ first, points, train, valid, calibration int }

// heldOut returns the number of the first test point and how many there are, if points are held
// out.
func (f span) heldOut() (first, count int) {
	first = f.train + f.valid
	return first, f.points - first - f.calibration
}

// keepsAll reports whether nothing is held out for a test (data.train_fraction: 1).
func (s *csvSource) keepsAll() bool {
	return s.e.Data.TrainFraction == 1 && s.e.Data.SplitColumn == ""
}

// evaluateOnTraining lets the evaluation take validation's part if nothing is held out for a test,
// or that of the training if there is no validation.
func (s *csvSource) evaluateOnTraining() {
	switch {
	case !s.keepsAll():
	case s.validates():
		s.test = slices.Clone(s.valid)
	default:
		s.test = slices.Clone(s.training)
	}
}

// evaluatedPoints returns how many training points of a function are its context in an evaluation,
// and the number and count of its targets, if points are held out. If nothing is held out, the
// targets are validation's points, or the last tenth of the training points.
func (s *csvSource) evaluatedPoints(f span) (context, first, count int) {
	first, count = f.heldOut()
	switch {
	case !s.keepsAll():
		return f.train, first, count
	case f.valid > 0:
		return f.train, f.train, f.valid
	}
	context = f.train - max(1, f.train/10)
	return context, context, f.train - context
}

// split divides the functions, or the points of each, into training, validation and test. It sets
// s.spans, s.order and the lists of functions.
func (s *csvSource) split(functions []rows.Group) error {
	s.spans, s.order = make([]span, len(functions)), make([][]int, len(functions))
	first := 0
	for i, f := range functions {
		s.spans[i] = span{first: first, points: f.N}
		first += f.N
	}
	if s.byPoint() {
		return s.splitPoints(functions)
	}
	return s.splitFunctions(functions)
}

// byPoint reports whether points are held out, not functions.
func (s *csvSource) byPoint() bool { return s.e.Data.SplitBy == "point" }

// validates reports whether there is validation.
func (s *csvSource) validates() bool { return s.e.Train.ValidateEvery > 0 }

// splitFunctions sets the lists of functions for training, validation and the test.
func (s *csvSource) splitFunctions(functions []rows.Group) error {
	choose := s.drawFunctions
	if s.e.Data.SplitColumn != "" {
		choose = s.readFunctions
	}
	if err := choose(functions); err != nil {
		return err
	}
	for _, list := range [][]int{s.training, s.valid, s.test, s.calibration} {
		slices.Sort(list)
	}
	for _, i := range s.training {
		s.spans[i].train = functions[i].N
	}
	return nil
}

// drawFunctions draws the functions of each part.
func (s *csvSource) drawFunctions(functions []rows.Group) error {
	others, err := s.reserveRows(functions)
	if err != nil {
		return err
	}
	fraction := s.e.Data.TrainFraction
	n := trainingPart(fraction, len(others))
	if n < 1 || n >= len(others) && !s.keepsAll() {
		return refuse("data.train_fraction", fraction,
			"a fraction that leaves some of the %d groups on both sides (data.split: point splits their points instead)", len(others))
	}
	all := shuffled(random.New(s.e.Data.Seed, random.Split), 0, others)
	s.training, s.test = all[:n:n], all[n:]
	if err := s.takeValidation(); err != nil {
		return err
	}
	s.evaluateOnTraining()
	return nil
}

// readFunctions takes the parts from data.split_column. If there is validation and the column has
// none, it draws validation from the training functions.
func (s *csvSource) readFunctions(functions []rows.Group) error {
	lists := [...]*[]int{&s.training, &s.valid, &s.test, &s.calibration}
	for i, f := range functions {
		for _, p := range f.Parts[1:] {
			if p != f.Parts[0] {
				return f.Refuse(fmt.Sprintf("with %s and %s in the column %s", rows.PartNames[f.Parts[0]], rows.PartNames[p], s.e.Data.SplitColumn),
					"one of them in all rows of a group (data.split: point splits the points of groups)")
			}
		}
		list := lists[f.Parts[0]]
		*list = append(*list, i)
	}
	if err := s.checkParts(functions[0].File, len(s.training), len(s.test), "group"); err != nil {
		return err
	}
	if !s.validates() || len(s.valid) > 0 {
		return nil
	}
	s.training = shuffled(random.New(s.e.Data.Seed, random.Split), 0, s.training)
	return s.takeValidation()
}

// shuffled returns the items in the random order of a step.
func shuffled(g random.Generator, step uint64, items []int) []int {
	mixed := make([]int, len(items))
	g.Perm(step, mixed)
	for k, i := range mixed {
		mixed[k] = items[i]
	}
	return mixed
}

// checkParts refuses a column data.split_column without training or without a test.
func (s *csvSource) checkParts(path string, training, test int, what string) error {
	missing := rows.PartNames[rows.Train]
	switch {
	case training > 0 && test > 0:
		return nil
	case training > 0:
		missing = rows.PartNames[rows.Test]
	}
	return &invalid.Input{File: path, Key: s.e.Data.SplitColumn, Found: "no " + what + " with the value " + missing,
		Expected: "at least one of train and one of test"}
}

// takeValidation moves the last training functions, which are in random order, to validation.
func (s *csvSource) takeValidation() error {
	if !s.validates() {
		return nil
	}
	n := len(s.training)
	valid := max(1, trainingPart(s.e.Data.ValidFraction, n))
	if valid >= n {
		return refuse("data.valid_fraction", fmt.Sprintf("%g of %s", s.e.Data.ValidFraction, countOf(n, "training group")),
			"some for validation and some for training (train.validate_every: 0 trains without validation, data.split: point splits points)")
	}
	s.training, s.valid = s.training[:n-valid:n-valid], s.training[n-valid:]
	return nil
}

func countOf(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}

// splitPoints orders the points of each function by their parts. Every function is in the lists of
// the parts that it has points for.
func (s *csvSource) splitPoints(functions []rows.Group) error {
	order := s.drawPoints
	if s.e.Data.SplitColumn != "" {
		order = s.readPoints
	} else if _, err := s.reserveRows(functions); err != nil {
		return err
	}
	training, test := 0, 0
	for i := range functions {
		if err := order(i, &functions[i]); err != nil {
			return err
		}
		_, held := s.spans[i].heldOut()
		training, test = training+s.spans[i].train, test+held
	}
	if s.e.Data.SplitColumn != "" {
		if err := s.checkParts(functions[0].File, training, test, "row"); err != nil {
			return err
		}
	}
	s.takePoints()
	for i, f := range s.spans {
		_, held := f.heldOut()
		for _, c := range []struct {
			points int
			list   *[]int
		}{{f.train, &s.training}, {f.valid, &s.valid}, {held, &s.test}, {f.calibration, &s.calibration}} {
			if c.points > 0 {
				*c.list = append(*c.list, i)
			}
		}
	}
	s.evaluateOnTraining()
	switch {
	case len(s.test) == 0:
		return refuse("data.split", "point", "a group of two points or more, or data.split: function")
	case s.validates() && len(s.valid) == 0:
		return refuse("data.valid_fraction", s.e.Data.ValidFraction,
			"a group with two training points or more (train.validate_every: 0 trains without validation)")
	}
	return nil
}

// drawPoints draws the training points of function i from those that are not for calibration. With
// data.sizes: all, a function of two of them or more has one or more on both sides, and that of one
// point has it in training.
func (s *csvSource) drawPoints(i int, f *rows.Group) error {
	reserved := s.order[i]
	var others []int
	for row := range f.N {
		if !slices.Contains(reserved, row) {
			others = append(others, row)
		}
	}
	most := len(others)
	n := trainingPart(s.e.Data.TrainFraction, most)
	if s.keepsAll() {
		n = most
	} else if s.mixed() {
		n = min(max(n, 1), max(most-1, 1))
	} else if n < 1 || n >= most {
		return f.Refuse(fmt.Sprintf("with %d points", most), "enough points for data.train_fraction %g to split", s.e.Data.TrainFraction)
	}
	s.order[i] = append(shuffled(random.New(s.e.Data.Seed, random.Split), uint64(i), others), reserved...)
	s.spans[i].train = n
	return nil
}

// readPoints takes the parts of the points of function i from data.split_column.
func (s *csvSource) readPoints(i int, f *rows.Group) error {
	parts := make([][]int, len(rows.PartNames))
	for k, p := range f.Parts {
		parts[p] = append(parts[p], k)
	}
	// Random: contexts and validation take the first or the last.
	train := shuffled(random.New(s.e.Data.Seed, random.Split), uint64(i), parts[rows.Train])
	s.order[i] = slices.Concat(train, parts[rows.Valid], parts[rows.Test], parts[rows.Calibration])
	g := &s.spans[i]
	g.train, g.valid, g.calibration = len(train), len(parts[rows.Valid]), len(parts[rows.Calibration])
	return nil
}

// takePoints moves the last training points of each function to validation, unless there is none
// or data.split_column names them.
func (s *csvSource) takePoints() {
	if !s.validates() || slices.ContainsFunc(s.spans, func(f span) bool { return f.valid > 0 }) {
		return
	}
	for i := range s.spans {
		f := &s.spans[i]
		if f.train > 1 {
			f.valid = max(1, trainingPart(s.e.Data.ValidFraction, f.train))
			f.train -= f.valid
		}
	}
}
