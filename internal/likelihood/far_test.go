package likelihood_test

import (
	"math"
	"testing"
	"time"

	"github.com/acqnp/acqnp/internal/likelihood"
)

// A distribution of log y about log 1e9, as wide as y is by 2, has that deviation of y: the square of the mean is
// 1e18, whose last digit is 128.
func TestVarianceFarFromZero(t *testing.T) {
	const mean, sd = 1e9, 2.0
	z := likelihood.WeightedGaussians([]likelihood.Gaussian{{Mean: math.Log(mean), Scale: sd / mean}}, []float64{0})
	near(t, "deviation", math.Sqrt(likelihood.ExpOf(z).Variance()), sd, 1e-6)
}

// The CRPS of a distribution ends whose middle lies between two neighbouring numbers and whose tails do not: there
// is no spread to measure an error by.
func TestCRPSOfAFewUnitsInTheLastPlaceEnds(t *testing.T) {
	const y, wide = 1e15, 1e3
	at := likelihood.WeightedGaussians([]likelihood.Gaussian{{Mean: y, Scale: 1e-3}, {Mean: y, Scale: wide}}, []float64{0, math.Log(1e-3)})
	z := likelihood.WeightedGaussians([]likelihood.Gaussian{{Mean: math.Log(y), Scale: 1e-18}}, []float64{0})
	done := make(chan float64, 1)
	go func() { done <- onScales(at, z.On(likelihood.LogY), 0.5).CRPS(y) }()
	select {
	case crps := <-done:
		if !(crps >= 0 && crps < wide) {
			t.Errorf("the CRPS is %v, want less than the deviation of the tails, %v", crps, wide)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("no CRPS within 20 seconds")
	}
}
