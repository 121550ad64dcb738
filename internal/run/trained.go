package run

import (
	"slices"
	"strings"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/input"
	"github.com/acqnp/acqnp/internal/safetensors"
)

// checkTrained refuses a configuration, read from file, whose model or data are not those that the
// run in dir was trained with, as its newest readable checkpoint tells. The error names the keys
// that differ.
func checkTrained(dir, file string, e config.Experiment) error {
	trained, checkpoint, ok := trainedConfig(dir)
	if !ok {
		return nil // loading the checkpoint will tell what is wrong with it
	}
	differences := config.EvalDifferences(trained, e)
	if len(differences) == 0 {
		return nil
	}
	return &input.Error{File: file, Found: "another configuration than " + checkpoint + " was trained with (" +
		strings.Join(differences, "; ") + ")", Expected: "the same model and data"}
}

// trainedConfig returns the configuration in the newest checkpoint that can be read, and the path
// of that checkpoint; false if there is none.
func trainedConfig(dir string) (e config.Experiment, path string, ok bool) {
	steps, err := checkpointSteps(dir)
	if err != nil {
		return e, "", false
	}
	for _, step := range slices.Backward(steps) {
		path := checkpointPath(dir, step)
		r, err := safetensors.Open(path)
		if err != nil {
			continue
		}
		c, err := readMetadata(path, r.Metadata())
		r.Close()
		if err != nil {
			continue
		}
		if e, err := config.Parse(path, []byte(c.Config), config.Overrides{}); err == nil {
			return e, path, true
		}
	}
	return e, "", false
}
