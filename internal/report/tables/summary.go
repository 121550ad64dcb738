package tables

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/config/catalogue"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/run"
)

// A Summary compares the runs of a directory with the paper's results.
type Summary struct {
	Tables []Table `json:"tables"`

	plots    map[string][]Drawing // by title of the table; Draw adds them
	drawings []Drawings           // of the rows with scores; Draw adds them
	undrawn  int                  // rows that Draw left out
}

// A Table has the rows of one of the paper's tables, or those for which the paper has no results.
type Table struct {
	Title string `json:"title"`
	Rows  []Row  `json:"rows"`
}

// A Row is a variant of a model on a benchmark: means over runs of different seeds.
type Row struct {
	Benchmark string   `json:"benchmark"` // as configurations name it; for csv with the data's name
	data      string   // the data's name; "" if they are not the user's own
	Model     string   `json:"model"`
	Variant   string   `json:"variant"`            // as config.Experiment.Variant names it; "" for the paper's model
	Size      string   `json:"size"`               // as config.Model.Size names it, if the report has several; else ""
	Steps     int      `json:"steps,omitempty"`    // of training, if the report has several of own data; else 0
	Settings  []string `json:"settings,omitempty"` // KEY=VALUE, if runs of one seed differ in them; else nil
	label     string   // of the settings
	Runs      []Run    `json:"-"`       // in the order of their seeds; empty for the paper's result alone
	Context   Part     `json:"context"` // of own data in raw units, of others in the model's
	Target    Part     `json:"target"`
	Scores    *Scores  `json:"scores,omitempty"` // nil if no run has scores
	Used      Used     `json:"used"`
	Notes     []string `json:"notes"` // how the runs differ from each other and from the paper's
}

// A Part is the context or the target log-likelihood of a row. Unknown values are nil.
type Part struct {
	Mean       *float64          `json:"mean"`                 // over runs
	SD         *float64          `json:"sd"`                   // sample standard deviation over runs, of two or more
	StdError   *float64          `json:"std_error"`            // of a single run: over its batches, of two or more
	Paper      *catalogue.Number `json:"paper"`                // nil if the paper has no such result
	Difference *float64          `json:"difference_in_errors"` // (mean − paper's mean) / combined error
}

// models lists the models in the order of the paper's rows.
var models = config.Models()

// Titles of the tables of rows without results in the paper.
const (
	ownData     = "Own data"
	unpublished = "Not in the paper"
)

// A subject is what the runs of a row have in common. size is "" unless a variant has several.
type subject struct {
	benchmark string
	data      string // the name of own data; "" of other benchmarks
	model     string
	variant   string
	size      string
	steps     int // of training; 0 unless a variant has several on own data
	choice        // zero unless runs of one seed have several
}

// name returns the name of the subject in messages: "acqnp (transformer) on circle".
func (s subject) name() string {
	return config.Named(s.model, joined(s.variant, s.size, stepsLabel(s.steps), s.label)) + " on " + s.printed()
}

// printed returns the benchmark, with the name of own data in brackets.
func (s subject) printed() string {
	if s.data == "" {
		return s.benchmark
	}
	return s.benchmark + " (" + s.data + ")"
}

// compare orders subjects by benchmark, then by model as in the paper, then by variant, the paper's
// first, then by size and settings.
func (s subject) compare(t subject) int {
	return cmp.Or(
		cmp.Compare(s.benchmark, t.benchmark),
		cmp.Compare(s.data, t.data),
		cmp.Compare(slices.Index(models, s.model), slices.Index(models, t.model)),
		cmp.Compare(s.model, t.model),
		cmp.Compare(s.variant, t.variant),
		cmp.Compare(s.size, t.size),
		cmp.Compare(s.steps, t.steps),
		cmp.Compare(s.place, t.place),
	)
}

// Summarize takes means over the runs of each benchmark and variant of a model. If the runs of a
// variant have several sizes, each size has a row. On own data, so has each number of steps. If runs
// of the same seed remain that differ in other settings, each choice of settings has a row. If two
// runs of a row have the same seed, Summarize returns an *invalid.Input that names both. The summary
// has the benchmarks and models with runs. Variants stand below the paper's model.
func Summarize(runs []Run) (Summary, error) {
	groups, err := group(runs)
	if err != nil {
		return Summary{}, err
	}
	var s Summary
	for _, title := range catalogue.Tables {
		t := Table{Title: string(title)}
		for _, b := range catalogue.Names(func(b catalogue.Benchmark) bool { return b.Table == title }) {
			for _, m := range models {
				t.Rows = append(t.Rows, take(groups, b, m)...)
			}
		}
		s.add(t)
	}
	own, rest := Table{Title: ownData}, Table{Title: unpublished}
	for _, key := range slices.SortedFunc(maps.Keys(groups), subject.compare) {
		t := &rest
		if isOwn(key.benchmark) {
			t = &own
		}
		t.Rows = append(t.Rows, newRow(key, groups[key]))
	}
	s.add(own)
	s.add(rest)
	return s, nil
}

// group groups runs by their subjects. Two runs of a subject with the same seed are an error.
func group(runs []Run) (map[subject][]Run, error) {
	names, sizes, steps := dataNames(runs), map[subject][]string{}, map[subject][]int{}
	sized := func(run Run) subject {
		key := run.subject(names)
		if len(sizes[key]) > 1 {
			key.size = cmp.Or(run.size(), "unknown size")
		}
		return key
	}
	for _, run := range runs {
		if size := run.size(); size != "" {
			key := run.subject(names)
			sizes[key] = addNew(sizes[key], size)
		}
	}
	for _, run := range runs {
		if isOwn(run.Eval.Benchmark) {
			key := sized(run)
			steps[key] = addNew(steps[key], run.steps())
		}
	}
	together := map[subject][]Run{}
	var order []subject
	for _, run := range runs {
		key := sized(run)
		if len(steps[key]) > 1 {
			key.steps = run.steps()
		}
		if together[key] == nil {
			order = append(order, key)
		}
		together[key] = append(together[key], run)
	}
	groups := map[subject][]Run{}
	for _, key := range order {
		if err := tellApart(groups, key, together[key]); err != nil {
			return nil, err
		}
	}
	return groups, nil
}

// tellApart adds the runs of a subject to groups, each choice of settings by itself.
func tellApart(groups map[subject][]Run, key subject, runs []Run) error {
	for i, c := range choices(runs) {
		run := runs[i]
		key.choice = c
		for _, other := range groups[key] {
			if other.identity() == run.identity() {
				return &invalid.Input{File: run.Path, Found: run.identity() + " of " + key.name() + ", as in " + other.Path,
					Expected: "each once (name a narrower directory, or move one away)"}
			}
		}
		groups[key] = append(groups[key], run)
	}
	return nil
}

// take removes the groups of model m on the paper's benchmark b and returns their rows. The first
// row is that of the paper's model. It has no runs if only variants have some.
func take(groups map[subject][]Run, b, m string) (rows []Row) {
	keys := slices.DeleteFunc(slices.SortedFunc(maps.Keys(groups), subject.compare), func(s subject) bool {
		return s.benchmark != b || s.model != m
	})
	if len(keys) > 0 && keys[0].variant != "" {
		rows = append(rows, newRow(subject{benchmark: b, model: m}, nil))
	}
	for _, key := range keys {
		rows = append(rows, newRow(key, groups[key]))
		delete(groups, key)
	}
	return rows
}

func (s *Summary) add(t Table) {
	if len(t.Rows) > 0 {
		s.Tables = append(s.Tables, t)
	}
}

func newRow(of subject, runs []Run) Row {
	slices.SortStableFunc(runs, bySeed)
	row := Row{Benchmark: of.printed(), data: of.data, Model: of.model, Variant: of.variant, Size: of.size, Steps: of.steps, Settings: of.list(), label: of.label,
		Runs: runs, Scores: newScores(runs), Used: used(runs), Notes: notes(runs)}
	var paper struct{ context, target *catalogue.Number }
	if p, ok := catalogue.Paper(of.benchmark, of.model); ok && of.variant == "" {
		paper.context, paper.target = &p.Context, &p.Target
	}
	row.Context = newPart(runs, paper.context, func(e run.Eval) run.Estimate { c, _ := likelihoods(e); return c })
	row.Target = newPart(runs, paper.target, func(e run.Eval) run.Estimate { _, t := likelihoods(e); return t })
	return row
}

// bySeed orders runs by seed. Runs of unknown seed come last, by path.
func bySeed(a, b Run) int {
	switch {
	case a.Config != nil && b.Config != nil:
		return cmp.Compare(a.Config.Train.Seed, b.Config.Train.Seed)
	case a.Config != nil:
		return -1
	case b.Config != nil:
		return 1
	}
	return strings.Compare(a.Path, b.Path)
}

func newPart(runs []Run, paper *catalogue.Number, of func(run.Eval) run.Estimate) Part {
	p := Part{Paper: paper}
	if len(runs) == 0 {
		return p
	}
	means := make([]float64, len(runs))
	for i, run := range runs {
		means[i] = of(run.Eval).Mean
	}
	mean, sd := spread(means)
	p.Mean, p.SD = &mean, sd
	if sd == nil {
		p.StdError = of(runs[0].Eval).StdError
	}
	if paper != nil {
		d := (mean - paper.Mean) / math.Hypot(p.errorOfMean(len(runs)), paper.Spread)
		p.Difference = &d
	}
	return p
}

// spread returns the mean of values and, of two or more, their sample standard deviation.
func spread(values []float64) (mean float64, sd *float64) {
	if len(values) > 1 {
		d := stat.StdDev(values, nil)
		sd = &d
	}
	return stat.Mean(values, nil), sd
}

// errorOfMean returns the standard error of the mean of n runs: over the runs, or over the batches
// of a single run. It is 0 if neither is known.
func (p Part) errorOfMean(n int) float64 {
	switch {
	case p.SD != nil:
		return *p.SD / math.Sqrt(float64(n))
	case p.StdError != nil:
		return *p.StdError
	}
	return 0
}
