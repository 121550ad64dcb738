package stack

import (
	"cmp"
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/likelihood/score"
	"github.com/acqnp/acqnp/internal/random"
)

// A choice holds the weights of trials.
type choice struct {
	mean []float64             // over the spans of all targets
	span [len(spans)][]float64 // for contexts of each span
}

// The strength of the prior of the weights, in units: at equal weights, and for a span at the weights that serve all
// contexts, of which elsewhere is at equal weights. So a model that is the best for one span alone has a weight there.
const (
	priorUnits = 0.5
	spanUnits  = 1
	elsewhere  = 0.1
)

// stack weighs the trials and calibrates their mixture.
//
// All targets choose what the stack does. Its scores are those of predictions for each fold, by the
// weights and, for the coverage, the calibration that the other folds choose.
func (s *split) stack(ctx context.Context, all []*trial, threads int) (*Stack, error) {
	if len(s.targets) == 0 {
		return nil, ErrNothing
	}
	trials := s.sound(ctx, all, threads)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case len(trials) == 0:
		return nil, ErrNothing
	}
	var choices [folds + 1]choice // without each fold, and of all
	inParallel(ctx, len(choices), threads, func(i int) { choices[i] = s.choose(trials, i) })
	out := &Stack{view: s.view}
	rate(out, trials, choices[folds])
	s.expect(ctx, out, trials, choices[:folds], threads)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	slices.SortStableFunc(out.Candidates, func(a, b Candidate) int {
		return cmp.Or(cmp.Compare(b.Weight, a.Weight), cmp.Compare(b.LogDensity, a.LogDensity))
	})
	return out, nil
}

// sound scores the trials that have a model without each fold, and returns those whose scores are finite.
func (s *split) sound(ctx context.Context, all []*trial, threads int) (sound []*trial) {
	for _, t := range all {
		if slices.Contains(t.models[:folds], nil) {
			continue
		}
		t.logDensity, _ = s.mean(t.logs)
		t.crps, _ = s.mean(s.crps(ctx, threads, func(i int) likelihood.Distribution {
			return s.combined([]*trial{t}, []float64{1}, i, mostParts)
		}))
		if sum := t.logDensity + t.crps; math.IsNaN(sum) || math.IsInf(sum, 0) {
			t.failed[0] = "a score of its predictions is not finite"
			continue
		}
		sound = append(sound, t)
	}
	return sound
}

// choose weighs trials by the targets outside a fold.
func (s *split) choose(trials []*trial, fold int) (c choice) {
	var all scored
	var by [len(spans)]scored
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
		for b := range by {
			c.span[b] = equal
		}
		return c
	}
	unit := all.share / float64(len(units))
	serves := weigh(all.logs, all.shares, scaled(priorUnits*unit, equal))
	prior := scaled((1-elsewhere)*spanUnits*unit, serves)
	floats.AddScaled(prior, elsewhere*spanUnits*unit, equal)
	c.mean = make([]float64, len(trials))
	for b := range by {
		switch by[b].share {
		case 0:
			continue
		case all.share:
			c.span[b] = serves
		default:
			c.span[b] = weigh(by[b].logs, by[b].shares, prior)
		}
		dropSmall(c.span[b])
		floats.AddScaled(c.mean, by[b].share/all.share, c.span[b])
	}
	for b := range by {
		if c.span[b] == nil {
			c.span[b] = c.mean
		}
	}
	return c
}

// scored are log densities of targets under the trials, with their shares.
type scored struct {
	logs   [][]float64
	shares []float64
	share  float64 // of all
}

func (r *scored) add(logs []float64, share float64) {
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

// combined returns the mixture of the trials' answers at target i with these weights, of y in the units of the data.
// Each scale of y has about most parts or fewer.
func (s *split) combined(trials []*trial, weights []float64, i, most int) likelihood.Distribution {
	var m mixing
	for j, t := range trials {
		m.add(t.scale.y, t.answers[i], weights[j])
	}
	return s.Outcome.Of(s.Heaps.round(m.mixture(most, s.targets[i].units())))
}

// rate lists the trials as candidates, with their weights and scores.
func rate(out *Stack, trials []*trial, c choice) {
	for j, t := range trials {
		one := Candidate{Name: t.title(), Scale: t.scale.y, LogX: t.scale.x, LogDensity: t.logDensity, CRPS: t.crps, Weight: c.mean[j]}
		for b, w := range c.span {
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

// mostParts bounds the parts of a mixture on one scale whose CRPS is computed: the time grows with their
// square. So does that of a rank, which mostRankedParts bounds. mostScored bounds about how many targets have a
// CRPS.
const (
	mostParts       = 60
	mostRankedParts = 300
	mostScored      = 1000
)

// crps returns the CRPS of each target, given the distribution at it. Of a question with many targets, the
// first ones are scored, and the others get the mean of these by their shares. So do those whose y is censored; a question
// of these alone gets the mean of all others.
func (s *split) crps(ctx context.Context, threads int, at func(i int) likelihood.Distribution) []float64 {
	scores, sums, all := make([]float64, len(s.targets)), make([]float64, len(s.questions)), make([]float64, len(s.questions))
	each := max(1, min(mostScored/len(s.questions), mostTargets*s.most/mostQuestions))
	inParallel(ctx, len(s.questions), threads, func(n int) {
		q := s.questions[n]
		own, sum, shares, scored := scores[q.first:][:q.Targets.Len()], 0.0, 0.0, 0
		for k := range own {
			if s.targets[q.first+k].side == 0 && scored < each {
				scored++
				share := s.targets[q.first+k].share
				own[k] = at(q.first + k).CRPS(s.outcome(q.first + k))
				sum, shares = sum+share*own[k], shares+share
			} else {
				own[k] = math.NaN()
			}
		}
		for k, v := range own {
			if math.IsNaN(v) {
				own[k] = sum / shares
			}
		}
		sums[n], all[n] = sum, shares
	})
	for i, v := range scores {
		if math.IsNaN(v) {
			scores[i] = floats.Sum(sums) / floats.Sum(all)
		}
	}
	return scores
}

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
	if s.weighted && s.byPoint { // the units have shares of their own
		for _, t := range s.targets {
			d := units[t.unit] - t.share*mean
			se += d * d
		}
		return mean, math.Sqrt(se / max(n-1, 1) / n)
	}
	for _, v := range units {
		se += (v - mean) * (v - mean)
	}
	return mean, math.Sqrt(se / max(n-1, 1) / n)
}

// expect sets the scores that a new group may expect, from the choices without each fold, and the calibrations.
func (s *split) expect(ctx context.Context, out *Stack, trials []*trial, without []choice, threads int) {
	logs, outcomes, ranked := make([]float64, len(s.targets)), make([]score.Outcome, len(s.targets)), s.ranked()
	at := func(i, most int) likelihood.Distribution {
		t := s.targets[i]
		return s.combined(trials, without[t.fold].span[t.span], i, most)
	}
	g := random.New(0, random.Calibration|random.Evaluation)
	inParallel(ctx, len(s.targets), threads, func(i int) {
		t, y := s.targets[i], s.outcome(i)
		logs[i] = logMix(logsAt(trials, i), without[t.fold].span[t.span])
		o, u := &outcomes[i], g.Float(math.MaxUint64-uint64(s.column), uint64(i))
		o.PIT = likelihood.PITKnown(at(i, math.MaxInt), y, t.side, u)
		if ranked[i] {
			d := at(i, mostRankedParts)
			if t.side != 0 {
				y = d.Quantile(o.PIT)
			}
			o.Rank, o.Weight = likelihood.RegionRank(d, y, u), t.share
		}
	})
	for i, t := range s.targets {
		out.Asked = append(out.Asked, Asked{Row: t.row, From: spans[t.span], Share: t.share, PIT: outcomes[i].PIT})
	}
	e := &out.Expected
	e.LogDensity, e.Error = s.mean(logs)
	e.CRPS, _ = s.mean(s.crps(ctx, threads, func(i int) likelihood.Distribution { return at(i, mostParts) }))
	out.Calibrations = s.calibrations(outcomes, folds)
	var byFold [folds][]Calibration
	for k := range folds {
		byFold[k] = s.calibrations(outcomes, k)
	}
	e.Coverage.Half, e.Regions.Half = s.hold(outcomes, byFold, 0.5)
	e.Coverage.Ninety, e.Regions.Ninety = s.hold(outcomes, byFold, 0.9)
}
