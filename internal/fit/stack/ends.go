package stack

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/points"
)

// An end of y that OutcomeOf takes for no bound may be one: it repeats in several groups, but so do the values next to it.
// Settle tries it. Both outcomes give each observed value a probability, that of all numbers nearer to it than to another
// observed one, so atoms and densities are compared by the same measure. A bound gains where predictions reach beyond it:
// in all about as many nats as values are expected there. Without a bound, none of G expected values is seen with a
// probability of about exp(−G). So the gain must be leastGain nats in all and endErrors standard errors over groups.
const (
	leastGain = 5
	endErrors = 2
)

// Settle returns Options.Outcome with the bounds that raise the log probability of y out of fold, by models of the
// cheapest kind, and a line on each. It returns the error of ctx.
func (o Options) Settle(ctx context.Context, groups []points.Group) (s likelihood.Support, lines []string, err error) {
	s = o.Outcome
	limited, groups := groups, withoutLimits(groups)
	tried := slices.DeleteFunc(doubtful(groups, s), func(end likelihood.Support) bool { return BesideLimits(end, limited, 0) != end })
	if len(tried) == 0 || len(o.Kinds) == 0 {
		return s, nil, nil
	}
	o.Done = nil
	all := newProbe(sample(groups, mostRows, o.Seed), o)
	before, err := all.logs(ctx, s)
	if err != nil {
		return s, nil, err
	}
	for _, end := range tried {
		if !all.known(end) {
			continue
		}
		bounded := likelihood.Support{Low: cmp.Or(end.Low, s.Low), High: cmp.Or(end.High, s.High), Whole: s.Whole}
		after, err := all.logs(ctx, bounded)
		if err != nil {
			return s, nil, err
		}
		gains := make([]float64, len(after))
		for i := range gains {
			gains[i] = after[i] - before[i]
		}
		if gain, se := all.mean(gains); gain > endErrors*se && gain*float64(all.rows) > leastGain {
			lines = append(lines, fmt.Sprintf("%s and not %s: out of fold this is better by %.3f ± %.3f nats a value", bounded, s, gain, se))
			s, before = bounded, after
		}
	}
	return s, lines, nil
}

// doubtful returns the ends of y that Settle tries, each as the one bound of a Support: those of enough rows, in several
// groups, that are no bounds of s.
func doubtful(groups []points.Group, s likelihood.Support) (all []likelihood.Support) {
	if FoldsAreOfPoints(len(groups)) {
		return nil
	}
	var values [][]float64
	for _, g := range groups {
		values = append(values, g.Y)
	}
	y := slices.Concat(values...)
	may := func(v float64) bool {
		n := 0
		for _, other := range y {
			if other == v {
				n++
			}
		}
		return n >= leastRepeats && float64(n) >= leastShare*float64(len(y)) && shared(values, v)
	}
	isLow, isHigh := s.Bounds()
	low, high := slices.Min(y), slices.Max(y)
	if low < high && low != isLow && may(low) {
		all = append(all, likelihood.Support{Low: &low})
	}
	if low < high && high != isHigh && may(high) {
		all = append(all, likelihood.Support{High: &high})
	}
	return all
}

// withoutLimits returns the groups with their points whose y is known.
func withoutLimits(groups []points.Group) (all []points.Group) {
	for _, g := range groups {
		if g.Points = g.Seen(); g.Len() > 0 {
			all = append(all, g)
		}
	}
	return all
}

// A probe asks models of the cheapest kind out of fold, for each outcome anew.
type probe struct {
	*split
	o      Options
	kind   Kind
	values []float64 // of y, each once, in increasing order
	rows   int
	last   *trial
}

func newProbe(groups []points.Group, o Options) *probe {
	p := &probe{split: newSplit(groups, o), o: o}
	p.kind = slices.MinFunc(o.Kinds, func(a, b Kind) int { return cmp.Compare(a.PerRow, b.PerRow) })
	for _, g := range groups {
		p.values, p.rows = append(p.values, g.Y...), p.rows+g.Len()
	}
	slices.Sort(p.values)
	p.values = slices.Compact(p.values)
	return p
}

// known reports whether models without any fold have seen the bound of a Support, so that it is one for them too.
func (p *probe) known(end likelihood.Support) bool {
	v := *cmp.Or(end.Low, end.High)
	for _, training := range p.training[:folds] {
		if !slices.ContainsFunc(training, func(g points.Group) bool { return slices.Contains(g.Y, v) }) {
			return false
		}
	}
	return true
}

// logs returns the log probability of each target's value with an outcome.
func (p *probe) logs(ctx context.Context, s likelihood.Support) ([]float64, error) {
	if p.last == nil || !s.Whole { // models of whole numbers see no bounds
		if err := p.fit(ctx, s); err != nil {
			return nil, err
		}
	}
	logs := make([]float64, len(p.targets))
	for i, target := range p.targets {
		logs[i] = math.Inf(-1) // without a model
		if p.last.models[target.fold] != nil {
			logs[i] = p.logOf(s.Of(p.last.answers[i].On(p.last.scale.y)), target.y)
		}
	}
	return logs, nil
}

// fit fits the models without each fold for an outcome, and asks them.
func (p *probe) fit(ctx context.Context, s likelihood.Support) error {
	on := scale{}
	if p.o.Log {
		on.y = likelihood.LogY
	}
	p.Outcome, p.Away = s, [2][2]float64{}
	p.moveAtoms(p.training[folds], on.y)
	p.last = &trial{kind: p.kind, scale: on, answers: make([]likelihood.GaussianMixture, len(p.targets)), logs: make([]float64, len(p.targets))}
	var jobs []job
	for fold := range folds {
		jobs = append(jobs, job{trial: p.last, fold: fold})
	}
	return p.run(ctx, jobs, p.o)
}

// logOf returns the logarithm of the probability of all numbers nearer to a value of y than to another one.
func (p *probe) logOf(d likelihood.Distribution, y float64) float64 {
	if d.Support().Whole {
		return d.LogDensity(y)
	}
	at, _ := slices.BinarySearch(p.values, y)
	last := len(p.values) - 1 // the ends reach as far out as in
	low, high := y-p.values[max(at-1, 0)], p.values[min(at+1, last)]-y
	if at == 0 {
		low = high
	}
	if at == last {
		high = low
	}
	a, b := y-low/2, y+high/2
	probability := d.CDF(b) - d.CDF(a)
	if d.CDF(a) > 0.5 {
		probability = d.Survival(a) - d.Survival(b)
	}
	return math.Log(max(probability, math.SmallestNonzeroFloat64))
}
