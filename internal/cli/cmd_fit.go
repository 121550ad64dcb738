package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/acqnp/acqnp/internal/cli/output"
	"github.com/acqnp/acqnp/internal/fit"
	"github.com/acqnp/acqnp/internal/fit/formula"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/models/stack"
	"github.com/acqnp/acqnp/internal/predict"
)

type fitOptions struct {
	file, formula string
	out           string
	instant       bool
	seed          uint64
	threads       int

	made bool // whether check made the directory out
}

func newFit(a *app) *cobra.Command {
	var o fitOptions
	cmd := &cobra.Command{
		Use:   "fit FILE FORMULA",
		Short: "Fit statistical models and a network to your own CSV file, and mix them",
		Long: `Fit models to a CSV file, and mix them. FORMULA says what is predicted from what:
'price ~ age | product' predicts the price of a product from its age, for products that the file does
not have, from a few known points of each. 'log(price)' predicts the logarithm, 'low + high' two
columns. Without '| group' all rows are one group.

The groups are cut into five folds. Each model is fitted without each fold and predicts the groups in
it, from contexts of 0, 1, 3 and 10 points and four fifths. The weights of the mixture maximise the log
density of these predictions. The table shows it for each model: higher is better.

The models are a linear mixed model, a Gaussian process, a multivariate normal distribution of x that
groups have in common, a mixture of regressions, a kernel density, and a conditional neural process on
what the Gaussian process leaves. --instant leaves the neural process out.

The result is a directory, FILE's name with .fit, for acqnp predict. The same file and seed give the
same bytes, with any number of threads.`,
		Example: `  acqnp fit prices.csv 'price ~ age | product'
  acqnp predict prices.fit --context context.csv --grid=0.2:6:100 --out predictions.csv`,
		Args: cobra.ExactArgs(2),
		RunE: a.run(func(cmd *cobra.Command) error {
			o.file, o.formula = cmd.Flags().Arg(0), cmd.Flags().Arg(1)
			return runFit(cmd.Context(), a, o)
		}),
	}
	f := cmd.Flags()
	f.StringVar(&o.out, "out", "", "`DIR` for the result (default FILE's name with .fit)")
	f.BoolVar(&o.instant, "instant", false, "train no network")
	f.Uint64Var(&o.seed, "seed", 0, "`SEED` of the folds and contexts")
	f.IntVar(&o.threads, "threads", 0, "`NUMBER` of CPU threads; 0 for all cores")
	a.addOverwrite(cmd)
	must(cmd.MarkFlagDirname("out"))
	return cmd
}

// check checks the flags and settles where the result goes.
func (o *fitOptions) check(a *app) error {
	if err := checkRange("--threads", o.threads, 0, maxThreads); err != nil {
		return err
	}
	o.threads = (&settings{threads: o.threads}).cores()
	if o.out == "" {
		base := filepath.Base(filepath.Clean(o.file))
		o.out = strings.TrimSuffix(base, filepath.Ext(base)) + ".fit"
	}
	if info, err := os.Stat(o.out); err == nil && !info.IsDir() {
		return &invalid.Input{File: "--out", Found: o.out + ", which is a file", Expected: "a directory, or a name that is free"}
	}
	_, err := os.Stat(o.out)
	o.made = err != nil
	if err := os.MkdirAll(o.out, 0o755); err != nil {
		return &invalid.Input{File: "--out", Found: err.Error(), Expected: "a directory that can be made"}
	}
	return a.checkOutputs([]output.File{{Flag: "--out", Path: filepath.Join(o.out, predict.FittedFile)}}, o.file)
}

// fitSummary is the result of fit.
type fitSummary struct {
	Out     string      `json:"out"`
	Promise string      `json:"promise"`
	Targets []fitTarget `json:"targets"` // a column of y each
	Groups  int         `json:"groups"`
	Points  int         `json:"points"`
	Seconds float64     `json:"seconds"`
}

// fitTarget is what was fitted to a column of y.
type fitTarget struct {
	Channel    string         `json:"channel"`
	Log        bool           `json:"log"`
	Expected   stack.Expected `json:"expected"`
	Candidates []fitCandidate `json:"candidates"`
}

type fitCandidate struct {
	Name       string  `json:"name"`
	LogDensity float64 `json:"log_density"`
	CRPS       float64 `json:"crps"`
	Weight     float64 `json:"weight"`
}

func runFit(ctx context.Context, a *app, o fitOptions) (err error) {
	defer func() {
		if err != nil && o.made {
			_ = os.Remove(o.out) // it is empty, unless the result is in it
		}
	}()
	asked, err := formula.Parse(o.formula)
	if err != nil {
		return err
	}
	if err := o.check(a); err != nil {
		return err
	}
	begin := time.Now()
	p := a.progress()
	fitted, err := fit.Fit(ctx, fit.Options{Instant: o.instant, File: o.file, Formula: asked, Seed: o.seed, Threads: o.threads, Progress: p})
	if err != nil {
		return err
	}
	if err := fitted.Write(o.out); err != nil {
		return err
	}
	s := summaryOfFit(fitted)
	s.Out, s.Seconds = o.out, time.Since(begin).Seconds()
	return a.result(s, s.print)
}

func summaryOfFit(f predict.Fitted) *fitSummary {
	s := &fitSummary{Groups: f.Stacks[0].Groups, Points: f.Stacks[0].Points, Promise: promiseOf(f.Stacks[0])}
	for c, st := range f.Stacks {
		t := fitTarget{Channel: f.Y[c], Log: st.Log, Expected: st.Expected}
		for _, m := range st.Candidates {
			t.Candidates = append(t.Candidates, fitCandidate{m.Name, m.LogDensity, m.CRPS, m.Weight})
		}
		s.Targets = append(s.Targets, t)
	}
	return s
}

// promiseOf says what calibrated intervals hold. The mixture's weights were chosen by the outcomes that
// calibrate it, so the theorem of cross-conformal prediction holds for it only nearly.
func promiseOf(s *stack.Stack) string {
	of := "a new group of the same kind, on average over groups"
	if s.ByPoint {
		of = "a new point of the known groups, on average over points"
	}
	return "calibrated intervals of 90% are to hold 90% of " + of + "; no theorem says so, since the weights of the mixture were chosen by the same points"
}

func (s *fitSummary) print(w io.Writer) error {
	fmt.Fprintf(w, "%s, %s\n", invalid.Plural(s.Groups, "group", "groups"), invalid.Plural(s.Points, "point", "points"))
	for _, t := range s.Targets {
		name := t.Channel
		if t.Log {
			name = "log " + name
		}
		fmt.Fprintf(w, "\nmodels of %s, by predictions for groups that they were not fitted to:\n", name)
		table := tabwriter.NewWriter(w, 0, 0, 3, ' ', tabwriter.AlignRight)
		fmt.Fprintln(table, "model\tlog density\tCRPS\tweight\t")
		for _, c := range t.Candidates {
			fmt.Fprintf(table, "%s\t%.3f\t%.4g\t%.2f\t\n", c.Name, c.LogDensity, c.CRPS, c.Weight)
		}
		fmt.Fprintf(table, "the mixture\t%.3f ± %.3f\t%.4g\t\t\n", t.Expected.LogDensity, t.Expected.Error, t.Expected.CRPS)
		if err := table.Flush(); err != nil {
			return err
		}
		fmt.Fprintf(w, "its intervals of 50%% and 90%% hold %.0f%% and %.0f%% before they are calibrated\n", 100*t.Expected.Coverage[0], 100*t.Expected.Coverage[1])
	}
	fmt.Fprintf(w, "\n%s\n", s.Promise)
	_, err := fmt.Fprintf(w, "\nwrote %s; next: %s\n", filepath.Join(s.Out, predict.FittedFile), s.next())
	return err
}

// next returns the command that predicts with the result.
func (s *fitSummary) next() string {
	return "acqnp predict " + invalid.ShellWord(s.Out) + " --context context.csv --targets targets.csv --out predictions.csv"
}
