package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/acqnp/acqnp/internal/cli/output"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/progress"
	"github.com/acqnp/acqnp/internal/report/figures"
	"github.com/acqnp/acqnp/internal/run"
	"github.com/acqnp/acqnp/internal/run/version"
	"github.com/acqnp/acqnp/internal/sweep/ablate"
	"github.com/acqnp/acqnp/internal/train"
)

func newAblate(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "ablate",
		Short: "Measure how the log-likelihood depends on one number",
		Long: `Repeat the paper's ablations and write figures and CSV files: the number of quantile levels at test
time, and the depth of ψ. Each command first says about how long it will take. The paper has six
seeds: --seeds 0..5. On a CPU, try a part of its work first: --set train.steps=1000 --batches 50.`,
		Example: `  acqnp ablate num-quantiles --run runs/lissajous/acqnp/seed-0 --run runs/lissajous/cqnp/seed-0 --out ablation
  acqnp ablate adaptor-depth --config configs/lissajous/acqnp.yaml --out ablation`,
		Args: cobra.ArbitraryArgs,
		RunE: runGroup,
	}
	cmd.AddCommand(newAblateNumTau(a), newAblateDepth(a))
	return cmd
}

// ablateFlags are the flags of all ablations.
type ablateFlags struct {
	settings
	batchFlags
	out   string
	set   []string
	seeds numberList
}

func (o *ablateFlags) addFlags(a *app, cmd *cobra.Command) {
	o.settings.addFlags(a, cmd)
	o.batchFlags.addFlags(cmd)
	f := cmd.Flags()
	f.StringVarP(&o.out, "out", "o", "", "`DIR` for the figure, the CSV files and the runs that are trained")
	f.StringArrayVar(&o.set, "set", nil, "`KEY=VALUE` that overrides the configuration's, repeatable: train.batch_size=32")
	f.Var(&o.seeds, "seeds", "`LIST` of seeds of several runs, such as 0..5 or 0,3,7")
	o.seeds.numbers = []int{0}
	f.Func("steps", "former", func(steps string) error {
		a.renamed("--steps", "--set train.steps="+steps)
		return f.Set("set", "train.steps="+steps)
	})
	must(f.MarkHidden("steps"))
	o.given = f.Changed
	must(cmd.MarkFlagRequired("out"))
	must(cmd.MarkFlagDirname("out"))
}

func (o *ablateFlags) check() error {
	if err := o.settings.check(); err != nil {
		return err
	}
	if err := o.checkBatches(); err != nil {
		return err
	}
	if info, err := os.Stat(o.out); err == nil && !info.IsDir() {
		return &invalid.Input{File: "--out", Found: "the file " + o.out, Expected: "a directory"}
	}
	return nil
}

// protocol returns the protocol of the flags.
func (o *ablateFlags) protocol() ablate.Protocol {
	return ablate.Protocol{Out: o.out, Set: o.set, Seeds: o.seeds.numbers, Batches: o.batches}
}

// run notes how long the trials will take, runs them, and writes and prints the results. configs
// are the configuration files of the trials.
func (o *ablateFlags) run(ctx context.Context, a *app, trials []ablate.Trial, configs []string, of ablate.Subject) error {
	if err := o.checkFiles(a, trials, configs, of); err != nil {
		return err
	}
	p := a.progress()
	runner := ablate.Runner{DataDir: o.dataDir, Device: o.device, Version: version.String(), Progress: p, Threads: o.cores()}
	work, err := runner.Estimate(ctx, trials)
	if err != nil {
		return interrupted(err)
	}
	o.announce(len(trials), work, p)
	if err := os.MkdirAll(o.out, 0o755); err != nil {
		return err
	}
	results, err := runner.Run(ctx, trials)
	if err != nil {
		return interrupted(err)
	}
	s, err := o.write(results, of)
	if err != nil {
		return err
	}
	return a.result(s, func(w io.Writer) error { return s.Print(w, of) })
}

// announce notes how long the trials will take.
func (o *ablateFlags) announce(runs int, work ablate.Work, p progress.Reporter) {
	text := fmt.Sprintf("%s, %d training steps and %d evaluation batches will take about %s on %s",
		invalid.Plural(runs, "run", "runs"), work.Steps, work.Batches, work.Roughly(), o.device)
	p.Note(text, progress.Field{Name: "runs", Value: runs}, progress.Field{Name: "steps", Value: work.Steps},
		progress.Field{Name: "batches", Value: work.Batches}, progress.Field{Name: "seconds", Value: work.Time.Seconds()})
}

// write writes the figures and the CSV files.
func (o *ablateFlags) write(results []ablate.Result, of ablate.Subject) (ablate.Summary, error) {
	s := of.Summary(o.out)
	s.Points = ablate.Points(results)
	figure := figures.Ablation{Title: of.Title + ablate.Extent(results), Variable: of.Variable, Points: s.Points}
	for _, path := range s.Figures {
		if err := figure.Save(path); err != nil {
			return s, err
		}
	}
	if err := ablate.WritePoints(s.Table, of.Column, s.Points); err != nil {
		return s, err
	}
	return s, ablate.WriteResults(s.RunsTable, of.Column, results)
}

// checkFiles returns an *invalid.Input if a file to write in --out would destroy one that the trials
// read.
func (o *ablateFlags) checkFiles(a *app, trials []ablate.Trial, configs []string, of ablate.Subject) error {
	if _, err := os.Stat(o.out); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	var outputs []output.File
	for _, path := range of.Summary(o.out).Files() {
		outputs = append(outputs, output.File{Flag: "--out", Path: path, Overwrite: true}) // a later call goes on in the directory
	}
	inputs := slices.Clone(configs)
	for _, t := range trials {
		inputs = append(append(inputs, run.Files(t.Dir)...), datasets.Files(t.Experiment, o.dataDir)...)
	}
	return a.checkOutputs(outputs, inputs...)
}

// interrupted replaces train.ErrInterrupted, whose text names a flag of acqnp train.
func interrupted(err error) error {
	if errors.Is(err, train.ErrInterrupted) {
		return errors.New("interrupted: the same command continues the training")
	}
	return err
}
