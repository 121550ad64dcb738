package stack

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"

	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/points"
)

// Heaps are the steps to whose multiples people round whole y, each a share of them. Models do not see them: of what models
// predict, each share is moved to the nearest multiples.
type Heaps []Heap

// A Heap is a step and its share of the values.
type Heap struct {
	Step  float64 `json:"step"`
	Share float64 `json:"share"`
}

// Bounds of the number of steps in the range of y, and the least share of a step.
const (
	fewestSteps = 4
	mostSteps   = 200
	leastHeap   = 0.02
)

// plain returns the share of the values that are not rounded.
func (h Heaps) plain() float64 {
	share := 1.0
	for _, s := range h {
		share -= s.Share
	}
	return share
}

// valid reports whether all shares are above 0, and some values are left.
func (h Heaps) valid() bool {
	return h.plain() > 0 && !slices.ContainsFunc(h, func(s Heap) bool { return !(s.Step > 1 && s.Share > 0) })
}

// probability returns what a step alone says of y, if d is the distribution of the number that is rounded.
func (h Heap) probability(d likelihood.GaussianMixture, y float64, of likelihood.Support) float64 {
	low, high := of.Bounds()
	switch {
	case y <= low:
		return d.CDF((math.Floor(low/h.Step) + 0.5) * h.Step)
	case y >= high:
		return d.Survival((math.Ceil(high/h.Step) - 0.5) * h.Step)
	case math.Mod(y, h.Step) != 0:
		return 0
	}
	return max(0, d.CDF(y+h.Step/2)-d.CDF(y-h.Step/2))
}

// log returns the log probability of y, if plain is that without heaps.
func (h Heaps) log(d likelihood.GaussianMixture, y, plain float64, of likelihood.Support) float64 {
	if h == nil {
		return plain
	}
	p := h.plain() * math.Exp(plain)
	for _, s := range h {
		p += s.Share * s.probability(d, y, of)
	}
	return math.Log(p)
}

// round returns d with heaps: of each step, a multiple is a part as narrow as nothing else rounds to it.
func (h Heaps) round(d likelihood.GaussianMixture) likelihood.GaussianMixture {
	if h == nil {
		return d
	}
	const width = 0.1
	ends := likelihood.ApproximateQuantiles(d, 1e-4, 1-1e-4)
	all, weights := []likelihood.GaussianMixture{d}, []float64{h.plain()}
	for _, s := range h {
		first, last := math.Round(ends[0]/s.Step), math.Round(ends[1]/s.Step)
		if !(last-first <= 10*mostSteps) { // too wide for a part each
			weights[0] += s.Share
			continue
		}
		var parts []likelihood.Gaussian
		var logs []float64
		before, n := 0.0, int(last-first)
		for i := range n + 1 {
			at, after := (first+float64(i))*s.Step, 1.0
			if i < n {
				after = d.CDF(at + s.Step/2)
			}
			parts, logs = append(parts, likelihood.Gaussian{Mean: at, Scale: width}), append(logs, math.Log(max(0, after-before)))
			before = after
		}
		all, weights = append(all, likelihood.WeightedGaussians(parts, logs)), append(weights, s.Share)
	}
	return likelihood.MixtureOfMixtures(all, weights)
}

// Heap returns the heaps of y and a line on them, if they raise the log density out of fold, by models of the cheapest kind
// and with the shares of the other folds.
func (o Options) Heap(ctx context.Context, groups []points.Group) (found Heaps, line string, err error) {
	h := stepsOf(groups)
	if h == nil || !o.Outcome.Whole || FoldsAreOfPoints(len(groups)) || len(o.Kinds) == 0 {
		return nil, "", nil
	}
	o.Done = nil
	p := newProbe(sample(groups, mostRows, o.Seed), o)
	if err := p.fit(ctx, o.Outcome); err != nil {
		return nil, "", err
	}
	rows, gains := make([][]float64, len(p.targets)), make([]float64, len(p.targets))
	for i, t := range p.targets {
		if p.last.models[t.fold] == nil {
			return nil, "", nil
		}
		d := p.last.answers[i].On(p.last.scale.y)
		rows[i] = []float64{o.Outcome.Of(d).LogDensity(t.y)}
		for _, s := range h {
			rows[i] = append(rows[i], math.Log(s.probability(d, t.y, o.Outcome)))
		}
	}
	var shares []float64
	for fold := range folds + 1 {
		shares = p.shares(rows, fold)
		for i, t := range p.targets {
			if t.fold == fold {
				gains[i] = logMix(rows[i], shares) - rows[i][0]
			}
		}
	}
	gain, se := p.mean(gains)
	if !(gain > endErrors*se && gain*float64(p.rows) > leastGain) {
		return nil, "", nil
	}
	var texts []string
	for k, s := range h {
		if s.Share = shares[1+k]; s.Share > 0 {
			found, texts = append(found, s), append(texts, fmt.Sprintf("%.0f%% to multiples of %g", 100*s.Share, s.Step))
		}
	}
	return found, fmt.Sprintf("whole numbers, of which people round %s: out of fold this is better by %.3f ± %.3f nats a value", strings.Join(texts, ", "), gain, se), nil
}

// shares returns the likeliest shares of plain values and of each step, without a fold. Small ones are left out. An end of y
// says nothing of them.
func (p *probe) shares(rows [][]float64, without int) []float64 {
	var some [][]float64
	for i, t := range p.targets {
		if low, high := p.Outcome.Bounds(); t.fold != without && t.y > low && t.y < high {
			some = append(some, rows[i])
		}
	}
	n := len(rows[0])
	w := weigh(some, slices.Repeat([]float64{1}, len(some)), slices.Repeat([]float64{1 / float64(n)}, n))
	for k, v := range w {
		if k > 0 && v < leastHeap {
			w[k] = 0
		}
	}
	w[0] = max(w[0], 1/float64(n+len(some))) // so that any number can be
	return floats.ScaleTo(w, 1/floats.Sum(w), w)
}

// stepsOf returns the steps of which more of whole y are multiples than of numbers spread evenly, by endErrors standard
// errors. An end of y says nothing.
func stepsOf(groups []points.Group) (h Heaps) {
	var y []float64
	for _, g := range groups {
		if y = append(y, g.Y...); g.CensoredY(0) != nil || g.Factor != nil {
			return nil
		}
	}
	low, high := slices.Min(y), slices.Max(y)
	y = slices.DeleteFunc(y, func(v float64) bool { return v == low || v == high })
	for ten := 1.0; ten <= high-low; ten *= 10 {
		for _, s := range []float64{2 * ten, 5 * ten, 10 * ten} {
			multiples, expected, steps := 0.0, float64(len(y))/s, (high-low)/s
			for _, v := range y {
				if math.Mod(v, s) == 0 {
					multiples++
				}
			}
			if steps >= fewestSteps && steps <= mostSteps && multiples-expected > endErrors*math.Sqrt(expected) {
				h = append(h, Heap{Step: s})
			}
		}
	}
	return h
}
