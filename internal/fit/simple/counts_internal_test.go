package simple

import (
	"math"
	"testing"

	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/random"
	"github.com/acqnp/acqnp/internal/test/must"
)

// drawnCounts draws 40 groups of 8 counts with mean e^(0.3 + 0.6·level + x), times gamma's factor of shape 4.
func drawnCounts() []points.Group {
	g, all := random.New(5, random.Data), make([]points.Group, 40)
	for k := range all {
		all[k].DX, all[k].DY = 1, 1
		at := func(i int) uint64 { return uint64(1000*k + i) }
		level := g.Normal(at(0), 0)
		for i := range 8 {
			x, factor := g.Float(at(i), 1), 0.0
			for n := range 4 { // of four exponential numbers
				factor -= math.Log(1-g.Float(at(i), uint64(2+n))) / 4
			}
			y, left := 0.0, g.Float(at(i), 9)
			mean := factor * math.Exp(0.3+0.6*level+x)
			for p := math.Exp(-mean); left > p; p *= mean / y {
				left -= p
				y++
			}
			all[k].X, all[k].Y = append(all[k].X, x), append(all[k].Y, y)
		}
	}
	return all
}

// near compares a figure with lme4's.
func near(t *testing.T, what string, got, want, by float64) {
	t.Helper()
	if !(math.Abs(got-want) <= by) {
		t.Errorf("%s: %.4f, want %.4f ± %.4f", what, got, want, by)
	}
}

// Estimates are those of glmer.nb(y ~ x + (1 | group)) and, of y > 0, glmer(family = binomial), of lme4 1.1-31, to a tenth
// of their standard errors, but for the prior of the variances.
func TestCountsAreThoseOfLme4(t *testing.T) {
	counts := must.Get(FitCounts(drawnCounts()))(t).(*Counts)
	near(t, "slope", counts.Model.Beta[1]/counts.X[0].Width, 1.227, 0.02)
	near(t, "constant", counts.Model.Beta[0]-counts.Model.Beta[1]*counts.X[0].Centre/counts.X[0].Width, 0.025, 0.03)
	near(t, "deviation of groups", counts.Model.Factor[0], 0.530, 0.03)
	near(t, "shape", counts.Model.Shape, 2.593, 0.1)
}

// Of 0 and 1, estimates are those of glmer that the hurdle model has too, and the probabilities of both sum to 1.
func TestLogisticIsThatOfLme4(t *testing.T) {
	groups := drawnCounts()
	if AreBinary(groups) {
		t.Error("counts are taken for 0 and 1")
	}
	for k := range groups {
		for i := range groups[k].Y {
			groups[k].Y[i] = min(groups[k].Y[i], 1)
		}
	}
	if !AreBinary(groups) || AreCounts(groups) {
		t.Error("0 and 1 are not taken for these")
	}
	m := must.Get(FitLogistic(groups))(t).(*Counts)
	near(t, "slope", m.Model.Beta[1]/m.X[0].Width, 1.692, 0.17)
	near(t, "deviation of groups", m.Model.Factor[0], 0.753, 0.15)
	one := 1.0
	d := likelihood.Support{Low: new(float64), High: &one, Whole: true}.Of(m.Given(groups[1].Cut(0, 4), groups[1].Cut(4, 5))[0])
	near(t, "sum", math.Exp(d.LogDensity(0))+math.Exp(d.LogDensity(1)), 1, 1e-9)
	near(t, "mean", d.Mean(), math.Exp(d.LogDensity(1)), 1e-6)
}

// Probabilities of all counts sum to 1, also of a group with known points, and rates with exposures have those of counts.
func TestCountsAreRatesTimesExposures(t *testing.T) {
	groups, rates := drawnCounts(), drawnCounts()
	for k := range rates {
		for i := range rates[k].Y {
			rates[k].Y[i] /= 4
			rates[k].Factor = append(rates[k].Factor, 4)
		}
	}
	known, sum := 3, 0.0
	counts := must.Get(FitCounts(groups))(t).Given(groups[0].Cut(0, known), groups[0].Cut(known, 4))[0]
	ofRates := must.Get(FitCounts(rates))(t).Given(rates[0].Cut(0, known), rates[0].Cut(known, 4))[0].In(likelihood.Units{Factor: 4})
	whole := likelihood.Support{Low: new(float64), Whole: true}
	for k := range 60 {
		p := math.Exp(whole.Of(counts).LogDensity(float64(k)))
		sum += p
		if k < 20 {
			near(t, "probability of a rate", math.Exp(whole.Of(ofRates).LogDensity(float64(k))), p, 1e-4) // the search ends elsewhere
		}
	}
	near(t, "sum", sum, 1, 1e-3)
}

// The parts of a mixture round to the counts' probabilities: narrow ones, and those of many large counts together. What is left
// costs less than a thousandth of a nat; no count is off by a tenth.
func TestPartsRoundToCounts(t *testing.T) {
	whole := likelihood.Support{Low: new(float64), Whole: true}
	for _, mean := range []float64{0.5, 3, 8, 12, 15, 18, 25, 30, 60, 100, 190} {
		for _, shape := range []float64{2, 20, 1e4} {
			m := glmm{Shape: shape}
			p := m.probabilities(math.Log(mean), 0.1)
			d := whole.Of(likelihood.WeightedGaussians(countMixture(p)))
			loss := 0.0
			for k, want := range p {
				got := math.Exp(d.LogDensity(float64(k)))
				loss += want * math.Log(want/got)
				if want > 1e-3 && math.Abs(got/want-1) > 0.1 {
					t.Errorf("mean %g, shape %g: P(%d) = %.4f, want %.4f", mean, shape, k, got, want)
				}
			}
			if loss > 1e-3 {
				t.Errorf("mean %g, shape %g: found %.5f nats lost", mean, shape, loss)
			}
		}
	}
}
