package predict

import (
	"math"
	"slices"
	"strconv"

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

// AppendComponents appends the parts of the mixture as a JSON object of lists: tau, mu, sigma and weight.
// Gaussians have no tau. log marks those of log y, and root those of √y, if there are any. low, high and whole say what
// values y has, see likelihood.Support: the parts then are of the number that becomes y.
func (d Distribution) AppendComponents(b []byte) []byte {
	parts := d.Components()
	list := func(name string, of func(Component) string) {
		if b[len(b)-1] != '{' {
			b = append(b, ',')
		}
		b = append(strconv.AppendQuote(b, name), ":["...)
		for i, c := range parts {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(b, of(c)...)
		}
		b = append(b, ']')
	}
	numbers := func(name string, of func(Component) float64) {
		list(name, func(c Component) string { return finite(of(c)) })
	}
	b = append(b, '{')
	if d.HasLevels() {
		numbers("tau", func(c Component) float64 { return c.Tau })
	}
	numbers("mu", func(c Component) float64 { return c.Mu })
	numbers("sigma", func(c Component) float64 { return c.Sigma })
	numbers("weight", func(c Component) float64 { return c.Weight })
	for _, scale := range []struct {
		name string
		of   likelihood.Scale
	}{{"log", likelihood.LogY}, {"root", likelihood.RootY}} {
		on := func(c Component) bool { return c.Scale == scale.of }
		if slices.ContainsFunc(parts, on) {
			list(scale.name, func(c Component) string { return strconv.FormatBool(on(c)) })
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
