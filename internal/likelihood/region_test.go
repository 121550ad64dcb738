package likelihood_test

import (
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/acqnp/acqnp/internal/likelihood"
)

// held returns the probability of a set and its length.
func held(d likelihood.Distribution, set []likelihood.Interval) (mass, length float64) {
	for _, i := range set {
		mass += d.CDF(i.High) - d.CDF(i.Low)
		length += i.High - i.Low
	}
	return mass, length
}

// equalWeights returns a mixture.
func equalWeights(parts ...likelihood.AsymmetricLaplace) likelihood.Mixture {
	return likelihood.MixtureOf(parts, make([]float64, len(parts)))
}

// regions are distributions of all shapes: decoders' outputs, one component, branches and extreme
// scales.
func regions() map[string]likelihood.Distribution {
	plain := map[string]likelihood.Distribution{
		"one level":    equalWeights(likelihood.AsymmetricLaplace{Location: 3, Scale: 0.5, Logit: 2}),
		"extreme τ":    equalWeights(likelihood.AsymmetricLaplace{Location: 3, Scale: 0.5, Logit: 30}),
		"one Gaussian": likelihood.GaussianMixtureOf([]likelihood.Gaussian{{Mean: 2, Scale: 3}}),
		"spike and slab": equalWeights(likelihood.AsymmetricLaplace{Location: 0.3, Scale: 1e-6},
			likelihood.AsymmetricLaplace{Location: 0, Scale: 1}),
		"Gaussian spike and slab": likelihood.GaussianMixtureOf([]likelihood.Gaussian{{Mean: 0.3, Scale: 1e-6}, {Mean: 0, Scale: 1}}),
		"two branches": equalWeights(likelihood.AsymmetricLaplace{Location: -1, Scale: 0.01, Logit: 1},
			likelihood.AsymmetricLaplace{Location: 1, Scale: 0.02, Logit: -1}),
		"two spikes":  equalWeights(likelihood.AsymmetricLaplace{Location: -1, Scale: 1e-6}, likelihood.AsymmetricLaplace{Location: 1, Scale: 1e-6}),
		"a wide unit": equalWeights(likelihood.AsymmetricLaplace{Location: -1e9, Scale: 1e7}, likelihood.AsymmetricLaplace{Location: 1e9, Scale: 1e8}),
		"BNP":         gaussianMixture(gaussianRows(), 2, 1, 0.1),
		// Its Exp has an infinite density at 0, and quantiles from exp(−200) to exp(200).
		"long tails": equalWeights(likelihood.AsymmetricLaplace{Location: 0.5, Scale: 0.3}, likelihood.AsymmetricLaplace{Location: 0, Scale: 0.4, Logit: -5},
			likelihood.AsymmetricLaplace{Location: 0, Scale: 0.4, Logit: 5}),
		"a twin":       equalWeights(likelihood.AsymmetricLaplace{Scale: 1}, likelihood.AsymmetricLaplace{Scale: 1}),
		"tiny weights": likelihood.MixtureOf([]likelihood.AsymmetricLaplace{{Scale: 1}, {Location: 50, Scale: 1}}, []float64{50, -50}),
	}
	for seed, name := range []string{"decoder 0", "decoder 1", "decoder 2"} {
		r, z := raw(uint64(seed), 100, 1)
		plain[name] = likelihood.NewMixture(r, z, 1, 0, likelihood.SigmaForm{Floor: 1e-2})
	}
	distributions := maps.Clone(plain)
	for name, d := range plain {
		distributions["exp of "+name] = likelihood.ExpOf(d)
	}
	distributions["two scales"] = onScales(ofY(), ofLogY().On(likelihood.LogY), 0.4)
	distributions["two scales, apart"] = onScales(likelihood.GaussianMixtureOf([]likelihood.Gaussian{{Mean: -20, Scale: 0.01}}),
		likelihood.WeightedGaussians([]likelihood.Gaussian{{Mean: -3, Scale: 2}, {Mean: 4, Scale: 0.01}}, []float64{0, 0}).On(likelihood.LogY), 0.7)
	delete(distributions, "exp of a wide unit") // exp(±1e9) is no float64, nor are the next one's quantiles
	delete(distributions, "exp of extreme τ")
	return distributions
}

func TestHighestDensityHoldsItsMassAndIsNotLonger(t *testing.T) {
	for name, d := range regions() {
		for _, mass := range []float64{0.01, 0.5, 0.9, 0.999} {
			set := likelihood.HighestDensity(d, mass)
			got, length := held(d, set)
			if math.Abs(got-mass) > 1e-7 {
				t.Errorf("%s: the set %v holds %v, want %v", name, set, got, mass)
			}
			// A Gaussian's set is the central interval, so the lengths are equal but for rounding.
			if central := d.Quantile((1+mass)/2) - d.Quantile((1-mass)/2); length > central*(1+1e-9) {
				t.Errorf("%s, %g: the length is %v, that of the central interval %v", name, mass, length, central)
			}
			for i, s := range set {
				if !(s.Low <= s.High) || i > 0 && !(set[i-1].High < s.Low) {
					t.Errorf("%s, %g: %v are no disjoint intervals in increasing order", name, mass, set)
				}
			}
		}
	}
}

// Every y in the set has a higher density than every y outside. y run over quantiles, which lie
// where the mass is.
func TestHighestDensityIsAboveALevel(t *testing.T) {
	for name, d := range regions() {
		for _, mass := range []float64{0.1, 0.5, 0.9} {
			set := likelihood.HighestDensity(d, mass)
			least, most := math.Inf(1), math.Inf(-1)
			for p := 0.005; p < 1; p += 0.01 {
				y := d.Quantile(p)
				inside := slices.ContainsFunc(set, func(i likelihood.Interval) bool { return i.Low <= y && y <= i.High })
				if density := d.LogDensity(y); inside {
					least = min(least, density)
				} else {
					most = max(most, density)
				}
			}
			// 1e-6: places are exact to 1e-7 of the distance between locations.
			if least < most-1e-6 {
				t.Errorf("%s, %g: the log density is %v in the set, %v outside", name, mass, least, most)
			}
		}
	}
}

// Each mass has the set that it has alone, to the bit: rows of a table and answers of the server agree.
func TestHighestDensitiesAreThoseOfEachMass(t *testing.T) {
	masses := []float64{0.9, 0.5, 0.05, 0.999}
	for name, d := range regions() {
		for i, set := range likelihood.HighestDensities(d, masses...) {
			if alone := likelihood.HighestDensity(d, masses[i]); !slices.Equal(set, alone) {
				t.Errorf("%s, %g: %v, alone %v", name, masses[i], set, alone)
			}
		}
	}
	if sets := likelihood.HighestDensities(regions()["BNP"]); len(sets) != 0 {
		t.Errorf("%v of no mass", sets)
	}
}

func TestTwoBranchesHaveTwoIntervals(t *testing.T) {
	for _, name := range []string{"two branches", "two spikes", "exp of two branches"} {
		if set := likelihood.HighestDensity(regions()[name], 0.9); len(set) != 2 {
			t.Errorf("%s: %v, want two intervals", name, set)
		}
	}
	// A narrow valley between equal Gaussians: modes near −1 and 1, none at the valley.
	g := likelihood.GaussianMixtureOf([]likelihood.Gaussian{{Mean: -1, Scale: 0.7}, {Mean: 1, Scale: 0.7}})
	if set := likelihood.HighestDensity(g, 0.5); len(set) != 2 || math.Abs(set[0].Low+set[1].High) > 1e-9 {
		t.Errorf("%v, want two intervals, symmetric about 0", set)
	}
	if set := likelihood.HighestDensity(g, 0.95); len(set) != 1 {
		t.Errorf("%v, want one interval", set)
	}
}

// A component whose weight is 0 in a float64 changes no region and no mode.
func TestAComponentWithoutWeightChangesNoRegion(t *testing.T) {
	g := likelihood.WeightedGaussians([]likelihood.Gaussian{{Mean: -3, Scale: 1}, {Mean: 3, Scale: 1}, {Scale: 1}}, []float64{0, 0, -800})
	if set, modes := likelihood.HighestDensity(g, 0.5), likelihood.Modes(g); len(set) != 2 || len(modes) != 2 {
		t.Errorf("intervals %v and modes %v, want two of each", set, modes)
	}
}

// The highest-density region of an asymmetric Laplace distribution begins where its density is that
// of the end: it cuts the same share, 1−mass, off both tails.
func TestHighestDensityOfAsymmetricLaplace(t *testing.T) {
	d := equalWeights(likelihood.AsymmetricLaplace{Location: 2, Scale: 0.3, Logit: 1.2})
	set := likelihood.HighestDensity(d, 0.8)
	tau := likelihood.Sigmoid(1.2)
	want := likelihood.Interval{Low: d.Quantile(0.2 * tau), High: d.Quantile(1 - 0.2*(1-tau))}
	if len(set) != 1 || math.Abs(set[0].Low-want.Low) > 1e-8 || math.Abs(set[0].High-want.High) > 1e-8 {
		t.Errorf("%v, want %v", set, want)
	}
}

// The density of exp(Z) has its mode at exp(mean−σ²), and for an asymmetric Laplace distribution
// with σ > 1−τ it is infinite at 0, where the set begins.
func TestHighestDensityOfALogarithm(t *testing.T) {
	d := likelihood.ExpOf(likelihood.GaussianMixtureOf([]likelihood.Gaussian{{Mean: 1, Scale: 0.5}}))
	set := likelihood.HighestDensity(d, 0.9)
	if len(set) != 1 || math.Abs(d.LogDensity(set[0].Low)-d.LogDensity(set[0].High)) > 1e-7 {
		t.Errorf("%v has ends of different density", set)
	}
	if modes := likelihood.Modes(d); len(modes) != 1 || math.Abs(math.Log(modes[0])-0.75) > 1e-6 {
		t.Errorf("modes %v, want exp(0.75)", modes)
	}
	wide := likelihood.ExpOf(equalWeights(likelihood.AsymmetricLaplace{Scale: 2}))
	if set := likelihood.HighestDensity(wide, 0.5); len(set) != 1 || set[0].Low != 0 {
		t.Errorf("%v, want an interval that begins at 0", set)
	}
}

// The exp of a long lower tail falls from infinity at 0. A region has that part only if it holds some mass.
func TestASliverAt0IsLeftOut(t *testing.T) {
	for weight, part := range map[float64]bool{-7: false, -2: true} {
		d := likelihood.ExpOf(likelihood.MixtureOf([]likelihood.AsymmetricLaplace{
			{Location: 4, Scale: 0.05}, {Location: 4, Scale: 0.05, Logit: 6}, // the second has a lower tail of rate 0.05
		}, []float64{0, weight}))
		set := likelihood.HighestDensity(d, 0.9)
		if at0 := set[0].Low == 0; at0 != part || len(set) != 1+map[bool]int{true: 1}[part] {
			t.Errorf("weight %g: %v; expected a part at 0: %t", weight, set, part)
		}
		if mass, _ := held(d, set); math.Abs(mass-0.9) > 1e-7 {
			t.Errorf("weight %g: %v holds %v", weight, set, mass)
		}
		const near0 = 1e-30
		if d.LogDensity(near0) < d.LogDensity(set[len(set)-1].High) {
			t.Errorf("weight %g: the density at 0 is low, so the case tests nothing", weight)
		}
		if rank := likelihood.RegionRank(d, near0, 0); (rank < 0.9) != part {
			t.Errorf("weight %g: %g has rank %v, and lies in the region: %t", weight, near0, rank, part)
		}
	}
}

func TestModesAreTheLocalMaxima(t *testing.T) {
	d := likelihood.MixtureOf([]likelihood.AsymmetricLaplace{
		{Location: -1, Scale: 0.1}, {Location: 4, Scale: 0.1}, {Location: 1, Scale: 0.2}, {Location: 1.2, Scale: 3},
	}, []float64{0, 0.5, 0, 0})
	// The wide component makes a kink at 1.2, but no maximum.
	if got, want := likelihood.Modes(d), []float64{4, -1, 1}; !slices.Equal(got, want) {
		t.Errorf("modes %v, want %v", got, want)
	}
	g := likelihood.GaussianMixtureOf([]likelihood.Gaussian{{Mean: -3, Scale: 1}, {Mean: 3, Scale: 0.5}, {Mean: 3.1, Scale: 0.5}})
	got := likelihood.Modes(g)
	if len(got) != 2 || math.Abs(got[0]-3.05) > 0.01 || math.Abs(got[1]+3) > 0.01 {
		t.Errorf("modes %v, want about 3.05 and −3", got)
	}
	if one := likelihood.Modes(likelihood.GaussianMixtureOf([]likelihood.Gaussian{{Mean: 2, Scale: 3}})); !slices.Equal(one, []float64{2}) {
		t.Errorf("modes %v, want 2", one)
	}
}

// gaussianRows returns a decoder's output of 50 Gaussians in 2 channels.
func gaussianRows() []float64 {
	r, _ := raw(5, 50, 2)
	return r[:200]
}
