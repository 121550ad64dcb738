package run

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/acqnp/acqnp/internal/files/safetensors"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/models"
)

// ReadCheckpoint reads a checkpoint of the model. It returns an *invalid.Input that names the file if
// the file is truncated, damaged, not a checkpoint, or of another model.
func ReadCheckpoint(path string, m *models.Model) (Checkpoint, error) {
	r, err := safetensors.Open(path)
	if err != nil {
		return Checkpoint{}, err
	}
	defer r.Close()
	c, err := readMetadata(path, r.Metadata())
	if err != nil {
		return Checkpoint{}, err
	}
	if c.Model != m.Name() {
		return Checkpoint{}, &invalid.Input{File: path, Found: "a checkpoint of model " + c.Model, Expected: "one of model " + m.Name()}
	}
	prefixes := []string{"", prefixM, prefixV}
	_, averaged := r.Spec(prefixAverage + m.Tensors()[0].Name)
	if averaged {
		prefixes = append(prefixes, prefixAverage)
	}
	if err := checkTensors(r, path, m, all, prefixes...); err != nil {
		return Checkpoint{}, err
	}
	if err := c.Units.fit(path, m); err != nil {
		return Checkpoint{}, err
	}
	if err := verify(path, r); err != nil {
		return Checkpoint{}, err
	}
	n := m.NumParams()
	c.Params, c.M, c.V = make([]float32, n), make([]float32, n), make([]float32, n)
	err = errors.Join(join(r, path, m.Tensors(), "", c.Params), join(r, path, m.Tensors(), prefixM, c.M), join(r, path, m.Tensors(), prefixV, c.V))
	if averaged {
		c.Average = make([]float32, n)
		err = errors.Join(err, join(r, path, m.Tensors(), prefixAverage, c.Average))
	}
	return c, err
}

// readMetadata returns the checkpoint without its tensors. Only training in half precision writes the
// number of updates and a loss scale: it skips the updates of steps that overflow.
func readMetadata(path string, meta map[string]string) (c Checkpoint, err error) {
	fail := func(key, expected string) {
		if err == nil {
			err = &invalid.Input{File: path, Key: key, Found: strconv.Quote(meta[key]), Expected: expected}
		}
	}
	number := func(key string, most int) int {
		n, e := strconv.Atoi(meta[key])
		if e != nil || n < 0 || n > most {
			fail(key, fmt.Sprintf("a number from 0 to %d", most))
		}
		return n
	}
	if meta["format"] != checkpointFormat {
		fail("format", checkpointFormat)
		return c, err
	}
	c = Checkpoint{Path: path, Benchmark: meta["benchmark"], Model: meta["model"], Config: meta["config"],
		Version: meta["version"], Kernels: meta[kernelsKey], Earlier: strings.Fields(meta[earlierKey]), Step: number("step", math.MaxInt)}
	c.Updates = c.Step
	if _, ok := meta[updatesKey]; ok {
		c.Updates = number(updatesKey, c.Step)
	}
	if text, ok := meta[scaleKey]; ok {
		scale, e := strconv.ParseFloat(text, 32)
		if e != nil || !(scale > 0) || math.IsInf(scale, 0) {
			fail(scaleKey, "a positive number")
		}
		c.Scale, c.Good = float32(scale), number(goodKey, c.Step)
	}
	var e error
	if c.Elapsed, e = time.ParseDuration(meta["elapsed_s"] + "s"); e != nil {
		fail("elapsed_s", "seconds")
	}
	if text, ok := meta[startKey]; ok && json.Unmarshal([]byte(text), &c.Start) != nil {
		fail(startKey, "the file that the weights began with, as JSON")
	}
	if err != nil {
		return c, err
	}
	if c.Validation, err = readValidation(path, meta, c.Step); err != nil {
		return c, err
	}
	if c.Units, err = readUnits(path, meta); err == nil && c.Units == nil {
		err = &invalid.Input{File: path, Key: unitsKey, Found: "nothing", Expected: unitsExpected}
	}
	return c, err
}

// verify compares the checksum in the file with that of its content. A checkpoint must have one.
func verify(path string, r *safetensors.Reader) error {
	if r.Metadata()[safetensors.ChecksumKey] == "" {
		return &invalid.Input{File: path, Key: safetensors.ChecksumKey, Found: "no checksum", Expected: "an undamaged checkpoint"}
	}
	return r.Verify("checkpoint")
}

// newest returns the newest checkpoint of the run in dir that can be read and for which accept returns
// no error. It also returns the paths of the newer files, which it skipped, and calls warn, if not nil,
// with a line about each. If all are skipped, the error is an *invalid.Input.
func newest(dir string, m *models.Model, warn func(string), accept func(Checkpoint) error) (Checkpoint, []string, error) {
	steps, err := checkpointSteps(dir)
	if err != nil {
		return Checkpoint{}, nil, err
	}
	var skipped []string
	for _, step := range slices.Backward(steps) {
		c, err := readStep(dir, step, m)
		if err == nil {
			err = accept(c)
		}
		if err == nil {
			return c, skipped, nil
		}
		path := checkpointPath(dir, step)
		skipped = append(skipped, path)
		if warn != nil {
			warn("skipped a checkpoint that cannot be used: " + err.Error())
		}
	}
	return Checkpoint{}, skipped, &invalid.Input{File: filepath.Join(dir, checkpointsDir), Found: "no usable checkpoint",
		Expected: "one that training wrote for model " + m.Name()}
}

// byStep returns the checkpoint of the run in dir after the given step. If there is none, the error
// lists the steps that have one.
func byStep(dir string, step int, m *models.Model) (Checkpoint, error) {
	steps, err := checkpointSteps(dir)
	if err != nil {
		return Checkpoint{}, err
	}
	if !slices.Contains(steps, step) {
		bad := invalid.Input{File: filepath.Join(dir, checkpointsDir), Found: fmt.Sprintf("no checkpoint of step %d", step),
			Expected: "one of the steps " + strings.ReplaceAll(strings.Trim(fmt.Sprint(steps), "[]"), " ", ", ")}
		if len(steps) == 0 {
			bad.Found, bad.Expected = "no checkpoint", "a run that has saved one"
		}
		return Checkpoint{}, &bad
	}
	return readStep(dir, step, m)
}

// readStep reads the checkpoint file of a step and checks that it is of that step.
func readStep(dir string, step int, m *models.Model) (Checkpoint, error) {
	c, err := ReadCheckpoint(checkpointPath(dir, step), m)
	if err == nil && c.Step != step {
		err = &invalid.Input{File: c.Path, Key: "step", Found: strconv.Itoa(c.Step), Expected: "the step of the file's name"}
	}
	return c, err
}
