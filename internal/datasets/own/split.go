package own

import (
	"encoding/csv"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/datasets/rows"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/points"
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

// A split says what each group, or each point of a group, is for. It is the one splitter: of training, validation, test
// and calibration. Parts depend only on data.seed, or on a column of the files; what is for calibration, on names and
// numbers of points alone.
type split struct {
	d         config.Data
	validates bool     // whether there is validation
	names     []string // of the groups
	spans     []span
	order     [][]int // of each group: the row of each of its points; nil for the order of rows

	// The groups to train on, to validate on, to evaluate on and to calibrate on, by index.
	training, valid, test, calibration []int
	unused                             map[int]bool // groups left out: they have too few points for the model
}

// byPoint reports whether points are held out, not groups.
func (s *split) byPoint() bool { return s.d.SplitBy == "point" }

// keepsAll reports whether nothing is held out for a test (data.train_fraction: 1).
func (s *split) keepsAll() bool {
	return s.d.TrainFraction == 1 && s.d.SplitColumn == ""
}

// evaluatedPoints returns how many training points of a group are its context in an evaluation, and the
// number and count of its targets, if points are held out. If nothing is held out, the targets are
// validation's points, or the last tenth of the training points.
func (s *split) evaluatedPoints(g span) (context, first, count int) {
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

// newSplit returns the split of what was read. If nothing is held out for a test, the evaluation takes validation's part,
// or that of the training without one.
func newSplit(e config.Experiment, read rows.Table) (*split, error) {
	s := &split{d: e.Data, validates: e.Train.ValidateEvery > 0, spans: make([]span, len(read.Groups)), order: make([][]int, len(read.Groups)), unused: map[int]bool{}}
	first := 0
	for i, g := range read.Groups {
		s.names = append(s.names, g.Name)
		s.spans[i] = span{first: first, points: g.Len()}
		first += g.Len()
	}
	choose := s.drawGroups
	switch {
	case s.d.SplitColumn != "":
		choose = s.readParts
	case s.byPoint():
		choose = s.drawPoints
	}
	if err := choose(read); err != nil {
		return nil, err
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
	if s.keepsAll() && s.validates {
		s.test = slices.Clone(s.valid)
	} else if s.keepsAll() {
		s.test = slices.Clone(s.training)
	}
	switch {
	case len(s.test) == 0:
		return nil, datasets.Refuse("data.split", "point", "a group of two points or more, or data.split: group")
	case s.validates && len(s.valid) == 0:
		return nil, datasets.Refuse("data.valid_fraction", s.d.ValidFraction,
			"a group with two training points or more (train.validate_every: 0 trains without validation)")
	}
	return s, nil
}

// drawGroups draws the groups of each part.
func (s *split) drawGroups(read rows.Table) error {
	others, err := s.reservePoints(read.Groups)
	if err != nil {
		return err
	}
	fraction := s.d.TrainFraction
	n := datasets.Share(fraction, len(others))
	if n < 1 || n >= len(others) && !s.keepsAll() {
		return datasets.Refuse("data.train_fraction", fraction,
			"a fraction that leaves some of the %d groups on both sides (data.split: point splits their points instead)", len(others))
	}
	return s.takeGroups(s.shuffled(0, others)[:n])
}

// takeGroups takes groups for training, and the last of them for validation.
func (s *split) takeGroups(training []int) error {
	valid, n := 0, len(training)
	if s.validates {
		if valid = max(1, datasets.Share(s.d.ValidFraction, n)); valid >= n {
			return datasets.Refuse("data.valid_fraction", fmt.Sprintf("%g of %s", s.d.ValidFraction, invalid.Plural(n, "training group", "training groups")),
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
func (s *split) readParts(read rows.Table) error {
	var total [4]int
	var training []int
	for i, of := range read.Parts {
		var parts [4][]int
		for k, p := range of {
			parts[p] = append(parts[p], k)
			if p != of[0] && !s.byPoint() {
				return read.Refuse(i, fmt.Sprintf("with %s and %s in the column %s", rows.PartNames[of[0]], rows.PartNames[p], s.d.SplitColumn),
					"one of them in all rows of a group (data.split: point splits the points of groups)")
			}
		}
		if s.byPoint() { // random: contexts and validation take the first or the last
			parts[rows.Train] = s.shuffled(i, parts[rows.Train])
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
			return &invalid.Input{File: read.File(), Key: s.d.SplitColumn, Found: "no " + what + " with the value " + rows.PartNames[p],
				Expected: "at least one of train and one of test"}
		}
	}
	switch {
	case !s.validates || total[rows.Valid] > 0:
		return nil
	case s.byPoint():
		s.validatePoints()
		return nil
	}
	return s.takeGroups(s.shuffled(0, training))
}

// drawPoints draws the training points of each group from those that are not for calibration. A
// group of two of them or more has one or more on both sides, and that of one point has it in training.
func (s *split) drawPoints(read rows.Table) error {
	if _, err := s.reservePoints(read.Groups); err != nil {
		return err
	}
	for i, g := range read.Groups {
		reserved := s.order[i]
		others := slices.DeleteFunc(points.Spread(g.Len(), g.Len()), func(row int) bool { return slices.Contains(reserved, row) })
		most := len(others)
		n := datasets.Share(s.d.TrainFraction, most)
		if s.keepsAll() {
			n = most
		} else {
			n = min(max(n, 1), max(most-1, 1))
		}
		s.order[i] = append(s.shuffled(i, others), reserved...)
		s.spans[i].train = n
	}
	if s.validates {
		s.validatePoints()
	}
	return nil
}

// validatePoints moves the last training points of each group to validation.
func (s *split) validatePoints() {
	for i := range s.spans {
		if g := &s.spans[i]; g.train > 1 {
			g.valid = max(1, datasets.Share(s.d.ValidFraction, g.train))
			g.train -= g.valid
		}
	}
}

// shuffled returns the items in a random order, number step of those that data.seed fixes.
func (s *split) shuffled(step int, items []int) []int {
	return points.Pick(items, 1, random.New(s.d.Seed, random.Split).Order(uint64(step), len(items)))
}

// leastLeft is the number of points of a group that are not for calibration, if it has two or more.
const leastLeft = 2

// reserved is the generator of the calibration's choices. They depend on names and numbers of points
// alone, so that no search over data.seed sees what is for calibration.
func reserved() random.Generator { return random.New(0, random.Calibration) }

// reserve draws what is for calibration: n groups of two points or more, or n points, such that two of
// each group remain. counts has the number of points of each group. It returns the rows of each group
// that has any, and refuses an n that is too large.
func reserve(counts map[string]int, byPoint bool, n int) (map[string][]int, error) {
	type unit struct {
		group string
		rows  []int
	}
	var units []unit
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		rows := points.Spread(counts[name], counts[name])
		switch {
		case byPoint:
			for k := range rows {
				units = append(units, unit{name, rows[k : k+1]})
			}
		case len(rows) > 1:
			units = append(units, unit{name, rows})
		}
	}
	held, left := map[string][]int{}, n
	if n == 0 {
		return held, nil
	}
	for _, u := range points.Pick(units, 1, reserved().Order(0, len(units))) {
		if left > 0 && (!byPoint || counts[u.group]-len(held[u.group]) > leastLeft) {
			held[u.group] = append(held[u.group], u.rows...)
			left--
		}
	}
	switch {
	case left > 0:
		return nil, datasets.Refuse("data.calibration", n, "at most %d, which leave two points of each group", n-left)
	case !byPoint && n >= len(units):
		return nil, datasets.Refuse("data.calibration", n, "fewer than the %s of two points or more", invalid.Plural(len(units), "group", "groups"))
	}
	return held, nil
}

// reservePoints draws what is for calibration and returns the other groups. If points are held out, these are all
// groups, and the rows for calibration are in s.order.
func (s *split) reservePoints(groups []points.Group) (others []int, err error) {
	sizes := map[string]int{}
	for _, g := range groups {
		sizes[g.Name] = g.Len()
	}
	held, err := reserve(sizes, s.byPoint(), s.d.Calibration)
	if err != nil {
		return nil, err
	}
	for i, f := range groups {
		rows := held[f.Name]
		s.spans[i].calibration = len(rows)
		if s.byPoint() {
			s.order[i] = rows
		}
		if s.byPoint() || rows == nil {
			others = append(others, i)
		}
	}
	return others, nil
}

// evaluatedPart returns the part of the data that an evaluation takes if nothing is held out for a
// test (data.train_fraction: 1): "valid", or "train" without validation. It returns "" if there is
// a test.
func (s *split) evaluatedPart() string {
	switch {
	case !s.keepsAll():
		return ""
	case s.validates:
		return rows.PartNames[rows.Valid]
	}
	return rows.PartNames[rows.Train]
}

// writeSplit writes a table with the columns group and part: train, valid, test, calibration, or unused for a group
// that has too few points for the model. If points are held out, the table has a line for each row of a group and a
// column row, which counts the rows of the group from 1 in the order of the files.
func (s *split) writeSplit(w io.Writer) error {
	c := csv.NewWriter(w)
	if s.byPoint() {
		c.Write([]string{"group", "row", "part"}) // Flush keeps the error
	} else {
		c.Write([]string{"group", "part"})
	}
	for i, name := range s.names {
		g := s.spans[i]
		switch {
		case s.byPoint():
			parts := make([]rows.Part, g.points)
			for k, row := range s.order[i] {
				parts[row] = g.part(k)
			}
			for row, p := range parts {
				c.Write([]string{name, strconv.Itoa(row + 1), rows.PartNames[p]})
			}
		case s.unused[i]:
			c.Write([]string{name, "unused"})
		default:
			c.Write([]string{name, rows.PartNames[g.part(0)]})
		}
	}
	c.Flush()
	return c.Error()
}
