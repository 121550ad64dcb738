package stack

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/likelihood/score"
	"github.com/acqnp/acqnp/internal/models/simple"
)

// Options say how to fit.
type Options struct {
	Seed    uint64
	Threads int
	Log     bool                  // y, all above 0, is predicted by its logarithm
	Kinds   []Kind                // the candidates; nil for Kinds()
	Done    func(done, total int) // reports the fits that are made; may be nil
}

// An answer is a candidate's prediction for the targets of a question.
type answer []likelihood.GaussianMixture

// A trial is a candidate fitted to each fold, with its answers.
type trial struct {
	name    string
	models  [folds]simple.Model
	answers []answer // of each question
}

// Fit fits a stack to the groups, on y and, if all y are above 0, on log y, and keeps what predicts
// better. It returns an error if no model can be fitted.
func Fit(ctx context.Context, groups []simple.Group, o Options) (*Stack, error) {
	if o.Kinds == nil {
		o.Kinds = Kinds()
	}
	s := splitOf(groups, o.Seed)
	var best *Stack
	scales := []bool{o.Log}
	if !o.Log && positive(groups) {
		scales = append(scales, true)
	}
	progress := counter{total: len(scales) * len(o.Kinds) * folds, report: o.Done}
	for _, log := range scales {
		trials, err := s.try(ctx, log, len(groups), o, &progress)
		if err != nil {
			return nil, err
		}
		if stack := s.stack(trials, log); stack != nil && (best == nil || stack.Expected.LogDensity > best.Expected.LogDensity) {
			best = stack
		}
	}
	if best == nil {
		return nil, fmt.Errorf("no model can be fitted to these data")
	}
	best.Groups, best.ByPoint = len(groups), s.byPoint
	for _, g := range groups {
		best.Points += g.Points()
	}
	return best, nil
}

func positive(groups []simple.Group) bool {
	for _, g := range groups {
		for _, y := range g.Y {
			if y <= 0 {
				return false
			}
		}
	}
	return true
}

// transformed returns the group with log y.
func transformed(g simple.Group) simple.Group {
	g.Y = logs(g.Y)
	return g
}

// A counter counts fits for a report.
type counter struct {
	sync.Mutex
	done, total int
	report      func(done, total int)
}

func (c *counter) add() {
	c.Lock()
	defer c.Unlock()
	if c.done++; c.report != nil {
		c.report(c.done, c.total)
	}
}

// try fits all candidates to all folds and asks them all questions. Candidates that cannot be fitted
// are left out. The result does not depend on the number of threads.
func (s split) try(ctx context.Context, log bool, groups int, o Options, progress *counter) ([]trial, error) {
	trials := make([]trial, len(o.Kinds))
	type job struct{ kind, fold int }
	jobs := make(chan job)
	var work sync.WaitGroup
	for range max(1, o.Threads) {
		work.Go(func() {
			for j := range jobs {
				trials[j.kind].models[j.fold] = s.fit(ctx, o.Kinds[j.kind], Training{s.training[j.fold], j.fold, log, o.Seed}, log, groups)
				progress.add()
			}
		})
	}
	for k := range o.Kinds {
		for f := range folds {
			if ctx.Err() == nil {
				jobs <- job{k, f}
			}
		}
	}
	close(jobs)
	work.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var fitted []trial
	for k, t := range trials {
		t.name = o.Kinds[k].Name
		if !slices.Contains(t.models[:], nil) && s.ask(&t, log) {
			fitted = append(fitted, t)
		}
	}
	return fitted, nil
}

// fit fits a kind without a fold. It returns nil if that is not possible.
func (s split) fit(ctx context.Context, k Kind, t Training, log bool, groups int) simple.Model {
	if k.Grouped && groups < 2 {
		return nil
	}
	if log {
		whole := t.Groups
		t.Groups = nil
		for _, g := range whole {
			t.Groups = append(t.Groups, transformed(g))
		}
	}
	m, err := k.Fit(ctx, t)
	if err != nil {
		return nil
	}
	return m
}

// ask asks a trial all questions. It reports false if an answer is not finite.
func (s split) ask(t *trial, log bool) bool {
	for _, q := range s.questions {
		context := q.context
		if log {
			context = transformed(context)
		}
		a := t.models[q.fold].Given(context, q.targets.X)
		for _, d := range a {
			if v := d.Variance(); math.IsNaN(v) || math.IsInf(v, 0) {
				return false
			}
		}
		t.answers = append(t.answers, a)
	}
	return true
}

// stack weighs the trials and calibrates their mixture. It returns nil without a trial.
func (s split) stack(trials []trial, log bool) *Stack {
	if len(trials) == 0 {
		return nil
	}
	densities, share, groups := s.densities(trials, log)
	w := weigh(densities, share, groups)
	drop(w)
	out := &Stack{Log: log}
	out.Expected.LogDensity, out.Expected.Error = s.mean(func(i int) float64 { return logMix(densities[i], w) })
	for j, t := range trials {
		c := Candidate{Name: t.name, Weight: w[j]}
		c.LogDensity, _ = s.mean(func(i int) float64 { return densities[i][j] })
		if w[j] > 0 {
			for _, m := range t.models {
				c.Models = append(c.Models, Saved{Kind: t.name, Model: m})
			}
		}
		out.Candidates = append(out.Candidates, c)
	}
	s.score(out, trials, w)
	slices.SortStableFunc(out.Candidates, func(a, b Candidate) int {
		return cmp.Or(cmp.Compare(b.Weight, a.Weight), cmp.Compare(b.LogDensity, a.LogDensity))
	})
	return out
}

// densities returns the log density of y in raw units at each target, by trial, and the share of
// each target: those of a question count as one, and groups alike.
func (s split) densities(trials []trial, log bool) (logs [][]float64, share []float64, groups int) {
	count := map[int]int{}
	for _, q := range s.questions {
		count[q.group]++
	}
	for n, q := range s.questions {
		for i, y := range q.targets.Y {
			row, shift := make([]float64, len(trials)), 0.0
			if log {
				y = math.Log(y)
				shift = -y
			}
			for j, t := range trials {
				row[j] = t.answers[n][i].LogDensity(y) + shift
			}
			logs = append(logs, row)
			if s.byPoint {
				share = append(share, 1)
			} else {
				share = append(share, 1/float64(len(q.targets.Y)*count[q.group]))
			}
		}
	}
	groups = len(count)
	if s.byPoint {
		groups = len(share)
	}
	return logs, share, groups
}

// mean returns the mean of a score of all targets, over groups or points, and its standard error.
func (s split) mean(of func(i int) float64) (mean, se float64) {
	sums, counts := map[int]float64{}, map[int]float64{}
	var order []int
	i := 0
	for _, q := range s.questions {
		sum := 0.0
		for range q.targets.Y {
			v := of(i)
			i++
			sum += v
			if s.byPoint {
				key := -i
				order = append(order, key)
				sums[key], counts[key] = v, 1
			}
		}
		if !s.byPoint {
			if counts[q.group] == 0 {
				order = append(order, q.group)
			}
			sums[q.group] += sum / float64(len(q.targets.Y))
			counts[q.group]++
		}
	}
	for _, g := range order {
		mean += sums[g] / counts[g] / float64(len(order))
	}
	for _, g := range order {
		e := sums[g]/counts[g] - mean
		se += e * e
	}
	n := float64(len(order))
	return mean, math.Sqrt(se / max(n-1, 1) / n)
}

// score sets the CRPS of the candidates, what a new group may expect, and the calibration: one
// outcome of each group, at random, or all if points are exchangeable.
func (s split) score(out *Stack, trials []trial, w []float64) {
	var crps []float64
	byTrial := make([][]float64, len(trials))
	var inside [2]float64
	outcomes := score.Outcomes{ByPoint: s.byPoint}
	at := make([]likelihood.GaussianMixture, len(trials))
	targets := 0.0
	for n, q := range s.questions {
		for i, y := range q.targets.Y {
			for j, t := range trials {
				at[j] = t.answers[n][i]
				byTrial[j] = append(byTrial[j], of(at[j], out.Log).CRPS(y))
			}
			d := of(likelihood.MixtureOfMixtures(at, w), out.Log)
			p := score.Point{Function: fmt.Sprint(q.group), PIT: d.CDF(y), Rank: likelihood.RegionRank(d, y)}
			crps = append(crps, d.CRPS(y))
			for k, mass := range []float64{0.5, 0.9} {
				if math.Abs(p.PIT-0.5) <= mass/2 {
					inside[k]++
				}
			}
			targets++
			outcomes.Add([]score.Point{p})
		}
	}
	out.Expected.CRPS, _ = s.mean(func(i int) float64 { return crps[i] })
	for k := range inside {
		out.Expected.Coverage[k] = inside[k] / targets
	}
	for j := range trials {
		out.Candidates[j].CRPS, _ = s.mean(func(i int) float64 { return byTrial[j][i] })
	}
	out.Calibration = outcomes.Calibrations()[0]
}

// of returns the distribution of y for that of y or of log y.
func of(d likelihood.GaussianMixture, log bool) likelihood.Distribution {
	if log {
		return likelihood.ExpOf(d)
	}
	return d
}
