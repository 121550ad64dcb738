// Package report writes what people read and other programs take over: eval.json, quantiles.csv, tables and plots.
package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"text/tabwriter"

	"github.com/acqnp/acqnp/internal/atomicfile"
	"github.com/acqnp/acqnp/internal/input"
	"github.com/acqnp/acqnp/internal/predict"
)

// EvalSchema names the layout of eval.json.
const EvalSchema = "acqnp.eval/1"

// Eval is the content of eval.json.
type Eval struct {
	Schema     string                `json:"schema"` // EvalSchema; NewEval sets it
	Benchmark  string                `json:"benchmark"`
	Model      string                `json:"model"`
	Seed       uint64                `json:"seed"`
	NumTau     int                   `json:"num_tau"`              // 0 for a model without quantile levels
	Levels     string                `json:"levels"`               // random, grid, tasks; empty for a model without quantile levels
	Bootstraps int                   `json:"bootstraps,omitempty"` // k, for a model that resamples its context
	Batches    int                   `json:"batches"`
	ContextLL  Estimate              `json:"context_ll"`
	TargetLL   Estimate              `json:"target_ll"`
	Raw        *Raw                  `json:"raw,omitempty"` // nil where the model sees the data's own units
	PerBatch   []predict.BatchResult `json:"per_batch"`
	Checkpoint Checkpoint            `json:"checkpoint"`
	Device     string                `json:"device"`
	Seconds    float64               `json:"seconds"`
	Version    string                `json:"version"` // of the program
}

// Estimate is a mean over batches; StdError is nil for one batch.
type Estimate struct {
	Mean     float64  `json:"mean"`
	StdError *float64 `json:"std_error"`
}

// Raw is the log-likelihoods in the data's own units, for data that the model sees scaled.
type Raw struct {
	ContextLL Estimate `json:"context_ll"`
	TargetLL  Estimate `json:"target_ll"`
}

// SetRaw states the log-likelihoods in raw units too: both differ from the model's by a constant, which is
// datasets.Scaling's RawShift.
func (e *Eval) SetRaw(shift float64) {
	e.Raw = nil
	if shift != 0 {
		e.Raw = &Raw{e.ContextLL.plus(shift), e.TargetLL.plus(shift)}
	}
}

func (e Estimate) plus(shift float64) Estimate {
	return Estimate{Mean: e.Mean + shift, StdError: e.StdError}
}

// Checkpoint says which weights were evaluated; Step is nil for weights from elsewhere.
type Checkpoint struct {
	Path string `json:"path"`
	Step *int   `json:"step"`
}

// NewEval fills in what the evaluation itself knows; the caller adds the rest.
func NewEval(e predict.Evaluation) Eval {
	return Eval{
		Schema:     EvalSchema,
		NumTau:     e.NumTau,
		Levels:     e.Levels,
		Bootstraps: e.Bootstraps,
		Batches:    len(e.PerBatch),
		ContextLL:  newEstimate(e.ContextLL),
		TargetLL:   newEstimate(e.TargetLL),
		PerBatch:   e.PerBatch,
	}
}

func newEstimate(e predict.Estimate) Estimate {
	if math.IsNaN(e.StdError) {
		return Estimate{Mean: e.Mean}
	}
	return Estimate{Mean: e.Mean, StdError: &e.StdError}
}

// String is "mean ± standard error", the mean alone for one batch.
func (e Estimate) String() string {
	if e.StdError == nil {
		return fmt.Sprintf("%.4f", e.Mean)
	}
	return fmt.Sprintf("%.4f ± %.4f", e.Mean, *e.StdError)
}

// Write makes the file, whole or not at all.
func (e Eval) Write(path string) error {
	content, err := json.MarshalIndent(e, "", "  ")
	if err != nil {
		return err
	}
	return atomicfile.WriteBytes(path, append(content, '\n'))
}

// maxEval is how long an eval.json may be, in bytes.
const maxEval = 1 << 30

// ReadEval reads eval.json. A file that is none is an *input.Error.
func ReadEval(path string) (Eval, error) {
	content, err := input.ReadFile(path, "what acqnp eval writes", maxEval)
	if err != nil {
		return Eval{}, err
	}
	var e Eval
	if err := json.Unmarshal(content, &e); err != nil {
		return Eval{}, jsonError(path, content, err)
	}
	if e.Schema != EvalSchema {
		return Eval{}, &input.Error{File: path, Key: "schema", Found: fmt.Sprintf("%q", e.Schema), Expected: EvalSchema}
	}
	return e, nil
}

// jsonError names the line of a JSON file that cannot be read.
func jsonError(path string, content []byte, err error) error {
	bad := &input.Error{File: path, Found: err.Error(), Expected: "what acqnp eval writes"}
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		bad.Line = lineOf(content, syntax.Offset)
	case errors.As(err, &kind):
		bad.Line, bad.Key, bad.Found, bad.Expected = lineOf(content, kind.Offset), kind.Field, kind.Value, kind.Type.String()
	}
	return bad
}

func lineOf(content []byte, offset int64) int {
	return 1 + bytes.Count(content[:min(int(offset), len(content))], []byte{'\n'})
}

// Print writes a short table for people.
func (e Eval) Print(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "benchmark\t%s\n", e.Benchmark)
	fmt.Fprintf(t, "model\t%s\n", e.Model)
	weights := e.Checkpoint.Path
	if e.Checkpoint.Step != nil {
		weights = fmt.Sprintf("%s (step %d)", weights, *e.Checkpoint.Step)
	}
	fmt.Fprintf(t, "weights\t%s\n", weights)
	if e.NumTau > 0 {
		fmt.Fprintf(t, "quantile levels\t%d (%s)\n", e.NumTau, e.Levels)
	}
	if e.Bootstraps > 0 {
		fmt.Fprintf(t, "bootstraps\t%d\n", e.Bootstraps)
	}
	fmt.Fprintf(t, "batches\t%d in %.1f s\n", e.Batches, e.Seconds)
	fmt.Fprintf(t, "context log-likelihood\t%v\n", e.ContextLL)
	fmt.Fprintf(t, "target log-likelihood\t%v\n", e.TargetLL)
	if e.Raw != nil {
		fmt.Fprintf(t, "in raw units\tcontext %v, target %v\n", e.Raw.ContextLL, e.Raw.TargetLL)
	}
	return t.Flush()
}
