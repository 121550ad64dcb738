package golden_test

import (
	"math"
	"testing"

	"github.com/acqnp/acqnp/internal/engine"
)

// same compares values; the error is relative to max(1, |want|). A log-likelihood is a sum of terms
// of size 1 and may be close to 0.
func same[T engine.Float](t *testing.T, name string, got []T, want []float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d numbers, expected %d", name, len(got), len(want))
		return
	}
	report(t, name, got, want, func(want float64) float64 { return tolerance * max(1, math.Abs(want)) })
}

// sameGradient compares the gradient of a tensor. Every element may have the same error, relative
// to the tensor's largest gradient: an element is a sum over all rows, whose terms may cancel while
// their errors do not.
func sameGradient[T engine.Float](t *testing.T, name string, got []T, want []float64, allowed float64) {
	t.Helper()
	report(t, "gradient of "+name, got, want, func(float64) float64 { return allowed })
}

func largest(v []float64) float64 {
	m := 0.0
	for _, x := range v {
		m = max(m, math.Abs(x))
	}
	return m
}

// report fails once for each tensor, at its worst element.
func report[T engine.Float](t *testing.T, name string, got []T, want []float64, allowed func(want float64) float64) {
	t.Helper()
	worst, at, wrong := 0.0, 0, 0
	for i := range want {
		off := math.Abs(float64(got[i]) - want[i])
		if off <= allowed(want[i]) { // false for NaN
			continue
		}
		wrong++
		if ratio := off / allowed(want[i]); !(ratio <= worst) {
			worst, at = ratio, i
		}
	}
	if wrong > 0 {
		t.Errorf("%s: %d of %d wrong; worst [%d] = %.12g, PyTorch's %.12g, %.3g times the tolerance",
			name, wrong, len(want), at, got[at], want[at], worst)
	}
}
