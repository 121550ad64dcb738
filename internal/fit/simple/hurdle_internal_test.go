package simple

import (
	"math"
	"testing"

	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/test/must"
)

// Whether y is above the atom is as glmer(y > 0 ~ x + (1 | group), family = binomial) of lme4 1.1-31 says, to a third of its
// standard errors: it maximises the likelihood, and a prior and the integral over coefficients make the deviation of groups
// larger. The amounts are those of a mixed model of the others, and the atom has what they leave.
func TestHurdleHasTwoParts(t *testing.T) {
	groups := drawnCounts()
	for k := range groups {
		g := &groups[k]
		g.Beyond = make([]float64, g.Len())
		for i, y := range g.Y {
			if y == 0 {
				g.Y[i], g.Beyond[i] = -2, -2
			}
		}
	}
	m := must.Get(FitHurdle(groups))(t).(*Hurdle)
	near(t, "slope", m.Over.Beta[1]/m.X[0].Width, 1.692, 0.17)
	near(t, "constant", m.Over.Beta[0]-m.Over.Beta[1]*m.X[0].Centre/m.X[0].Width, 0.406, 0.1)
	near(t, "deviation of groups", m.Over.Factor[0], 0.753, 0.15)

	zero := 0.0
	own, target := groups[1].Cut(0, 4), groups[1].Cut(4, 5)
	all := likelihood.Support{Low: &zero}.Of(m.Given(own, target)[0])
	much := m.Much.Given(aboveOf(own), target)[0]
	means, variances := m.Over.predict(m.group(own), isAbove, m.group(target))
	over := logistic(means[0], math.Sqrt(variances[0]))
	near(t, "log probability of 0", all.LogDensity(0), math.Log(1-over), 1e-6)
	near(t, "log density of 2", all.LogDensity(2), math.Log(over/(1-much.CDF(0)))+much.LogDensity(2), 1e-6)
}
