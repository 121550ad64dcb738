package fit

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/datasets/rows"
	"github.com/acqnp/acqnp/internal/files"
	"github.com/acqnp/acqnp/internal/files/tabular"
	"github.com/acqnp/acqnp/internal/fit/formula"
	"github.com/acqnp/acqnp/internal/fit/pretrained"
	"github.com/acqnp/acqnp/internal/fit/stack"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/likelihood/score"
	"github.com/acqnp/acqnp/internal/predict"
	"github.com/acqnp/acqnp/internal/predict/conformal"
	"github.com/acqnp/acqnp/internal/run"
)

// File is the file of a directory that acqnp fit writes.
const File = "fit.json"

// Is reports whether a directory is what acqnp fit writes.
func Is(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, File))
	return dir != "" && err == nil
}

// drawSeed is the seed of draws where none is given.
const drawSeed = 43

// schema names the layout of the file.
var schema = fmt.Sprintf(schemas, schemaVersion)

const (
	schemas       = "acqnp.fit/%d"
	schemaVersion = 6
)

// maxFile is the largest length of the file, in bytes.
const maxFile = 1 << 28

// A Fitted is what acqnp fit keeps: the columns of the data, and a stack of models for each column of y.
type Fitted struct {
	Schema     string           `json:"schema"` // schema; Write sets it
	File       string           `json:"file"`   // that was fitted to
	Formula    string           `json:"formula"`
	RowWeights string           `json:"row_weights,omitempty"` // the column of row weights; "" without
	Weight     float64          `json:"weight,omitempty"`      // the sum of the row weights
	Group      string           `json:"group"`                 // the column that names groups; "" if all rows are one
	Outer      string           `json:"outer,omitempty"`       // the column of the groups that these are in; "" for one level
	X          []string         `json:"x"`
	Y          []string         `json:"y"`
	XForms     []rows.Form      `json:"x_forms"`
	Order      []int            `json:"order"`    // the columns of x as models see them, whatever their order in the formula
	Ranges     []datasets.Range `json:"x_ranges"` // of the data, of each column of x
	LogY       []bool           `json:"log_y"`    // whether the formula says log(y), of each column of y
	YForms     []rows.Form      `json:"y_forms"`  // how numbers of each column of y are written
	YRanges    []datasets.Range `json:"y_ranges"`
	Rows       int              `json:"rows"`                 // that were used
	EqualRows  int              `json:"equal_rows,omitempty"` // of these: equal to another of their group, see tellsRowsApart
	Missing    []int            `json:"x_missing"`            // how many of them lack a cell, of each column of x
	Stacks     []*stack.Stack   `json:"stacks"`               // of each column of y
	Kept       []keptGroup      `json:"kept,omitempty"`
	Together   []Together       `json:"together,omitempty"` // of several columns of y, by numbers of known points

	path string // that it was read from; "" if it was not
}

// allKinds are the models that a file can hold.
var allKinds = append(stack.Kinds(), pretrained.Kind(pretrained.MostSiblings))

// Write writes fit.json to a directory, and removes the temporary files that killed writers have left beside it.
func (f Fitted) Write(dir string) error {
	f.Schema = schema
	content, err := json.Marshal(f)
	if err != nil {
		return err
	}
	left, _ := filepath.Glob(filepath.Join(dir, files.TempPrefix+File+"-*")) // the pattern is a good one
	for _, path := range left {
		err = errors.Join(err, os.Remove(path))
	}
	return errors.Join(err, files.WriteBytes(filepath.Join(dir, File), append(content, '\n')))
}

// Read reads fit.json in a directory. The error for a file that is not there or that Write did
// not write is an *invalid.Input.
func Read(dir string) (f Fitted, err error) {
	path := filepath.Join(dir, File)
	const expected = "what acqnp fit writes"
	refuse := func(key, found string) (Fitted, error) {
		return f, &invalid.Input{File: path, Key: key, Found: found, Expected: expected}
	}
	content, err := files.Read(path, expected, maxFile)
	if err != nil {
		return f, err
	}
	err = json.Unmarshal(content, &f)
	if err == nil || f.Schema != "" { // other schemas may have other types
		if err := checkSchema(path, f.Schema); err != nil {
			return f, err
		}
	}
	if err != nil {
		return refuse("", err.Error())
	}
	if len(f.Stacks) != len(f.Y) || len(f.Y) == 0 || len(f.XForms) != len(f.X) || len(f.Ranges) != len(f.X) || len(f.Missing) != len(f.X) || !f.ordered() ||
		len(f.YForms) != len(f.Y) || len(f.LogY) != len(f.Y) || len(f.YRanges) != len(f.Y) {
		return refuse("stacks", fmt.Sprintf("%d, of %s and %d of x", len(f.Stacks), invalid.Plural(len(f.Y), "column of y", "columns of y"), len(f.X)))
	}
	for c, form := range slices.Concat(f.XForms, f.YForms) {
		if err := form.Check(); err != nil {
			return refuse(slices.Concat(f.X, f.Y)[c], err.Error())
		}
	}
	for _, s := range f.Stacks {
		if s == nil {
			return refuse("stacks", "null")
		}
		err := s.Open(allKinds)
		if err == nil {
			err = s.Check(f.width())
		}
		if err != nil {
			return refuse("stacks", err.Error())
		}
	}
	for i := range f.Kept {
		if err := f.Kept[i].settle(f); err != nil {
			return refuse("kept", err.Error())
		}
	}
	for _, t := range f.Together {
		if t.Copula == nil || t.Outcomes != len(f.Y) || t.Check() != nil {
			return refuse("together", "a damaged copula")
		}
	}
	f.path = path
	return f, nil
}

// checkSchema returns an error unless a file states the schema of this program.
func checkSchema(path, stated string) error {
	var version int
	switch _, err := fmt.Sscanf(stated, schemas, &version); {
	case err != nil:
		return &invalid.Input{File: path, Key: "schema", Found: strconv.Quote(stated), Expected: schema}
	case version < schemaVersion:
		return &invalid.Input{File: path, Found: "a fit by an older acqnp (" + stated + ")", Expected: schema + ": fit again"}
	case version > schemaVersion:
		return &invalid.Input{File: path, Found: "a fit by a newer acqnp (" + stated + ")", Expected: schema + ": use that acqnp, or fit again"}
	}
	return nil
}

// Layout returns how files of points are read.
func (f Fitted) Layout() rows.Layout {
	l := rows.Layout{X: f.X, Y: f.Y, XForms: f.XForms, YForms: f.YForms, DropMissing: true, PartialY: true}
	if f.Group != "" {
		l.Groups, l.Outer = []string{f.Group}, f.Outer
	}
	return l
}

// groups returns the name of the columns of groups together.
func (f Fitted) groups() string { return formula.Formula{Group: f.Group, Outer: f.Outer}.Groups() }

// Unit says what predictions are judged by: a new group or, if folds are of points, a new point.
func (f Fitted) Unit() string {
	if f.Stacks[0].ByPoint {
		return "new point of the known groups"
	}
	return "new " + cmp.Or(f.Group, "group")
}

// outerOf returns the outer group of a group, "" for one level.
func (f Fitted) outerOf(group string) string {
	if f.Outer == "" {
		return ""
	}
	return rows.OuterOf(group)
}

// yForms returns YForms with the logarithms that models take of y.
func (f Fitted) yForms() []rows.Form {
	forms := slices.Clone(f.YForms)
	for c, s := range f.Stacks {
		forms[c].Log, forms[c].AsLeast = s.SeesLog(), true
	}
	return forms
}

// About implements [predict.Predictor].
func (f Fitted) About() predict.About {
	name := filepath.Base(filepath.Clean(f.File))
	outcomes := make([]likelihood.Support, len(f.Stacks))
	for c, s := range f.Stacks {
		outcomes[c] = s.Outcome
	}
	return predict.About{Model: "fit", Outcomes: outcomes, Formula: f.Formula, Data: tabular.Stem(name), File: name, Group: f.groups(), Units: f.units(), Recalls: true, Nested: f.Outer != "",
		Weights: run.Weights{Path: f.path}, Seed: drawSeed, Question: f.Formula + ", of " + name}
}

// units returns the columns, in raw units: models scale them on their own.
func (f Fitted) units() run.Units {
	return run.Units{XNames: f.X, YNames: f.Y, Scaling: datasets.Scaling{XForms: f.XForms, YForms: f.yForms()}}
}

// OfFold returns what predicts with the models without one fold alone.
func (f Fitted) OfFold(fold int) Fitted {
	all := f.Stacks
	f.Stacks = nil
	for _, s := range all {
		f.Stacks = append(f.Stacks, s.OfFold(fold))
	}
	return f
}

// width returns the number of columns of x that models see: one for each name of a column of names.
func (f Fitted) width() int { return len(f.ModelX(make([]float64, len(f.X)))) }

// ordered reports whether Order has each column of x once.
func (f Fitted) ordered() bool {
	sorted := slices.Sorted(slices.Values(f.Order))
	for c, at := range sorted {
		if at != c {
			return false
		}
	}
	return len(sorted) == len(f.X)
}

// ModelX returns what the models see of raw x [n, columns of x]: logarithms and one-hot names, of the columns in Order.
func (f Fitted) ModelX(raw []float64) []float64 {
	var x []float64
	for row := range slices.Chunk(raw, len(f.X)) {
		for _, c := range f.Order {
			x = f.XForms[c].AppendNumbers(x, row[c])
		}
	}
	return x
}

// Calibrated returns the calibrations of each column of y. Its Channels are those of the fewest groups.
func (f Fitted) Calibrated() *conformal.Calibration {
	c := &conformal.Calibration{Exchangeable: "group"}
	if f.Stacks[0].ByPoint {
		c.Exchangeable = "point"
	}
	for i, s := range f.Stacks {
		least := s.Calibrations[0]
		for _, one := range s.Calibrations {
			if one.Groups < least.Groups {
				least = one
			}
		}
		c.Channels = append(c.Channels, conformal.ChannelCalibration{Channel: f.Y[i], Calibration: least.Calibration,
			Of: func(known int) score.Calibration { return stack.CalibrationFor(known, s.Calibrations).Calibration }})
	}
	return c
}
