package cuda

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/engine/gpu"
)

// sharedPerBlock is the most dynamic shared memory of a block, by compute capability (CUDA
// programming guide, table of technical specifications).
var sharedPerBlock = map[int]int{75: 64 << 10, 80: 163 << 10, 86: 99 << 10, 89: 99 << 10, 90: 227 << 10}

// lissajous returns the kernels of ψ and the decoder of the paper's ACQNP on an architecture, with
// the decoder of a residual adaptor last.
func lissajous(t *testing.T, precision string, capability, width int) []StationaryKernels {
	t.Helper()
	d := gpu.Device{Major: capability / 10, Minor: capability % 10, SharedPerBlock: sharedPerBlock[capability]}
	var all []StationaryKernels
	for _, b := range []BranchKernels{{precision, 1, width, 5, 1}, {precision, 1, width, 3, 3}, {precision, 2, width, 3, 3}} {
		k, ok := Stationary(d, b)
		if !ok || k.Capability != capability {
			t.Fatalf("capability %d has %+v for %+v", capability, k, b)
		}
		all = append(all, k)
	}
	return all
}

// recorded returns the columns of a kernel's line in kernels/registers.txt: registers, stack, spill
// stores, spill loads and static shared memory.
func recorded(t *testing.T, kernel string, capability int) []int {
	t.Helper()
	text, err := os.ReadFile("../../../kernels/registers.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		if len(f) != 7 || f[0] != kernel || f[1] != "sm_"+strconv.Itoa(capability) {
			continue
		}
		var n []int
		for _, v := range f[2:] {
			i, err := strconv.Atoi(v)
			if err != nil {
				t.Fatal(err)
			}
			n = append(n, i)
		}
		return n
	}
	t.Fatalf("kernels/registers.txt has no %s on sm_%d", kernel, capability)
	return nil
}

// TestShapesFit compares what the kernels use with the architectures' limits: 65,536 registers of a
// multiprocessor, which a thread gets in multiples of eight, and the shared memory of a block.
func TestShapesFit(t *testing.T) {
	for _, s := range Shapes {
		for _, k := range lissajous(t, s.Precision, s.Capability, s.Width) {
			for kernel, shared := range map[string]int{k.Forward(): k.ForwardShared(), k.Backward(): k.BackwardShared()} {
				n, limit := recorded(t, kernel, s.Capability), sharedPerBlock[s.Capability]
				if (n[0]+7)/8*8*BranchThreads > 65536 || n[1]+n[2]+n[3] > 0 {
					t.Errorf("%s on sm_%d: %d registers, %d bytes of stack, %d and %d bytes spilled", kernel, s.Capability, n[0], n[1], n[2], n[3])
				}
				if shared+n[4] > limit {
					t.Errorf("%s on sm_%d: %d bytes of shared memory, of %d", kernel, s.Capability, shared+n[4], limit)
				}
			}
		}
	}
}

// TestWeightGradientTraffic counts the bytes of the chunks' sums of the weights' gradients that pass
// through the cache in a step of ACQNP on lissajous. Each sum is written once and read once.
func TestWeightGradientTraffic(t *testing.T) {
	for capability := range sharedPerBlock {
		k := lissajous(t, "f16", capability, 128)
		if bytes := 2 * 4 * k[0].Chunks * (k[0].Partials() + k[1].Partials()); bytes >= 1e8 {
			t.Errorf("capability %d: %d bytes a step", capability, bytes)
		}
	}
}

// TestStationaryChoice tries devices between the architectures, a device with little shared memory,
// and perceptrons without kernels.
func TestStationaryChoice(t *testing.T) {
	psi := BranchKernels{"f16", 1, 128, 5, 1}
	for _, c := range []struct {
		capability, shared, want int
	}{{75, 64 << 10, 75}, {87, 163 << 10, 86}, {100, 227 << 10, 90}, {120, 99 << 10, 89}, {90, 48 << 10, 0}, {70, 96 << 10, 0}} {
		k, _ := Stationary(gpu.Device{Major: c.capability / 10, Minor: c.capability % 10, SharedPerBlock: c.shared}, psi)
		if k.Capability != c.want {
			t.Errorf("capability %d with %d bytes has the shape of %d, want %d", c.capability, c.shared, k.Capability, c.want)
		}
	}
	for _, b := range []BranchKernels{{"f32", 1, 128, 5, 1}, {"f16", 1, 96, 5, 1}, {"f16", 3, 128, 5, 1}, {"f16", 1, 128, 1, 1}, {"f16", 1, 128, 5, 17}, {"tf32", 1, 96, 5, 1}} {
		if _, ok := Stationary(gpu.Device{Major: 9, SharedPerBlock: 227 << 10}, b); ok {
			t.Errorf("%+v has kernels", b)
		}
	}
}
