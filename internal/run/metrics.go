package run

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"

	"github.com/acqnp/acqnp/internal/files"
	"github.com/acqnp/acqnp/internal/invalid"
)

// Metrics is a line of metrics.jsonl: the state after a step.
type Metrics struct {
	Step          int     `json:"step"` // steps done
	Loss          float32 `json:"loss"` // of that step's batch, before its update
	LearningRate  float64 `json:"learning_rate"`
	RowsPerSecond float64 `json:"rows_per_s"` // since the line before, or since the run was started or resumed
	Elapsed       float64 `json:"elapsed_s"`  // seconds of training over all resumes

	// ValidLL is the mean log-likelihood of the validation's targets after the step; nil if the
	// step had no validation.
	ValidLL *float64 `json:"valid_ll,omitempty"`
	// Ended is what ended the run, EndedBySteps or EndedByPatience; "" before its last step.
	Ended string `json:"ended,omitempty"`
}

// The values of Metrics.Ended.
const (
	EndedBySteps    = "steps"    // all steps of the configuration are done
	EndedByPatience = "patience" // train.patience validations in a row brought no better one
)

// BestOf returns the index of the line with the highest valid_ll, the first of several; −1 if there
// is none.
func BestOf(lines []Metrics) int {
	best := -1
	for i, m := range lines {
		if m.ValidLL != nil && (best < 0 || *m.ValidLL > *lines[best].ValidLL) {
			best = i
		}
	}
	return best
}

// maxLog is the largest length of metrics.jsonl, in bytes.
const maxLog = 1 << 30

// readLog reads metrics.jsonl without an unfinished last line, which a killed program leaves.
func readLog(path string) ([]byte, error) {
	log, err := files.Read(path, "the log of a run", maxLog)
	return log[:bytes.LastIndexByte(log, '\n')+1], err
}

// Metrics reads the run's log. It ignores an unfinished last line. Any other malformed line is an
// *invalid.Input, and so is a log without lines.
func (r *Run) Metrics() ([]Metrics, error) {
	path := filepath.Join(r.Dir, metricsFile)
	log, err := readLog(path)
	if err != nil {
		return nil, err
	}
	var all []Metrics
	number := 0
	for line := range bytes.Lines(log) {
		number++
		m, err := parseMetrics(line)
		if err != nil {
			return nil, &invalid.Input{File: path, Line: number, Found: err.Error(), Expected: "a line that training wrote"}
		}
		all = append(all, m)
	}
	if len(all) == 0 {
		return nil, &invalid.Input{File: path, Found: "no step", Expected: "at least one; train.log_every sets how often steps are logged"}
	}
	return all, nil
}

// Validated returns the lines of the log of the run in dir that have a validation, and the last line.
// There are none before the first step. The run may be in training. Lines that a resume would drop are
// left out.
func Validated(dir string) ([]Metrics, error) {
	log, err := readLog(filepath.Join(dir, metricsFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	last := bytes.LastIndexByte(bytes.TrimSuffix(log, []byte("\n")), '\n') + 1
	var all []Metrics
	step, from := 0, 0
	for line := range bytes.Lines(log) {
		if from == last || bytes.Contains(line, []byte(`"valid_ll"`)) { // most lines need not be parsed
			if m, err := parseMetrics(line); err == nil && m.Step > step {
				all, step = append(all, m), m.Step
			}
		}
		from += len(line)
	}
	return all, nil
}

// parseMetrics reads a line, which must have all of its fields.
func parseMetrics(line []byte) (Metrics, error) {
	none := math.NaN() // JSON has no NaN: it stays where a field is missing
	m := Metrics{Loss: float32(none), LearningRate: none, RowsPerSecond: none, Elapsed: none}
	if err := json.Unmarshal(line, &m); err != nil {
		return m, err
	}
	if m.Step < 1 || math.IsNaN(float64(m.Loss)+m.LearningRate+m.RowsPerSecond+m.Elapsed) {
		return m, errors.New("a line without step, loss, learning_rate, rows_per_s or elapsed_s")
	}
	return m, nil
}

// OpenLog drops the lines of metrics.jsonl after the given step and opens the file for Log. It also
// drops lines that training did not write there, with a warning. The file is a new one even if all
// lines stay: a process that slept in the middle of Log, while this one took over, writes to the old.
func (w *Writer) OpenLog(step int) error {
	return w.hold.guard(func() error { return w.openLog(step) })
}

func (w *Writer) openLog(step int) error {
	path := filepath.Join(w.dir, metricsFile)
	old, err := readLog(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	kept, foreign := cutBack(old, step)
	if err := files.WriteBytes(path, kept); err != nil {
		return err
	}
	if n := len(foreign); n > 0 && w.warn != nil {
		w.warn(fmt.Sprintf("%s: dropped %s that training did not write there, the first at line %d", path,
			invalid.Plural(n, "line", "lines"), foreign[0]))
	}
	w.log, err = os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	return err
}

// EndLog notes what ended the run in the line of its last step, and drops the lines of later steps. It reports
// whether the log has a line of that step.
func (w *Writer) EndLog(step int, ended string) (found bool, err error) {
	err = w.hold.guard(func() error {
		path := filepath.Join(w.dir, metricsFile)
		old, err := readLog(path)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		kept, _ := cutBack(old, step)
		before := kept[:bytes.LastIndexByte(bytes.TrimSuffix(kept, []byte("\n")), '\n')+1]
		last, err := parseMetrics(kept[len(before):])
		if found = err == nil && last.Step == step; !found || last.Ended == ended {
			return nil
		}
		last.Ended = ended
		line, err := json.Marshal(last)
		if err != nil {
			return err
		}
		return files.WriteBytes(path, append(append(before, line...), '\n'))
	})
	return found, err
}

// cutBack returns the lines of the log up to the given step. It drops the lines of later steps,
// which will be made again. It also drops foreign lines: those that are not metrics, or whose step is not later than that of the line
// before. It returns their line numbers, counted from 1.
func cutBack(log []byte, step int) (kept []byte, foreign []int) {
	number, last := 0, 0
	for line := range bytes.Lines(log) {
		number++
		m, err := parseMetrics(line)
		switch {
		case err == nil && m.Step > step:
		case err != nil || m.Step <= last:
			foreign = append(foreign, number)
		default:
			kept, last = append(kept, line...), m.Step
		}
	}
	return kept, foreign
}

// Log appends a line to metrics.jsonl in one piece.
func (w *Writer) Log(m Metrics) error {
	line, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if err := w.hold.keeps(); err != nil {
		return err
	}
	_, err = w.log.Write(append(line, '\n'))
	return err
}
