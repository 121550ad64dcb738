package likelihood_test

import (
	"math"
	"testing"

	"github.com/acqnp/acqnp/internal/likelihood"
)

func TestFunctionsOfALogit(t *testing.T) {
	for x := -30.0; x <= 30; x += 0.37 {
		// 1e-12: at |x| = 30 the naive forms lose about 13 digits, so compare only where they keep
		// enough.
		if math.Abs(x) < 8 {
			near(t, "Softplus", likelihood.Softplus(x), math.Log(1+math.Exp(x)), 1e-12)
		}
		near(t, "Sigmoid", likelihood.Sigmoid(x), 1/(1+math.Exp(-x)), 1e-15)
		near(t, "Softplus(x) - Softplus(-x)", likelihood.Softplus(x)-likelihood.Softplus(-x), x, 1e-14)
	}
	// Saturated: the leading term of the expansion has all digits.
	near(t, "Softplus(-100)·e¹⁰⁰", likelihood.Softplus(-100)*math.Exp(100), 1, 1e-14)
	near(t, "Sigmoid(-100)·e¹⁰⁰", likelihood.Sigmoid(-100)*math.Exp(100), 1, 1e-14)
	near(t, "Softplus(1000)", likelihood.Softplus(1000), 1000, 0)
}

func TestLogSumExp(t *testing.T) {
	inf := math.Inf(1)
	near(t, "two", likelihood.LogSumExp([]float64{1, 2}), math.Log(math.E+math.E*math.E), 1e-15)
	near(t, "huge", likelihood.LogSumExp([]float64{1000, 1000}), 1000+math.Ln2, 1e-15)
	near(t, "tiny", likelihood.LogSumExp([]float64{-1e9, -1e9 - 1}), -1e9+math.Log1p(math.Exp(-1)), 1e-15)
	near(t, "with an impossible one", likelihood.LogSumExp([]float64{-inf, 3}), 3, 0)
	for _, none := range [][]float64{nil, {-inf}, {-inf, -inf}} {
		if got := likelihood.LogSumExp(none); got != -inf {
			t.Errorf("LogSumExp(%v) = %g, want -Inf", none, got)
		}
	}
	if got := likelihood.LogSumExp([]float64{0, math.NaN(), 1}); !math.IsNaN(got) {
		t.Errorf("LogSumExp hides a NaN: %g", got)
	}
}
