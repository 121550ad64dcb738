//go:build simt

package emulator_test

import (
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/test/must"
	"github.com/acqnp/acqnp/kernels/emulator"
)

// checkTurn runs barriers with static and dynamic shared memory.
func checkTurn(t *testing.T) {
	t.Helper()
	d := device(t, emulator.Options{})
	x := numbers(192, 0)
	out := upload(t, d, make([]float32, 192))
	must.Do(t, launch(t, d, "vocabulary_shared", 3, 64, 256, out, upload(t, d, x)))
	for i, v := range download[float32](t, d, out, 192) {
		b, j := i&^63, i&63^1
		if want := x[b+63-j]; v != want {
			t.Errorf("%d is %g, want %g", i, v, want)
		}
	}
}

// TestHopperWordsNeedTheirDevice also runs them in blocks that have no warpgroup.
func TestHopperWordsNeedTheirDevice(t *testing.T) {
	x, weights := make([]uint16, 12*64*64), make([]uint16, 64*128)
	for _, c := range []struct {
		minor, major, threads int
		want                  string
	}{{9, 8, 256, "below compute capability 9.0"}, {0, 9, 64, "outside a warpgroup of 128 threads"}, {0, 9, 192, "outside a warpgroup of 128 threads"}} {
		d := device(t, emulator.Options{Major: c.major, Minor: c.minor, SharedPerBlock: 227 << 10})
		out := upload(t, d, make([]uint16, 12*64*128))
		err := launch(t, d, "fault_pipeline", 2, c.threads, 1024+65536+128, out, upload(t, d, x), upload(t, d, weights), int32(0))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%d.%d, %d threads: %v, want %q", c.major, c.minor, c.threads, err, c.want)
		}
	}
}
