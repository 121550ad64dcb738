//go:build simt

package emulator_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/test/must"
	"github.com/acqnp/acqnp/kernels/emulator"
)

// faults maps the kernels of faults.cu to patterns that the error must match.
var faults = map[string]string{
	"fault_no_barrier_before_read":      "data race|nothing has written",
	"fault_no_syncwarp_before_read":     "data race|nothing has written",
	"fault_no_barrier_before_overwrite": "data race",
	"fault_no_barrier_before_ldmatrix":  "data race|nothing has written",
	"fault_all_write_one":               "data race: write of byte (0|256) of a global buffer, written by thread",
	"fault_overlapping_halves":          "data race",
	"fault_read_beyond_global":          "out of bounds: read of 4 bytes at byte 4096 of a global buffer of 4096 bytes",
	"fault_write_beyond_global":         "out of bounds: write of 4 bytes at byte 512|data race",
	"fault_write_before_global":         "out of bounds: write of 4 bytes at byte -4 of a global buffer|another block",
	"fault_vector_across_end":           "out of bounds: read",
	"fault_misaligned_vector":           "not aligned",
	"fault_read_beyond_shared":          "out of bounds: read of 4 bytes at byte 1024 of dynamic shared memory of 1024 bytes",
	"fault_write_beyond_shared":         "out of bounds: write of 4 bytes at byte 1024",
	"fault_unwritten_shared":            "nothing has written",
	"fault_unwritten_static_shared":     "nothing has written",
	"fault_no_wait":                     "cp_async16 is still writing",
	"fault_wait_for_too_few":            "cp_async16 is still writing",
	"fault_no_barrier_after_wait":       "data race|cp_async16 is still writing|nothing has written",
	"fault_end_without_wait":            "without waiting for its cp.async",
	"fault_read_other_block":            "another block",
	"fault_overwrite_other_block":       "another block",
	"fault_write_other_block":           "another block",
	"fault_barriers_apart":              "__syncthreads while thread [0-9]+ waits at .*faults.cu:[0-9]+",
	"fault_barrier_for_some":            "__syncthreads",
	"fault_barrier_against_warp":        "waits forever: 33 threads at __syncthreads, 31 at a meeting of their warp, 0 have ended",
	"fault_shuffles_apart":              "shuffle .* meets thread [0-9]+'s shuffle",
	"fault_shuffle_without_one":         "waits forever|have ended",
	"fault_mask_without_self":           "leaves out the thread's own lane",
	"fault_matrix_from_global":          "not in shared memory",
	"fault_plain_beside_atomic":         "data race",
	"fault_atomic_beyond":               "out of bounds: atomic",
	"fault_no_fence_before_count":       "another block",
	"fault_no_fence_after_count":        "another block",
	"fault_no_barrier_before_count":     "another block",
	"fault_write_after_count":           "another block",
	"fault_trap":                        "__trap",
	"fault_shared_in_template":          "__shared__ one in a template",
	"fault_read_before_inputs":          "read of a global buffer before wait_for_inputs",
	"fault_write_before_inputs":         "write of a global buffer before wait_for_inputs",
	"fault_copy_before_inputs":          "read of a global buffer before wait_for_inputs",
	"fault_one_waits_for_inputs":        "before wait_for_inputs|ends without wait_for_inputs",
	"fault_block_without_inputs":        "ends without wait_for_inputs",
}

// unchecked holds the faults that a build without checks finds too.
var unchecked = map[string]bool{
	"fault_end_without_wait": true, "fault_barriers_apart": true, "fault_barrier_for_some": true, "fault_barrier_against_warp": true,
	"fault_shuffles_apart": true, "fault_shuffle_without_one": true, "fault_mask_without_self": true, "fault_matrix_from_global": true,
	"fault_trap": true, "fault_block_without_inputs": true,
}

func TestFaultsAreFound(t *testing.T) {
	for name, words := range faults {
		if !emulator.Checked() && !unchecked[name] {
			continue
		}
		for _, order := range orders {
			d := device(t, emulator.Options{Order: order})
			x := make([]float32, 1024)
			for i := range x {
				x[i] = float32(i)
			}
			px, po := upload(t, d, x), upload(t, d, make([]float32, 128))
			err := launch(t, d, name, 2, 64, 1024, po, px)
			if err == nil {
				t.Errorf("%s, order %d: not found", name, order)
				continue
			}
			if !strings.HasPrefix(err.Error(), "CUDA launch "+name+": ") || !regexp.MustCompile(words).MatchString(err.Error()) {
				t.Errorf("%s, order %d: %v", name, order, err)
			}
			if !regexp.MustCompile(`block \([01],0,0\) thread \([0-9]+,0,0\), (.*faults.cu:[0-9]+|after .*faults.cu:[0-9]+|before its first meeting point): `).MatchString(err.Error()) {
				t.Errorf("%s, order %d: no place in %v", name, order, err)
			}
			if again := d.Sync(); again == nil || again.Error() != err.Error() {
				t.Errorf("%s: after the failure the driver says %v", name, again)
			}
		}
	}
}

// TestFaultsAreAllTried checks that every kernel of faults.cu is in the table.
func TestFaultsAreAllTried(t *testing.T) {
	source := must.Get(os.ReadFile("faults.cu"))(t)
	found := regexp.MustCompile(`(?m)^KERNEL\((\w+)\)`).FindAllStringSubmatch(string(source), -1)
	if len(found) != len(faults) {
		t.Errorf("%d kernels, %d in the table", len(found), len(faults))
	}
	for _, f := range found {
		if faults[f[1]] == "" {
			t.Errorf("%s is not tried", f[1])
		}
	}
}

// TestFailureLeavesNothingBehind checks that the emulator still works after a failed launch, and that
// fibers that stopped in the middle do not go on.
func TestFailureLeavesNothingBehind(t *testing.T) {
	for _, name := range []string{"fault_barrier_for_some", "fault_end_without_wait", "fault_trap"} {
		d := device(t, emulator.Options{})
		x := numbers(1024, 0)
		for i := range x {
			x[i] = float32(i)
		}
		if launch(t, d, name, 2, 64, 1024, upload(t, d, make([]float32, 128)), upload(t, d, x)) == nil {
			t.Fatalf("%s did not fail", name)
		}
		checkTurn(t)
	}
}
