//go:build simt

package emulator_test

import (
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/test/must"
	"github.com/acqnp/acqnp/kernels/emulator"
)

// flaws maps the flaws of faults_hopper.cu to patterns that the error must match. An empty pattern:
// no error, but other results.
var flaws = map[string]string{
	"NO_FENCE":                  "no fence_async of that thread",
	"FENCE_AFTER_BARRIER":       "no fence_async of that thread",
	"FENCE_BY_ONE":              "no fence_async of that thread",
	"NO_BARRIER_BEFORE_STORE":   "data race: read in the background of byte .* written by thread",
	"NO_BARRIER_AFTER_PRODUCTS": "data race: write of byte .* read by others|data race: write .* wgmma or bulk_store",
	"BARRIER_OF_OTHERS":         "data race",
	"BARRIER_OF_HALF":           "data race|barrier_sync [12] of 64 threads, while others wait there for 128|they could meet there",
	"BARRIER_OF_MORE":           "barrier_sync 1 of (128|256) threads, while others wait there for (128|256)|waits forever",
	"BARRIER_OF_BOTH":           "data race|comes to barrier_sync 3, which warp . has passed without this warp",
	"NO_PRODUCT_WAIT":           "still read by a wgmma or bulk_store|ends without waiting for its wgmma",
	"WAIT_FOR_TOO_FEW":          "still read by a wgmma or bulk_store|ends without waiting for its wgmma",
	"LOAD_TOO_SOON":             "still read by a wgmma or bulk_store",
	"STORE_TO_OPERAND":          "still read by a wgmma or bulk_store",
	"WRITE_RESULT":              "wrote a register of a wgmma's result before a wgmma_wait",
	"NO_PRODUCT_FENCE":          "without a wgmma_fence",
	"OTHER_OPERANDS":            "operands are others than those of thread",
	"HALF_A_GROUP":              "waits forever|meets thread",
	"NO_COMMIT":                 "still read by a wgmma or bulk_store|ends without waiting for its wgmma",
	"WRONG_LEADING":             "",
	"WRONG_TRANSPOSE":           "data race: read in the background .* written by a bulk_load, and no mbarrier_wait", // in other tiles
	"PATTERN_MOVED":             "does not begin at a multiple of 1024",
	"OPERAND_OUTSIDE":           "bits that are 0 are set",
	"NO_LOAD_WAIT":              "still written",
	"WRONG_PARITY":              "still written",
	"EXPECT_MORE":               "waits forever: .* at mbarriers",
	"EXPECT_LESS":               "bulk_load of more bytes than the 8176",
	"EXPECT_TWICE":              "mbarrier_expect again",
	"NO_INIT":                   "where no mbarrier_init was",
	"LOAD_OF_12_BYTES":          "want a multiple of 16",
	"LOAD_FROM_ODD_ADDRESS":     "global memory that is not aligned to 16 bytes",
	"LOAD_BEYOND":               "not in one allocation",
	"NO_STORE_READ":             "still read by a wgmma or bulk_store",
	"NO_STORE_END":              "ends without waiting for its bulk_store",
	"NO_STORE_READ_BARRIER":     "data race",
	"LOAD_OVER_STORE":           "still read by a wgmma or bulk_store",
	"STMATRIX_MISALIGNED":       "stmatrix_x4 to a row that is not aligned",
	"READ_BEFORE_STORE_END":     "a bulk_store is still writing",
	"LOAD_BEFORE_STORE_END":     "a bulk_store is still writing",
	"READ_BEFORE_LOAD":          "still written|nothing has written",
}

// flawList returns the enumerators of faults_hopper.cu after NONE, whose values are 1, 2, …
func flawList(t *testing.T) []string {
	source := must.Get(os.ReadFile("faults_hopper.cu"))(t)
	_, list, _ := strings.Cut(string(source), "enum Flaw {")
	list, _, _ = strings.Cut(list, "}")
	return regexp.MustCompile(`\b[A-Z][A-Z0-9_]+\b`).FindAllString(list, -1)[1:]
}

// swizzled returns where element (row, column) of halves [columns/64][rows][64] is.
func swizzled(rows, row, column int) int {
	return column/64*rows*64 + row*64 + (column%64/8^row%8)*8 + column%8
}

// runPipeline runs the pipeline and returns its results.
func runPipeline(t *testing.T, order, flaw int, x, weights []uint16) ([]uint16, error) {
	d := device(t, emulator.Options{Order: order})
	out := upload(t, d, make([]uint16, 12*64*128))
	if err := launch(t, d, "fault_pipeline", 2, 256, 1024+65536+128, out, upload(t, d, x), upload(t, d, weights), int32(flaw)); err != nil {
		return nil, err
	}
	return download[uint16](t, d, out, 12*64*128), nil
}

func TestFlawsAreFound(t *testing.T) {
	// Numbers are small integers, and their sums exact in halves.
	half := func(v int) uint16 {
		b := math.Float32bits(float32(v))
		if v == 0 {
			return 0
		}
		return uint16(b>>16&0x8000 | (b&0x7fffffff-0x38000000)>>13)
	}
	number := func(i int) int { return i*2654435761>>9%7 - 3 }
	x, weights, want := make([]uint16, 12*64*64), make([]uint16, 64*128), make([]uint16, 12*64*128)
	for k := range 64 {
		for i := range 12 * 64 {
			x[i/64*4096+swizzled(64, i%64, k)] = half(number(64*i + k))
		}
		for j := range 128 {
			weights[swizzled(64, k, j)] = half(number(100000 + 128*k + j))
		}
	}
	for i := range 12 * 64 {
		for j := range 128 {
			sum := 0
			for k := range 64 {
				sum += number(64*i+k) * number(100000+128*k+j)
			}
			want[i/64*8192+swizzled(64, i%64, j)] = half(sum)
		}
	}
	list := flawList(t)
	if len(list) != len(flaws) {
		t.Errorf("%d flaws, %d in the table", len(list), len(flaws))
	}
	for _, order := range orders {
		got, err := runPipeline(t, order, 0, x, weights)
		if err != nil || !slices.Equal(got, want) {
			t.Fatalf("without a flaw, order %d: %v, results equal: %v", order, err, slices.Equal(got, want))
		}
		if !emulator.Checked() {
			continue
		}
		for i, flaw := range list {
			words, known := flaws[flaw]
			if !known {
				t.Errorf("%s is not tried", flaw)
			}
			got, err := runPipeline(t, order, i+1, x, weights)
			switch {
			case err == nil && (words != "" || slices.Equal(got, want)):
				t.Errorf("%s, order %d: not found", flaw, order)
			case err != nil && (words == "" || !regexp.MustCompile(words).MatchString(err.Error())):
				t.Errorf("%s, order %d: %v", flaw, order, err)
			}
		}
	}
}
