package cuda

import (
	"maps"
	"slices"
	"testing"

	"github.com/acqnp/acqnp/internal/models/ops"
)

// TestKernelsAreThoseOfTheTable checks that the engine has a kernel for every operation, and no others.
func TestKernelsAreThoseOfTheTable(t *testing.T) {
	if have := slices.Sorted(maps.Keys(kernels)); !slices.Equal(have, ops.Kinds()) {
		t.Errorf("kernels of %v, want %v", have, ops.Kinds())
	}
}
