// Package file has what fit.json holds: the columns of the data, as models see them, a stack of models for each column of
// y, and the rows that the fit keeps.
package file

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/acqnp/acqnp/internal/files"
	"github.com/acqnp/acqnp/internal/fit/pretrained"
	"github.com/acqnp/acqnp/internal/fit/stack"
	"github.com/acqnp/acqnp/internal/fit/table"
	"github.com/acqnp/acqnp/internal/invalid"
)

// Name is the name of the file, in a directory that acqnp fit writes.
const Name = "fit.json"

// Is reports whether a directory is what acqnp fit writes.
func Is(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, Name))
	return dir != "" && err == nil
}

// schema names the layout of the file.
var schema = fmt.Sprintf(schemas, schemaVersion)

const (
	schemas       = "acqnp.fit/%d"
	schemaVersion = 6
)

// maxFile is the largest length of the file, in bytes.
const maxFile = 1 << 28

// A Fit is the content of the file.
type Fit struct {
	Schema     string  `json:"schema"` // schema; Write sets it
	File       string  `json:"file"`   // that was fitted to
	Formula    string  `json:"formula"`
	RowWeights string  `json:"row_weights,omitempty"` // the column of row weights; "" without
	Weight     float64 `json:"weight,omitempty"`      // the sum of the row weights
	Columns
	Stacks []*stack.Stack `json:"stacks"` // of each column of y
	// CrossedModels code the crossed names for each column of y; nil without such names.
	CrossedModels []table.Crossed `json:"crossed_models,omitempty"`
	Tables        []table.Table   `json:"tables,omitempty"` // of each column of y: nothing is predicted with them
	Kept          Kept            `json:"kept,omitzero"`
	Together      []Together      `json:"together,omitempty"` // of several columns of y, by numbers of known points

	Path string `json:"-"` // that it was read from; "" if it was not
}

// Kinds are the models that a file can hold.
var Kinds = append(stack.Kinds(), pretrained.Kind(pretrained.MostSiblings))

// Write writes fit.json to a directory, and removes the temporary files that killed writers have left beside it.
func (f *Fit) Write(dir string) error {
	f.Schema = schema
	content, err := json.Marshal(f)
	if err != nil {
		return err
	}
	left, _ := filepath.Glob(filepath.Join(dir, files.TempPrefix+Name+"-*")) // none if the name of dir is no pattern
	for _, path := range left {
		err = errors.Join(err, os.Remove(path))
	}
	return errors.Join(err, files.WriteBytes(filepath.Join(dir, Name), append(content, '\n')))
}

// Read reads fit.json in a directory. The error for a file that is not there or that Write did
// not write is an *invalid.Input.
func Read(dir string) (*Fit, error) {
	f := &Fit{}
	path := filepath.Join(dir, Name)
	const expected = "what acqnp fit writes"
	refuse := func(key, found string) (*Fit, error) {
		return nil, &invalid.Input{File: path, Key: key, Found: found, Expected: expected}
	}
	content, err := files.Read(path, expected, maxFile)
	if err != nil {
		return nil, err
	}
	err = json.Unmarshal(content, f)
	if err == nil || f.Schema != "" { // other schemas may have other types
		if err := checkSchema(path, f.Schema); err != nil {
			return nil, err
		}
	}
	if err != nil {
		return refuse("", err.Error())
	}
	if len(f.Stacks) != len(f.Y) || len(f.Y) == 0 || len(f.X) == 0 || len(f.XForms) != len(f.X) || len(f.Ranges) != len(f.X) || len(f.Missing) != len(f.X) || !f.ordered() ||
		len(f.YForms) != len(f.Y) || f.CrossedAt() >= 0 && len(f.CrossedModels) != len(f.Y) || len(f.LogY) != len(f.Y) || len(f.YRanges) != len(f.Y) {
		return refuse("stacks", fmt.Sprintf("%d, of %s and %d of x", len(f.Stacks), invalid.Plural(len(f.Y), "column of y", "columns of y"), len(f.X)))
	}
	for c, form := range slices.Concat(f.XForms, f.YForms) {
		if err := form.Check(); err != nil {
			return refuse(slices.Concat(f.X, f.Y)[c], err.Error())
		}
	}
	for c, s := range f.Stacks {
		if s == nil {
			return refuse("stacks", "null")
		}
		if !f.codes(c) {
			return refuse("crossed_models", "a damaged model of "+f.Y[c])
		}
		err := s.Open(Kinds)
		if err == nil {
			err = s.Check(f.Width())
		}
		if err != nil {
			return refuse("stacks", err.Error())
		}
	}
	if err := f.Kept.complete(&f.Columns); err != nil {
		return refuse("kept", err.Error())
	}
	for _, t := range f.Together {
		if t.Copula == nil || t.Outcomes != len(f.Y) || t.Check() != nil {
			return refuse("together", "a damaged copula")
		}
	}
	f.Path = path
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

// Main returns the fit with the models that have most of the weight, those without a fold opened, and the least share of
// a column of y that they hold.
func (f *Fit) Main() (*Fit, float64, error) {
	one, least := *f, 1.0
	one.Stacks = nil
	for _, s := range f.Stacks {
		main, share := s.Main()
		if err := main.OpenFolds(Kinds, f.Width()); err != nil {
			return nil, 0, &invalid.Input{File: f.Path, Key: "stacks", Found: err.Error(), Expected: "what acqnp fit writes"}
		}
		one.Stacks, least = append(one.Stacks, main), min(least, share)
	}
	return &one, least, nil
}

// OfFold returns the fit with the models without one fold alone.
func (f *Fit) OfFold(fold int) *Fit {
	one := *f
	one.Stacks = nil
	for _, s := range f.Stacks {
		one.Stacks = append(one.Stacks, s.OfFold(fold))
	}
	return &one
}
