package datasets

import (
	"fmt"
	"slices"

	"github.com/acqnp/acqnp/internal/datasets/rows"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/random"
)

// A span is the place of a group's points in x and y. Its first train points are for training, the
// next valid points for validation, the last calibration points for the calibration and those between
// for the test. All points of a group that is held out whole are for one of them.
type span struct{ first, points, train, valid, calibration int }

// part returns what point k is for.
func (g span) part(k int) rows.Part {
	switch {
	case k >= g.points-g.calibration:
		return rows.Calibration
	case k >= g.train+g.valid:
		return rows.Test
	case k >= g.train:
		return rows.Valid
	}
	return rows.Train
}

// test returns the number of the first test point and how many there are.
func (g span) test() (first, count int) {
	first = g.train + g.valid
	return first, g.points - first - g.calibration
}

// byPoint reports whether points are held out, not groups.
func (s *ownSource) byPoint() bool { return s.e.Data.SplitBy == "point" }

// validates reports whether there is validation.
func (s *ownSource) validates() bool { return s.e.Train.ValidateEvery > 0 }

// keepsAll reports whether nothing is held out for a test (data.train_fraction: 1).
func (s *ownSource) keepsAll() bool {
	return s.e.Data.TrainFraction == 1 && s.e.Data.SplitColumn == ""
}

// evaluatedPoints returns how many training points of a group are its context in an evaluation, and the
// number and count of its targets, if points are held out. If nothing is held out, the targets are
// validation's points, or the last tenth of the training points.
func (s *ownSource) evaluatedPoints(g span) (context, first, count int) {
	first, count = g.test()
	switch {
	case !s.keepsAll():
		return g.train, first, count
	case g.valid > 0:
		return g.train, g.train, g.valid
	}
	context = g.train - max(1, g.train/10)
	return context, context, g.train - context
}

// split says what each point is for: s.spans, s.order and, for each part, the list of the groups that have points for
// it. If nothing is held out for a test, the evaluation takes validation's part, or that of the training without one.
func (s *ownSource) split(read rows.Table) error {
	groups := read.Groups
	s.spans, s.order = make([]span, len(groups)), make([][]int, len(groups))
	first := 0
	for i, g := range groups {
		s.spans[i] = span{first: first, points: g.Len()}
		first += g.Len()
	}
	choose := s.drawGroups
	switch {
	case s.e.Data.SplitColumn != "":
		choose = s.readParts
	case s.byPoint():
		choose = s.drawPoints
	}
	if err := choose(read); err != nil {
		return err
	}
	for i, g := range s.spans {
		_, test := g.test()
		for _, c := range []struct {
			points int
			list   *[]int
		}{{g.train, &s.training}, {g.valid, &s.valid}, {test, &s.test}, {g.calibration, &s.calibration}} {
			if c.points > 0 {
				*c.list = append(*c.list, i)
			}
		}
	}
	if s.keepsAll() && s.validates() {
		s.test = slices.Clone(s.valid)
	} else if s.keepsAll() {
		s.test = slices.Clone(s.training)
	}
	switch {
	case len(s.test) == 0:
		return refuse("data.split", "point", "a group of two points or more, or data.split: function")
	case s.validates() && len(s.valid) == 0:
		return refuse("data.valid_fraction", s.e.Data.ValidFraction,
			"a group with two training points or more (train.validate_every: 0 trains without validation)")
	}
	return nil
}

// drawGroups draws the groups of each part.
func (s *ownSource) drawGroups(read rows.Table) error {
	others, err := s.reservePoints(read.Groups)
	if err != nil {
		return err
	}
	fraction := s.e.Data.TrainFraction
	n := trainingPart(fraction, len(others))
	if n < 1 || n >= len(others) && !s.keepsAll() {
		return refuse("data.train_fraction", fraction,
			"a fraction that leaves some of the %d groups on both sides (data.split: point splits their points instead)", len(others))
	}
	return s.takeGroups(shuffled(random.New(s.e.Data.Seed, random.Split), 0, others)[:n])
}

// takeGroups takes groups for training, and the last of them for validation.
func (s *ownSource) takeGroups(training []int) error {
	valid, n := 0, len(training)
	if s.validates() {
		if valid = max(1, trainingPart(s.e.Data.ValidFraction, n)); valid >= n {
			return refuse("data.valid_fraction", fmt.Sprintf("%g of %s", s.e.Data.ValidFraction, invalid.Plural(n, "training group", "training groups")),
				"some for validation and some for training (train.validate_every: 0 trains without validation, data.split: point splits points)")
		}
	}
	for k, i := range training {
		g := &s.spans[i]
		if g.train, g.valid = g.points, 0; k >= n-valid {
			g.train, g.valid = 0, g.points
		}
	}
	return nil
}

// readParts takes the parts from data.split_column. If there is validation and the column has none, it is
// drawn from the training.
func (s *ownSource) readParts(read rows.Table) error {
	var total [4]int
	var training []int
	for i, of := range read.Parts {
		var parts [4][]int
		for k, p := range of {
			parts[p] = append(parts[p], k)
			if p != of[0] && !s.byPoint() {
				return read.Refuse(i, fmt.Sprintf("with %s and %s in the column %s", rows.PartNames[of[0]], rows.PartNames[p], s.e.Data.SplitColumn),
					"one of them in all rows of a group (data.split: point splits the points of groups)")
			}
		}
		if s.byPoint() { // random: contexts and validation take the first or the last
			parts[rows.Train] = shuffled(random.New(s.e.Data.Seed, random.Split), uint64(i), parts[rows.Train])
			s.order[i] = slices.Concat(parts[:]...)
		}
		f := &s.spans[i]
		f.train, f.valid, f.calibration = len(parts[rows.Train]), len(parts[rows.Valid]), len(parts[rows.Calibration])
		for p := range parts {
			total[p] += len(parts[p])
		}
		if f.train > 0 {
			training = append(training, i)
		}
	}
	for _, p := range []rows.Part{rows.Train, rows.Test} {
		if total[p] == 0 {
			what := map[bool]string{true: "row", false: "group"}[s.byPoint()]
			return &invalid.Input{File: read.File(), Key: s.e.Data.SplitColumn, Found: "no " + what + " with the value " + rows.PartNames[p],
				Expected: "at least one of train and one of test"}
		}
	}
	switch {
	case !s.validates() || total[rows.Valid] > 0:
		return nil
	case s.byPoint():
		s.validatePoints()
		return nil
	}
	return s.takeGroups(shuffled(random.New(s.e.Data.Seed, random.Split), 0, training))
}

// drawPoints draws the training points of each group from those that are not for calibration. A
// group of two of them or more has one or more on both sides, and that of one point has it in training.
func (s *ownSource) drawPoints(read rows.Table) error {
	if _, err := s.reservePoints(read.Groups); err != nil {
		return err
	}
	for i, g := range read.Groups {
		reserved := s.order[i]
		var others []int
		for row := range g.Len() {
			if !slices.Contains(reserved, row) {
				others = append(others, row)
			}
		}
		most := len(others)
		n := trainingPart(s.e.Data.TrainFraction, most)
		if s.keepsAll() {
			n = most
		} else {
			n = min(max(n, 1), max(most-1, 1))
		}
		s.order[i] = append(shuffled(random.New(s.e.Data.Seed, random.Split), uint64(i), others), reserved...)
		s.spans[i].train = n
	}
	if s.validates() {
		s.validatePoints()
	}
	return nil
}

// validatePoints moves the last training points of each group to validation.
func (s *ownSource) validatePoints() {
	for i := range s.spans {
		if g := &s.spans[i]; g.train > 1 {
			g.valid = max(1, trainingPart(s.e.Data.ValidFraction, g.train))
			g.train -= g.valid
		}
	}
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
