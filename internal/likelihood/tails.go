package likelihood

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// A Tail is a part of the distribution that stands for a predicted Gaussian: a Gaussian with the same
// mean, a deviation of Scale times the predicted one, and a weight.
type Tail struct{ Scale, Weight float64 }

// Tails are the parts of a distribution that stands for a Gaussian. nil is that Gaussian itself.
type Tails []Tail

// tailParts divide the probabilities of χ² into the parts of a Student's t. The first have the smallest
// χ², and so are the widest. Their density is that of Student's t to 3% up to three deviations and, from
// 3 degrees of freedom on, to a factor of 2 up to eight.
var tailParts = []float64{0, 0.005, 0.04, 0.2, 0.4, 0.6, 0.8, 1}

// StudentTails returns the tails of a Student's t with df degrees of freedom, or, for a df of 0, of a
// Gaussian. scale multiplies the predicted deviation.
//
// Student's t is a Gaussian whose variance is df/χ² times the square of its scale, with a χ² of df degrees
// of freedom. Each part has the mean χ² between two of its quantiles.
func StudentTails(df, scale float64) Tails {
	switch {
	case df == 0 && scale == 1:
		return nil
	case df == 0:
		return Tails{{Scale: scale, Weight: 1}}
	}
	// ∫ c f_df(c) dc up to C is df times the probability of C under df+2 degrees of freedom.
	chi, sums := distuv.ChiSquared{K: df}, distuv.ChiSquared{K: df + 2}
	tails, below := make(Tails, len(tailParts)-1), 0.0
	for j := range tails {
		sum, weight := 1.0, tailParts[j+1]-tailParts[j]
		if j+1 < len(tails) {
			sum = sums.CDF(chi.Quantile(tailParts[j+1]))
		}
		tails[j] = Tail{Scale: scale * math.Sqrt(weight/(sum-below)), Weight: weight}
		below = sum
	}
	return tails
}

// LogDensity returns log p(y) of the Gaussian with these tails, as Tailed's mixture does, in less time.
func (t Tails) LogDensity(g Gaussian, y float64) float64 {
	if t == nil {
		return g.LogDensity(y)
	}
	z := (y - g.Mean) / g.Scale
	half := z * z / 2
	least := math.Inf(1)
	for _, tail := range t {
		least = min(least, half/(tail.Scale*tail.Scale))
	}
	sum := 0.0
	for _, tail := range t {
		sum += tail.Weight / tail.Scale * math.Exp(least-half/(tail.Scale*tail.Scale))
	}
	return math.Log(sum) - least - math.Log(g.Scale) - 0.5*math.Log(2*math.Pi)
}

// LogDensityOf returns log p(y) of the mixture with these tails.
func (t Tails) LogDensityOf(m GaussianMixture, y float64) float64 {
	if len(m.components) == 1 {
		return t.LogDensity(m.components[0], y)
	}
	return m.Tailed(t).LogDensity(y)
}

// Tailed returns the mixture with these tails: each Gaussian becomes several of the same mean. It
// returns m itself for nil.
func (m GaussianMixture) Tailed(tails Tails) GaussianMixture {
	if tails == nil {
		return m
	}
	var t GaussianMixture
	for _, tail := range tails {
		for k, c := range m.components {
			t.components = append(t.components, Gaussian{Mean: c.Mean, Scale: tail.Scale * c.Scale})
			t.weights = append(t.weights, tail.Weight*m.weight(k))
		}
	}
	if len(tails) == 1 { // a scale alone
		t.weights = m.weights
	}
	return t
}
