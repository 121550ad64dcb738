package rows

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/invalid/warning"
	"github.com/acqnp/acqnp/internal/points"
)

// A Part is what a group, or a point of a group, is for.
type Part uint8

// The parts.
const (
	Train Part = iota
	Valid
	Test
	Calibration
)

// PartNames are the values of data.split_column, by part.
var PartNames = []string{"train", "valid", "test", "calibration"}

// A Table is what one file or several hold.
type Table struct {
	Groups []points.Group  // in the order of their first rows
	Parts  [][]Part        // [groups][points]; nil of a group without Layout.Split
	Forms  []Form          // of the columns of x and y, with the names that were read
	first  []invalid.Input // the place of each group's first point
}

// File returns the file of the first point of all.
func (t *Table) File() string { return t.first[0].File }

// Refuse returns an error about group i.
func (t *Table) Refuse(i int, found, expected string) error {
	bad := t.first[i]
	bad.Found, bad.Expected = "group "+strconv.Quote(t.Groups[i].Name)+" "+found, expected
	return &bad
}

// Layout returns how training reads the files of a scan. A column of cells of several kinds is read as one of the most
// frequent, so that the first other cell is refused. Names are numbered in the order of their first rows, and dates are
// days since 1970: training settles both by the rows that it uses. w takes lines on numbers that look like codes
// or dates.
func (s Scan) Layout(d config.Data, w *warning.Record) Layout {
	l := Layout{X: d.XColumns, Y: d.YColumns, Groups: []string{d.Group}, Split: d.SplitColumn, ByFile: true, DropMissing: d.Missing == config.Drop, Warnings: w}
	var forms []Form
	for _, name := range slices.Concat(d.XColumns, d.YColumns) {
		c, _ := s.Column(name)
		k := c.Likely
		f, known := map[kind]Form{numberKind: {}, percentKind: {Format: Percent}, clockKind: {Format: Clock}, dateKind: {Origin: epoch, Format: c.Format}}[k]
		switch {
		case slices.Contains(d.Categories, name):
			k, f = nameKind, Form{Categories: []string{}}
			if c.Kind == NameColumn {
				f.Format = c.Format
			}
		case !known:
			k = unknownKind
		}
		if c.Codes != "" && k != nameKind {
			w.Add("%s", c.Codes)
		}
		if c.Stamps != "" && k != nameKind && slices.Contains(d.XColumns, name) {
			w.Add("%s", c.Stamps)
		}
		f.Log = slices.Contains(d.Log, name)
		forms, l.trained = append(forms, f), append(l.trained, k)
	}
	l.XForms, l.YForms = forms[:len(l.X)], forms[len(l.X):]
	return l
}

// ReadAll reads the file or the directory of this name, see [Paths]. Rows with the same group belong together, whatever
// file they are in. All files have the header of the first, and a row or more.
func (l *Layout) ReadAll(name, dataDir string) (Table, error) {
	paths, err := Paths(name, dataDir)
	if err != nil {
		return Table{}, err
	}
	var r *reading
	var first *table
	err = each(paths, func(t *table) (err error) {
		if first = cmp.Or(first, t); first != t {
			t.warn(l.Warnings)
			return nil
		}
		r, err = l.place(t, l.Y)
		return err
	}, func(t *table) error { return r.row(t) })
	if err != nil {
		return Table{}, err
	}
	if len(r.Groups) == 0 {
		return Table{}, r.left.all(first.path, first.header)
	}
	r.warn(name, first.header, l.Warnings)
	for _, c := range slices.Concat(r.x, r.y) {
		r.Forms = append(r.Forms, c.Form)
	}
	return r.Table, nil
}

// begin notes where a new group begins, at the current row.
func (all *Table) begin(g points.Group, t *table) {
	file, line := t.where(0)
	all.Groups, all.Parts = append(all.Groups, g), append(all.Parts, nil)
	all.first = append(all.first, invalid.Input{File: file, Line: line})
}

// part notes what the current row, of group i, is for by a column.
func (all *Table) part(i, column int, t *table) error {
	part := slices.Index(PartNames, t.cell(column))
	if part < 0 {
		return t.refuse(column, strings.Join(PartNames, ", ")+" (the values of data.split_column)")
	}
	all.Parts[i] = append(all.Parts[i], Part(part))
	return nil
}
