package run

import (
	"slices"
	"strconv"
	"strings"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/files/safetensors"
	"github.com/acqnp/acqnp/internal/invalid"
)

// checkTrained compares the configuration e, which was read from file, with the one in the newest
// readable checkpoint of the run in dir. If model or data differ, it returns an *invalid.Input that
// names the keys. It also returns the checkpoint's kernels, those of its last step first.
func checkTrained(dir, file string, e config.Experiment) (kernels []string, err error) {
	trained, c, ok := trainedConfig(dir)
	if !ok {
		return nil, nil // Load reports what is wrong with the checkpoints
	}
	differences := config.EvalDifferences(trained, e)
	if len(differences) == 0 {
		return append([]string{c.Kernels}, c.Earlier...), nil
	}
	return nil, &invalid.Input{File: file, Found: "a configuration that differs from the one in " + c.Path + " (" +
		strings.Join(differences, "; ") + ")", Expected: "the model and data that the run was trained with"}
}

// trainedConfig returns the configuration in the newest checkpoint that can be read, and that
// checkpoint without its tensors. ok is false if there is none.
func trainedConfig(dir string) (e config.Experiment, c Checkpoint, ok bool) {
	paths, err := checkpointPaths(dir)
	if err != nil {
		return e, c, false
	}
	for _, path := range slices.Backward(paths) {
		meta, err := safetensors.ReadMetadata(path)
		if err != nil {
			continue
		}
		if c, err = readMetadata(path, meta); err != nil {
			continue
		}
		if e, err := config.Parse(path, []byte(c.Config), config.Overrides{}); err == nil {
			return e, c, true
		}
	}
	return e, Checkpoint{}, false
}

// Planned returns the training that the run in dir was to make when its newest readable checkpoint was written, and
// that checkpoint's step. ok is false if there is none.
func Planned(dir string) (t config.Train, step int, ok bool) {
	e, c, ok := trainedConfig(dir)
	return e.Train, c.Step, ok
}

// bestStep returns the step of the checkpoint with the best validation, −1 if it cannot be read.
func bestStep(dir string) int {
	meta, _ := safetensors.ReadMetadata(bestPath(dir))
	step, err := strconv.Atoi(meta["step"])
	if err != nil {
		return -1
	}
	return step
}
