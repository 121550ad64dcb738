//go:build simt

package cuda

import (
	"testing"

	"github.com/acqnp/acqnp/kernels/emulator"
)

// TestPairsAgreeByAMargin compares both kernels on the numbers of the check, for every pass of the gradient. A
// device adds in another order than the emulator, so the difference must be well below the bound.
func TestPairsAgreeByAMargin(t *testing.T) {
	d := emulator.New(emulator.Options{})
	defer d.Close()
	if !d.Device().Hopper {
		t.Skip("the device has no kernels for sm_90a")
	}
	for _, p := range []Perceptron{perceptron("f16", 2, 64, 2, 9), perceptron("f16", 1, 64, 3, 3), perceptron("f16", 1, 64, 6, 1)} {
		worst, where, err := NewPairCheck(d).difference(p)
		if err != nil || !(worst > 0 && worst < pairTolerance/4) {
			t.Errorf("%+v: %g in %s, %v", p, worst, where, err)
		}
		t.Logf("%+v: %.2g in %s", p, worst, where)
	}
}
