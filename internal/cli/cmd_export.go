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
	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/files"
	"github.com/acqnp/acqnp/internal/fit/answer"
	"github.com/acqnp/acqnp/internal/fit/file"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/predict/onnx"
	"github.com/acqnp/acqnp/internal/run"
)

type exportOptions struct {
	settings
	modelFlags
	format, out string
}

// The formats: tensors under PyTorch's names, or graphs of ONNX.
const (
	torchFormat = "torch"
	onnxFormat  = "onnx"
)

const onnxHelp = `As onnx, write two graphs (opset 17) that onnxruntime and other programs run: the
components of the predictive distributions to --out, here model.onnx, and their log density at known
y to model-density.onnx. They take and return float64 in the units of your data; standardisation,
logarithms and one-hot names are part of them. A name is given by its index in its column's
categories. The sizes are free: B groups with N_c context points (none, if you like, but for bnp)
and N targets.

  inputs   context_x [B, N_c, columns of x], context_y [B, N_c, dy], target_x [B, N, columns of x]
           target_y [B, N, dy]: of model-density.onnx alone
           levels [N_τ]: cqnp and acqnp; u in [0, 1]; the metadata have those that predict takes
           resample [2, k, B, N_c], int64: bnp; random whole numbers below N_c
  outputs  mu, sigma, log_weight [B, N, K, dy]: K components, for each level or bootstrap, or model.parts, or 1
           level_logit [B, N, K]: cqnp, acqnp, head quantile-mixture; τ = 1/(1 + exp(−level_logit))
           log_density [B, N, dy]: of model-density.onnx alone

mu and sigma are those of log y where data.log names y. The metadata name the columns with their
units, categories and standardisation, the model and the version of the program.`

var _ = command(otherPrograms, 2, newExport)

func newExport(a *app) *cobra.Command {
	var o exportOptions
	cmd := &cobra.Command{
		Use:   "export (RUN | --run DIR) --out FILE",
		Short: "Write a run's model for other programs: weights for PyTorch, or ONNX graphs",
		Long: `The format follows from the name of --out: torch for .safetensors, onnx for .onnx. A file of another
name needs --format.

As torch, write the weights of a checkpoint to a safetensors file, under the names of PyTorch's
state_dict, with the model's configuration. acqnp.torch.load of the Python package makes a module of
it; acqnp eval and acqnp sample-quantiles read it with --weights, and acqnp train --weights starts
from it.

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
	Density    string `json:"density,omitempty"` // the second graph of ONNX
	Checkpoint string `json:"checkpoint"`
	Step       int    `json:"step"`
	Tensors    int    `json:"tensors,omitempty"` // of torch
	Parameters int    `json:"parameters"`
}

func runExport(a *app, o exportOptions) error {
	if file.Is(o.Run) {
		return refuseExport(o.Run)
	}
	format, err := o.chosen()
	if err != nil {
		return err
	}
	s, outputs := exportSummary{Out: o.out}, []output.File{{Flag: "--out", Path: o.out}}
	if format == onnxFormat {
		s.Density = onnx.DensityPath(o.out)
		if err := onnx.Check(s.Out, s.Density); err != nil {
			return err
		}
		outputs = append(outputs, output.File{Flag: "--out", Path: s.Density})
	}
	e, err := o.Experiment(nil)
	if err != nil {
		return err
	}
	if err := a.checkOutputs(outputs, o.Files(e, o.dataDir)...); err != nil {
		return err
	}
	m, err := o.Open(e, o.dataDir, o.device, a.progress().Warn)
	switch {
	case err != nil:
		return err
	case format == torchFormat:
		s.Tensors = len(m.Model.Tensors())
		err = run.WriteWeights(o.out, m.Model, m.Params, &m.Units)
	case m.Model.Groups():
		return &invalid.Input{Key: "model.aggregation", Found: config.Groups, Expected: "another: this network predicts inside acqnp fit alone"}
	default:
		err = onnx.Write(o.out, m)
	}
	if err != nil {
		return err
	}
	s.Checkpoint, s.Step, s.Parameters = m.Weights.Path, *m.Weights.Step, m.Model.NumParams()
	return a.result(s, s.print)
}

func (s exportSummary) print(w io.Writer) error {
	if s.Density == "" {
		_, err := fmt.Fprintf(w, "%s: %d tensors, %d parameters, from %s\n", s.Out, s.Tensors, s.Parameters, s.Checkpoint)
		return err
	}
	_, err := fmt.Fprintf(w, "%s: components, %d parameters, from %s\n%s: log density at target_y\n", s.Out, s.Parameters, s.Checkpoint, s.Density)
	return err
}

// refuseExport returns an error that says which weights of a fit an export would lack: all.
func refuseExport(dir string) error {
	f, err := answer.Read(dir)
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
