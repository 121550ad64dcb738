package memory_test

import (
	"testing"

	"github.com/acqnp/acqnp/internal/engine/device/memory"
)

func TestSize(t *testing.T) {
	for bytes, want := range map[float64]string{0: "0 MB", 512e6: "512 MB", 22.94e9: "22.9 GB", 163e9: "163 GB", 1.27e12: "1.3 TB", 2e16: "20.0 PB"} {
		if got := memory.Size(bytes); got != want {
			t.Errorf("%g: %s, want %s", bytes, got, want)
		}
	}
}
