package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/acqnp/acqnp/internal/ablate"
	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/figures"
	"github.com/acqnp/acqnp/internal/input"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/output"
	"github.com/acqnp/acqnp/internal/predict"
	"github.com/acqnp/acqnp/internal/progress"
	"github.com/acqnp/acqnp/internal/report"
	"github.com/acqnp/acqnp/internal/train"
)

func newAblate(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "ablate",
		Short: "Vary one number and see what it does to the log-likelihood",
		Long: `The paper's ablations, as figures and CSV files: the number of quantile levels at test time, and the depth of ψ. Each
says beforehand how long it will take; on a CPU it does a small part of the paper's work unless --full is given.`,
		Example: `  acqnp ablate num-tau --run runs/lissajous/acqnp/seed-0 --run runs/lissajous/cqnp/seed-0 --out ablation
  acqnp ablate adaptor-depth --config configs/lissajous/acqnp.yaml --out ablation`,
		Args: cobra.ArbitraryArgs,
		RunE: runGroup,
	}
	cmd.AddCommand(newAblateNumTau(a), newAblateDepth(a))
	return cmd
}

// What a CPU does unless --full or a flag says otherwise, and what the paper did.
const (
	reducedSteps   = 1000
	reducedBatches = 50
	paperSeeds     = 6
)

// ablateFlags are common to the ablations.
type ablateFlags struct {
	settings
	batchFlags
	out   string
	set   []string
	seeds []int
	steps int
	full  bool

	files []string // the configurations that were read
}

func (o *ablateFlags) addFlags(a *app, cmd *cobra.Command) {
	o.settings.addFlags(a, cmd)
	o.batchFlags.addFlags(cmd)
	f := cmd.Flags()
	f.StringVar(&o.out, "out", "", "`DIR` for the figure, the CSV files and the runs that are trained")
	f.StringArrayVar(&o.set, "set", nil, "`KEY=VALUE` in place of the configuration's, repeatable: train.batch_size=32")
	f.IntSliceVar(&o.seeds, "seeds", nil, "`NUMBERS` for train.seed, a run for each (default 0; 0,1,2,3,4,5 with --full)")
	f.IntVar(&o.steps, "steps", 0, fmt.Sprintf("training steps (default the configuration's, on a CPU without --full at most %d)", reducedSteps))
	f.BoolVar(&o.full, "full", false, "the paper's protocol: all steps, batches and six seeds")
	f.Lookup("batches").Usage = fmt.Sprintf("evaluation batches (default the configuration's, on a CPU without --full at most %d)", reducedBatches)
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
	if o.given("steps") {
		if err := checkRange("--steps", o.steps, 1, maxBatches); err != nil {
			return err
		}
	}
	if len(o.seeds) == 0 {
		o.seeds = []int{0}
		for s := 1; o.full && s < paperSeeds; s++ {
			o.seeds = append(o.seeds, s)
		}
	}
	if err := distinct("--seeds", o.seeds); err != nil {
		return err
	}
	if info, err := os.Stat(o.out); err == nil && !info.IsDir() {
		return &input.Error{File: "--out", Found: "the file " + o.out, Expected: "a directory"}
	}
	return nil
}

// distinct refuses a number that is negative or given twice.
func distinct(flag string, numbers []int) error {
	seen := map[int]bool{}
	for _, n := range numbers {
		if n < 0 || seen[n] {
			return &input.Error{File: flag, Found: strconv.Itoa(n), Expected: "different whole numbers"}
		}
		seen[n] = true
	}
	return nil
}

// reduced reports whether the work is cut down to what a CPU does in an acceptable time.
func (o *ablateFlags) reduced() bool { return !o.full && o.device.Name() == "cpu" }

// batchOverride is eval.batches where it is not the configuration's own.
func (o *ablateFlags) batchOverride(e config.Experiment) []config.Flag {
	if o.batches == 0 && o.reduced() && (e.Eval.Batches == 0 || e.Eval.Batches > reducedBatches) {
		return []config.Flag{{Name: "--batches", Key: "eval.batches", Value: strconv.Itoa(reducedBatches)}}
	}
	return o.batchFlags.overrides()
}

// stepOverride is train.steps where it is not the configuration's own.
func (o *ablateFlags) stepOverride(e config.Experiment) []config.Flag {
	steps := o.steps
	if steps == 0 && o.reduced() && (e.Train.Epochs > 0 || e.Train.Steps > reducedSteps) {
		steps = reducedSteps
	}
	if steps == 0 {
		return nil
	}
	return []config.Flag{{Name: "--steps", Key: "train.steps", Value: strconv.Itoa(steps)}}
}

// ablation names what is varied.
type ablation struct{ title, variable, column, name string }

// trial is a run of an ablation and how it is evaluated.
type trial struct {
	e        config.Experiment
	dir      string
	train    bool
	values   []int                                                    // of the ablation's number
	evaluate func(value int) (numTau int, levels string, seen string) // how a value is evaluated, and in words
}

// experiment is the configuration of a trial that is trained, with the keys that the ablation sets.
func (o *ablateFlags) experiment(file string, seed int, more ...config.Flag) (config.Experiment, error) {
	o.files = append(o.files, file)
	flags := append([]config.Flag{{Name: "--seeds", Key: "train.seed", Value: strconv.Itoa(seed)}}, more...)
	over := config.Overrides{Set: o.set, Flags: flags, Env: os.Environ}
	e, err := config.Load(file, over)
	if err != nil {
		return e, err
	}
	over.Flags = append(append(over.Flags, o.stepOverride(e)...), o.batchOverride(e)...)
	if e, err = config.Load(file, over); err != nil {
		return e, err
	}
	e.Data.File, err = whereverRun(e.Data.File)
	return e, err
}

// run makes all trials after saying how long they will take, and writes what has come of them.
func (o *ablateFlags) run(ctx context.Context, a *app, trials []trial, of ablation) error {
	if err := o.checkFiles(a, trials, of.name); err != nil {
		return err
	}
	p := a.progress()
	if err := o.announce(ctx, trials, p); err != nil {
		return goesOn(err)
	}
	if err := os.MkdirAll(o.out, 0o755); err != nil {
		return err
	}
	var all []ablate.Result
	for i, t := range trials {
		p.Note(fmt.Sprintf("run %d of %d: %s", i+1, len(trials), t.dir))
		results, err := o.try(ctx, t, p)
		if err != nil {
			return goesOn(err)
		}
		all = append(all, results...)
	}
	points := ablate.Points(all)
	figure := figures.Ablation{Title: of.title + extent(all), Variable: of.variable, Points: points}
	s := ablationSummary{Out: o.out}
	for _, extension := range []string{".png", ".svg", ".pdf"} {
		s.Figures = append(s.Figures, filepath.Join(o.out, of.name+extension))
		if err := figure.Save(s.Figures[len(s.Figures)-1]); err != nil {
			return err
		}
	}
	s.Table, s.RunsTable = filepath.Join(o.out, of.name+".csv"), filepath.Join(o.out, of.name+"-runs.csv")
	if err := ablate.WritePoints(s.Table, of.column, points); err != nil {
		return err
	}
	if err := ablate.WriteResults(s.RunsTable, of.column, all); err != nil {
		return err
	}
	s.add(points)
	return a.result(s, func(w io.Writer) error { return s.print(w, of.variable) })
}

// checkFiles refuses files to write in --out that would destroy what the trials read.
func (o *ablateFlags) checkFiles(a *app, trials []trial, name string) error {
	if _, err := os.Stat(o.out); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	var outputs []output.File
	for _, end := range []string{".png", ".svg", ".pdf", ".csv", "-runs.csv"} {
		outputs = append(outputs, output.File{Flag: "--out", Path: filepath.Join(o.out, name+end)})
	}
	inputs := o.files
	for _, t := range trials {
		inputs = append(append(inputs, output.RunFiles(t.dir)...), datasets.Files(t.e, o.dataDir)...)
	}
	return a.checkOutputs(outputs, inputs...)
}

// goesOn says of an interrupted ablation what training says of an interrupted run.
func goesOn(err error) error {
	if errors.Is(err, train.ErrInterrupted) {
		return errors.New("interrupted: the same command goes on with the training")
	}
	return err
}

// extent tells a figure's reader how much work stands behind it.
func extent(results []ablate.Result) string {
	span := func(of func(r ablate.Result) int) string {
		lo, hi := of(results[0]), of(results[0])
		for _, r := range results {
			lo, hi = min(lo, of(r)), max(hi, of(r))
		}
		if lo == hi {
			return strconv.Itoa(lo)
		}
		return fmt.Sprintf("%d to %d", lo, hi)
	}
	return fmt.Sprintf(" (training steps: %s; evaluation batches: %s)", span(func(r ablate.Result) int { return r.Steps }),
		span(func(r ablate.Result) int { return r.Eval.Batches }))
}

// try trains a run where it is to be trained, going on where it was left, and evaluates it at every value.
func (o *ablateFlags) try(ctx context.Context, t trial, p progress.Reporter) ([]ablate.Result, error) {
	source, err := datasets.Open(t.e, o.dataDir)
	if err != nil {
		return nil, err
	}
	if t.train {
		training := trainOptions{settings: o.settings, runDir: t.dir, resume: true}
		if _, err := training.train(ctx, t.e, source, p); err != nil {
			return nil, err
		}
	}
	dx, dy := source.Dims()
	m, err := (&modelFlags{run: t.dir, checkpoint: latest}).load(t.e, dx, dy, p)
	if err != nil {
		return nil, err
	}
	var results []ablate.Result
	for _, value := range t.values {
		numTau, levels, words := t.evaluate(value)
		start := time.Now()
		outcome, err := evaluate(ctx, predict.EvalOptions{Model: m.Model, Params: m.params, Source: source, NumTau: numTau,
			Levels: levels, Seed: t.e.Eval.Seed, Device: o.device}, "evaluate "+words, p)
		if err != nil {
			return nil, err
		}
		r := report.NewEval(outcome)
		r.Benchmark, r.Model, r.Seed = t.e.Benchmark, t.e.Model.Name, t.e.Eval.Seed
		r.Checkpoint = report.Checkpoint{Path: m.path, Step: m.step}
		r.Device, r.Seconds, r.Version = o.device.Name(), time.Since(start).Seconds(), version()
		results = append(results, ablate.Result{Run: t.dir, Benchmark: t.e.Benchmark, Model: t.e.Model.Name,
			Seed: t.e.Train.Seed, Steps: *m.step, Value: value, Eval: r})
	}
	return results, nil
}

// remaining is how many steps a trial still has to be trained.
func (t trial) remaining(m *models.Model, source datasets.Source) (int, error) {
	if !t.train {
		return 0, nil
	}
	steps, err := train.Steps(t.e.Train, source)
	if err != nil {
		return 0, err
	}
	if c, err := train.Latest(t.dir, m, nil); err == nil {
		steps = max(0, steps-c.Step)
	}
	return steps, nil
}

// ablationSummary is the result of an ablation.
type ablationSummary struct {
	Out       string          `json:"out"`
	Figures   []string        `json:"figures"`
	Table     string          `json:"table"`
	RunsTable string          `json:"runs_table"`
	Points    []ablationPoint `json:"points"`
}

type ablationPoint struct {
	Benchmark string `json:"benchmark"`
	Model     string `json:"model"`
	Value     int    `json:"value"`
	Runs      int    `json:"runs"`
	Batches   int    `json:"batches"`
	Context   spread `json:"context_ll"`
	Target    spread `json:"target_ll"`
}

// spread is over runs; SD is nil for one.
type spread struct {
	Mean float64  `json:"mean"`
	SD   *float64 `json:"sd"`
}

func (s *ablationSummary) add(points []ablate.Point) {
	over := func(runs int, mean, sd float64) spread {
		if runs < 2 {
			return spread{Mean: mean}
		}
		return spread{mean, &sd}
	}
	for _, q := range points {
		s.Points = append(s.Points, ablationPoint{q.Benchmark, q.Model, q.Value, q.Runs, q.FewestBatches,
			over(q.Runs, q.Context, q.ContextSD), over(q.Runs, q.Target, q.TargetSD)})
	}
}

func (s spread) String() string {
	if s.SD == nil {
		return fmt.Sprintf("%.4f", s.Mean)
	}
	return fmt.Sprintf("%.4f ± %.4f", s.Mean, *s.SD)
}

func (s *ablationSummary) print(w io.Writer, variable string) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "benchmark\tmodel\t%s\truns\tbatches\tcontext log-likelihood\ttarget log-likelihood\n", variable)
	for _, q := range s.Points {
		fmt.Fprintf(t, "%s\t%s\t%d\t%d\t%d\t%v\t%v\n", q.Benchmark, q.Model, q.Value, q.Runs, q.Batches, q.Context, q.Target)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "%s, %s, %s\n", s.Figures[0], s.Table, s.RunsTable)
	return err
}
