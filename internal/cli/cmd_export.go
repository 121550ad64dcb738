package cli

import (
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/acqnp/acqnp/internal/input"
	"github.com/acqnp/acqnp/internal/output"
	"github.com/acqnp/acqnp/internal/run"
)

type exportOptions struct {
	settings
	modelFlags
	format, out string
}

// torch is the only export format: tensors under PyTorch's names.
const torch = "torch"

func newExport(a *app) *cobra.Command {
	var o exportOptions
	cmd := &cobra.Command{
		Use:   "export --run DIR --out FILE",
		Short: "Write a run's weights for other programs",
		Long: `Write the weights of a checkpoint to a safetensors file, under the names of PyTorch's state_dict.
acqnp eval and acqnp sample-quantiles read it with --weights. acqnp train --weights starts from it.`,
		Example: `  acqnp export --run runs/lissajous/acqnp/seed-0 --format torch --out weights.safetensors
  acqnp export --run runs/lissajous/acqnp/seed-0 --checkpoint 50000 --out weights-50000.safetensors`,
		Args: cobra.NoArgs,
		RunE: a.run(func(*cobra.Command) error { return runExport(a, o) }),
	}
	o.addDataDir(cmd)
	o.addRun(cmd)
	f := cmd.Flags()
	f.StringVar(&o.format, "format", torch, "`FORMAT` of the file: torch")
	f.StringVar(&o.out, "out", "", "`FILE` for the weights (safetensors)")
	must(cmd.MarkFlagRequired("run"))
	must(cmd.MarkFlagRequired("out"))
	must(cmd.MarkFlagFilename("out", "safetensors"))
	must(cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions([]string{torch}, cobra.ShellCompDirectiveNoFileComp)))
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
	if o.format != torch {
		return &input.Error{File: "--format", Found: strconv.Quote(o.format), Expected: torch}
	}
	e, err := o.Experiment()
	if err != nil {
		return err
	}
	if err := a.checkOutputs([]output.File{{Flag: "--out", Path: o.out}}, o.Files(e, o.dataDir)...); err != nil {
		return err
	}
	units, err := o.Units(e, o.dataDir)
	if err != nil {
		return err
	}
	m, err := o.Load(e, units, o.device, a.progress().Warn)
	if err != nil {
		return err
	}
	if err := run.WriteWeights(o.out, m.Model, m.Params, &m.Units); err != nil {
		return err
	}
	s := exportSummary{Out: o.out, Checkpoint: m.Weights.Path, Step: *m.Weights.Step, Tensors: len(m.Model.Tensors()), Parameters: m.Model.NumParams()}
	return a.result(s, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "%s: %d tensors, %d parameters, from %s\n", s.Out, s.Tensors, s.Parameters, s.Checkpoint)
		return err
	})
}
