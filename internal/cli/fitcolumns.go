package cli

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"github.com/acqnp/acqnp/internal/datasets/rows"
	"github.com/acqnp/acqnp/internal/fit"
	"github.com/acqnp/acqnp/internal/fit/formula"
	"github.com/acqnp/acqnp/internal/invalid"
)

// columnsSummary is the result of fit without a formula.
type columnsSummary struct {
	File    string        `json:"file"`
	Rows    int           `json:"rows"`
	Columns []rows.Column `json:"columns"`
	Formula string        `json:"formula"` // that fit proposes; "" if the columns allow none
	LeftOut []string      `json:"left_out,omitempty"`
}

// showColumns shows the columns of a file and proposes a formula.
func showColumns(a *app, file string) error {
	scan, proposed, err := fit.Look(file)
	if err != nil {
		return err
	}
	s := columnsSummary{File: file, Rows: scan.Rows, Columns: scan.Columns}
	if len(proposed.Y) > 0 {
		s.Formula = proposed.String()
		taken := append(formula.Columns(slices.Concat(proposed.Y, proposed.X)), proposed.Group, proposed.Outer)
		for _, c := range scan.Columns {
			if !slices.Contains(taken, c.Name) {
				s.LeftOut = append(s.LeftOut, cmp.Or(c.Name, "(no name)"))
			}
		}
	}
	return a.result(s, s.print)
}

func (s columnsSummary) print(w io.Writer) error {
	fmt.Fprintf(w, "%s, %s\n\n", s.File, invalid.Plural(s.Rows, "row", "rows"))
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "column\ttype\tmissing\tdistinct\tcells")
	for _, c := range s.Columns {
		distinct := fmt.Sprint(c.Distinct)
		if c.Distinct > rows.MaxDistinct {
			distinct = fmt.Sprintf("more than %d", rows.MaxDistinct)
		}
		fmt.Fprintf(table, "%s\t%s\t%d\t%s\t%s\n", cmp.Or(c.Name, "(no name)"), cmp.Or(c.Format, c.Kind), c.Missing, distinct, c.What())
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if s.Formula == "" {
		_, err := fmt.Fprint(w, "\nno formula is proposed: it takes two columns of numbers, or one and a column of dates\n")
		return err
	}
	without := ""
	if s.LeftOut != nil {
		without = ", without " + invalid.First(s.LeftOut)
	}
	_, err := fmt.Fprintf(w, "\na formula to start from%s:\n  acqnp fit %s %s\n", without, invalid.ShellWord(s.File), invalid.ShellWord(s.Formula))
	return err
}
