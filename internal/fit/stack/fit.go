package stack

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/acqnp/acqnp/internal/fit/simple"
	"github.com/acqnp/acqnp/internal/likelihood"
)

// Options say how to fit.
type Options struct {
	Seed    uint64
	Threads int
	Log     bool   // y, all above 0, is predicted by its logarithm
	Kinds   []Kind // the candidates; nil for Kinds()
	Store   Store  // keeps fitted models, so that an interrupted fit resumes; may be nil
	Done    func() // called after each of Jobs; may be nil

	// Questions bounds how often each model is asked about a fold; 0 for 1,000.
	Questions int
}

// A Store keeps the models of a fit by their names.
type Store interface {
	// Load returns what Save kept, nil if there is nothing.
	Load(name string) []byte
	// Save keeps a model whose fit took this time.
	Save(name string, content []byte, took time.Duration) error
}

// Jobs returns how many models Fit fits.
func (o Options) Jobs(groups []simple.Group) int {
	scales, trials := len(o.scales(groups, logColumns(some(groups, mostRows, o.Seed)))), 0
	for _, k := range o.kinds() {
		if k.After == "" {
			trials += scales
		} else {
			trials++
		}
	}
	return trials * (folds + 1)
}

func (o Options) kinds() []Kind {
	if o.Kinds == nil {
		return Kinds()
	}
	return o.Kinds
}

// scales returns the scales to try.
func (o Options) scales(groups []simple.Group, logX []LogColumn) (all []scale) {
	for _, x := range []bool{false, true} {
		if x && len(logX) == 0 {
			break
		}
		if !o.Log {
			all = append(all, scale{x: x})
		}
		if o.Log || spreadOut(groups) {
			all = append(all, scale{y: true, x: x})
		}
	}
	return all
}

// ErrNothing is the error of data to which no candidate can be fitted.
var ErrNothing = errors.New("no model can be fitted to these data")

// Fit fits a stack to the groups. If all y are above 0 and not nearly equal, models of log y are
// among its candidates; with Log they are the only ones. A kind that is behind on a scale on the first fold is
// left out there.
// Fit returns an error if no model can be fitted. The stack depends only on the groups, the seed, Log and
// the kinds. Of more than 100,000 points, Fit takes a sample. When ctx ends, Fit returns its error
// after the question that is being answered; fits that have begun run to their end.
func Fit(ctx context.Context, groups []simple.Group, o Options) (*Stack, error) {
	all := groups
	groups = some(groups, mostRows, o.Seed)
	s := splitOf(groups, o.Seed, cmp.Or(o.Questions, mostQuestions))
	var trials, after []*trial
	for _, of := range o.scales(all, s.logX) {
		for _, k := range o.kinds() {
			if k.After == "" {
				trials = append(trials, s.trial(k, of))
			}
		}
	}
	if err := s.try(ctx, trials, o); err != nil {
		return nil, err
	}
	for _, k := range o.kinds() {
		if k.After != "" {
			after = append(after, s.trial(k, s.best(trials, k.After)))
		}
	}
	if err := s.try(ctx, after, o); err != nil {
		return nil, err
	}
	trials = append(trials, after...)
	out, err := s.stack(ctx, trials, o.Threads)
	if err != nil {
		return nil, err
	}
	if err := s.refit(ctx, out, trials, o); err != nil {
		return nil, err
	}
	out.Failed = failures(trials)
	out.Groups, out.ByPoint = len(groups), s.byPoint
	out.Like[0] = likenessOf(groups, o.Seed)
	if out.SeesLog() {
		out.Like[1] = likenessOf(s.seen(groups, scale{y: true}), o.Seed)
	}
	for _, g := range groups {
		out.Points += g.Points()
	}
	return out, ctx.Err()
}

// refit replaces the models of each candidate by one model fitted to all folds, unless the kind is an
// ensemble or folds are of points. If there are few groups, a model learns much more from all of them than
// from four fifths. From all points of a group it does not learn much more than from four fifths: there
// the mean of the models is better, since it is less confident.
func (s *split) refit(ctx context.Context, out *Stack, trials []*trial, o Options) error {
	var jobs []job
	of := map[string]*trial{}
	for _, t := range trials {
		of[t.title()] = t
	}
	for _, c := range out.Candidates {
		if t := of[c.Name]; c.Weight > 0 && !t.kind.Ensemble && !s.byPoint {
			jobs = append(jobs, job{trial: t, fold: folds})
		}
	}
	if err := s.do(ctx, jobs, o); err != nil {
		return err
	}
	for range len(trials) - len(jobs) { // which Jobs counts
		o.done()
	}
	for i := range out.Candidates {
		c := &out.Candidates[i]
		c.byFold = c.Models
		if m := of[c.Name].models[folds]; m != nil {
			c.Models = []Saved{{Kind: of[c.Name].kind.Name, Model: m}}
		}
	}
	return nil
}

// failures returns the trials that have no model of a fold because one failed.
func failures(trials []*trial) (all []Failure) {
	for _, t := range trials {
		for fold, why := range t.failed {
			if why == "" {
				continue
			}
			if fold == folds {
				why = "the mean of the models without each fold predicts, since that of all groups failed: " + why
			}
			all = append(all, Failure{t.title(), why})
			break
		}
	}
	return all
}

// mostRows bounds the points that are cut into folds.
const mostRows = 100_000

// leastSpread is the least ratio of the largest y to the smallest for which log y is tried. Below it, the
// logarithm is a line to a percent of its range.
const leastSpread = 1.1

// spreadOut reports whether all y are above 0 and log y differs from a line.
func spreadOut(groups []simple.Group) bool {
	r := logYOf(groups)
	return r != nil && r.High-r.Low >= math.Log(leastSpread)
}

// A trial is a kind on one scale, fitted without each fold, with its answers.
type trial struct {
	kind    Kind
	scale   scale
	models  [folds + 1]simple.Model      // the last is fitted to all; nil unless refit fits it
	failed  [folds + 1]string            // why there is no model; "" unless one failed
	answers []likelihood.GaussianMixture // of y or log y, at each target
	logs    []float64                    // log density of each target's y, in raw units
}

// trial returns a trial of a kind on a scale.
func (s *split) trial(k Kind, on scale) *trial {
	return &trial{kind: k, scale: on, answers: make([]likelihood.GaussianMixture, len(s.targets)), logs: make([]float64, len(s.targets))}
}

// best returns the scale on which a kind predicts best; without that kind, any kind.
func (s *split) best(trials []*trial, kind string) (best scale) {
	one := func(t *trial) bool { return t.kind.Name == kind && t.fitted() }
	if !slices.ContainsFunc(trials, one) {
		one = (*trial).fitted
	}
	most := math.Inf(-1)
	for _, t := range trials {
		if l, _ := s.mean(t.logs); one(t) && l > most {
			best, most = t.scale, l
		}
	}
	return best
}

// title returns the name of the trial among all.
func (t *trial) title() string {
	return t.kind.Name + map[scale]string{{}: "", {y: true}: ", log y", {x: true}: ", log x", {y: true, x: true}: ", log x and y"}[t.scale]
}

// name returns the name of the trial's model of a fold in a store.
func (t *trial) name(fold int) string {
	return fmt.Sprintf("%s.%s.%d", strings.ReplaceAll(t.kind.Name, " ", "-"), t.scale.name(), fold)
}

// fitted reports whether there is a model without each fold.
func (t *trial) fitted() bool {
	for _, m := range t.models[:folds] {
		if m == nil {
			return false
		}
	}
	return true
}

// A job is a trial to be fitted without a fold, and its result.
type job struct {
	trial *trial
	fold  int
	model simple.Model
	why   string // there is no model though the kind is for such data
	err   error
}

// try fits all trials without each fold and asks them about that fold. It goes fold by fold: after the
// first one, the time that is left is known, and a scale may be left out. The answers of a model do not
// depend on the number of threads.
func (s *split) try(ctx context.Context, trials []*trial, o Options) error {
	var first, rest []job
	for _, t := range trials {
		first = append(first, job{trial: t})
	}
	if err := s.do(ctx, first, o); err != nil {
		return err
	}
	behind := s.halve(trials)
	for fold := 1; fold < folds; fold++ {
		for _, t := range trials {
			if slices.Contains(behind, t) {
				o.done()
			} else {
				rest = append(rest, job{trial: t, fold: fold})
			}
		}
	}
	return s.do(ctx, rest, o)
}

func (o Options) done() {
	if o.Done != nil {
		o.Done()
	}
}

// do runs jobs, several at a time.
func (s *split) do(ctx context.Context, all []job, o Options) error {
	jobs, results := make(chan job, len(all)), make(chan job, len(all))
	for _, j := range all {
		jobs <- j
	}
	close(jobs)
	for range max(1, o.Threads) {
		go func() {
			for j := range jobs {
				if ctx.Err() != nil {
					return
				}
				j.model, j.why, j.err = s.one(ctx, j.trial, j.fold, o)
				results <- j
			}
		}()
	}
	for range all {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case r := <-results:
			if r.err != nil {
				return r.err
			}
			r.trial.models[r.fold], r.trial.failed[r.fold] = r.model, r.why
			o.done()
		}
	}
	return ctx.Err()
}

// one returns the model of a trial without a fold, from the store if it is there, and asks it about the
// fold. It returns why there is none if the kind cannot be fitted or an answer is not finite. The model goes through
// JSON first, so that the model judged is the one that a file holds.
func (s *split) one(ctx context.Context, t *trial, fold int, o Options) (m simple.Model, why string, err error) {
	if t.kind.Grouped && s.groups < 2 {
		return nil, "", nil
	}
	dx := s.training[fold][0].DX
	if o.Store != nil {
		if m, err := t.kind.Read(o.Store.Load(t.name(fold))); err == nil && m.Columns() == dx && m.Check() == nil {
			return s.asked(ctx, t, fold, m)
		}
	}
	begin := time.Now()
	training := Training{Groups: s.training[fold], Fold: fold, Log: t.scale.y, LogX: t.scale.x, Seed: o.Seed}
	if t.kind.Most > 0 {
		training.Groups = some(training.Groups, t.kind.Most, o.Seed)
	}
	training.Groups = s.seen(training.Groups, t.scale)
	if m, err = t.kind.Fit(ctx, training); err != nil {
		return nil, err.Error(), ctx.Err()
	}
	content, err := json.Marshal(m)
	if err != nil {
		return nil, "a number of the model is not finite", nil
	}
	if m, err = t.kind.Read(content); err == nil {
		err = m.Check()
	}
	if err != nil {
		return nil, err.Error(), nil
	}
	if o.Store != nil {
		if err := o.Store.Save(t.name(fold), content, time.Since(begin)); err != nil {
			return nil, "", err
		}
	}
	return s.asked(ctx, t, fold, m)
}

// asked returns a model after it has answered the questions about a fold, or why it cannot.
func (s *split) asked(ctx context.Context, t *trial, fold int, m simple.Model) (simple.Model, string, error) {
	if m = s.ask(ctx, t, fold, m); m == nil {
		return nil, "a prediction is not finite", ctx.Err()
	}
	return m, "", nil
}

// seen returns the groups on a scale.
func (s *split) seen(groups []simple.Group, of scale) []simple.Group {
	all := make([]simple.Group, len(groups))
	for i, g := range groups {
		all[i] = seen(g, s.columns(of), of.y)
	}
	return all
}

// ask asks a trial's model of a fold all questions about the fold. It returns the model, nil if an answer
// is not finite, or if ctx ends.
func (s *split) ask(ctx context.Context, t *trial, fold int, m simple.Model) simple.Model {
	for _, q := range s.questions {
		if q.fold != fold {
			continue
		}
		if ctx.Err() != nil {
			return nil
		}
		known := seen(q.context, s.columns(t.scale), t.scale.y)
		for i, d := range m.Given(known, underLogs(s.columns(t.scale), q.targets.X, q.targets.DX)) {
			if t.scale.y {
				d = s.logY.bounded(d)
			}
			y := of(d, t.scale.y)
			if v := y.Variance(); math.IsNaN(v) || math.IsInf(v, 0) {
				return nil
			}
			at := q.first + i
			t.answers[at], t.logs[at] = d, y.LogDensity(q.targets.Y[i])
		}
	}
	return m
}

// of returns the distribution of y, given that of y or, if log, of log y.
func of(d likelihood.GaussianMixture, log bool) likelihood.Distribution {
	if log {
		return likelihood.ExpOf(d)
	}
	return d
}

// inParallel calls f with 0 to n−1. When ctx ends, it calls f no more.
func inParallel(ctx context.Context, n, threads int, f func(i int)) {
	var work sync.WaitGroup
	for first := range max(1, threads) {
		work.Go(func() {
			for i := first; i < n && ctx.Err() == nil; i += max(1, threads) {
				f(i)
			}
		})
	}
	work.Wait()
}
