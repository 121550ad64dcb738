package stack

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"sync"

	"github.com/acqnp/acqnp/internal/fit/simple"
	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/points"
)

// Options say how to fit.
type Options struct {
	Seed    uint64
	Threads int
	Log     bool               // y, all above 0, is predicted by its logarithm
	NoLog   bool               // y is not predicted by its logarithm
	Outcome likelihood.Support // the values of y, see OutcomeOf
	Heaps   Heaps              // of y, see Heap; nil for none
	Kinds   []Kind             // the candidates
	Done    func()             // called after each of Jobs; may be nil
	Coder   Coder              // of the crossed names of the column Coded of x; nil without
	Coded   int                // that column
	Column  int                // of y, among several: their random levels of atoms are different ones

	// Questions bounds the questions about all folds together; 0 for 1,000.
	Questions int
}

// Jobs returns how many models Fit fits.
func (o Options) Jobs(groups []points.Group) int {
	some := sample(groups, mostRows, o.Seed)
	return len(o.trials(groups, logColumns(fillingOf(some).training(some), o.coded()))) * (folds + 1)
}

// trials returns the kinds on the scales on which they are tried.
func (o Options) trials(groups []points.Group, logX []LogColumn) (all []*trial) {
	for _, on := range o.scales(groups, logX) {
		for _, k := range o.Kinds {
			if k.Takes == nil || k.Takes(o.Outcome, on.y) {
				all = append(all, &trial{kind: k, scale: on})
			}
		}
	}
	return all
}

// coded returns the column of x that has crossed names, −1 without.
func (o Options) coded() int {
	if o.Coder == nil {
		return -1
	}
	return o.Coded
}

// scales returns the scales to try.
func (o Options) scales(groups []points.Group, logX []LogColumn) (all []scale) {
	for _, x := range []bool{false, true} {
		if x && len(logX) == 0 {
			break
		}
		if !o.Log {
			all = append(all, scale{x: x})
			if o.Outcome.Low != nil && *o.Outcome.Low == 0 && zeros(groups) && !simple.AreBinary(groups) { // √ leaves 0 and 1
				all = append(all, scale{y: likelihood.RootY, x: x})
			}
		}
		if o.Log || !o.NoLog && spreadOut(groups) {
			all = append(all, scale{y: likelihood.LogY, x: x})
		}
	}
	return all
}

// ErrNothing is the error of data to which no candidate can be fitted.
var ErrNothing = errors.New("no model can be fitted to these data")

// Fit fits a stack to the groups. If all y are above 0 and not nearly equal, models of log y are
// among its candidates; with Log they are the only ones. If y is 0 at least and in places, models of √y are. A kind that is behind on a scale on the first fold is
// left out there.
// Fit returns an error if no model can be fitted. The stack depends only on the groups and the options,
// but not on Threads. Of more than 100,000 points, Fit takes a sample. When ctx ends, Fit returns its error
// after the question that is being answered; fits that have begun run to their end.
func Fit(ctx context.Context, groups []points.Group, o Options) (*Stack, error) {
	all := groups
	groups = sample(groups, mostRows, o.Seed)
	s := newSplit(groups, o)
	s.Outcome, s.Heaps, s.column = o.Outcome, o.Heaps, o.Column
	for _, scale := range o.scales(all, nil) {
		s.moveAtoms(groups, scale.y)
	}
	if err := s.guessTraining(ctx, o, o.scales(all, nil)); err != nil {
		return nil, err
	}
	trials := o.trials(all, s.LogX)
	for _, t := range trials {
		t.answers, t.logs = make([]likelihood.GaussianMixture, len(s.targets)), make([]float64, len(s.targets))
	}
	if err := s.fitFolds(ctx, trials, o); err != nil {
		return nil, err
	}
	out, err := s.stack(ctx, trials, o.Threads)
	if err != nil {
		return nil, err
	}
	if err := s.refit(ctx, out, trials, o); err != nil {
		return nil, err
	}
	out.Failed, out.OfFolds = failures(trials)
	out.Groups, out.ByPoint, out.Held = len(groups), s.byPoint, s.held
	groups = s.training[folds]
	out.Typical[0] = typicalOf(s.onScale(s.trainingOn(folds, likelihood.OfY), scale{}), o.Seed)
	if other := out.otherScale(); other != likelihood.OfY {
		out.Typical[1] = typicalOf(s.onScale(s.trainingOn(folds, other), scale{y: other}), o.Seed)
	}
	for _, g := range groups {
		out.Points += g.Len()
	}
	return out, ctx.Err()
}

// refit replaces the models of each candidate by one model fitted to all folds, unless folds are of points. If there
// are few groups, a model learns much more from all of them than from four fifths. From all points of a group it does
// not: there the mean of the models is better, since it is less confident.
func (s *split) refit(ctx context.Context, out *Stack, trials []*trial, o Options) error {
	var jobs []job
	byName := map[string]*trial{}
	for _, t := range trials {
		byName[t.title()] = t
	}
	for _, c := range out.Candidates {
		if c.Weight > 0 && !s.byPoint {
			jobs = append(jobs, job{trial: byName[c.Name], fold: folds})
		}
	}
	if err := s.run(ctx, jobs, o); err != nil {
		return err
	}
	for range len(trials) - len(jobs) { // which Jobs counts
		o.done()
	}
	for i := range out.Candidates {
		c := &out.Candidates[i]
		if t := byName[c.Name]; t.models[folds] != nil {
			c.ByFold = c.Models
			c.Models = []Saved{{Kind: t.kind.Name, Model: t.models[folds]}}
		}
	}
	return nil
}

// failures returns the trials that have no model because one without a fold failed, and those of which that of all groups
// failed. A kind that failed on y is listed once if it failed for the same reason on other scales.
func failures(trials []*trial) (failed, ofFolds []Failure) {
	for _, t := range trials {
		for fold, why := range t.failed {
			if why == "" {
				continue
			}
			list := &failed
			if fold == folds {
				list = &ofFolds
			}
			if !slices.Contains(*list, Failure{t.kind.Name, why}) {
				*list = append(*list, Failure{t.title(), why})
			}
			break
		}
	}
	return failed, ofFolds
}

// mostRows bounds the points that are cut into folds.
const mostRows = 100_000

// leastSpread is the least ratio of the largest y to the smallest for which log y is tried. Below it, the
// logarithm is a line to a percent of its range.
const leastSpread = 1.1

// zeros reports whether some y are 0.
func zeros(groups []points.Group) bool {
	return slices.ContainsFunc(groups, func(g points.Group) bool { return slices.Contains(g.Y, 0) })
}

// spreadOut reports whether all y are above 0 and log y differs from a line.
func spreadOut(groups []points.Group) bool {
	r := logYOf(groups)
	return r != nil && r.High-r.Low >= math.Log(leastSpread)
}

// A trial is a kind on one scale, fitted without each fold, with its answers.
type trial struct {
	kind    Kind
	scale   scale
	models  [folds + 1]simple.Model      // the last is fitted to all; nil unless refit fits it
	failed  [folds + 1]string            // why there is no model; "" unless one failed
	answers []likelihood.GaussianMixture // of y on the scale, at each target
	logs    []float64                    // log density of each target's y, in raw units, or log probability

	logDensity, crps float64 // of a trial with a model without each fold: means over units
}

// title returns the name of the trial among all.
func (t *trial) title() string {
	return t.kind.Name + map[scale]string{{}: "", {y: likelihood.LogY}: ", log y", {x: true}: ", log x", {y: likelihood.LogY, x: true}: ", log x and y",
		{y: likelihood.RootY}: ", sqrt y", {y: likelihood.RootY, x: true}: ", log x, sqrt y"}[t.scale]
}

// A job is a trial to be fitted without a fold, and its result.
type job struct {
	trial *trial
	fold  int
	model simple.Model
	why   string // there is no model though the kind is for such data
	err   error
}

// fitFolds fits all trials without each fold and asks them about that fold. It goes fold by fold: after the
// first one, the time that is left is known, and a scale may be left out. The answers of a model do not
// depend on the number of threads.
func (s *split) fitFolds(ctx context.Context, trials []*trial, o Options) error {
	var first, rest []job
	for _, t := range trials {
		first = append(first, job{trial: t})
	}
	if err := s.run(ctx, first, o); err != nil {
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
	return s.run(ctx, rest, o)
}

func (o Options) done() {
	if o.Done != nil {
		o.Done()
	}
}

// run runs jobs, several at a time.
func (s *split) run(ctx context.Context, all []job, o Options) error {
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
				j.model, j.why, j.err = s.fitAndAsk(ctx, j.trial, j.fold, o)
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

// fitAndAsk returns the model of a trial without a fold, and asks it about the fold. It returns why there is none if the kind cannot be fitted or an answer is not finite. The model goes through
// JSON first, so that the model judged is the one that a file holds.
func (s *split) fitAndAsk(ctx context.Context, t *trial, fold int, o Options) (m simple.Model, why string, err error) {
	if t.kind.Grouped && s.groups < 2 {
		return nil, "", nil
	}
	groups := s.trainingOn(fold, t.scale.y)
	if t.kind.Most > 0 {
		groups = sample(groups, t.kind.Most, o.Seed)
	}
	if m, err = t.kind.Fit(s.onScale(groups, t.scale)); err != nil {
		return nil, err.Error(), ctx.Err()
	}
	if t.scale.y == likelihood.OfY {
		m.AddFarTails()
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
	return s.ask(ctx, t, fold, m)
}

// ask asks a trial's model of a fold all questions about the fold. It returns the model, or why there is none:
// an answer is not finite. The error is that of ctx.
func (s *split) ask(ctx context.Context, t *trial, fold int, m simple.Model) (simple.Model, string, error) {
	v := s.without(fold)
	for _, q := range s.questions {
		if q.fold != fold {
			continue
		}
		if ctx.Err() != nil {
			return nil, "", ctx.Err()
		}
		for i, d := range v.given(m, v.placed(q.Known, t.scale.y), q.Targets, t.scale) {
			y := d.On(t.scale.y)
			at := q.first + i
			if u := s.targets[at].units(); u.Factor != 1 {
				y = y.In(u)
			}
			t.answers[at], t.logs[at] = d, likelihood.LogKnown(s.Outcome.Of(y), s.outcome(at), s.targets[at].side)
			t.logs[at] = s.Heaps.log(y, s.outcome(at), t.logs[at], s.Outcome)
			if v := y.Variance() + max(t.logs[at], 0); math.IsNaN(v) || math.IsInf(v, 0) { // −Inf is the log density of what cannot be
				return nil, "a prediction is not finite", nil
			}
		}
	}
	return m, "", nil
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
