package datasets

import (
	"encoding/csv"
	"io"
	"strconv"

	"github.com/acqnp/acqnp/internal/datasets/rows"
)

// trainingPart returns fraction·n, rounded down. The small term makes up for rounding errors:
// 0.29·100 is 28.999….
func trainingPart(fraction float64, n int) int { return int(fraction*float64(n) + 1e-9) }

// A Split says what each function of a source, or each of its rows, is for.
type Split struct{ s *csvSource }

// SplitOf returns the split of a source, or nil for benchmarks, whose split follows from their name
// and from data.seed.
func SplitOf(source any) *Split {
	if s, ok := source.(*csvSource); ok {
		return &Split{s}
	}
	return nil
}

// EvaluatedPart returns the part of the data that an evaluation takes if nothing is held out for a
// test (data.train_fraction: 1): "valid", or "train" without validation. It returns "" if there is
// a test.
func EvaluatedPart(source any) string {
	s, ok := source.(*csvSource)
	switch {
	case !ok || !s.keepsAll():
		return ""
	case s.validates():
		return rows.PartNames[rows.Valid]
	}
	return rows.PartNames[rows.Train]
}

// unused is the part of a function that has too few points for the model.
const unused = "unused"

// WriteCSV writes a table with the columns function and part: train, valid, test, calibration or unused. If
// points are held out, the table has a line for each row of a function and a column row, which
// counts the rows of the function from 1 in the order of the files.
func (s *Split) WriteCSV(w io.Writer) error {
	c := csv.NewWriter(w)
	if s.s.byPoint() {
		c.Write([]string{"function", "row", "part"}) // Flush keeps the error
		for i, name := range s.s.names {
			for row, p := range s.s.parts(i) {
				c.Write([]string{name, strconv.Itoa(row + 1), rows.PartNames[p]})
			}
		}
	} else {
		c.Write([]string{"function", "part"})
		for i, p := range s.s.functionParts() {
			c.Write([]string{s.s.names[i], p})
		}
	}
	c.Flush()
	return c.Error()
}

// parts returns the part of each row of function i.
func (s *csvSource) parts(i int) []rows.Part {
	f := s.spans[i]
	parts := make([]rows.Part, f.points)
	for k, row := range s.order[i] {
		switch {
		case k >= f.points-f.calibration:
			parts[row] = rows.Calibration
		case k >= f.train+f.valid:
			parts[row] = rows.Test
		case k >= f.train:
			parts[row] = rows.Valid
		}
	}
	return parts
}

// functionParts returns the name of the part of each function. If nothing is held out for a test,
// the test's functions are those of another part, whose name they have.
func (s *csvSource) functionParts() []string {
	names := make([]string, len(s.spans))
	for i := range names {
		names[i] = unused
	}
	for p, list := range [][]int{s.training, s.valid, s.test, s.calibration} {
		if rows.Part(p) == rows.Test && s.keepsAll() {
			continue
		}
		for _, i := range list {
			names[i] = rows.PartNames[p]
		}
	}
	return names
}
