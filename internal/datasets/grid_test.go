package datasets_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acqnp/acqnp/internal/datasets"
)

// In a grid of two dimensions the last x varies fastest. The test also covers the limits of a grid.
func TestGridOfTwoDimensions(t *testing.T) {
	got, err := datasets.ParseGrid("0:1:2,-1:1:3", 2)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]float64{0, -1, 0, 0, 0, 1, 1, -1, 1, 0, 1, 1}, got); diff != "" {
		t.Error(diff)
	}
	if _, err := datasets.ParseGrid("0:1:1001,0:1:1000", 2); err == nil {
		t.Error("a grid of more than a million points was accepted")
	}
	if _, err := datasets.ParseGrid("0:1e308:3", 1); err == nil {
		t.Error("a grid beyond float32 was accepted")
	}
	if _, err := datasets.ParseGrid("2024-01-01:2024-12-01:12", 1); err == nil || !strings.Contains(err.Error(), "--targets takes dates") {
		t.Errorf("a grid of dates: %v", err)
	}
	if got, err := datasets.ParseGrid("0.1:0.1:1", 1); err != nil || !cmp.Equal(got, []float64{0.1}) {
		t.Errorf("found %v, error %v; want [0.1]", got, err)
	}
}
