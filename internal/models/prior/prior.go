// Package prior holds the weights that the program carries: those of an ACQNP that was trained on the
// benchmark prior, functions of one variable from families of many kinds. They start a training on
// your own data (acqnp train --pretrained), and predict without any training (acqnp
// predict --pretrained).
//
// "make prior" makes the files of this folder: weights.safetensors, config.yaml, the configuration of
// the training, and prior.json, which states how the weights were made and how good they are.
package prior

import (
	"bytes"
	_ "embed" // the files
	"fmt"
	"strings"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/files/safetensors"
	"github.com/acqnp/acqnp/internal/invalid"
)

// Name stands for the weights where a command takes a file of weights. A file of that name is ./prior.
const Name = "prior"

var (
	//go:embed weights.safetensors
	weights []byte
	//go:embed config.yaml
	configuration []byte
)

// Experiment returns the configuration of the training, with flags applied.
func Experiment(flags ...config.Flag) (config.Experiment, error) {
	return config.Parse(Name, configuration, config.Overrides{Flags: flags})
}

// Open opens the weights. The caller closes the result.
func Open() (*safetensors.Reader, error) {
	return safetensors.NewReader(bytes.NewReader(weights), int64(len(weights)), Name)
}

// Check returns an *invalid.Input unless a model with dx and dy dimensions has the shape of the weights.
func Check(m config.Model, dx, dy int) error {
	trained, err := Experiment()
	if err != nil {
		return err
	}
	trained.Model.SigmaFloor = m.SigmaFloor // the network has no weight for it
	differences := config.Differences(config.Experiment{Model: m}, config.Experiment{Model: trained.Model})
	if dx != 1 || dy != 1 {
		differences = append(differences, fmt.Sprintf("columns of x and y: %d, %d and 1, 1", dx, dy))
	}
	if len(differences) == 0 {
		return nil
	}
	return &invalid.Input{File: Name, Found: "a model of another shape (found and expected: " + strings.Join(differences, "; ") + ")",
		Expected: "the model of configs/prior/acqnp.yaml, and one column of x and of y"}
}
