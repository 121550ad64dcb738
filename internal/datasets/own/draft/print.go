package draft

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"github.com/acqnp/acqnp/internal/datasets/rows"
	"github.com/acqnp/acqnp/internal/invalid"
)

// Print writes what was found, for people.
func (f Found) Print(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "file\t%s (%s)\n", f.File, invalid.Plural(f.Files, "file", "files"))
	fmt.Fprintf(t, "rows\t%d%s\n", f.Rows, f.dropped())
	fmt.Fprintf(t, "groups\t%d, points of each: least %d, median %d, most %d\n", f.Groups, f.Points[0], f.Points[1], f.Points[2])
	if f.Calibration > 0 {
		fmt.Fprintf(t, "held back\t%d for calibration, which nothing else uses\n", f.Calibration)
	}
	for _, c := range f.Columns {
		fmt.Fprintf(t, "%s\t%s\n", c.Name, f.describe(c))
	}
	return t.Flush()
}

// dropped says how many rows were left out.
func (f Found) dropped() string {
	if f.Dropped == 0 {
		return ", no missing cell"
	}
	return fmt.Sprintf(", %d left out: a cell is missing", f.Dropped)
}

// describe says what a column holds.
func (f Found) describe(c rows.Column) string {
	text := c.What()
	switch c.Kind {
	case rows.NameColumn:
		text += "; a column for each"
	case rows.DateColumn:
		text += ", as days since the first"
	case rows.TimeColumn:
		text += ", as hours since midnight"
	}
	if slices.Contains(f.Skewed, c.Name) {
		text += "; skewed and nowhere negative, the model sees the logarithm"
	}
	if slices.Contains(f.PerGroup, c.Name) {
		text += "; the same in all rows of a group"
	}
	if c.Codes != "" {
		text += "; see " + c.Codes
	}
	if c.Stamps != "" {
		text += "; see " + c.Stamps
	}
	if c.Missing > 0 {
		text += fmt.Sprintf("; %d missing", c.Missing)
	}
	return text
}
