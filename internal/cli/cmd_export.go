package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/acqnp/acqnp/internal/cli/output"
	"github.com/acqnp/acqnp/internal/files"
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
		Short: "Write a run's model for other programs: weights for PyTorch, or ONNX graphs",
		Long: `The format follows from the name of --out: torch for .safetensors, onnx for .onnx. A file of another
name needs --format.

As torch, write the weights of a checkpoint to a safetensors file, under the names of PyTorch's
state_dict. acqnp eval and acqnp sample-quantiles read it with --weights. acqnp train
--weights starts from it.

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
	case isStream(o.out):
		return torchFormat, nil
	}
	return "", &invalid.Input{File: "--out", Found: o.out, Expected: "a name that ends with .safetensors or .onnx, or --format " + torchFormat + " or " + onnxFormat}
}

// isStream reports whether a path names a pipe or a device.
func isStream(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.Mode().IsRegular() || files.IsStream(path)
}

// load reads the model after it has checked the outputs.
func (o exportOptions) load(a *app, outputs ...string) (predict.Trained, error) {
	e, err := o.Experiment()
	if err != nil {
		return predict.Trained{}, err
	}
	written := make([]output.File, len(outputs))
	for i, path := range outputs {
		written[i] = output.File{Flag: "--out", Path: path}
	}
	if err := a.checkOutputs(written, o.Files(e, o.dataDir)...); err != nil {
		return predict.Trained{}, err
	}
	return o.Open(e, o.dataDir, o.device, a.progress().Warn)
}

func exportTorch(a *app, o exportOptions) error {
	m, err := o.load(a, o.out)
	if err != nil {
		return err
	}
	if err := run.WriteWeights(o.out, m.Model, m.Params, &m.Units); err != nil {
		return err
	}
	s := exportSummary{Out: o.out, Checkpoint: m.Weights.Path, Step: *m.Weights.Step, Tensors: len(m.Model.Tensors()), Parameters: m.NumParams()}
	return a.result(s, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "%s: %d tensors, %d parameters, from %s\n", s.Out, s.Tensors, s.Parameters, s.Checkpoint)
		return err
	})
}
