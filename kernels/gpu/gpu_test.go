package gpu

import (
	"errors"
	"math"
	"testing"

	"github.com/acqnp/acqnp/internal/test/must"
)

func TestArgsKeepBitsAndSizes(t *testing.T) {
	p := Args(Ptr(1<<40), int32(-1), float32(1.5))
	want := Params{{1 << 40, 8}, {0xffffffff, 4}, {uint64(math.Float32bits(1.5)), 4}}
	for i := range want {
		if p[i] != want[i] {
			t.Errorf("argument %d is %+v, want %+v", i, p[i], want[i])
		}
	}
	must.Do(t, p.Check([]int{8, 4, 4}))
}

func TestCheckRefusesWhatDoesNotFit(t *testing.T) {
	for name, c := range map[string]struct {
		p     Params
		sizes []int
	}{
		"too few":    {Args(Ptr(1)), []int{8, 4}},
		"too many":   {Args(Ptr(1), int32(1)), []int{8}},
		"wrong size": {Args(Ptr(1), int32(1)), []int{8, 8}},
		"wrong type": {Args(Ptr(1), 1), []int{8, 8}},
	} {
		if c.p.Check(c.sizes) == nil {
			t.Errorf("%s: not refused", name)
		}
	}
}

func TestErrorSaysWhatFailed(t *testing.T) {
	err := error(&Error{Call: "alloc", Bytes: 12, Cause: ErrOutOfMemory})
	if want := "CUDA alloc (12 bytes): out of memory on the device"; err.Error() != want {
		t.Errorf("got %q, want %q", err, want)
	}
	if !errors.Is(err, ErrOutOfMemory) {
		t.Error("out of memory is not told apart")
	}
	err = &Error{Call: "launch", Kernel: "adam", Cause: errors.New("CUDA_ERROR_INVALID_VALUE")}
	if want := "CUDA launch adam: CUDA_ERROR_INVALID_VALUE"; err.Error() != want {
		t.Errorf("got %q, want %q", err, want)
	}
}
