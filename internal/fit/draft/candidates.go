package draft

import (
	"fmt"
	"math"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/models/prior"
)

// A candidate is a model with its size and the columns whose logarithm it sees.
type candidate struct {
	model       string
	aggregation string // "" for canp and bnp
	width       int
	log         []string
	baseline    [2]int // the degrees of the mixed model that y is standardised by; 0 without one
	prior       bool   // starts from the weights that the program carries
	slower      bool   // a lower learning rate
	decayed     bool   // a larger weight decay
	reading            // the trials choose it
}

// key returns what tells two candidates apart before their trials.
func (c candidate) key() string {
	c.reading = reading{}
	return fmt.Sprint(c)
}

// withLog returns the candidate on the logarithms of the columns.
func (c candidate) withLog(columns []string) candidate {
	c.log = columns
	return c
}

// ofWidth returns the candidate with other hidden widths.
func (c candidate) ofWidth(w int) candidate {
	c.width = w
	return c
}

// fromPrior is an ACQNP that starts from the weights that the program carries.
var fromPrior = candidate{model: "acqnp", aggregation: config.Attention, width: usual, prior: true}

// The widths of the networks.
const (
	narrow = 16
	usual  = 48
)

// heads is the number of heads of attentions. It divides all widths.
const heads = 8

// named returns the candidate of a model and an aggregation.
func named(model, aggregation string) candidate {
	return candidate{model: model, aggregation: aggregation, width: usual}
}

// title returns the candidate's name in tables.
func (c candidate) title() string {
	text := map[string]string{"acqnp": "ACQNP", "cqnp": "CQNP", "cnp": "CNP", "canp": "CANP", "bnp": "BNP"}[c.model]
	if c.aggregation == config.Attention {
		text += ", attention"
	}
	if c.prior {
		text += ", from the prior"
	}
	if c.baseline[0] > 0 {
		text += ", on a mixed model"
	}
	if c.slower {
		text += ", slower"
	}
	if c.decayed {
		text += ", more weight decay"
	}
	if c.width != usual {
		text += fmt.Sprintf(", width %d", c.width)
	}
	for i, column := range c.log {
		text += map[bool]string{true: ", log of ", false: " and "}[i == 0] + column
	}
	return text + c.reading.title(c)
}

// The stages of the search; each varies one thing of the best candidate so far.
func (s *search) stages() []func(best candidate) []candidate {
	return []func(candidate) []candidate{s.units, s.models, s.onMixed, s.finer}
}

// first returns the candidate that the search starts from. With few data it is a Gaussian, which wins
// there most often.
func (s *search) first() candidate {
	switch {
	case s.o.Model == "canp" || s.o.Model == "bnp":
		return s.withReading(named(s.o.Model, ""))
	case s.o.Model == "" && s.few() && s.o.Budget > 0:
		return s.withReading(named("cnp", config.Mean))
	case s.o.Model == "":
		return s.withReading(named("acqnp", config.Mean))
	}
	return s.withReading(named(s.o.Model, config.Mean))
}

// withReading returns the candidate with its default reading, the first of its choices.
func (s *search) withReading(c candidate) candidate {
	c.reading = s.choicesOf(c).at(0)
	return c
}

// few reports whether the data are few.
func (s *search) few() bool { return s.folds() == mostFolds }

// units varies the columns whose logarithm is taken.
func (s *search) units(best candidate) (all []candidate) {
	for _, columns := range s.logs(skewed)[1:] {
		all = append(all, best.withLog(columns))
	}
	return all
}

// logs returns the sets of columns whose logarithm is tried: none, those of y, those of x, and both. may
// reports whether a column takes part.
func (s *search) logs(may func(c datasets.ScannedColumn, y bool) bool) [][]string {
	all := [][]string{nil}
	var x, y []string
	for i, c := range s.found.Columns {
		switch ofY := i >= len(s.o.X); {
		case c.Kind != datasets.NumberColumn || !may(c, ofY):
		case ofY:
			y = append(y, c.Name)
		default:
			x = append(x, c.Name)
		}
	}
	if len(y) > 0 {
		all = append(all, y)
	}
	if len(x) > 0 {
		all = append(all, x)
	}
	if len(x) > 0 && len(y) > 0 {
		all = append(all, slices.Concat(x, y))
	}
	return all
}

// onMixed returns models of y standardised by the mixed model that predicts best.
func (s *search) onMixed(candidate) (all []candidate) {
	if s.mixed.baseline[0] == 0 {
		return nil
	}
	for _, c := range []candidate{named("acqnp", config.Mean), named("acqnp", config.Attention), named("cnp", config.Mean)} {
		if s.o.Model == c.model || s.o.Model == "" {
			c.log, c.baseline = s.mixed.log, s.mixed.baseline
			all = append(all, c)
		}
	}
	return all
}

// findMixed finds the mixed model that predicts held-out functions best, and the columns whose
// logarithm it takes.
func (s *search) findMixed() error {
	if s.data.SplitBy != "function" || s.found.Functions < leastMixed {
		return nil
	}
	best := math.Inf(-1)
	for _, columns := range s.logs(positive) {
		e, err := s.experiment(s.first().withLog(columns))
		if err != nil {
			return err
		}
		source, err := datasets.Open(e, s.o.DataDir)
		if err != nil {
			return err
		}
		if m, ok := datasets.MixedModel(source); ok && m.LogDensity > best {
			best, s.mixed = m.LogDensity, candidate{log: columns, baseline: [2]int{m.Fixed, m.Random}}
		}
	}
	return nil
}

// leastMixed is the least number of functions for a mixed model.
const leastMixed = 4

// models varies the model and its aggregation.
func (s *search) models(best candidate) (all []candidate) {
	for _, c := range []candidate{named("acqnp", config.Mean), named("acqnp", config.Attention), named("cqnp", config.Mean), named("cnp", config.Mean),
		named("cqnp", config.Attention), named("cnp", config.Attention)} {
		if s.o.Model == c.model || s.o.Model == "" && (c.model == "acqnp" || c.aggregation == config.Mean) {
			all = append(all, c.withLog(best.log))
		}
	}
	if s.o.Model == "" || s.o.Model == "acqnp" {
		if e, err := s.experiment(fromPrior); err == nil && prior.Check(e.Model, s.dims(), len(s.o.Y)) == nil {
			all = append(all, fromPrior.withLog(best.log))
		}
	}
	return all
}

// dims returns the number of columns of x that the model sees, one for each name of a category.
func (s *search) dims() (n int) {
	for _, c := range s.found.Columns[:len(s.o.X)] {
		if slices.Contains(s.found.Categories, c.Name) {
			n += c.Distinct
		} else {
			n++
		}
	}
	return n
}

// finer varies the learning rate, and the size of the networks unless that is given. With few data it
// also varies the weight decay. With more data, such trials would only take steps from the others.
func (s *search) finer(best candidate) (all []candidate) {
	slower, decayed := best, best
	slower.slower, decayed.decayed = true, true
	few := s.few()
	if !best.prior {
		all = append(all, best.ofWidth(narrow))
	}
	if all = append(all, slower); few {
		all = append(all, decayed)
	}
	if few && !best.prior {
		all = append(all, decayed.ofWidth(narrow))
	}
	return all
}

// section is a part of a configuration.
type section = map[string]any

// modelSection returns the candidate's section model. few says that there are few functions to learn
// from.
func (c candidate) modelSection(few bool) section {
	if c.prior {
		return section{"name": "acqnp", "sigma_floor": 0.01, "scale_form": config.NaturalScale, "adaptor_form": config.Residual, "aggregation": config.Attention,
			"representation": 64, "encoder": []int{64, 64}, "key_encoder": []int{64}, "query_encoder": []int{64}, "heads": 8,
			"adaptor": []int{32, 32}, "decoder": []int{64, 64}}
	}
	w := c.width
	m := section{"name": c.model, "sigma_floor": c.floor(few)}
	if c.model == "bnp" {
		return merged(m, section{"width": w, "pre_depth": 3, "post_depth": 2, "decoder_depth": 3, "train_bootstraps": 4, "eval_bootstraps": 50})
	}
	m = merged(m, section{"representation": w, "encoder": []int{w, w}, "decoder": []int{w, w}})
	if c.quantile() {
		m["scale_form"] = config.NaturalScale
	}
	if c.aggregation != "" {
		m["aggregation"] = c.aggregation
	}
	if c.aggregation == config.Attention || c.model == "canp" {
		m = merged(m, section{"key_encoder": []int{w}, "query_encoder": []int{w}, "heads": heads})
	}
	if c.model == "acqnp" {
		m = merged(m, section{"adaptor": []int{w, w}, "adaptor_form": config.Residual})
	}
	return m
}

// floor returns the lower bound of σ. A Gaussian has short tails: if σ is small, one target of an unusual
// function costs dozens of nats, and few functions may not show that. Where points are held out, the
// model knows other points of the same function, so σ may be a hundredth of the deviation of y. On a
// mixed model, σ is relative to that of the mixed model.
func (c candidate) floor(few bool) float64 {
	switch {
	case c.quantile():
		return 0.01
	case c.baseline[0] > 0:
		return 0.3
	case few:
		return 0.2
	}
	return 0.01
}

// gaussian reports whether the model predicts one Gaussian.
func (c candidate) gaussian() bool { return c.model == "cnp" || c.model == "canp" }

// quantile reports whether the model has levels.
func (c candidate) quantile() bool { return c.model == "cqnp" || c.model == "acqnp" }

func merged(parts ...section) section {
	all := section{}
	for _, p := range parts {
		for key, v := range p {
			all[key] = v
		}
	}
	return all
}

// experiment returns the candidate's configuration. Its steps and its validation are not set.
func (s *search) experiment(c candidate) (config.Experiment, error) {
	d := s.data
	data := section{"seed": splitSeed, "file": d.File, "x": d.XColumns, "y": d.YColumns, "split": d.SplitBy,
		"train_fraction": d.TrainFraction, "scale": d.Scale, "missing": d.Missing, "sizes": d.Sizes}
	if d.Group != "" {
		data["group"] = d.Group
	}
	if len(d.Categories) > 0 {
		data["categories"] = d.Categories
	}
	if s.few() && d.SplitBy == "point" {
		data["points"] = []int{fewPoints, fewPoints}
	}
	if len(c.log) > 0 {
		data["log"] = c.log
	}
	if d.Calibration > 0 {
		data["calibration"] = d.Calibration
	}
	if c.baseline[0] > 0 {
		data["baseline"] = c.baseline[:]
	}
	model := c.modelSection(s.few() && s.data.SplitBy == "function")
	var kernel []float64
	if c.pool > 0 && c.baseline[0] == 0 {
		w, err := s.kernelOf(c)
		if err != nil {
			return config.Experiment{}, err
		}
		kernel = []float64{w.X, w.Y}
	}
	train := section{"steps": 1, "batch_size": s.batchSize(), "learning_rate": c.rate(), "weight_decay": c.decay(),
		"schedule": config.Plateau, "seed": s.o.Seed, "log_every": 100, "checkpoint_every": 1000, "keep_checkpoints": 2}
	if c.baseline[0] > 0 { // the mixed model knows the y of context points
		train["loss"] = config.Targets
	}
	if c.prior {
		train["weights"] = config.PriorWeights
	}
	eval := section{"batches": 0, "batch_size": 4, "seed": 43}
	if c.quantile() {
		train["num_tau"], train["levels"], eval["num_tau"] = 16, config.StratifiedLevels, 50
	}
	content, err := yaml.Marshal(section{"benchmark": "csv", "model": model, "data": data, "train": train, "eval": eval,
		"postprocessing": c.postprocessing(kernel)})
	if err != nil {
		return config.Experiment{}, err
	}
	return config.Parse("init", content, config.Overrides{})
}

// rate returns the learning rate.
func (c candidate) rate() float64 {
	switch {
	case c.prior && c.slower:
		return 1e-4
	case c.prior:
		return 3e-4
	case c.slower:
		return 5e-4
	case c.aggregation == config.Attention || c.model == "canp":
		return 1e-3
	}
	return 2e-3
}

// decay returns the weight decay.
func (c candidate) decay() float64 {
	if c.decayed {
		return 1e-2
	}
	return 1e-5
}

// fewPoints is the number of points of a function in a training step if there are few in all. Steps that
// all use the same points overfit sooner.
const fewPoints = 64

// splitSeed is data.seed.
const splitSeed = 43

// batchSize returns the number of functions of a batch, fewer if they are large.
func (s *search) batchSize() int {
	n := min(s.found.Points[1], config.MaxCSVPoints)
	return min(max(512/max(n, 1), 4), 64)
}
