package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/acqnp/acqnp/internal/cli/output"
	"github.com/acqnp/acqnp/internal/datasets/own/draft"
	"github.com/acqnp/acqnp/internal/files/tabular"
	"github.com/acqnp/acqnp/internal/fit"
	"github.com/acqnp/acqnp/internal/fit/file"
	"github.com/acqnp/acqnp/internal/fit/formula"
	"github.com/acqnp/acqnp/internal/fit/stack"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/invalid/warning"
	"github.com/acqnp/acqnp/internal/predict/conformal"
	"github.com/acqnp/acqnp/internal/report/figures"
	"github.com/acqnp/acqnp/internal/run"
)

type fitOptions struct {
	fit.Options
	formula     string
	writeConfig string

	noPicture bool
	limited   bool // --budget was given
	made      bool // whether hold made the directory Out

	release func() error // of the hold on Out; nil before
}

var _ = command(ownData, 1, newFit)

func newFit(a *app) *cobra.Command {
	var o fitOptions
	cmd := &cobra.Command{
		Use:   "fit FILE [FORMULA]",
		Short: "Fit statistical models and a network to your own file of rows, and mix them",
		Long: `FILE is CSV, JSON lines or Parquet (docs/reference/files.md). FORMULA says what is predicted
from what. 'price ~ age | product' predicts the price of a product from its age, for products that the
file does not have, from a few known points of each. '| school/class' has classes in schools,
'| subject + item' items that subjects share; without '| product' all rows are one group. What else
it may say: docs/reference/formulas.md. Without FORMULA, fit proposes one.

Several models are fitted, and mixed by how well each predicts groups that it has not seen. The scores
are those of the mixture on groups that neither models nor weights have seen (docs/explanation/fit.md).

The result is a directory for acqnp predict, score and serve. The same file and seed give the same bytes.`,
		Example: `  acqnp fit prices.csv
  acqnp fit prices.csv 'price ~ age | product'
  acqnp fit prices.csv 'log(price) ~ age + kind | product' --instant --out quick.fit
  acqnp predict prices.fit --context context.csv --grid=0.2:6:100 > predictions.csv`,
		Args: fitArguments,
		RunE: a.run(func(cmd *cobra.Command) error {
			o.limited = cmd.Flags().Changed("budget")
			args := append(cmd.Flags().Args(), "", "")
			o.File, o.formula = args[0], args[1]
			if o.Out == "" {
				o.Out = tabular.Stem(o.File) + ".fit"
			}
			return runFit(cmd.Context(), a, o)
		}),
	}
	f := cmd.Flags()
	f.StringVarP(&o.Out, "out", "o", "", "`DIR` for the result (default FILE's name with .fit)")
	f.BoolVar(&o.Instant, "instant", false, "take only a mixed model and a network that reads the groups, on 800 rows, and models of a common grid, of counts, of zeros and of 0 and 1")
	f.Float64Var(&o.Budget, "budget", 0, "`SECONDS` of two ordinary cores, by the count of rows; models beyond are left out (default no limit)")
	f.StringVar(&o.Weights, "row-weights", "", "`COL` of weights: a row of weight 2 counts as two of weight 1, one of 0 is not used")
	f.StringVar(&o.Censored, "censored", "", "`COL` that says which y are limits: left or -1 at most the number, right or 1 at least, none or 0 itself")
	f.StringVar(&o.Outcome, "outcome", "", "`KIND` of y, real, counts or bounded, instead of what fit finds and prints")
	f.BoolVar(&o.noPicture, "no-picture", false, "draw no picture")
	f.BoolVar(&o.NoRows, "no-rows", false, "keep no rows of the data: without models that need them, a picture, or known points of groups of the data")
	f.StringVar(&o.writeConfig, "write-config", "", "write a configuration for acqnp train to `FILE`, as acqnp init does, and fit nothing")
	f.Uint64Var(&o.Seed, "seed", 0, "`SEED` of what the command draws: folds and contexts")
	f.IntVar(&o.Threads, "threads", 0, "`NUMBER` of CPU threads; 0 for all cores")
	a.addOverwrite(cmd)
	for _, other := range []string{"out", "instant", "budget", "row-weights", "censored", "outcome", "seed", "threads", "no-picture", "no-rows"} {
		cmd.MarkFlagsMutuallyExclusive("write-config", other)
	}
	return cmd
}

// fitArguments takes a file and a formula. More are words of a formula that a shell has split. A file alone is only
// looked at, so that flags of a fit beside it would be dropped.
func fitArguments(cmd *cobra.Command, args []string) error {
	if len(args) > 2 {
		return &invalid.Input{File: "FORMULA", Found: invalid.Plural(len(args)-1, "argument", "arguments") + " after FILE",
			Expected: "one formula in quotes, so that the shell leaves ~ and | alone: acqnp fit " + invalid.ShellWord(args[0]) + " 'price ~ age | product'"}
	}
	var err error
	if len(args) > 0 && strings.Join(args[1:], "") == "" {
		cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
			if f.Changed {
				err = &invalid.Input{File: "--" + f.Name, Found: "no FORMULA", Expected: "one beside it; fit FILE alone proposes it, and fits nothing"}
			}
		})
	}
	return err
}

func runFit(ctx context.Context, a *app, o fitOptions) (err error) {
	defer func() { err = o.end(err) }()
	o.Progress = a.progress()
	if o.File != "" && o.formula == "" {
		return showColumns(a, o.File)
	}
	if o.File == "" {
		return &invalid.Input{File: "FILE", Found: "nothing", Expected: "a file of rows: acqnp fit prices.csv 'price ~ age | product'"}
	}
	if o.Formula, err = formula.Parse(o.formula); err != nil {
		return err
	}
	if err := o.name(&a.warnings); err != nil {
		return err
	}
	a.warn()
	if o.writeConfig != "" {
		return o.configure(a)
	}
	if err := o.check(); err != nil {
		return err
	}
	if err := o.hold(a); err != nil {
		return err
	}
	begin := time.Now()
	o.Threads, o.Warnings, o.Read = (&settings{threads: o.Threads}).cores(), &a.warnings, func() { a.warn() }
	fitted, example, err := fit.Fit(ctx, o.Options)
	if err != nil {
		return err
	}
	s := summaryOfFit(fitted)
	if s.Picture, err = o.draw(ctx, example, fitted.Calibrated()); err != nil {
		return err
	}
	s.Out, s.Seconds, s.Warnings = o.Out, time.Since(begin).Seconds(), a.warn()
	return a.result(s, s.print)
}

// name puts the columns of the file in the place of '.', but for row weights and sides of y. It warns if none is left.
func (o *fitOptions) name(w *warning.Record) error {
	if !slices.ContainsFunc(o.Formula.X, func(t formula.Term) bool { return t.Rest }) {
		return nil
	}
	scan, _, err := fit.Look(o.File)
	if err != nil {
		return err
	}
	var names []string
	for _, c := range scan.Columns {
		if c.Name != o.Weights && c.Name != o.Censored {
			names = append(names, c.Name)
		}
	}
	before := len(o.Formula.X)
	if o.Formula = o.Formula.Named(names); len(o.Formula.X) < before {
		w.Add("'.' in the formula stands for no column: the formula names all of %s", o.File)
	}
	return nil
}

// end ends the hold on the directory of the result. After an error it removes a directory that the command
// made and that nothing was written to.
func (o *fitOptions) end(err error) error {
	if o.release == nil {
		if err != nil && o.made {
			_ = os.Remove(o.Out) // fails if another fit writes there
		}
		return err
	}
	left, _ := os.ReadDir(o.Out)
	if empty := !slices.ContainsFunc(left, func(e os.DirEntry) bool { return !strings.HasPrefix(e.Name(), ".") }); err == nil || !o.made || !empty {
		return errors.Join(err, o.release())
	}
	return errors.Join(err, o.release(), run.Drop(o.Out), os.Remove(o.Out))
}

// draw draws an example and returns the path of the picture, "" without one.
func (o *fitOptions) draw(ctx context.Context, e fit.Example, c *conformal.Calibration) (path string, err error) {
	if len(e.Groups) == 0 || o.noPicture || o.NoRows {
		return "", nil
	}
	subjects := make([]figures.Subject, len(e.Groups))
	for i, g := range e.Groups {
		subjects[i] = figures.Subject{Question: g, Held: g.Targets}
	}
	figure, err := figures.NewPrediction(ctx, e.Predictor, subjects, figures.Options{Calibrated: c})
	if err != nil {
		return "", err
	}
	path = filepath.Join(o.Out, run.FitFile)
	return path, figure.Save(path, o.Warnings)
}

// configure writes a configuration as acqnp init does.
func (o *fitOptions) configure(a *app) error {
	if o.Formula.Outer != "" {
		return &invalid.Input{File: "--write-config", Found: "groups in groups, | " + o.Formula.Groups(), Expected: "one column after '|': a network knows one level"}
	}
	if o.Formula.Crossed != "" {
		return o.ofFitAlone("the crossed column " + o.Formula.Crossed)
	}
	i := initOptions{out: o.writeConfig, Options: draft.Options{File: o.File, X: formula.Columns(o.Formula.X), Y: formula.Columns(o.Formula.Y),
		Group: o.Formula.Group, DataDir: "data"}}
	for _, t := range append(o.Formula.Y, o.Formula.X...) {
		switch {
		case t.Log:
			i.Log = append(i.Log, t.Column)
		case t.Factor || t.Period > 0:
			return o.ofFitAlone(t.String())
		}
	}
	switch {
	case len(o.Formula.X) == 0:
		return o.ofFitAlone("no x")
	case o.Formula.Products != nil:
		return o.ofFitAlone("a product")
	case o.Formula.Offset != nil:
		return o.ofFitAlone("offset(" + o.Formula.Offset[0].String() + ")")
	}
	return runInit(a, i)
}

// ofFitAlone refuses to write a part of a formula that no configuration of a network has.
func (o *fitOptions) ofFitAlone(part string) error {
	return &invalid.Input{File: "--write-config", Found: part + " in the formula", Expected: "columns and log(column): a trained network has no such term (leave --write-config out to fit)"}
}

// check checks the flags.
func (o *fitOptions) check() error {
	if err := checkCPU(o.Threads); err != nil {
		return err
	}
	if o.limited && !(o.Budget > 0 && o.Budget <= maxBudget) {
		return &invalid.Input{File: "--budget", Found: fmt.Sprint(o.Budget), Expected: fmt.Sprintf("a number of seconds above 0, at most %d", maxBudget)}
	}
	if o.Outcome != "" && !slices.Contains([]string{stack.Real, stack.Counts, stack.Bounded}, o.Outcome) {
		return &invalid.Input{File: "--outcome", Found: o.Outcome, Expected: "real, counts or bounded"}
	}
	return nil
}

// hold makes the directory of the result and takes a hold on it, which end ends. It refuses one that has a result.
func (o *fitOptions) hold(a *app) error {
	info, err := os.Stat(o.Out)
	if o.made = err != nil; !o.made && !info.IsDir() {
		return &invalid.Input{File: "--out", Found: o.Out + ", which is a file", Expected: "a directory, or a name that is free"}
	}
	if err := os.MkdirAll(o.Out, 0o755); err != nil {
		return &invalid.Input{File: "--out", Found: err.Error(), Expected: "a directory that can be made"}
	}
	free := func() error {
		result, picture := filepath.Join(o.Out, file.Name), filepath.Join(o.Out, run.FitFile)
		return a.checkOutputs([]output.File{{Flag: "--out", Path: result}, {Flag: "--out", Path: picture, Part: run.FitFile}}, o.File)
	}
	if err := free(); err != nil {
		return err
	}
	o.release, err = run.Hold(o.Out, run.Fitting, o.Progress.Warn)
	if errors.Is(err, run.ErrBusy) {
		return &invalid.Input{File: "--out", Found: err.Error(), Cause: err}
	}
	if err != nil {
		return err
	}
	return free() // another fit may have ended meanwhile
}

// maxBudget keeps a typing error from starting a fit of years.
const maxBudget = 1_000_000
