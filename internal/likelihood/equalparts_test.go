package likelihood_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/random"
)

// withEqual returns a mixture of three components and n of equal scale and level, as a kernel density has
// them, two of them at one place. The scales of those differ by factors up to 1 + apart.
func withEqual(n int, tau, apart float64) (parts []likelihood.AsymmetricLaplace, weights []float64) {
	g := random.New(5, random.Data)
	for i := range 3 {
		parts = append(parts, likelihood.AsymmetricLaplace{Location: g.Normal(0, uint64(i)), Scale: 0.1 + 0.2*float64(i), Logit: float64(2*i - 2)})
		weights = append(weights, 0)
	}
	for i := range n {
		at := g.Normal(1, uint64(i))
		if i == 1 {
			at = parts[3].Location
		}
		parts = append(parts, likelihood.AsymmetricLaplace{Location: at, Scale: 0.07 * (1 + apart*float64(i)/float64(n)), Logit: logit(tau)})
		weights = append(weights, g.Normal(2, uint64(i))-1)
	}
	return parts, weights
}

func TestCRPSOfManyEqualParts(t *testing.T) {
	for _, tau := range []float64{0.5, 0.2} {
		parts, weights := withEqual(20, tau, 0)
		m := likelihood.MixtureOf(parts, weights)
		var kinks []float64
		reach := 0.0
		for _, p := range parts {
			kinks, reach = append(kinks, p.Location), max(reach, 2*spread(p))
		}
		// The same tolerance as for other mixtures.
		for _, y := range []float64{-6, -0.3, parts[3].Location, 0.5, 5} {
			near(t, fmt.Sprintf("CRPS at %g", y), m.CRPS(y), quadratureCRPS(m, y, kinks, 0.07, reach+20), 1e-11)
		}
	}
}

// Components that differ by a billionth are taken in pairs. The CRPS differs by about as much.
func TestEqualPartsAreAsPairs(t *testing.T) {
	for _, n := range []int{7, 8, 60} {
		for _, tau := range []float64{0.5, 0.9} {
			equal, pairs := likelihood.MixtureOf(withEqual(n, tau, 0)), likelihood.MixtureOf(withEqual(n, tau, 1e-9))
			for _, y := range []float64{-100, -1, -0.2, 0, 0.4, 2, 100} {
				near(t, fmt.Sprintf("CRPS of %d at %g", n, y), equal.CRPS(y), pairs.CRPS(y), 1e-8)
			}
			for _, y := range []float64{-1, 0, 1e-300, 0.2, 1, 3, 1e5} {
				e, p := likelihood.ExpOf(equal).CRPS(y), likelihood.ExpOf(pairs).CRPS(y)
				near(t, fmt.Sprintf("CRPS of the exp of %d at %g", n, y), e, p, 1e-8*math.Max(1, math.Abs(p)))
			}
		}
	}
}
