package run

import (
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/engine"
	"github.com/acqnp/acqnp/internal/files"
	"github.com/acqnp/acqnp/internal/files/safetensors"
	"github.com/acqnp/acqnp/internal/models"
)

// checkpointFormat is the version of the checkpoint files that this program writes and reads.
const checkpointFormat = "acqnp.checkpoint/1"

// Keys of a checkpoint's metadata, and prefixes of the names of Adam's moments.
const (
	updatesKey = "adam_updates"
	scaleKey   = "loss_scale"
	goodKey    = "loss_scale_steps"
	kernelsKey = "kernels"
	earlierKey = "earlier_kernels"
	validKey   = "validation"
	startKey   = "start"
	prefixM    = "adam.m."
	prefixV    = "adam.v."

	prefixAverage = "average."
)

// A Checkpoint is everything that a run needs to continue. Batches, levels and initial weights
// depend only on the step and on the seeds, which are part of the configuration, so the step is the
// state of every random stream.
type Checkpoint struct {
	Path      string
	Step      int // steps done
	Benchmark string
	Model     string
	Config    string        // the resolved configuration, YAML
	Version   string        // of the program that wrote it
	Kernels   string        // the CPU kernels that computed it; "" for a GPU or if unknown
	Earlier   []string      // CPU kernels that computed other bits, of steps before a resume
	Elapsed   time.Duration // training time so far, over all resumes
	Units     *Units        // of the data
	Start     Start         // the file that the weights began with, if it was one

	Validation Validation // so far; zero in a run without
	Average    []float32  // of the weights over the last steps [NumParams]; nil in a run without one

	engine.State // weights and optimiser
}

// Predictor returns the weights that predict: the average of a run with train.ema.
func (c *Checkpoint) Predictor(t config.Train) []float32 {
	if t.EMA > 0 && c.Average != nil {
		return c.Average
	}
	return c.Params
}

// Weights returns the checkpoint's path and step, for eval.json.
func (c *Checkpoint) Weights() Weights { return Weights{Path: c.Path, Step: &c.Step} }

// ValidLL returns the valid_ll of the checkpoint's weights, or nil if they were not validated. In a
// checkpoint with an average, it is that of the average.
func (c *Checkpoint) ValidLL() *float64 {
	if c.Average != nil || c.Validation.Step == 0 || c.Validation.Step != c.Step {
		return nil
	}
	return &c.Validation.Best
}

// stream is the state of one counter-based random stream: its key and the step of the next batch.
type stream struct {
	Seed uint64 `json:"seed"`
	Step int    `json:"step"`
}

// write writes the checkpoint to c.Path. seed is train.seed.
func (c *Checkpoint) write(m *models.Model, seed uint64) error {
	at := stream{Seed: seed, Step: c.Step}
	streams := map[string]stream{"data": at, "sizes": at, "levels": at, "bootstrap": at, "shuffle": at, "pixels": at, "weights": {Seed: seed}}
	var failed error
	text := func(v any) string {
		b, err := json.Marshal(v)
		failed = errors.Join(failed, err)
		return string(b)
	}
	meta := map[string]string{
		"format":    checkpointFormat,
		"benchmark": c.Benchmark,
		"model":     c.Model,
		"config":    c.Config,
		"step":      strconv.Itoa(c.Step),
		"streams":   text(streams),
		"elapsed_s": strconv.FormatFloat(c.Elapsed.Seconds(), 'f', 3, 64),
		"version":   c.Version,
		unitsKey:    text(c.Units.columns()),
	}
	if c.Kernels != "" {
		meta[kernelsKey] = c.Kernels
	}
	if len(c.Earlier) > 0 {
		meta[earlierKey] = strings.Join(c.Earlier, " ")
	}
	if c.Start != (Start{}) {
		meta[startKey] = text(c.Start)
	}
	if c.Validation != (Validation{}) {
		meta[validKey] = text(c.Validation)
	}
	if c.Updates != c.Step {
		meta[updatesKey] = strconv.Itoa(c.Updates)
	}
	if c.Scale != 0 {
		meta[scaleKey], meta[goodKey] = strconv.FormatFloat(float64(c.Scale), 'g', -1, 32), strconv.Itoa(c.Good)
	}
	tensors := slices.Concat(split(m, "", c.Params), split(m, prefixM, c.M), split(m, prefixV, c.V))
	if c.Average != nil {
		tensors = append(tensors, split(m, prefixAverage, c.Average)...)
	}
	if failed != nil {
		return failed
	}
	var err error
	if meta[safetensors.ChecksumKey], err = safetensors.ChecksumOf(meta, tensors); err != nil {
		return err
	}
	return files.Write(c.Path, func(w io.Writer) error { return safetensors.Write(w, meta, tensors) })
}
