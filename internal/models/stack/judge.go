package stack

import (
	"cmp"
	"math"
	"slices"

	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/likelihood/score"
	"github.com/acqnp/acqnp/internal/random"
)

// A choice is a scale and the weights of its trials.
type choice struct {
	trials  []*trial
	mean    []float64             // their weights if all contexts had the same
	weights [len(spans)][]float64 // for contexts of each span
	score   float64               // mean log density of the targets that chose it
}

// The strength of the prior of the weights, in units: at equal weights, and for a span at the mean
// weights.
const (
	priorUnits = 1
	spanUnits  = 2
)

// stack weighs the trials and calibrates their mixture.
//
// All targets choose what the stack does. Its scores are those of predictions for each fold, by the scale,
// the weights and, for the coverage, the calibration that the other folds choose.
func (s *split) stack(trials []*trial, threads int) (*Stack, error) {
	var scales [][]*trial
	for _, log := range []bool{false, true} {
		var some []*trial
		for _, t := range trials {
			if t.scale.y == log && t.fitted() {
				some = append(some, t)
			}
		}
		if len(some) > 0 {
			scales = append(scales, some)
		}
	}
	if len(scales) == 0 || len(s.targets) == 0 {
		return nil, ErrNothing
	}
	choices := make([]choice, (folds+1)*len(scales)) // without each fold, and of all
	inParallel(len(choices), threads, func(i int) { choices[i] = s.choose(scales[i%len(scales)], i/len(scales)) })
	best := func(without int) choice {
		return slices.MaxFunc(choices[without*len(scales):][:len(scales)], func(a, b choice) int { return cmp.Compare(a.score, b.score) })
	}
	all := best(folds)
	out := &Stack{Log: all.trials[0].scale.y, LogX: s.logX}
	s.rate(out, all, threads)
	var without [folds]choice
	for k := range folds {
		without[k] = best(k)
	}
	s.expect(out, without, threads)
	slices.SortStableFunc(out.Candidates, func(a, b Candidate) int {
		return cmp.Or(cmp.Compare(b.Weight, a.Weight), cmp.Compare(b.LogDensity, a.LogDensity))
	})
	return out, nil
}

// choose weighs trials by the targets outside a fold.
func (s *split) choose(trials []*trial, fold int) choice {
	c := choice{trials: trials}
	var all rows
	var by [len(spans)]rows
	units := map[int]bool{}
	for i, t := range s.targets {
		if t.fold != fold {
			row := logsAt(trials, i)
			all.add(row, t.share)
			by[t.span].add(row, t.share)
			units[t.unit] = true
		}
	}
	equal := slices.Repeat([]float64{1 / float64(len(trials))}, len(trials))
	if all.share == 0 {
		c.mean = equal
	} else {
		unit := all.share / float64(len(units))
		c.mean = weigh(all.logs, all.shares, times(priorUnits*unit, equal))
	}
	drop(c.mean)
	for b := range by {
		c.weights[b] = c.mean
		if by[b].share > 0 && by[b].share < all.share {
			c.weights[b] = weigh(by[b].logs, by[b].shares, times(spanUnits*all.share/float64(len(units)), c.mean))
		}
		for i, row := range by[b].logs {
			c.score += by[b].shares[i] * logMix(row, c.weights[b]) / all.share
		}
	}
	return c
}

// rows are log densities of targets under the trials, with their shares.
type rows struct {
	logs   [][]float64
	shares []float64
	share  float64 // of all
}

func (r *rows) add(logs []float64, share float64) {
	r.logs, r.shares, r.share = append(r.logs, logs), append(r.shares, share), r.share+share
}

// logsAt returns the log densities of a target under the trials.
func logsAt(trials []*trial, i int) []float64 {
	row := make([]float64, len(trials))
	for j, t := range trials {
		row[j] = t.logs[i]
	}
	return row
}

// rate lists the trials of a choice as candidates, with their scores.
func (s *split) rate(out *Stack, c choice, threads int) {
	for j, t := range c.trials {
		crps := make([]float64, len(s.targets))
		inParallel(len(crps), threads, func(i int) { crps[i] = of(t.answers[i].Merged(mostParts), t.scale.y).CRPS(s.targets[i].y) })
		one := Candidate{Name: t.title(), LogX: t.scale.x, Weight: c.mean[j]}
		one.LogDensity, _ = s.mean(t.logs)
		one.CRPS, _ = s.mean(crps)
		for b, w := range c.weights {
			one.Weights[b] = w[j]
		}
		if one.Weight > 0 {
			for _, m := range t.models[:folds] {
				one.Models = append(one.Models, Saved{Kind: t.kind.Name, Model: m})
			}
		}
		out.Candidates = append(out.Candidates, one)
	}
}

// mostParts bounds the parts of a mixture whose CRPS is computed: the time grows with their square.
const mostParts = 60

// mean returns the mean of a score of each target over units, and its standard error.
func (s *split) mean(scores []float64) (mean, se float64) {
	units := make([]float64, s.units)
	for i, t := range s.targets {
		units[t.unit] += t.share * scores[i]
	}
	n := float64(s.units)
	for _, v := range units {
		mean += v / n
	}
	for _, v := range units {
		se += (v - mean) * (v - mean)
	}
	return mean, math.Sqrt(se / max(n-1, 1) / n)
}

// expect sets the scores that a new group may expect, from the choices without each fold. It sets the
// calibration from one outcome of each unit, drawn at random.
func (s *split) expect(out *Stack, without [folds]choice, threads int) {
	logs, crps, pits := make([]float64, len(s.targets)), make([]float64, len(s.targets)), make([]float64, len(s.targets))
	outcomes := make([]score.Outcome, len(s.targets))
	drawn := s.draw()
	inParallel(len(s.targets), threads, func(i int) {
		t, c := s.targets[i], without[s.targets[i].fold]
		at := make([]likelihood.GaussianMixture, len(c.trials))
		for j, trial := range c.trials {
			at[j] = trial.answers[i]
		}
		d, log := likelihood.MixtureOfMixtures(at, c.weights[t.span]), c.trials[0].scale.y
		logs[i], crps[i] = logMix(logsAt(c.trials, i), c.weights[t.span]), of(d.Merged(mostParts), log).CRPS(t.y)
		pits[i] = of(d, log).CDF(t.y)
		if drawn[i] {
			outcomes[i] = score.Outcome{PIT: pits[i], Rank: likelihood.RegionRank(of(d, log), t.y)}
		}
	})
	e := &out.Expected
	e.LogDensity, e.Error = s.mean(logs)
	e.CRPS, _ = s.mean(crps)
	calibration := func(without int) score.Calibration {
		var some []score.Outcome
		for i, t := range s.targets {
			if drawn[i] && t.fold != without {
				some = append(some, outcomes[i])
			}
		}
		return score.Calibrate(some)
	}
	out.Calibration = calibration(folds)
	var byFold [folds]score.Calibration
	for k := range folds {
		byFold[k] = calibration(k)
	}
	e.Coverage.Half = s.coverage(pits, byFold, 0.5)
	e.Coverage.Ninety = s.coverage(pits, byFold, 0.9)
}

// draw draws one target of each unit.
func (s *split) draw() []bool {
	targets := make([][]int, s.units)
	for i, t := range s.targets {
		targets[t.unit] = append(targets[t.unit], i)
	}
	drawn := make([]bool, len(s.targets))
	g := random.New(0, random.Calibration|random.Evaluation)
	for unit, some := range targets {
		drawn[some[g.IntN(uint64(unit), 0, len(some))]] = true
	}
	return drawn
}

// coverage returns the share of targets in their calibrated interval of a mass, averaged over units. If
// the mass needs more units than there are, the interval is that of the mixture.
func (s *split) coverage(pits []float64, byFold [folds]score.Calibration, mass float64) float64 {
	inside := make([]float64, len(pits))
	for i, t := range s.targets {
		low, high := (1-mass)/2, (1+mass)/2
		if a, enough := byFold[t.fold].Level(low); enough {
			b, _ := byFold[t.fold].Level(high)
			low, high = a, b
		}
		if pits[i] >= low && pits[i] <= high {
			inside[i] = 1
		}
	}
	share, _ := s.mean(inside)
	return share
}
