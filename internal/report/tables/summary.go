package tables

import (
	"cmp"
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

	drawings []Drawings // of the rows with scores; Draw adds them
	undrawn  int        // rows that Draw left out
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
	Settings  []string `json:"settings,omitempty"` // KEY=VALUE, if runs of the variant differ in them; else nil
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

// A subject is what the runs of a row have in common.
type subject struct {
	benchmark string
	data      string // the name of own data; "" of other benchmarks
	model     string
	variant   string
	settings  string // KEY=VALUE, joined by newlines; "" unless runs of the variant differ
}

// name returns the name of the subject in messages: "acqnp (transformer) on circle".
func (s subject) name() string {
	return config.Named(s.model, joined(s.variant, s.label())) + " on " + s.printed()
}

// printed returns the benchmark, with the name of own data in brackets.
func (s subject) printed() string {
	if s.data == "" {
		return s.benchmark
	}
	return s.benchmark + " (" + s.data + ")"
}

// list returns the settings as KEY=VALUE.
func (s subject) list() []string {
	if s.settings == "" {
		return nil
	}
	return strings.Split(s.settings, "\n")
}

// label returns the settings with short keys: "learning_rate=0.001, schedule=cosine".
func (s subject) label() string {
	var keys, texts []string
	for _, setting := range s.list() {
		key, _, _ := strings.Cut(setting, "=")
		keys = append(keys, key)
	}
	short := config.ShortKeys(keys)
	for i, setting := range s.list() {
		texts = append(texts, short[keys[i]]+strings.TrimPrefix(setting, keys[i]))
	}
	return strings.Join(texts, ", ")
}

// compare orders subjects by benchmark and model as in the paper, then by variant, the paper's first.
func (s subject) compare(t subject) int {
	place := func(s subject) int { return slices.Index(catalogue.Names(nil), s.benchmark) }
	return cmp.Or(
		cmp.Compare(place(s), place(t)),
		cmp.Compare(s.printed(), t.printed()),
		cmp.Compare(slices.Index(models, s.model), slices.Index(models, t.model)),
		cmp.Compare(s.model, t.model),
		cmp.Compare(s.variant, t.variant),
	)
}

// table returns the title of the table with the subject's row.
func (s subject) table() string {
	switch b, _ := catalogue.Find(s.benchmark); {
	case b.Kind == catalogue.CSV:
		return ownData
	case b.Table == "" || !slices.Contains(models, s.model):
		return unpublished
	default:
		return string(b.Table)
	}
}

// Summarize takes means over the runs of each benchmark and variant of a model. If runs of a variant
// differ in their settings, each choice of settings has a row, in the order of the runs. If two runs of a
// row have the same seed, Summarize returns an *invalid.Input that names both. Variants stand below the
// paper's model.
func Summarize(runs []Run) (Summary, error) {
	order, groups, err := group(runs)
	if err != nil {
		return Summary{}, err
	}
	tables := map[string][]Row{}
	last := subject{}
	for _, key := range order {
		rows := tables[key.table()]
		paper := subject{benchmark: key.benchmark, model: key.model}
		if _, known := catalogue.Paper(key.benchmark, key.model); known && key.variant != "" && last != paper {
			rows = append(rows, newRow(paper, nil))
		}
		tables[key.table()], last = append(rows, newRow(key, groups[key])), paper
	}
	var s Summary
	for _, title := range append(slices.Clone(catalogue.Tables), ownData, unpublished) {
		if rows := tables[string(title)]; len(rows) > 0 {
			s.Tables = append(s.Tables, Table{string(title), rows})
		}
	}
	return s, nil
}

// inOneRow are the keys in which runs of a row may differ, beside those of the evaluation, which notes tell.
var inOneRow = []string{"train.seed", "train.log_every", "train.checkpoint_every", "train.keep_checkpoints"}

// group groups runs by their subjects, which it returns in the order of the rows.
func group(runs []Run) (order []subject, groups map[subject][]Run, err error) {
	names, variants, keys := dataNames(runs), map[subject][]config.Experiment{}, map[subject][]string{}
	for _, r := range runs {
		if r.Config != nil {
			variants[r.subject(names)] = append(variants[r.subject(names)], *r.Config)
		}
	}
	for s, all := range variants {
		keys[s] = config.TellingKeys(all, func(key string) bool {
			return slices.Contains(inOneRow, key) || strings.HasPrefix(key, "eval.")
		})
	}
	groups = map[subject][]Run{}
	for _, r := range runs {
		key := r.subject(names)
		key.settings = r.settings(keys[key])
		for _, other := range groups[key] {
			if other.identity() == r.identity() {
				return nil, nil, &invalid.Input{File: r.Path, Found: r.identity() + " of " + key.name() + ", as in " + other.Path,
					Expected: "each once (name a narrower directory, or move one away)"}
			}
		}
		if groups[key] == nil {
			order = append(order, key)
		}
		groups[key] = append(groups[key], r)
	}
	slices.SortStableFunc(order, subject.compare)
	return order, groups, nil
}

// settings returns the values of keys as KEY=VALUE.
func (r Run) settings(keys []string) string {
	var list []string
	for _, key := range keys {
		if r.Config == nil {
			return "unknown settings"
		}
		list = append(list, key+"="+r.Config.Value(key))
	}
	return strings.Join(list, "\n")
}

func newRow(of subject, runs []Run) Row {
	slices.SortStableFunc(runs, bySeed)
	row := Row{Benchmark: of.printed(), data: of.data, Model: of.model, Variant: of.variant, Settings: of.list(), label: of.label(),
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
	mean, sd := meanAndSD(means)
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

// meanAndSD returns the mean of values and, of two or more, their sample standard deviation.
func meanAndSD(values []float64) (mean float64, sd *float64) {
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
