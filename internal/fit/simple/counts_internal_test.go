package simple

import (
	"fmt"
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

// Probabilities of all counts sum to 1, also of a group with known points, and rates with exposures have those of counts,
// whatever the unit of exposure is. In a hundred of such exposures the mean count is a hundred times as large.
func TestCountsAreRatesTimesExposures(t *testing.T) {
	groups, known, sum := drawnCounts(), 3, 0.0
	counts := must.Get(FitCounts(groups))(t).Given(groups[0].Cut(0, known), groups[0].Cut(known, 4))[0]
	whole := likelihood.Support{Low: new(float64), Whole: true}
	for k := range 60 {
		sum += math.Exp(whole.Of(counts).LogDensity(float64(k)))
	}
	near(t, "sum", sum, 1, 1e-3)
	for _, exposure := range []float64{4, 1e6, 1e-6} { // cases per million people
		rates := drawnCounts()
		for k := range rates {
			for i := range rates[k].Y {
				rates[k].Y[i] /= exposure
				rates[k].Factor = append(rates[k].Factor, exposure)
			}
		}
		m, target := must.Get(FitCounts(rates))(t), rates[0].Cut(known, 4)
		given := func(exposure float64) likelihood.GaussianMixture {
			target.Factor = []float64{exposure}
			return m.Given(rates[0].Cut(0, known), target)[0].In(likelihood.Units{Factor: exposure})
		}
		for k := range 20 {
			want := math.Exp(whole.Of(counts).LogDensity(float64(k)))
			near(t, fmt.Sprintf("probability of a rate in %g", exposure), math.Exp(whole.Of(given(exposure)).LogDensity(float64(k))), want, 1e-9)
		}
		// The nodes of the deviation of η and its bound have a mean of their own.
		near(t, "mean of a long exposure", given(100*exposure).Mean()/counts.Mean()/100, 1, 0.01)
	}
}

// The parts of a mixture round to the counts' probabilities: narrow ones, and those of many large counts together. What is left
// costs less than a thousandth of a nat; no count is off by a tenth.
func TestPartsRoundToCounts(t *testing.T) {
	whole := likelihood.Support{Low: new(float64), Whole: true}
	for _, mean := range []float64{0.5, 3, 8, 12, 15, 18, 25, 30, 60, 100, 190} {
		for _, shape := range []float64{2, 20, 1e4} {
			m := glmm{Shape: shape}
			p := m.probabilities(math.Log(mean), 0.1, 1)
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

// Counts of a long exposure have the probabilities of all rates that η may have: those by a fine quadrature, whatever their
// number is. What is lost costs less than a hundredth of a nat: parts are coarse, and the nodes of η a few.
func TestCountsOfLongExposures(t *testing.T) {
	whole := likelihood.Support{Low: new(float64), Whole: true}
	for _, mean := range []float64{90, 7300, 2e6} { // in all
		for _, of := range [][2]float64{{0.7, 1}, {5, 0.3}, {400, 0.3}, {1e4, 0.02}} {
			shape, deviation := of[0], of[1]
			m := glmm{Shape: shape, Exposure: 3}
			d := whole.Of(likelihood.WeightedGaussians(m.countsAt(math.Log(2), deviation, mean/2)))
			loss, sum := 0.0, 0.0
			for low, n := 0.0, 1.0; low < 50*mean+100; low += n { // counts in between are like that in the middle
				n = 2*math.Floor(0.001*low) + 1
				k := low + (n-1)/2
				p, total := 0.0, 0.0
				for z := -5.0; z <= 5; z += 0.1 {
					rate, w := mean*math.Exp(deviation*z), math.Exp(-z*z/2)
					p, total = p+w*math.Exp(logChoices(k, shape)-lgamma(shape)-shape*math.Log1p(rate/shape)-k*math.Log1p(shape/rate)), total+w
				}
				if p /= total; p < 1e-12 && k > mean {
					break
				}
				sum += n * p
				loss += n * p * (math.Log(max(p, 1e-300)) - d.LogDensity(k))
			}
			if math.Abs(sum-1) > 0.01 || math.Abs(loss) > 0.01 {
				t.Errorf("mean %g, shape %g, deviation %g: found %.5f nats lost of %.4f", mean, shape, deviation, loss, sum)
			}
		}
	}
}

func lgamma(v float64) float64 {
	log, _ := math.Lgamma(v)
	return log
}
