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

// A Split says what each group of a source, or each of its rows, is for.
type Split struct{ s *ownSource }

// SplitOf returns the split of a source, or nil for benchmarks, whose split follows from their name
// and from data.seed.
func SplitOf(source any) *Split {
	if s, ok := source.(*ownSource); ok {
		return &Split{s}
	}
	return nil
}

// EvaluatedPart returns the part of the data that an evaluation takes if nothing is held out for a
// test (data.train_fraction: 1): "valid", or "train" without validation. It returns "" if there is
// a test.
func EvaluatedPart(source any) string {
	s, ok := source.(*ownSource)
	switch {
	case !ok || !s.keepsAll():
		return ""
	case s.validates():
		return rows.PartNames[rows.Valid]
	}
	return rows.PartNames[rows.Train]
}

// WriteCSV writes a table with the columns group and part: train, valid, test, calibration, or unused for a group
// that has too few points for the model. If points are held out, the table has a line for each row of a group and a
// column row, which counts the rows of the group from 1 in the order of the files.
func (s *Split) WriteCSV(w io.Writer) error {
	c := csv.NewWriter(w)
	if s.s.byPoint() {
		c.Write([]string{"function", "row", "part"}) // Flush keeps the error
	} else {
		c.Write([]string{"function", "part"})
	}
	for i, name := range s.s.names {
		g := s.s.spans[i]
		switch {
		case s.s.byPoint():
			parts := make([]rows.Part, g.points)
			for k, row := range s.s.order[i] {
				parts[row] = g.part(k)
			}
			for row, p := range parts {
				c.Write([]string{name, strconv.Itoa(row + 1), rows.PartNames[p]})
			}
		case s.s.unused[i]:
			c.Write([]string{name, "unused"})
		default:
			c.Write([]string{name, rows.PartNames[g.part(0)]})
		}
	}
	c.Flush()
	return c.Error()
}
