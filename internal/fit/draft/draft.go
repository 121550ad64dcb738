// Package search writes a configuration for a user's own CSV files: acqnp init.
//
// [Run] scans the files, settles what follows from them (the split, categories, missing cells), and
// then chooses between a few configurations by validation: it trains each for a number of steps on
// the same data and keeps the one whose validation is best. The number of steps follows from counted
// operations, not from time, so the choice depends on the files and the seed alone. [Result.YAML]
// returns the configuration with comments.
package draft

import (
	"context"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/models/kde"
	"github.com/acqnp/acqnp/internal/progress"
)

// Options say which files to look at and how long to try.
type Options struct {
	File     string // a CSV file or a directory of them
	Function string // the column that names the function; "" if each file is one
	X, Y     []string
	DataDir  string
	Model    string  // the only model to try; "" for all
	Budget   float64 // of the trials, in seconds of two ordinary cores; 0 tries nothing
	Seed     uint64
	Threads  int // trials at the same time, at least 1
	// Calibrate holds back functions, or points, to calibrate intervals with. Neither the search nor
	// the training uses them.
	Calibrate bool
	Progress  progress.Reporter
}

// A Result is a configuration and how it was found.
type Result struct {
	Found      Found             `json:"found"`
	Trials     []Outcome         `json:"trials"` // of the candidates, in the order of the trials; nil if there was none
	Chosen     string            `json:"chosen"` // the name of the candidate
	Ends       string            `json:"ends"`   // EndsByPatience or EndsBySteps
	Experiment config.Experiment `json:"-"`
}

// The ways in which the training of a Result ends.
const (
	EndsByPatience = "patience" // a part of the data is for validation
	EndsBySteps    = "steps"    // all data are for training, for as many steps as the trials took
)

// Run looks at the files and chooses a configuration. For files that cannot be used it returns an
// *invalid.Input with the remedy.
func Run(ctx context.Context, o Options) (Result, error) {
	found, data, err := look(o)
	if err != nil {
		return Result{}, err
	}
	s := search{o: o, found: found, data: data, kernels: map[string]kde.Widths{}}
	r, err := s.run(ctx)
	if err != nil {
		return Result{}, err
	}
	r.Found = found
	return r, nil
}
