package cpu

import (
	"testing"

	"github.com/acqnp/acqnp/internal/models/ops"
)

// The engine has one kernel for every operation: its own, or the row kernel of the declaration.
func TestKernelsAreThoseOfTheTable(t *testing.T) {
	own := 0
	for _, kind := range ops.Kinds() {
		_, ok := kernels[kind]
		if row := (&ops.Op{Kind: kind}).Row() != nil; ok == row {
			t.Errorf("%s: kernel %t, row kernel %t", kind, ok, row)
		}
		if ok {
			own++
		}
	}
	if own != len(kernels) {
		t.Errorf("%d kernels, of which %d are of operations", len(kernels), own)
	}
}
