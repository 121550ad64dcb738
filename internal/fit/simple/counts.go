package simple

import (
	"errors"
	"math"
	"slices"

	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/points"
)

// Counts is a mixed model of whole numbers of 0 or more: negative binomial given η, as few counts are, or 1 with a probability
// that is logistic in η, and else 0. Of rates it reads the counts, and their factors as exposures.
type Counts struct {
	Units `json:"units"` // those of y change nothing
	Model glmm           `json:"model"`
}

// mostCount is the largest count of data that the model is for. Of larger ones, √y or log y are nearly normal.
const mostCount = 200

// AreCounts reports whether y, or with factors the products, are small counts.
func AreCounts(groups []points.Group) bool {
	most := 0.0
	for _, g := range groups {
		for i, v := range g.Y {
			n := v * factorOf(g.Points, i)
			if n < 0 || math.Abs(n-math.Round(n)) > 1e-9*n {
				return false
			}
			most = max(most, n)
		}
	}
	return most > 1 && most <= mostCount
}

// AreBinary reports whether every y is 0 or 1.
func AreBinary(groups []points.Group) bool {
	for _, g := range groups {
		if slices.ContainsFunc(g.Y, func(v float64) bool { return v != 0 && v != 1 }) {
			return false
		}
	}
	return true
}

func factorOf(p points.Points, i int) float64 {
	if p.Factor == nil {
		return 1
	}
	return p.Factor[i]
}

// FitCounts fits the model of negative binomial counts with lines of x.
func FitCounts(groups []points.Group) (Model, error) { return fitCounts(groups, typical[2]) }

// FitLogistic fits the model of 0 and 1 with lines of x.
func FitLogistic(groups []points.Group) (Model, error) { return fitCounts(groups, 0) }

func fitCounts(groups []points.Group, shape float64) (_ Model, err error) {
	m := &Counts{Units: unitsOf(groups)}
	m.Y = scaling{0, 1}
	m.Model, err = fitGLMM(m.Units, groups, shape, countsOf)
	return m, err
}

// countsOf appends the counts of points.
func countsOf(z points.Points, c *observed) {
	for i, v := range z.Y {
		c.y = append(c.y, max(0, math.Round(v*factorOf(z, i))))
	}
}

// Given implements [Model].
func (m *Counts) Given(context, targets points.Points) []likelihood.GaussianMixture {
	context.Weights = nil
	means, variances := m.Model.predict(m.group(context).Thin(mostContext), countsOf, m.group(targets))
	out := make([]likelihood.GaussianMixture, len(means))
	for t, mean := range means {
		factor := factorOf(targets, t)
		parts, logs := m.Model.countsAt(mean, math.Sqrt(variances[t]), factor/m.Model.unit())
		for i, g := range parts {
			parts[i] = likelihood.Gaussian{Mean: g.Mean / factor, Scale: g.Scale / factor}
		}
		out[t] = m.mixture(parts, logs)
	}
	return out
}

// countsAt returns the parts of a mixture, and the logarithms of their weights, of counts with an exposure, if η is normal.
func (m *glmm) countsAt(mean, deviation, exposure float64) (parts []likelihood.Gaussian, logs []float64) {
	if m.Shape == 0 {
		p := logistic(mean+math.Log(exposure), deviation)
		return countMixture([]float64{1 - p, p})
	}
	if n := normalNodes[len(normalNodes)-1]; m.Exposure > 0 && rateAt(mean+deviation*n.z)*exposure > mostCount {
		return m.manyCounts(mean, deviation, exposure)
	}
	return countMixture(m.probabilities(mean, deviation, exposure))
}

// mostRate bounds a mean count with the mean exposure of the data.
const mostRate = 3 * mostCount

// rateAt returns the mean count with the mean exposure.
func rateAt(eta float64) float64 { return math.Exp(min(eta, math.Log(mostRate))) }

// probabilities returns those of 0, 1, 2 … until nearly nothing is left, if η is normal.
func (m *glmm) probabilities(mean, deviation, exposure float64) (all []float64) {
	const left = 1e-7
	var at, growth []float64
	for _, n := range normalNodes {
		rate := exposure * rateAt(mean+deviation*n.z)
		at = append(at, n.weight*math.Exp(-m.Shape*math.Log1p(rate/m.Shape)))
		growth = append(growth, rate/(m.Shape+rate))
	}
	for sum, k := 0.0, 0.0; sum < 1-left && k < countsWithParts; k++ {
		p := 0.0
		for i, v := range at {
			p += v
			at[i] *= growth[i] * (k + m.Shape) / (k + 1)
		}
		sum += p
		all = append(all, p)
	}
	return all
}

// SeesOuter implements [Model].
func (m *Counts) SeesOuter() bool { return false }

// Work implements [Model].
func (m *Counts) Work(known, targets int) float64 { return m.Model.work(known, targets) }

// Check implements [Model].
func (m *Counts) Check() error {
	if !(m.Model.Shape >= 0 && m.Model.Exposure >= 0) {
		return errDamaged
	}
	return errors.Join(m.Units.check(), m.Model.check(len(m.X)))
}
