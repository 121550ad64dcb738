package run

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"text/tabwriter"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/files"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/likelihood/score"
)

// EvalSchema names the layout of eval.json.
const EvalSchema = "acqnp.eval/2"

// maxEval is the largest length of eval.json, in bytes.
const maxEval = 1 << 30

// Eval is the content of eval.json: the log-likelihoods of a model over evaluation batches, scores
// of some of the targets in raw units, and what was evaluated.
type Eval struct {
	Schema       string        `json:"schema"` // EvalSchema; NewEval sets it
	Benchmark    string        `json:"benchmark"`
	Model        string        `json:"model"`
	Variant      string        `json:"variant,omitempty"`    // as config.Experiment.Variant names it
	Seed         uint64        `json:"seed"`                 // eval.seed
	NumTau       int           `json:"num_tau"`              // 0 for a model without quantile levels
	Levels       string        `json:"levels"`               // random, grid, midpoints, tasks; empty for a model without quantile levels
	Bootstraps   int           `json:"bootstraps,omitempty"` // k, for a model that resamples its context
	Part         string        `json:"part,omitempty"`       // as datasets.EvaluatedPart names it
	Batches      int           `json:"batches"`
	ContextLL    Estimate      `json:"context_ll"`
	TargetLL     Estimate      `json:"target_ll"`
	JointLL      *Estimate     `json:"joint_ll,omitempty"`      // nil if it was not asked for
	JointTargets int           `json:"joint_targets,omitempty"` // of each group, in the joint log-likelihood
	JointOrders  int           `json:"joint_orders,omitempty"`  // of these targets
	Raw          *Raw          `json:"raw,omitempty"`           // nil if the model sees the data's own units
	*score.Means               // over the targets that were scored; nil if none was
	PerGroup     []score.Group `json:"per_group,omitempty"` // of own data, over the same targets
	Unscored     string        `json:"unscored,omitempty"`  // why the scores are missing, if they were asked for
	PerBatch     []BatchResult `json:"per_batch"`
	Weights      Weights       `json:"checkpoint"`
	Device       string        `json:"device"`
	Seconds      float64       `json:"seconds"`
	Version      string        `json:"version"` // of the program
}

// BatchResult is the result of one batch: the mean log-likelihood of the context points of all its
// groups, 0 if there are none, that of their target points, and if asked for, the mean over the
// groups of the joint log-likelihood of some targets, divided by their number.
type BatchResult struct {
	NumPoints  int     `json:"num_points"`
	NumContext int     `json:"num_context"`
	ContextLL  float64 `json:"context_ll"`
	TargetLL   float64 `json:"target_ll"`

	JointLL *float64 `json:"joint_ll,omitempty"`

	// RawContext, RawTarget and RawJoint are what the mean log y of a column that data.log names takes from
	// the log-likelihoods in raw units, beyond NewEval's shift.
	RawContext float64 `json:"-"`
	RawTarget  float64 `json:"-"`
	RawJoint   float64 `json:"-"`
}

// Estimate is a mean over n batches and its standard error: the standard deviation, with divisor
// n−1, over √n. StdError is nil for one batch.
type Estimate = score.Estimate

// Raw holds the log-likelihoods in the units of the data, if the model sees scaled data.
type Raw struct {
	ContextLL Estimate  `json:"context_ll"`
	TargetLL  Estimate  `json:"target_ll"`
	JointLL   *Estimate `json:"joint_ll,omitempty"`
}

// Weights names the weights that were evaluated. Step is nil for a file that is not a checkpoint.
type Weights struct {
	Path string `json:"path"`
	Step *int   `json:"step"`
}

// NewEval averages the results of batches; ContextLL is an average over those with a context. If
// shift is not 0 or a batch has a shift of its own, Raw holds the averages with these shifts: the
// log-likelihoods in the units of the data. The caller fills in the other fields.
func NewEval(batches []BatchResult, shift float64) Eval {
	contexts := slices.DeleteFunc(slices.Clone(batches), func(b BatchResult) bool { return b.NumContext == 0 })
	e := Eval{
		Schema:    EvalSchema,
		Batches:   len(batches),
		ContextLL: estimate(contexts, func(b BatchResult) float64 { return b.ContextLL }),
		TargetLL:  estimate(batches, func(b BatchResult) float64 { return b.TargetLL }),
		PerBatch:  batches,
	}
	ofBatch := func(b BatchResult) bool { return b.RawContext != 0 || b.RawTarget != 0 }
	if shift != 0 || slices.ContainsFunc(batches, ofBatch) {
		context := estimate(contexts, func(b BatchResult) float64 { return b.ContextLL + b.RawContext })
		target := estimate(batches, func(b BatchResult) float64 { return b.TargetLL + b.RawTarget })
		e.Raw = &Raw{ContextLL: plus(context, shift), TargetLL: plus(target, shift)}
	}
	if len(batches) > 0 && batches[0].JointLL != nil {
		e.addJoint(shift)
	}
	return e
}

// addJoint averages the joint log-likelihoods.
func (e *Eval) addJoint(shift float64) {
	joint := estimate(e.PerBatch, func(b BatchResult) float64 { return *b.JointLL })
	e.JointLL = &joint
	if e.Raw != nil {
		raw := plus(estimate(e.PerBatch, func(b BatchResult) float64 { return *b.JointLL + b.RawJoint }), shift)
		e.Raw.JointLL = &raw
	}
}

func estimate(batches []BatchResult, value func(BatchResult) float64) Estimate {
	n := float64(len(batches))
	mean, squares := 0.0, 0.0
	for _, b := range batches {
		mean += value(b) / n
	}
	if len(batches) < 2 {
		return Estimate{Mean: mean}
	}
	for _, b := range batches {
		d := value(b) - mean
		squares += d * d
	}
	stdError := math.Sqrt(squares / (n - 1) / n)
	return Estimate{Mean: mean, StdError: &stdError}
}

func plus(e Estimate, shift float64) Estimate {
	return Estimate{Mean: e.Mean + shift, StdError: e.StdError}
}

// Write writes eval.json to path.
func (e Eval) Write(path string) error {
	content, err := json.MarshalIndent(e, "", "  ")
	if err != nil {
		return err
	}
	return files.WriteBytes(path, append(content, '\n'))
}

// ReadEval reads an eval.json. The error for other content is an *invalid.Input that names the line
// or the key.
func ReadEval(path string) (Eval, error) {
	var e Eval
	if err := readJSON(path, "what acqnp eval writes", maxEval, &e); err != nil {
		return Eval{}, err
	}
	if e.Schema != EvalSchema {
		return Eval{}, &invalid.Input{File: path, Key: "schema", Found: fmt.Sprintf("%q", e.Schema), Expected: EvalSchema}
	}
	return e, nil
}

// readJSON reads a file of at most limit bytes into v. An error is an *invalid.Input, which names the line of content
// that is not as expected.
func readJSON(path, expected string, limit int64, v any) error {
	content, err := files.Read(path, expected, limit)
	if err != nil {
		return err
	}
	if err = json.Unmarshal(content, v); err == nil {
		return nil
	}
	bad := &invalid.Input{File: path, Found: err.Error(), Expected: expected}
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		bad.Line = lineOf(content, syntax.Offset)
	case errors.As(err, &kind):
		bad.Line, bad.Key, bad.Found, bad.Expected = lineOf(content, kind.Offset), kind.Field, "a JSON "+kind.Value, jsonName(kind.Type)
	}
	return bad
}

// jsonName returns what JSON calls a value of type t.
func jsonName(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a JSON string"
	case reflect.Slice:
		return "a JSON array"
	case reflect.Struct:
		return "a JSON object"
	case reflect.Int, reflect.Uint64:
		return "a whole number"
	}
	return "a number"
}

// lineOf returns the number of the line that holds the byte at offset, counted from 1.
func lineOf(content []byte, offset int64) int {
	return 1 + bytes.Count(content[:min(int(offset), len(content))], []byte{'\n'})
}

// PartTitle returns what the part of an Eval is called in tables for people.
func PartTitle(part string) string {
	if part == "valid" {
		return "the validation part, since nothing is held out for a test"
	}
	return "the training part, since nothing is held out"
}

// Print writes a table for people.
func (e Eval) Print(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "benchmark\t%s\n", e.Benchmark)
	fmt.Fprintf(t, "model\t%s\n", config.Named(e.Model, e.Variant))
	weights := e.Weights.Path
	if e.Weights.Step != nil {
		weights = fmt.Sprintf("%s (step %d)", weights, *e.Weights.Step)
	}
	fmt.Fprintf(t, "weights\t%s\n", weights)
	if e.NumTau > 0 {
		fmt.Fprintf(t, "quantile levels\t%d (%s)\n", e.NumTau, e.Levels)
	}
	if e.Bootstraps > 0 {
		fmt.Fprintf(t, "bootstraps\t%d\n", e.Bootstraps)
	}
	fmt.Fprintf(t, "batches\t%d in %.1f s\n", e.Batches, e.Seconds)
	if e.Part != "" {
		fmt.Fprintf(t, "evaluated on\t%s\n", PartTitle(e.Part))
	}
	fmt.Fprintf(t, "context log-likelihood\t%v\n", e.ContextLL)
	fmt.Fprintf(t, "target log-likelihood\t%v\n", e.TargetLL)
	if e.JointLL != nil {
		fmt.Fprintf(t, "joint log-likelihood\t%v a target, of the first %d in %s\n", e.JointLL, e.JointTargets,
			invalid.Plural(e.JointOrders, "order", "orders"))
	}
	if e.Raw != nil {
		fmt.Fprintf(t, "in raw units\tcontext %v, target %v%s\n", e.Raw.ContextLL, e.Raw.TargetLL, e.Raw.joint())
	}
	if e.Unscored != "" {
		fmt.Fprintf(t, "not scored\t%s\n", e.Unscored)
	}
	if e.Means != nil {
		fmt.Fprintf(t, "CRPS\t%.4g in raw units, over %s\n", e.CRPS, invalid.Plural(e.Targets, "target", "targets"))
		fmt.Fprintf(t, "inside the 50%% interval\t%.1f%%\n", 100*e.Coverage.Half)
		fmt.Fprintf(t, "inside the 90%% interval\t%.1f%%\n", 100*e.Coverage.Most)
	}
	return t.Flush()
}

// joint returns ", joint X", or nothing without it.
func (r Raw) joint() string {
	if r.JointLL == nil {
		return ""
	}
	return fmt.Sprintf(", joint %v", r.JointLL)
}
