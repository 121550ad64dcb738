package draft

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/models/kde"
	"github.com/acqnp/acqnp/internal/train"
)

// A search chooses a configuration. It goes through stages. Each stage tries a few changes of the
// best candidate so far, on the same splits and for as many operations, and keeps the best.
type search struct {
	o     Options
	found Found
	data  config.Data

	mixed    candidate // the log and baseline of the best mixed model; baseline 0 if there is none
	steps    int       // the most steps of a trial, which the budget pays for
	outcomes []Outcome
	kernels  map[string]kde.Widths // of the columns whose logarithm is taken
	known    map[string]int        // from a candidate's key to its outcome
}

// An Outcome is the result of a candidate's trials.
type Outcome struct {
	Name    string    `json:"name"`
	LogLik  float64   `json:"log_density"` // of the best validation: of a target in raw units, the mean over all splits
	Step    int       `json:"step"`        // of this validation
	Folds   []float64 `json:"folds"`       // that validation on each split
	Patient bool      `json:"patient"`     // whether patience ended every trial, so that more steps would not help
	candidate

	every   int           // steps between validations
	choices choices       // that the trials choose between
	curves  [][][]float64 // [choices][folds]: all validations
}

// MarshalJSON gives null for the log density of an outcome that diverged.
func (o Outcome) MarshalJSON() ([]byte, error) {
	type fields Outcome
	shown := struct {
		fields
		LogLik *float64 `json:"log_density"`
	}{fields: fields(o)}
	if !math.IsInf(o.LogLik, 0) {
		shown.LogLik = &o.LogLik
	}
	return json.Marshal(shown)
}

// run goes through all stages and returns the configuration of the best candidate.
func (s *search) run(ctx context.Context) (Result, error) {
	s.known = map[string]int{}
	best := s.first()
	if s.o.Budget > 0 {
		s.o.Progress.Note(fmt.Sprintf("trying models on %s of the data, by validation", splits(s.folds())))
		if err := s.findMixed(); err != nil {
			return Result{}, err
		}
		if err := s.setSteps(); err != nil {
			return Result{}, err
		}
		if err := s.try(ctx, []candidate{best}); err != nil {
			return Result{}, err
		}
		for _, variants := range s.stages() {
			if err := s.try(ctx, variants(best)); err != nil {
				return Result{}, err
			}
			best = s.best().candidate
		}
		if err := s.tryLonger(ctx, best); err != nil {
			return Result{}, err
		}
	} else if s.data.SplitBy == "function" && s.found.Functions >= manyFunctions && s.o.Model != "canp" && s.o.Model != "bnp" {
		best.aggregation = config.Attention
	}
	return s.result(best)
}

// tryLonger repeats the trials of a candidate with more steps if they were too short to find the best
// number of steps.
func (s *search) tryLonger(ctx context.Context, c candidate) error {
	i := s.known[c.key()]
	if s.folds() < 2 || s.settled(s.outcomes[i]) {
		return nil
	}
	delete(s.known, c.key())
	s.steps *= longer
	if err := s.try(ctx, []candidate{c}); err != nil {
		return err
	}
	last := len(s.outcomes) - 1
	s.outcomes[i], s.outcomes, s.known[c.key()] = s.outcomes[last], s.outcomes[:last], i
	return nil
}

// settled reports whether more steps would hardly improve an outcome: patience ended all its trials,
// or the best validation came long before their end.
func (s *search) settled(o Outcome) bool {
	return o.Step > 0 && (o.Patient || o.Step <= s.steps*3/4)
}

// manyFunctions is the number of functions from which attention is the default if nothing is tried.
const manyFunctions = 40

// best returns the best outcome. With few points, a Gaussian wins unless a model with levels is better by
// a standard error: the final model is an ensemble, and Gaussians gain more from averaging than
// mixtures do.
func (s *search) best() Outcome {
	best, _ := s.bestOf(func(Outcome) bool { return true })
	gaussian, ok := s.bestOf(func(o Outcome) bool { return o.gaussian() && !math.IsInf(o.LogLik, -1) })
	if gain, deviation := difference(best.Folds, gaussian.Folds); ok && s.few() && s.data.SplitBy == "point" && gain <= deviation {
		return gaussian
	}
	return best
}

// bestOf returns the best of the outcomes for which some is true, and whether there is one. Of equal ones
// it returns the first.
func (s *search) bestOf(some func(Outcome) bool) (best Outcome, ok bool) {
	for _, o := range s.outcomes {
		if some(o) && (!ok || o.LogLik > best.LogLik) {
			best, ok = o, true
		}
	}
	return best, ok
}

// mostFolds is the number of splits if the data are few.
const mostFolds = 8

// folds returns the number of splits on which every candidate is tried: more if a validation has few
// functions or points.
func (s *search) folds() int {
	n, few := s.found.Functions, 30
	if s.data.SplitBy == "point" {
		n, few = s.found.used(), 600
	}
	switch {
	case n < few:
		return mostFolds
	case n < 3*few:
		return 4
	case n < 6*few:
		return 2
	}
	return 1
}

// validFraction returns the share of the data for validation: a fifth, or less if there are many
// functions or points.
func (s *search) validFraction() float64 {
	n, most := s.found.Functions, 100
	if s.data.SplitBy == "point" {
		n, most = s.found.used(), 2000
	}
	f := min(0.2, float64(most)/float64(n))
	return math.Ceil(f*1000) / 1000
}

// A job is a trial of a candidate on a split.
type job struct {
	candidate, fold int // the index in outcomes
	options         train.Options
	budget          budget
	shift           float64 // from valid_ll to a log density in raw units
}

// try runs the trials of the candidates that were not tried before.
func (s *search) try(ctx context.Context, candidates []candidate) error {
	var jobs []*job
	for _, c := range candidates {
		if _, tried := s.known[c.key()]; tried {
			continue
		}
		s.known[c.key()] = len(s.outcomes)
		n := s.folds()
		o := Outcome{Name: c.title(), candidate: c, Patient: true, Folds: make([]float64, n), choices: s.choicesOf(c)}
		for range o.choices.all() {
			o.curves = append(o.curves, make([][]float64, n))
		}
		s.outcomes = append(s.outcomes, o)
		for fold := range n {
			j, err := s.job(c, fold)
			if err != nil {
				return err
			}
			jobs = append(jobs, j)
		}
	}
	if err := s.runTrials(ctx, jobs); err != nil {
		return err
	}
	for i := range s.outcomes {
		s.outcomes[i].judge()
	}
	return nil
}

// job returns the trial of a candidate on a split.
func (s *search) job(c candidate, fold int) (*job, error) {
	choices := s.choicesOf(c)
	c.reading = choices.at(0) // of the validations that patience counts
	if c.gaussian() {
		c.reading.tailChoice = wideTails
	}
	e, err := s.experiment(c)
	if err != nil {
		return nil, err
	}
	e.Data.Seed, e.Train.Seed = e.Data.Seed+uint64(fold), e.Train.Seed+uint64(fold)
	e.Data.ValidFraction, e.Train.ValidateEvery, e.Train.Patience = s.validFraction(), 1, patience
	o := train.Options{Experiment: e, Others: choices.all()}
	if o.Source, err = datasets.Open(e, s.o.DataDir); err != nil {
		return nil, err
	}
	b, err := budgetOf(o)
	if err != nil {
		return nil, err
	}
	o.Experiment.Train.ValidateEvery, o.Experiment.Train.Steps = b.validateEvery(), max(s.steps, 2*b.validateEvery())
	shift, err := rawShift(o.Source)
	return &job{candidate: s.known[c.key()], fold: fold, options: o, shift: shift, budget: b}, err
}

// setSteps sets the number of steps of a trial. It is the same for all candidates, so that cheap ones
// get no advantage.
func (s *search) setSteps() error {
	c := s.first()
	each := 0.0
	for _, c := range slices.Concat([]candidate{c}, s.units(c), s.models(c), s.onMixed(c), s.finer(c)) {
		s.known[c.key()] = 0
		j, err := s.job(c, 0)
		if err != nil {
			return err
		}
		each += j.budget.each()
	}
	clear(s.known)
	s.steps = min(max(leastSteps, rounded(stages*s.o.Budget*workers*rate/each/float64(s.folds()))), mostSteps)
	return nil
}

// rawShift returns the term that turns the log-likelihood of a validation into one in raw units. It is
// averaged in the same way.
func rawShift(source datasets.Source) (float64, error) {
	dx, dy := source.Dims()
	scaling := datasets.ScalingOf(source, dx, dy)
	shift := scaling.RawShift()
	v, ok := source.(datasets.Validated)
	if !ok || !scaling.PointShifts() {
		return shift, nil
	}
	sum, functions := 0.0, 0
	var b datasets.Batch
	for i := range v.ValidBatches() {
		if err := v.Valid(i, &b); err != nil {
			return 0, err
		}
		for f := range b.Functions {
			mean, targets := 0.0, b.Points-b.Context
			for p := f*b.Points + b.Context; p < (f+1)*b.Points; p++ {
				mean += scaling.PointShift(b.X[p*dx:][:dx], b.Y[p*dy:][:dy]) / float64(targets)
			}
			sum += mean
			functions++
		}
	}
	return shift + sum/float64(functions), nil
}

// settle records the outcome of a trial. A trial that diverged has no curve.
func (s *search) settle(j *job, t train.Trial, err error) error {
	o := &s.outcomes[j.candidate]
	var diverged *train.NonFiniteError
	if errors.As(err, &diverged) {
		o.Patient = false
		return nil
	}
	if err != nil {
		return err
	}
	for i, curve := range t.Curves[1:] { // the first is of the trial's own reading
		for k := range curve {
			curve[k] += j.shift
		}
		o.curves[i][j.fold] = curve
	}
	o.every = j.options.Experiment.Train.ValidateEvery
	o.Patient = o.Patient && t.Ended == EndsByPatience
	return nil
}
