package tabular_test

import (
	"math"
	"testing"

	"github.com/acqnp/acqnp/internal/files/tabular"
)

// Numbers are those of people's files. Go's other literals are no numbers.
func TestNumbersOfPeoplesFiles(t *testing.T) {
	inf := math.Inf(1)
	for text, want := range map[string]float64{"12": 12, "-1.5": -1.5, "+3": 3, ".5": 0.5, "5.": 5, "007": 7, "1.5e3": 1500, "1E-2": 0.01, "1e+06": 1e6, "1e400": inf, "-1e400": -inf} {
		if v, ok := tabular.ParseNumber(text); !ok || v != want {
			t.Errorf("%s is %v, %v", text, v, ok)
		}
	}
	for _, text := range []string{"", ".", "-", "e5", "1e", "1e5.5", "1-2", "--1", "1.2.3", "1_2", "1_000.5", "0x10", "0x1p3", "1p3", "inf", "-Inf", "Infinity", "nan", "1,5", "1 2", " 1", "٣"} {
		if v, ok := tabular.ParseNumber(text); ok {
			t.Errorf("%q is the number %v", text, v)
		}
	}
}
