package likelihood_test

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/random"
)

// supports are those of outcomes that all parts below can have.
func supports() map[string]likelihood.Support {
	zero, half, three := new(0.0), new(0.5), new(3.0)
	return map[string]likelihood.Support{
		"from 0":       {Low: zero},
		"from 0.5":     {Low: half},
		"to 3":         {High: three},
		"from 0 to 3":  {Low: zero, High: three},
		"whole":        {Whole: true},
		"whole from 0": {Low: zero, Whole: true},
		"whole to 3":   {Low: zero, High: three, Whole: true},
	}
}

// realNumbers are distributions that a Support changes. Of log y the longest tail is cut, see GaussianMixture: it is short here.
func realNumbers() map[string]likelihood.GaussianMixture {
	root := likelihood.WeightedGaussians([]likelihood.Gaussian{{Mean: 0.3, Scale: 0.7}, {Mean: 1.6, Scale: 0.2}}, []float64{0.3, 0})
	return map[string]likelihood.GaussianMixture{
		"y":            ofY(),
		"√y":           root.On(likelihood.RootY),
		"y and √y":     onScales(ofY(), root.On(likelihood.RootY), 0.6),
		"wide":         likelihood.WeightedGaussians([]likelihood.Gaussian{{Mean: 4, Scale: 2.5}, {Mean: 1, Scale: 0.2}}, []float64{0, -1}),
		"y and log y":  onScales(ofY(), ofLogY().On(likelihood.LogY), 0.4),
		"log y":        ofLogY().On(likelihood.LogY),
		"a bell alone": likelihood.WeightedGaussians([]likelihood.Gaussian{{Mean: 0.4, Scale: 1.1}}, []float64{0}),
	}
}

// A supported is a distribution with a support, and evenly spread numbers of what it was made from.
type supported struct {
	likelihood.Distribution
	real    likelihood.GaussianMixture
	support likelihood.Support
	numbers []float64
}

// eachSupported calls check with all pairs.
func eachSupported(t *testing.T, check func(t *testing.T, d supported)) {
	for of, real := range realNumbers() {
		numbers := simulate(real, 10_000)
		for name, s := range supports() {
			t.Run(of+" "+name, func(t *testing.T) { check(t, supported{s.Of(real), real, s, slices.Clone(numbers)}) })
		}
	}
}

// settled is what a real number becomes, as the documentation says it.
func settled(s likelihood.Support, v float64) float64 {
	if s.Whole {
		v = math.Round(v)
	}
	return s.Nearest(v)
}

// simulate returns numbers that are evenly spread over the probabilities of d.
func simulate(d likelihood.Distribution, n int) []float64 {
	ps := make([]float64, n)
	for i := range ps {
		ps[i] = (float64(i) + 0.5) / float64(n)
	}
	return likelihood.ApproximateQuantiles(d, ps...)
}

// Probabilities are those of the real numbers that become a value, as a count of 10,000 evenly spread ones has them
// to 1.5 in 10,000.
func TestSupportedProbabilities(t *testing.T) {
	eachSupported(t, func(t *testing.T, d supported) {
		n := float64(len(d.numbers))
		counts, sum := map[float64]int{}, 0
		for _, v := range d.numbers {
			counts[settled(d.support, v)]++
		}
		for y, count := range counts {
			if count > 50 { // an atom, or a whole number
				near(t, fmt.Sprint("probability of ", y), math.Exp(d.LogDensity(y)), float64(count)/n, 1.5/n)
				near(t, "P(Y ≤ y) − P(Y < y)", likelihood.PIT(d.Distribution, y, 1)-likelihood.PIT(d.Distribution, y, 0), float64(count)/n, 1.5/n)
			}
			sum += count
		}
		for _, y := range []float64{-1.5, -1, 0, 0.2, 0.5, 0.7, 1, 2, 2.9, 3, 3.1, 7} {
			upTo := 0
			for v, count := range counts {
				if v <= y {
					upTo += count
				}
			}
			near(t, fmt.Sprint("CDF at ", y), d.CDF(y), float64(upTo)/n, 1.5/n)
			if spread := likelihood.EvenCDF(d.Distribution, y); !d.support.Whole {
				near(t, "CDF of a picture", spread, d.CDF(y), 0)
			} else if k := math.Ceil(y - 0.5); y == k { // half of the number is below its middle
				near(t, "CDF of a picture", spread, likelihood.PIT(d.Distribution, k, 0.5), 1e-15)
			}
			near(t, "CDF and survival", d.CDF(y)+d.Survival(y), 1, 1e-14)
			if !d.support.Takes(y) && !math.IsInf(d.LogDensity(y), -1) {
				t.Errorf("the log density at %v, which is no value, is %v", y, d.LogDensity(y))
			}
			if d.support.Takes(y) && !d.support.Whole && y != 0 && y != 0.5 && y != 3 {
				const h = 1e-5
				near(t, fmt.Sprint("density at ", y), math.Exp(d.LogDensity(y)), (d.CDF(y+h)-d.CDF(y-h))/(2*h), 1e-6)
				near(t, "density", likelihood.Densities(d.Distribution, []float64{y})[0], math.Exp(d.LogDensity(y)), 1e-15)
			}
		}
		for _, p := range probabilities {
			if q := d.Quantile(p); !d.support.Takes(q) || d.CDF(q) < p-1e-12 || likelihood.PIT(d.Distribution, q, 0) > p+1e-12 {
				t.Errorf("the quantile at %v is %v, with %v below it and %v up to it", p, q, likelihood.PIT(d.Distribution, q, 0), d.CDF(q))
			}
		}
	})
}

// Mean, variance and CRPS are those of evenly spread real numbers that became values. Tails beyond them have up to
// 1e-4 of the probability, and those of log y are cut at 0.99 in the same way.
func TestSupportedMomentsAndScores(t *testing.T) {
	eachSupported(t, func(t *testing.T, d supported) {
		parts := d.real.Components()
		log := parts[len(parts)-1].Scale == likelihood.LogY
		if log && parts[0].Scale == likelihood.OfY {
			t.Skip("parts are cut at quantiles of their own: TestTwoScalesMoments")
		}
		ys, top := d.numbers, math.Inf(1)
		if log {
			top = d.real.Quantile(0.99)
		}
		mean, square := 0.0, 0.0
		for i, v := range ys {
			ys[i] = settled(d.support, min(v, top))
			mean += ys[i] / float64(len(ys))
			square += ys[i] * ys[i] / float64(len(ys))
		}
		near(t, "mean", d.Mean(), mean, 1e-3)
		near(t, "variance", d.Variance(), square-mean*mean, 3e-3)
		if log {
			return // levels up to 0.99: the next test
		}
		for _, y := range []float64{0, 0.5, 1, 3} {
			if !d.support.Takes(y) {
				continue
			}
			want := 0.0
			for i, v := range ys {
				p := (float64(i) + 0.5) / float64(len(ys))
				want += 2 * max(p*(y-v), (p-1)*(y-v)) / float64(len(ys))
			}
			near(t, fmt.Sprint("CRPS at ", y), d.CRPS(y), want, 3e-4)
		}
	})
}

// The CRPS with a part of log y is that of levels up to 0.99.
func TestSupportedCutCRPS(t *testing.T) {
	zero := new(0.0)
	for _, whole := range []bool{false, true} {
		d := likelihood.Support{Low: zero, Whole: whole}.Of(onScales(ofY(), ofLogY().On(likelihood.LogY), 0.4))
		const levels = 10_000
		var ps []float64
		for i := range levels {
			ps = append(ps, 0.99*(float64(i)+0.5)/levels)
		}
		at := likelihood.ApproximateQuantiles(d, ps...)
		for _, y := range []float64{0, 1, 9, 30} {
			want := 0.0
			for i, q := range at {
				p := 0.99 * (float64(i) + 0.5) / levels
				e := y - q
				want += 2 * max(p*e, (p-1)*e) * 0.99 / levels
			}
			near(t, fmt.Sprint("CRPS at ", y), d.CRPS(y), want, 1e-3)
		}
	}
}

// A region holds its mass and, unless a value as a whole belongs to it, no more; no place outside it is denser than
// one inside; and the rank of a place is the mass at which it joins.
func TestSupportedRegions(t *testing.T) {
	eachSupported(t, func(t *testing.T, d supported) {
		for _, mass := range []float64{0.2, 0.5, 0.9} {
			set, held, heaviest := likelihood.HighestDensity(d.Distribution, mass), 0.0, 0.0
			for _, i := range set {
				held += d.CDF(i.High) - likelihood.PIT(d.Distribution, i.Low, 0)
				for _, y := range []float64{i.Low, i.High} {
					heaviest = max(heaviest, d.CDF(y)-likelihood.PIT(d.Distribution, y, 0))
				}
				if !d.support.Takes(i.Low) && i.Low > d.Quantile(1e-6) || !d.support.Takes(i.High) {
					t.Errorf("mass %v: %v has ends that are no values", mass, set)
				}
			}
			if !(held > mass-2e-3) || held > mass+heaviest+2e-3 {
				t.Errorf("mass %v: %v holds %v, and a value of its ends up to %v", mass, set, held, heaviest)
			}
			for _, p := range probabilities[2:15] {
				y := d.Quantile(p)
				rank, inside := likelihood.RegionRank(d.Distribution, y, 0), false
				for _, i := range set {
					inside = inside || y >= i.Low && y <= i.High
				}
				if math.Abs(rank-mass) > 0.02 && inside != (rank < mass) {
					t.Errorf("mass %v: %v holds %v is %v, and its rank is %v", mass, set, y, inside, rank)
				}
			}
		}
	})
}

// Where the density of √y is infinite at 0 and holds nothing, a region has the bound alone.
func TestRegionsHaveNoSliverAtTheBound(t *testing.T) {
	parts := []likelihood.Gaussian{{Mean: 2, Scale: 0.5}}
	d := likelihood.Support{Low: new(0.0)}.Of(onScales(likelihood.GaussianMixtureOf(parts), likelihood.GaussianMixtureOf(parts).On(likelihood.RootY), 0.5))
	for _, i := range likelihood.HighestDensity(d, 0.9) {
		if held := d.CDF(i.High) - d.CDF(i.Low); i.Low != i.High && held < 1e-3 {
			t.Errorf("the region has the interval %v, which holds %v", i, held)
		}
	}
}

// A part of next to no weight that reaches far does not change where a region begins and ends.
func TestSupportedRegionsBesideFarTails(t *testing.T) {
	parts := []likelihood.Gaussian{{Mean: 1, Scale: 2}, {Mean: 1, Scale: 1e9}}
	d := likelihood.Support{Low: new(0.0)}.Of(onScales(likelihood.WeightedGaussians(parts, []float64{0, math.Log(1e-4)}),
		likelihood.GaussianMixtureOf([]likelihood.Gaussian{{Mean: 1, Scale: 1}}).On(likelihood.RootY), 0.5))
	set := likelihood.HighestDensity(d, 0.9)
	if len(set) != 1 || set[0].Low != 0 || math.Abs(d.CDF(set[0].High)-0.9) > 2e-3 {
		t.Errorf("the region of 90%% is %v, up to which P(Y ≤ y) is %v", set, d.CDF(set[len(set)-1].High))
	}
}

func TestSupportedDraws(t *testing.T) {
	eachSupported(t, func(t *testing.T, d supported) {
		g, sums := random.New(1, random.Draws), map[float64]float64{}
		const n = 20_000
		for i := range uint64(n) {
			sums[d.Draw(g.Float(0, i), g.Normal(1, i))]++
		}
		for y, count := range sums {
			if p := d.CDF(y) - likelihood.PIT(d.Distribution, y, 0); p > 1e-3 { // 4.5 standard errors: one of 10⁵ has more
				near(t, fmt.Sprint("share of ", y), count/n, p, 4.5*math.Sqrt(p/n))
			}
		}
	})
}

// The logarithm of a probability that no float64 holds is finite, and continues that of those that one does.
func TestSupportedFarTails(t *testing.T) {
	zero := new(0.0)
	for _, whole := range []bool{false, true} {
		last := 0.0
		for _, mean := range []float64{30, 36, 38, 60, 1000} {
			d := likelihood.Support{Low: zero, Whole: whole}.Of(likelihood.GaussianMixtureOf([]likelihood.Gaussian{{Mean: mean, Scale: 1}}))
			at := d.LogDensity(0)
			if want := -mean * mean / 2; !(math.Abs(at-want) < mean+5) || at >= last {
				t.Errorf("whole %v: the log probability of 0 is %v at a mean of %v, want about %v", whole, at, mean, want)
			}
			last = at
		}
	}
}

// Modes are atoms first, then peaks of the density; and the most probable whole number.
func TestSupportedModes(t *testing.T) {
	zero := new(0.0)
	d := likelihood.WeightedGaussians([]likelihood.Gaussian{{Mean: -0.5, Scale: 1}, {Mean: 4.2, Scale: 0.6}}, []float64{0, 0})
	if m := likelihood.Modes(likelihood.Support{Low: zero}.Of(d)); len(m) != 2 || m[0] != 0 || math.Abs(m[1]-4.2) > 0.01 {
		t.Errorf("modes %v, want 0 and about 4.2", m)
	}
	if m := likelihood.Modes(likelihood.Support{Low: zero, Whole: true}.Of(d)); len(m) != 2 || m[0] != 0 || m[1] != 4 {
		t.Errorf("modes %v of whole numbers, want 0 and 4", m)
	}
}

// Numbers of log y or √y that are narrow beside their size have moments too: those of numbers of a scale at which
// rounding is small, up to the bend of exp and of the square, which is as narrow.
func TestMomentsOfNarrowParts(t *testing.T) {
	zero := 0.0
	parts := func(mean, sd float64) likelihood.GaussianMixture {
		return likelihood.WeightedGaussians([]likelihood.Gaussian{{Mean: mean, Scale: sd}, {Mean: mean, Scale: sd}}, []float64{0, 0})
	}
	for _, support := range []likelihood.Support{{Low: &zero}, {Low: &zero, Whole: true}} {
		for name, of := range map[string]func(mean, sd float64) likelihood.GaussianMixture{
			"log": func(mean, sd float64) likelihood.GaussianMixture {
				return parts(math.Log(mean), sd/mean).On(likelihood.LogY)
			},
			"root": func(mean, sd float64) likelihood.GaussianMixture {
				return parts(math.Sqrt(mean), sd/2/math.Sqrt(mean)).On(likelihood.RootY)
			},
		} {
			small := support.Of(of(1e6, 200))
			mean, sd := (small.Mean()-1e6)/200, math.Sqrt(small.Variance())/200
			for _, c := range []struct{ mean, sd float64 }{{1e9, 20}, {1.7e9, 20}, {1.7e9, 200}, {1e12, 50}} {
				d := support.Of(of(c.mean, c.sd))
				near(t, name+", mean", (d.Mean()-c.mean)/c.sd, mean, 1e-3)
				near(t, name+", deviation", math.Sqrt(d.Variance())/c.sd, sd, 1e-3)
			}
		}
	}
}

// Beyond 2⁵³, one more than a float64 is the same number: nothing can count.
func TestHugeWholeNumbersAreNotCounted(t *testing.T) {
	d := likelihood.Support{Whole: true}.Of(likelihood.GaussianMixtureOf([]likelihood.Gaussian{{Mean: 1e17, Scale: 30}, {Mean: 1e17, Scale: 40}}))
	done := make(chan bool)
	go func() {
		finite(t, "scores", d.CRPS(1e17+128), likelihood.RegionRank(d, 1e17+16, 0), d.Mean(), d.Variance())
		if set := likelihood.HighestDensity(d, 0.9); len(set) != 1 || !(set[0].Low < 1e17 && set[0].High > 1e17) {
			t.Errorf("a region of %v", set)
		}
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		t.Fatal("still counting")
	}
}
