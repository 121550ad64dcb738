package cli

import (
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/acqnp/acqnp/internal/cli/output"
	"github.com/acqnp/acqnp/internal/export/torch"
	"github.com/acqnp/acqnp/internal/fit"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/predict"
	"github.com/acqnp/acqnp/internal/run"
)

type exportOptions struct {
	settings
	modelFlags
	format, out string
}

// The formats: tensors under PyTorch's names and a program for them, or graphs of ONNX.
const (
	torchFormat = "torch"
	onnxFormat  = "onnx"
)

func newExport(a *app) *cobra.Command {
	var o exportOptions
	cmd := &cobra.Command{
		Use:   "export (RUN | --run DIR) --out FILE",
		Short: "Write a run's model for other programs: for PyTorch, or as ONNX graphs",
		Long: `The format follows from the name of --out: torch for .safetensors, onnx for .onnx. A file of another
name needs --format.

As torch, write the weights of a checkpoint to a safetensors file, under the names of PyTorch's
state_dict. acqnp eval and acqnp sample-quantiles read it with --weights. acqnp train
--weights starts from it.

Beside it, export writes a Python file of the same name that predicts with these weights: weights.py
for weights.safetensors. It needs PyTorch (1.13 or later) and nothing else, takes and returns values
in the units of your data, and has the numbers of acqnp predict. Its head says how to use it:

  from weights import load
  model = load("weights.safetensors")
  d = model.predict(context_x=[[0.5], [2.0]], context_y=[[700], [410]], x=[[1.0]])
  low, median, high = d.quantiles([0.05, 0.5, 0.95])

In the name of this file, characters that a name in Python cannot have become _. There is no such file
if --out is a pipe or a device, or if the model reads groups (model.aggregation).

` + onnxHelp,
		Example: `  acqnp export --run runs/lissajous/acqnp/seed-0 --out weights.safetensors
  acqnp export --run runs/lissajous/acqnp/seed-0 --checkpoint 50000 --out weights-50000.safetensors
  acqnp export --run runs/lissajous/acqnp/seed-0 --out model.onnx`,
		Args: runArgument,
		RunE: a.run(func(*cobra.Command) error { return runExport(a, o) }),
	}
	o.addDataDir(cmd)
	o.addRun(cmd)
	f := cmd.Flags()
	f.StringVar(&o.format, "format", "", "`FORMAT` of the file: torch or onnx (default by the ending of --out)")
	f.StringVarP(&o.out, "out", "o", "", "`FILE` for the weights (safetensors) or for the graph (onnx)")
	a.addOverwrite(cmd)
	must(cmd.MarkFlagRequired("run"))
	must(cmd.MarkFlagRequired("out"))
	must(cmd.MarkFlagFilename("out", "safetensors", "onnx"))
	must(cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions([]string{torchFormat, onnxFormat}, cobra.ShellCompDirectiveNoFileComp)))
	return cmd
}

// exportSummary is the result of export.
type exportSummary struct {
	Out        string `json:"out"`
	Program    string `json:"program,omitempty"` // "" if Out is a pipe or a device
	Checkpoint string `json:"checkpoint"`
	Step       int    `json:"step"`
	Tensors    int    `json:"tensors"`
	Parameters int    `json:"parameters"`
}

func runExport(a *app, o exportOptions) error {
	if fit.Is(o.Run) {
		return refuseExport(o.Run)
	}
	format, err := o.chosen()
	switch {
	case err != nil:
		return err
	case format == onnxFormat:
		return exportONNX(a, o)
	}
	return exportTorch(a, o)
}

// refuseExport returns an error that says which weights of a fit an export would lack: all.
func refuseExport(dir string) error {
	f, err := fit.Read(dir)
	if err != nil {
		return err
	}
	var models []string
	for _, c := range f.Stacks[0].Candidates {
		if c.Weight > 0 {
			models = append(models, fmt.Sprintf("%s with %.2f", c.Name, c.Weight))
		}
	}
	return &invalid.Input{File: dir, Found: "a directory of acqnp fit: no export holds its models, " + strings.Join(models, ", "),
		Expected: "the run of a network; acqnp serve answers for a fit"}
}

// chosen returns the format that --format names. Without it, the ending of --out does; a pipe and a
// device have none and get torch. If both name one, it must be the same.
func (o exportOptions) chosen() (string, error) {
	ending := strings.ToLower(filepath.Ext(o.out))
	named := map[string]string{".safetensors": torchFormat, ".onnx": onnxFormat}[ending]
	switch {
	case o.format != "" && o.format != torchFormat && o.format != onnxFormat:
		return "", &invalid.Input{File: "--format", Found: strconv.Quote(o.format), Expected: torchFormat + " or " + onnxFormat}
	case o.format != "" && named != "" && o.format != named:
		return "", &invalid.Input{File: "--format", Found: o.format, Expected: named + ", since --out ends with " + ending}
	case o.format != "":
		return o.format, nil
	case named != "":
		return named, nil
	case torch.Path(o.out) == "":
		return torchFormat, nil
	}
	return "", &invalid.Input{File: "--out", Found: o.out, Expected: "a name that ends with .safetensors or .onnx, or --format " + torchFormat + " or " + onnxFormat}
}

// load reads the model after it has checked the outputs.
func (o exportOptions) load(a *app, outputs ...string) (predict.Trained, error) {
	e, err := o.Experiment()
	if err != nil {
		return predict.Trained{}, err
	}
	files := make([]output.File, len(outputs))
	for i, path := range outputs {
		files[i] = output.File{Flag: "--out", Path: path}
	}
	if err := a.checkOutputs(files, o.Files(e, o.dataDir)...); err != nil {
		return predict.Trained{}, err
	}
	return o.Open(e, o.dataDir, o.device, a.progress().Warn)
}

func exportTorch(a *app, o exportOptions) error {
	program := torch.Path(o.out)
	if err := torch.Check(program); err != nil {
		return err
	}
	m, err := o.load(a, o.out, program)
	if err != nil {
		return err
	}
	if err := run.WriteWeights(o.out, m.Model, m.Params, &m.Units); err != nil {
		return err
	}
	if m.Model.Groups() {
		program = "" // the program would need the other groups, as Predict does
	}
	if program != "" {
		if err := torch.Write(program, o.out, m); err != nil {
			return err
		}
	}
	s := exportSummary{Out: o.out, Program: program, Checkpoint: m.Weights.Path, Step: *m.Weights.Step, Tensors: len(m.Model.Tensors()), Parameters: m.NumParams()}
	return a.result(s, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "%s: %d tensors, %d parameters, from %s\n", s.Out, s.Tensors, s.Parameters, s.Checkpoint)
		if err == nil && s.Program != "" {
			_, err = fmt.Fprintf(w, "%s: predicts with them in Python, with PyTorch alone\n", s.Program)
		}
		return err
	})
}
