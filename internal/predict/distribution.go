package predict

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/random"
)

// Distribution is the predictive distribution of one channel of y at one target, in raw units. For
// CQNP, ACQNP and CNP with the head quantile-mixture it is a mixture of asymmetric Laplace
// distributions, one for each quantile level. For the other models it is a mixture of Gaussians: one
// for each bootstrap of BNP, otherwise those that model.head states.
//
// If data.log names the channel, this mixture is the distribution of log y. The components then are
// those of log y, and everything else is stated of y. What acqnp fit wrote predicts a mixture of Gaussians
// of y, of log y or of both.
type Distribution struct {
	likelihood.Distribution
	parts  likelihood.Distribution // of y, or of log y, of a network
	levels []float32               // u of every component of a quantile model; nil for others
}

// newDistribution returns the distribution of y with the given parts. log says that they are those
// of log y.
func newDistribution(parts likelihood.Distribution, levels []float32, log bool) Distribution {
	d := Distribution{Distribution: parts, parts: parts, levels: levels}
	if log {
		d.Distribution = likelihood.ExpOf(parts)
	}
	return d
}

// Log reports whether all components are those of log y, and y is any number above 0.
func (d Distribution) Log() bool {
	ofOther := func(c likelihood.Component) bool { return c.Scale != likelihood.LogY }
	return d.Support().Real() && !slices.ContainsFunc(d.Distribution.Components(), ofOther)
}

// Component is one component of a distribution, and the u that its level τ was computed from. For
// CQNP, τ is 0.001 + 0.998·u. U is NaN for a Gaussian, and where the decoder states the level.
type Component struct {
	U float64
	likelihood.Component
}

// Components returns the components, those of a quantile model in the order of u.
func (d Distribution) Components() []Component {
	components := make([]Component, 0, len(d.levels))
	for k, c := range d.Distribution.Components() {
		u := math.NaN()
		if k < len(d.levels) {
			u = float64(d.levels[k])
		}
		components = append(components, Component{U: u, Component: c})
	}
	return components
}

// picks is the first index of the random numbers that choose a Gaussian. It lies far above the
// indices of the normal numbers.
const picks = 1 << 33

// Draw returns a random value from d: draw i at a step of the generator.
func (d Distribution) Draw(g random.Generator, step, i uint64) float64 {
	if d.HasLevels() {
		return d.Distribution.Draw(g.Float(step, 2*i), g.Float(step, 2*i+1))
	}
	return d.Distribution.Draw(g.Float(step, picks+i), g.Normal(step, i))
}

// componentsJSON returns the parts of the mixture as a JSON object of lists: tau, mu, sigma and weight.
// Gaussians have no tau. log marks those of log y, and root those of √y, if there are any. low, high and whole say what
// values y has, see likelihood.Support: the parts then are of the number that becomes y.
func (d Distribution) componentsJSON() []byte {
	b, parts := []byte{'{'}, d.Components()
	list := func(name string, of func(c Component) string) {
		texts := make([]string, len(parts))
		for i, c := range parts {
			texts[i] = of(c)
		}
		b = append(strconv.AppendQuote(Separated(b, len(b)-1), name), ":["+strings.Join(texts, ",")+"]"...)
	}
	if d.HasLevels() {
		list("tau", func(c Component) string { return finite(c.Tau) })
	}
	list("mu", func(c Component) string { return finite(c.Mu) })
	list("sigma", func(c Component) string { return finite(c.Sigma) })
	list("weight", func(c Component) string { return finite(c.Weight) })
	for i, scale := range []likelihood.Scale{likelihood.LogY, likelihood.RootY} {
		on := func(c Component) bool { return c.Scale == scale }
		if slices.ContainsFunc(parts, on) {
			list([]string{"log", "root"}[i], func(c Component) string { return strconv.FormatBool(on(c)) })
		}
	}
	if s := d.Support(); !s.Real() {
		low, high := s.Bounds()
		b = append(b, `,"low":`+finite(low)+`,"high":`+finite(high)+`,"whole":`+strconv.FormatBool(s.Whole)...)
	}
	return append(b, '}')
}

// finite returns a number as JSON: null if it is not finite.
func finite(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return "null"
	}
	return number(v)
}
