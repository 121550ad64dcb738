package fit

import (
	"regexp"
	"slices"
	"strings"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets/rows"
	"github.com/acqnp/acqnp/internal/fit/formula"
)

// Look scans a file and returns an example of a formula for its columns. Its groups are the first column of names or whole
// numbers whose values repeat, with at least five different ones, in or around groups of another such column of names
// if the file has one: the scans by group find these.
func Look(file string) (rows.Scan, formula.Formula, error) {
	scan, err := rows.ScanFile(config.Data{File: file}, "")
	repeats := func(c rows.Column) bool {
		return !c.Constant() && c.Distinct >= 5 && scan.Rows >= 3*c.Distinct && c.Distinct <= rows.MaxDistinct
	}
	var f formula.Formula
	k := slices.IndexFunc(scan.Columns, func(c rows.Column) bool {
		return repeats(c) && (c.Kind == rows.NameColumn || c.Kind == rows.NumberColumn && whole(c.Values) && !slices.Contains([]string{"x", "y"}, c.Name))
	})
	if err != nil || k < 0 {
		return scan, exampleOf(f, scan), err
	}
	group := scan.Columns[k]
	f.Group = group.Name
	grouped, err := rows.ScanFile(config.Data{File: file, Group: f.Group}, "")
	for _, c := range grouped.Columns {
		if err != nil || c.Kind != rows.NameColumn || !repeats(c) {
			continue
		}
		if c.PerGroup && 2*c.Distinct <= group.Distinct {
			f.Outer = c.Name
			break
		}
		if c.Distinct < 2*group.Distinct {
			continue
		}
		var finer rows.Scan
		finer, err = rows.ScanFile(config.Data{File: file, Group: c.Name}, "")
		if around, _ := finer.Column(group.Name); around.PerGroup {
			f.Outer, f.Group, grouped = group.Name, c.Name, finer
			break
		}
	}
	return scan, exampleOf(f, grouped), err
}

// number matches names of columns that number rows or groups.
var number = regexp.MustCompile(`(?i)^(id|row|rownames|index|)$|[_. ]id$`)

// mostNamesOfX bounds the names of a column of x of an example.
const mostNamesOfX = 12

// exampleOf takes the last column of numbers as y, if it can one of more than two, and as x the others that models can
// take, without those that number rows.
func exampleOf(f formula.Formula, scan rows.Scan) formula.Formula {
	y := -1
	for k, c := range scan.Columns {
		if few := c.Distinct <= 2; c.WithLimits().Kind == rows.NumberColumn && !c.Constant() && !c.PerGroup && c.Name != f.Group && (y < 0 || !few || scan.Columns[y].Distinct <= 2) {
			y = k
		}
	}
	width, spare := 0, ""
	for k, c := range scan.Columns {
		names := c.Kind == rows.NameColumn
		if k == y || c.Constant() || c.Name == f.Group || c.Name == f.Outer || names && c.Distinct > mostNamesOfX ||
			!names && !slices.Contains([]string{rows.NumberColumn, rows.DateColumn, rows.TimeColumn}, c.Kind) {
			continue
		}
		if number.MatchString(c.Name) || f.Group != "" && c.Kind == rows.NumberColumn && c.Distinct == scan.Rows && whole(c.Values) {
			spare = c.Name
			continue
		}
		if width++; names {
			width += c.Distinct
		}
		if width <= mostOfModelX {
			f.X = append(f.X, formula.Term{Column: c.Name})
		}
	}
	if f.X == nil && spare != "" {
		f.X = []formula.Term{{Column: spare}}
	}
	if y >= 0 && len(f.X) > 0 {
		f.Y = []formula.Term{{Column: scan.Columns[y].Name}}
	}
	return f
}

func whole(values []string) bool {
	return !slices.ContainsFunc(values, func(v string) bool { return strings.ContainsAny(v, ".,eE") })
}
