package config

import (
	"strconv"

	"github.com/acqnp/acqnp/internal/invalid"
)

// MaxMembers is the largest number of networks of an ensemble.
const MaxMembers = 64

// Ensemble returns the number of networks of an ensemble, 1 for a network alone.
func (t Train) Ensemble() int { return max(1, t.EnsembleSize) }

// Member returns the configuration that network k of an ensemble is trained with, from 1 on: that of a
// network alone, with a seed of its own. Network 0 has the configuration of the ensemble.
func (e Experiment) Member(k int) Experiment {
	e.Train.EnsembleSize = 0
	e.Train.Seed += uint64(k)
	return e
}

// CheckAlone returns an *invalid.Input for an ensemble, which a command that trains networks alone refuses.
func (e Experiment) CheckAlone(file, command string) error {
	if e.Train.Ensemble() == 1 {
		return nil
	}
	return &invalid.Input{File: file, Key: "train.ensemble_size", Found: strconv.Itoa(e.Train.EnsembleSize), Expected: "1: " + command + " trains networks alone"}
}
