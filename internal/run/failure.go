package run

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/acqnp/acqnp/internal/files"
)

// failureFile is the file in a run directory that says why the run failed.
const failureFile = "error.json"

// A Failure says why a run failed. It is the content of error.json.
type Failure struct {
	ExitCode int       `json:"exit_code"`       // −1 if a signal ended the process
	Cause    string    `json:"cause,omitempty"` // "diverged" if the same training would fail again
	Message  string    `json:"message"`         // in one line
	Attempts int       `json:"attempts"`        // how often the run was started
	Host     string    `json:"host"`
	Time     time.Time `json:"time"`
}

// Diverged is the cause of a failure that any further training would repeat, bit for bit.
const Diverged = "diverged"

// WriteFailure writes error.json into the directory of a run, which it makes if it is absent.
func WriteFailure(dir string, f Failure) error {
	b, err := json.MarshalIndent(f, "", "  ")
	if err != nil {
		return err
	}
	if err := makeDir(dir); err != nil {
		return err
	}
	return files.WriteBytes(filepath.Join(dir, failureFile), append(b, '\n'))
}

// ReadFailure returns the failure of the run in dir, nil if it has none.
func ReadFailure(dir string) (*Failure, error) {
	var f Failure
	err := readJSON(filepath.Join(dir, failureFile), "what acqnp sweep writes of a run that failed", 1<<20, &f)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &f, nil
}

// ClearFailure removes error.json, so that the run counts as one that may go on.
func ClearFailure(dir string) error {
	err := os.Remove(filepath.Join(dir, failureFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
