package rows

import (
	"cmp"
	"fmt"
	"math"
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

// Training is what the files of data.file hold.
type Training struct {
	Groups []points.Group
	Parts  [][]Part        // [groups][points]; nil of a group without data.split_column
	first  []invalid.Input // the place of each group's first point
	x, y   []*reader
}

// epoch is the origin of dates while the files are read.
const epoch = "1970-01-01"

// ReadTraining reads data.file. w takes lines on the rows that are left out. Rows with the same group belong
// together, whatever file they are in. Without data.group each file is one group, named after the file. Names are
// numbered in the order of their first rows, and dates are days since 1970: see Settle.
func ReadTraining(d config.Data, dataDir string, w *warning.Record) (*Training, error) {
	paths, err := Paths(d.File, dataDir)
	if err != nil {
		return nil, err
	}
	all := &Training{}
	r := &reading{left: new(leftOut), drops: d.Missing == config.Drop, training: all, weights: -1, names: grouping{byFile: true, outer: -1}}
	for i, cells := range learn(paths, slices.Concat(d.XColumns, d.YColumns), d.Categories, w) {
		cells.isX = i < len(d.XColumns)
		cells.training, cells.Log, cells.zero = true, slices.Contains(d.Log, cells.name), cells.isX
		if cells.isX {
			r.x = append(r.x, cells)
		} else {
			r.y = append(r.y, cells)
		}
	}
	var first *table
	err = each(paths, func(t *table) error {
		first = cmp.Or(first, t)
		t.warn(w)
		return r.start(t, d)
	}, r.row)
	if err != nil {
		return nil, err
	}
	if len(r.groups) == 0 {
		return nil, r.left.all(first.path, first.header)
	}
	r.warn(d.File, first.header, w)
	all.Groups, all.x, all.y = r.groups, r.x, r.y
	return all, nil
}

// learn returns readers of the named columns of files, some of which are categories. Reading the rows again says what
// is wrong with them. w takes lines on numbers that look like codes.
func learn(paths, names, categories []string, w *warning.Record) (readers []*reader) {
	judges := make([]judge, len(names))
	var columns []int
	_ = each(paths, func(t *table) error { columns, _ = t.find(names); return nil }, func(t *table) error {
		for i, column := range columns {
			judges[i].add(t, column)
		}
		return nil
	})
	for i, name := range names {
		if slices.Contains(categories, name) {
			readers = append(readers, newReader(name, Form{Categories: []string{}}))
		} else {
			readers = append(readers, judges[i].reader(name))
			if codes := judges[i].column(name).Codes; codes != "" {
				w.Add("%s", codes)
			}
		}
	}
	return readers
}

// start finds the columns of a training file.
func (r *reading) start(t *table, d config.Data) (err error) {
	if r.xAt, err = t.columns(d.XColumns); err != nil {
		return err
	}
	if r.yAt, err = t.columns(d.YColumns); err != nil {
		return err
	}
	if r.names.by, err = t.optional(d.Group); err != nil {
		return err
	}
	r.split, err = t.optional(d.SplitColumn)
	return err
}

// row notes where group i of training files begins, and what the current row is for. split is its column, −1 for none.
func (all *Training) row(i, split int, t *table) error {
	if i == len(all.first) {
		file, line := t.where(0)
		all.first, all.Parts = append(all.first, invalid.Input{File: file, Line: line}), append(all.Parts, nil)
	}
	if split < 0 {
		return nil
	}
	part := slices.Index(PartNames, t.cell(split))
	if part < 0 {
		return t.refuse(split, strings.Join(PartNames, ", ")+" (the values of data.split_column)")
	}
	all.Parts[i] = append(all.Parts[i], Part(part))
	return nil
}

// File returns the file of the first point of all.
func (t *Training) File() string { return t.first[0].File }

// Refuse returns an error about group i.
func (t *Training) Refuse(i int, found, expected string, values ...any) error {
	bad := t.first[i]
	bad.Found, bad.Expected = "group "+strconv.Quote(t.Groups[i].Name)+" "+found, fmt.Sprintf(expected, values...)
	return &bad
}

// Constant returns the error about column c of [x, y] that has the value v alone.
func (t *Training) Constant(c int, v float64) error {
	r := t.reader(c)
	return &invalid.Input{File: t.File(), Key: r.name, Found: r.Text(v) + " in every row of the training part",
		Expected: "values that differ (leave the column out, or set data.scale: none)"}
}

// reader returns the reader of column c of [x, y].
func (t *Training) reader(c int) *reader {
	if c < len(t.x) {
		return t.x[c]
	}
	return t.y[c-len(t.x)]
}

// Settle changes the numbers of column c of [x, y] to their final meaning and returns its form. part has
// those of the training part. Names get the indices of the sorted names of the training part; names that it
// lacks follow. Dates count from the first day of the files. A logarithm of numbers with a 0 gets its shift.
func (t *Training) Settle(c int, part []float64) Form {
	r := t.reader(c)
	f, least := r.Form, math.Inf(1)
	t.change(c, func(v float64) float64 { least = min(least, v); return v })
	switch {
	case r.kind == nameKind:
		if !slices.ContainsFunc(r.Categories, func(name string) bool { return !isBool(name) }) {
			f.Format = Boolean
			for i, name := range r.Categories {
				r.Categories[i] = strings.ToLower(name)
			}
		}
		var number []int
		f.Categories, number = r.sorted(part)
		t.change(c, func(v float64) float64 { return float64(number[int(v)]) })
	case r.kind == dateKind:
		first := math.Floor(least)
		t.change(c, func(v float64) float64 { return v - first })
		f.Origin = dateText(0, first)
	case r.Log && r.zero && least == 0:
		f.Shift = 1 // if no number is above 0
		positive := slices.DeleteFunc(slices.Clone(part), func(v float64) bool { return v <= 0 })
		if len(positive) > 0 {
			f.Shift = slices.Min(positive)
		}
	}
	return f
}

// sorted returns the sorted names of the training part, and the number of each name that was read.
func (r *reader) sorted(part []float64) (names []string, number []int) {
	seen := make([]bool, len(r.Categories))
	for _, v := range part {
		seen[int(v)] = true
	}
	for i, name := range r.Categories {
		if seen[i] {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	for _, name := range r.Categories {
		i, known := slices.BinarySearch(names, name)
		if !known {
			i = len(names)
		}
		number = append(number, i)
	}
	return names, number
}

// change replaces column c of [x, y] of all groups by f of it.
func (t *Training) change(c int, f func(v float64) float64) {
	for i := range t.Groups {
		for k := range t.Groups[i].Len() {
			v := t.At(i, k, c)
			*v = f(*v)
		}
	}
}

// At returns column c of [x, y] of point k of group i.
func (t *Training) At(i, k, c int) *float64 {
	if c < len(t.x) {
		return &t.Groups[i].Row(k)[c]
	}
	return &t.Groups[i].RowY(k)[c-len(t.x)]
}
