// Package post is what is done to the predictions of trained networks: the tails and the width of
// Gaussians, a simple model beside the networks, and the calibration of intervals and regions.
//
// A [Postprocessing] says what is done. A run keeps it in its postprocessing.json, which training
// writes from the configuration and to which score --calibrate adds the calibration. [Read] reads the
// file; a run without it does what its configuration says. A [Reader] makes predictive distributions of
// what networks compute. Validation, evaluation, predictions and plots all use it; exports state the
// same in their own language.
package post

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/files"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/run"
)

// Schema names the layout of postprocessing.json.
const Schema = "acqnp.postprocessing/1"

// maxFile is the largest length of postprocessing.json, in bytes.
const maxFile = 1 << 26

// expected is what postprocessing.json has to be.
const expected = "what acqnp train and score --calibrate write"

// Postprocessing is what is done to predictions. The zero value does nothing.
type Postprocessing struct {
	config.Postprocessing
	Calibration *Calibration // nil without one; predictions take it if they are asked to
}

// Of returns the postprocessing that a configuration asks for.
func Of(e config.Experiment) Postprocessing { return Postprocessing{Postprocessing: e.Postprocessing} }

// file is the content of postprocessing.json. Keys have the names that configurations give them.
type file struct {
	Schema string `json:"schema"`
	config.Postprocessing
	Calibration *Calibration `json:"calibration,omitempty"`
}

// Encoded returns the content of postprocessing.json, with a line for each field.
func (p Postprocessing) Encoded() ([]byte, error) {
	keys, err := json.Marshal(file{Schema: Schema, Postprocessing: p.Postprocessing})
	if err != nil {
		return nil, err
	}
	lines := strings.NewReplacer("{", "{\n  ", `,"`, ",\n  \"", `":`, `": `).Replace(strings.TrimSuffix(string(keys), "}"))
	if p.Calibration != nil {
		c, err := json.Marshal(p.Calibration)
		if err != nil {
			return nil, err
		}
		lines += ",\n  \"calibration\": " + string(c)
	}
	return []byte(lines + "\n}\n"), nil
}

// Write writes postprocessing.json to the run directory dir.
func (p Postprocessing) Write(dir string) error {
	content, err := p.Encoded()
	if err != nil {
		return err
	}
	return files.WriteBytes(filepath.Join(dir, run.PostprocessingFile), content)
}

// Begun returns the content of postprocessing.json for a run in dir that begins, or goes on, with the
// configuration e: a calibration stays. It returns nil if nothing has to be written.
func Begun(dir string, e config.Experiment) ([]byte, error) {
	now := Of(e)
	old, found, err := Read(dir, e)
	if err != nil {
		return nil, err
	}
	if now.Calibration = old.Calibration; reflect.DeepEqual(now, old) && (found || reflect.ValueOf(now).IsZero()) {
		return nil, nil
	}
	return now.Encoded()
}

// Read reads postprocessing.json in the run directory dir, whose configuration is e. Without the file it
// returns what e asks for and false. A file that the configuration's model cannot use, or that is not what
// Encoded returns, is an *invalid.Input.
func Read(dir string, e config.Experiment) (p Postprocessing, found bool, err error) {
	path := filepath.Join(dir, run.PostprocessingFile)
	if _, err := os.Lstat(path); errors.Is(err, os.ErrNotExist) {
		return Of(e), false, nil
	}
	content, err := files.Read(path, expected, maxFile)
	if err != nil {
		return p, true, err
	}
	refuse := func(key, found, expected string) (Postprocessing, bool, error) {
		return Postprocessing{}, true, &invalid.Input{File: path, Key: key, Found: found, Expected: expected}
	}
	var f file
	d := json.NewDecoder(bytes.NewReader(content))
	d.DisallowUnknownFields()
	if err := d.Decode(&f); err != nil {
		return refuse("", err.Error(), expected)
	}
	if f.Schema != Schema {
		return refuse("schema", fmt.Sprintf("%q", f.Schema), Schema)
	}
	e.Postprocessing = f.Postprocessing
	if err := config.CheckPostprocessing(path, e); err != nil {
		return Postprocessing{}, true, err
	}
	if f.Calibration != nil {
		if bad := f.Calibration.disordered(); bad != "" {
			return refuse("calibration", bad, expected)
		}
	}
	return Postprocessing{f.Postprocessing, f.Calibration}, true, nil
}
