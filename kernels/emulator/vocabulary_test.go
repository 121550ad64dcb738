//go:build simt

package emulator_test

import (
	"testing"

	"github.com/acqnp/acqnp/kernels/emulator"
)

// checkTurn runs barriers with static and dynamic shared memory.
func checkTurn(t *testing.T) {
	t.Helper()
	d := device(t, emulator.Options{})
	x := numbers(192, 0)
	out := upload(t, d, make([]float32, 192))
	if err := launch(t, d, "vocabulary_shared", 3, 64, 256, out, upload(t, d, x)); err != nil {
		t.Fatal(err)
	}
	for i, v := range download[float32](t, d, out, 192) {
		b, j := i&^63, i&63^1
		if want := x[b+63-j]; v != want {
			t.Errorf("%d is %g, want %g", i, v, want)
		}
	}
}

func TestTf32NeedsCapability8(t *testing.T) {
	for minor, major := range map[int]int{5: 7, 0: 8} {
		d := device(t, emulator.Options{Major: major, Minor: minor})
		x := upload(t, d, numbers(128, 0))
		err := launch(t, d, "vocabulary_tf32", 1, 32, 0, upload(t, d, make([]float32, 128)), x, x, x)
		if (err != nil) != (major < 8) {
			t.Errorf("%d.%d: %v", major, minor, err)
		}
	}
}
