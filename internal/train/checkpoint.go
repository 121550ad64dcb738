package train

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/acqnp/acqnp/internal/atomicfile"
	"github.com/acqnp/acqnp/internal/engine"
	"github.com/acqnp/acqnp/internal/input"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/safetensors"
)

// Format is the version of the checkpoint files that this program writes and reads.
const Format = "acqnp.checkpoint/1"

const (
	checksumKey = "sha256"
	updatesKey  = "adam_updates"
	scaleKey    = "loss_scale"
	goodKey     = "loss_scale_steps"
	kernelsKey  = "kernels"
	prefixM     = "adam.m."
	prefixV     = "adam.v."
)

// Checkpoint is everything that a run needs to go on: batches, levels and initial weights depend on the seeds (part of
// the configuration) and the step alone, so the step is the state of every random stream.
type Checkpoint struct {
	Path      string
	Step      int // steps done
	Benchmark string
	Model     string
	Config    string        // the resolved configuration, YAML
	Version   string        // of the program that wrote it
	Kernels   string        // the CPU kernels that computed it (device.Device.Kernels); "" where unknown or where a GPU did
	Elapsed   time.Duration // training time so far, over all resumes
	Units     *Units        // of the data; nil where an older program wrote the checkpoint

	engine.State // weights and optimiser, wherever they were computed
}

// stream is the state of one counter-based random stream: its key and the step of the next batch.
type stream struct {
	Seed uint64 `json:"seed"`
	Step int    `json:"step"`
}

// checkpointPath is where a run keeps the checkpoint of a step.
func checkpointPath(dir string, step int) string {
	return filepath.Join(dir, checkpointsDir, fmt.Sprintf("step-%d.safetensors", step))
}

// write saves the checkpoint as its Path, whole or not at all. seed is train.seed.
func (c *Checkpoint) write(m *models.Model, seed uint64) error {
	at := stream{Seed: seed, Step: c.Step}
	streams, err := json.Marshal(map[string]stream{
		"data": at, "sizes": at, "levels": at, "bootstrap": at, "shuffle": at, "pixels": at, "weights": {Seed: seed},
	})
	if err != nil {
		return err
	}
	meta := map[string]string{
		"format":    Format,
		"benchmark": c.Benchmark,
		"model":     c.Model,
		"config":    c.Config,
		"step":      strconv.Itoa(c.Step),
		"streams":   string(streams),
		"elapsed_s": strconv.FormatFloat(c.Elapsed.Seconds(), 'f', 3, 64),
		"version":   c.Version,
	}
	if c.Units != nil {
		if meta[unitsKey], err = c.Units.text(); err != nil {
			return err
		}
	}
	if c.Kernels != "" {
		meta[kernelsKey] = c.Kernels
	}
	if c.Updates != c.Step {
		meta[updatesKey] = strconv.Itoa(c.Updates)
	}
	if c.Scale != 0 {
		meta[scaleKey], meta[goodKey] = strconv.FormatFloat(float64(c.Scale), 'g', -1, 32), strconv.Itoa(c.Good)
	}
	tensors := slices.Concat(split(m, "", c.Params), split(m, prefixM, c.M), split(m, prefixV, c.V))
	meta[checksumKey] = checksum(meta, tensors)
	return atomicfile.Write(c.Path, func(w io.Writer) error { return safetensors.Write(w, meta, tensors) })
}

// checksum covers the metadata (without the checksum itself) and every tensor's name, type, shape and bytes, in order.
func checksum(meta map[string]string, tensors []safetensors.Tensor) string {
	h := sha256.New()
	for _, key := range slices.Sorted(maps.Keys(meta)) {
		if key != checksumKey {
			fmt.Fprintf(h, "%q %q\n", key, meta[key])
		}
	}
	for _, t := range tensors {
		fmt.Fprintf(h, "%q %s %v\n", t.Name, t.DType, t.Shape)
		h.Write(t.Data)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// LoadCheckpoint reads a checkpoint of the model. A file that is torn, has rotten bytes, is no checkpoint or belongs to
// another model is an *input.Error that names it.
func LoadCheckpoint(path string, m *models.Model) (Checkpoint, error) {
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
		return Checkpoint{}, &input.Error{File: path, Found: "a checkpoint of model " + c.Model, Expected: m.Name()}
	}
	if err := checkTensors(r, path, m, "", prefixM, prefixV); err != nil {
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
	err = errors.Join(join(r, path, m, "", c.Params), join(r, path, m, prefixM, c.M), join(r, path, m, prefixV, c.V))
	return c, err
}

// readMetadata is the checkpoint without its tensors.
func readMetadata(path string, meta map[string]string) (Checkpoint, error) {
	if meta["format"] != Format {
		return Checkpoint{}, &input.Error{File: path, Key: "format", Found: strconv.Quote(meta["format"]), Expected: Format}
	}
	c := Checkpoint{Path: path, Benchmark: meta["benchmark"], Model: meta["model"], Config: meta["config"],
		Version: meta["version"], Kernels: meta[kernelsKey]}
	var err error
	if c.Step, err = strconv.Atoi(meta["step"]); err != nil || c.Step < 0 {
		return Checkpoint{}, &input.Error{File: path, Key: "step", Found: strconv.Quote(meta["step"]), Expected: "a number of steps"}
	}
	if err := readCounters(path, meta, &c); err != nil {
		return Checkpoint{}, err
	}
	if c.Elapsed, err = time.ParseDuration(meta["elapsed_s"] + "s"); err != nil {
		return Checkpoint{}, &input.Error{File: path, Key: "elapsed_s", Found: strconv.Quote(meta["elapsed_s"]), Expected: "seconds"}
	}
	c.Units, err = readUnits(path, meta)
	return c, err
}

// readCounters reads what is written only where it is not what it usually is: fewer updates of the weights than steps,
// since steps that overflowed in half precision were skipped, and the loss scale there.
func readCounters(path string, meta map[string]string, c *Checkpoint) error {
	c.Updates = c.Step
	number := func(key string, most int) (int, error) {
		n, err := strconv.Atoi(meta[key])
		if err != nil || n < 0 || n > most {
			return 0, &input.Error{File: path, Key: key, Found: strconv.Quote(meta[key]), Expected: fmt.Sprintf("a number from 0 to %d", most)}
		}
		return n, nil
	}
	var err error
	if _, ok := meta[updatesKey]; ok {
		if c.Updates, err = number(updatesKey, c.Step); err != nil {
			return err
		}
	}
	text, ok := meta[scaleKey]
	if !ok {
		return nil
	}
	scale, err := strconv.ParseFloat(text, 32)
	if err != nil || !(scale > 0) || math.IsInf(scale, 0) {
		return &input.Error{File: path, Key: scaleKey, Found: strconv.Quote(text), Expected: "a positive number"}
	}
	c.Scale = float32(scale)
	c.Good, err = number(goodKey, c.Step)
	return err
}

// verify compares the checksum that was written with that of what is read.
func verify(path string, r *safetensors.Reader) error {
	var tensors []safetensors.Tensor
	for _, name := range r.Names() {
		t, err := r.Read(name)
		if err != nil {
			return err
		}
		tensors = append(tensors, t)
	}
	if checksum(r.Metadata(), tensors) != r.Metadata()[checksumKey] {
		return &input.Error{File: path, Key: checksumKey, Found: "bytes that do not match the checksum", Expected: "an undamaged checkpoint"}
	}
	return nil
}

// Latest is the newest good checkpoint of the run in dir. Damaged and foreign files are reported to warn, one line
// each, and skipped. That there is no good one is an *input.Error.
func Latest(dir string, m *models.Model, warn func(string)) (Checkpoint, error) {
	c, _, err := newest(dir, m, warn, func(Checkpoint) error { return nil })
	return c, err
}

// newest is Latest among the checkpoints that accept finds nothing wrong with. It also lists the skipped files.
func newest(dir string, m *models.Model, warn func(string), accept func(Checkpoint) error) (Checkpoint, []string, error) {
	steps, err := checkpointSteps(dir)
	if err != nil {
		return Checkpoint{}, nil, err
	}
	var skipped []string
	for _, step := range slices.Backward(steps) {
		c, err := loadStep(dir, step, m)
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
	return Checkpoint{}, skipped, &input.Error{File: filepath.Join(dir, checkpointsDir), Found: "no usable checkpoint",
		Expected: "one that training wrote for model " + m.Name()}
}

// ByStep is the checkpoint of the run in dir after that many steps. That it is not there or not good is an
// *input.Error, which lists the steps that there are.
func ByStep(dir string, step int, m *models.Model) (Checkpoint, error) {
	steps, err := checkpointSteps(dir)
	if err != nil {
		return Checkpoint{}, err
	}
	if !slices.Contains(steps, step) {
		return Checkpoint{}, &input.Error{File: filepath.Join(dir, checkpointsDir), Found: fmt.Sprintf("no checkpoint of step %d", step),
			Expected: "one of steps " + strings.Trim(fmt.Sprint(steps), "[]")}
	}
	return loadStep(dir, step, m)
}

func loadStep(dir string, step int, m *models.Model) (Checkpoint, error) {
	c, err := LoadCheckpoint(checkpointPath(dir, step), m)
	if err == nil && c.Step != step {
		err = &input.Error{File: c.Path, Key: "step", Found: strconv.Itoa(c.Step), Expected: "the step of the file's name"}
	}
	return c, err
}

// checkpointSteps lists the steps of the run's checkpoint files, good or not, ascending. Other files are ignored.
func checkpointSteps(dir string) ([]int, error) {
	entries, err := os.ReadDir(filepath.Join(dir, checkpointsDir))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	var steps []int
	for _, e := range entries {
		name, isStep := strings.CutPrefix(e.Name(), "step-")
		digits, isTensors := strings.CutSuffix(name, ".safetensors")
		step, err := strconv.Atoi(digits)
		if isStep && isTensors && err == nil && step >= 0 && strconv.Itoa(step) == digits {
			steps = append(steps, step)
		}
	}
	slices.Sort(steps)
	return steps, nil
}

// retain removes the oldest checkpoints up to the step just written, so that keep remain besides it. Files that were
// found unusable are neither counted nor removed: they are not ours to judge, and must not push out good ones.
func retain(dir string, step, keep int, unusable []string) error {
	steps, err := checkpointSteps(dir)
	if err != nil {
		return err
	}
	steps = slices.DeleteFunc(steps, func(s int) bool {
		return s > step || slices.Contains(unusable, checkpointPath(dir, s))
	})
	for len(steps) > keep+1 {
		if err := os.Remove(checkpointPath(dir, steps[0])); err != nil {
			return err
		}
		steps = steps[1:]
	}
	return nil
}
