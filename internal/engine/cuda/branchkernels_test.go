package cuda

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/test/must"
	"github.com/acqnp/acqnp/kernels/gpu"
)

// sharedPerBlock is the most dynamic shared memory of a block, by compute capability (CUDA
// programming guide, table of technical specifications).
var sharedPerBlock = map[int]int{75: 64 << 10, 80: 163 << 10, 86: 99 << 10, 89: 99 << 10, 90: 227 << 10}

// multiprocessors of the largest usual GPU of a compute capability: T4, A100, A40, L40S, H100.
var multiprocessors = map[int]int{75: 40, 80: 108, 86: 84, 89: 142, 90: 132}

// perceptron returns a branch over levels.
func perceptron(precision string, inputs, width, depth, outputs int) Perceptron {
	return Perceptron{Precision: precision, Inputs: inputs, Width: width, Depth: depth, Outputs: outputs}
}

// lissajous returns the kernels of ψ and the decoder of the paper's ACQNP on an architecture, with
// the decoder of a residual adaptor last.
func lissajous(t *testing.T, precision string, capability, width int) []BranchKernels {
	t.Helper()
	d := gpu.Device{Major: capability / 10, Minor: capability % 10, SharedPerBlock: sharedPerBlock[capability], Multiprocessors: multiprocessors[capability]}
	var all []BranchKernels
	for _, p := range []Perceptron{perceptron(precision, 1, width, 5, 1), perceptron(precision, 1, width, 3, 3), perceptron(precision, 2, width, 3, 3)} {
		k, ok := Kernels(d, p)
		if !ok {
			t.Fatalf("capability %d has no kernels for %+v", capability, p)
		}
		all = append(all, k)
	}
	return all
}

// recorded returns the columns of a kernel's line in a file of kernels/registers: registers, stack, spill
// stores, spill loads, static shared memory and instructions. It returns nil if the file has no such GPU.
func recorded(t *testing.T, file, kernel, gpu string) []int {
	t.Helper()
	text := must.Get(os.ReadFile(file))(t)
	compiled := false
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		if len(f) != 8 || f[1] != gpu {
			continue
		}
		if compiled = true; f[0] != kernel {
			continue
		}
		var n []int
		for _, v := range f[2:] {
			i := must.Get(strconv.Atoi(v))(t)
			n = append(n, i)
		}
		return n
	}
	if compiled {
		t.Errorf("%s has no %s on %s", file, kernel, gpu)
	}
	return nil
}

// TestShapesFit compares what the kernels use with the architectures' limits: 65,536 registers of a
// multiprocessor, which a thread gets in multiples of eight, and the shared memory of a block.
func TestShapesFit(t *testing.T) {
	files := must.Get(filepath.Glob("../../../kernels/registers/*.txt"))(t)
	found := map[string]bool{} // the GPUs that a file has
	for capability := range sharedPerBlock {
		for _, precision := range []string{"f16", "f32"} {
			for _, width := range []int{64, 128} {
				for _, k := range lissajous(t, precision, capability, width) {
					for _, file := range files {
						fits(t, file, k, "sm_"+strconv.Itoa(capability), found)
					}
				}
			}
		}
	}
	hopper := gpu.Device{Major: 9, SharedPerBlock: sharedPerBlock[90], Multiprocessors: multiprocessors[90], Hopper: true}
	for depth := 2; depth < 7; depth++ {
		for _, width := range []int{64, 128} {
			k, ok := Kernels(hopper, perceptron("f16", 1, width, depth, 3))
			if !ok || !k.Pairs {
				t.Fatalf("no pairs of width %d, depth %d", width, depth)
			}
			for _, file := range files {
				fits(t, file, k, "sm_90a", found)
			}
		}
	}
	if len(found) != len(sharedPerBlock)+1 {
		t.Errorf("kernels/registers has %v", found)
	}
}

// fits compares what a perceptron's kernels use with the limits of a GPU.
func fits(t *testing.T, file string, k BranchKernels, gpu string, found map[string]bool) {
	t.Helper()
	threads, shared := map[string]int{k.Forward(): k.ForwardThreads()}, map[string]int{k.Forward(): k.ForwardShared()}
	for _, p := range k.Backward() {
		threads[p.Kernel], shared[p.Kernel] = BranchThreads, k.BackwardShared()
	}
	for kernel := range threads {
		n := recorded(t, file, kernel, gpu)
		if n == nil {
			continue
		}
		found[gpu] = true
		if (n[0]+7)/8*8*threads[kernel] > 65536 || n[1]+n[2]+n[3] > 0 {
			t.Errorf("%s: %s on %s: %d registers, %d bytes of stack, %d and %d bytes spilled", file, kernel, gpu, n[0], n[1], n[2], n[3])
		}
		if limit := sharedPerBlock[k.Capability]; shared[kernel]+n[4] > limit {
			t.Errorf("%s: %s on %s: %d bytes of shared memory, of %d", file, kernel, gpu, shared[kernel]+n[4], limit)
		}
	}
}

// TestWeightGradientTraffic compares the bytes of the chunks' sums of the weights' gradients, each
// written and read once, with those of the hidden layers that a step of ACQNP on lissajous moves: 20
// times 128 halves of 128·53·50 rows (branch_f16.cu). They must be less than a tenth.
func TestWeightGradientTraffic(t *testing.T) {
	for capability := range sharedPerBlock {
		k := lissajous(t, "f16", capability, 128)
		sums, hidden := 2*4*k[0].Chunks*(k[0].Partials()+k[1].Partials()), 20*2*128*128*53*50
		if sums*10 >= hidden {
			t.Errorf("capability %d: %d bytes a step of %d", capability, sums, hidden)
		}
	}
}

// TestKernelsChoice tries devices between the architectures, a device with little shared memory,
// and perceptrons without kernels.
func TestKernelsChoice(t *testing.T) {
	psi := perceptron("f16", 1, 128, 5, 1)
	for _, c := range []struct {
		capability, shared, want int
	}{{75, 64 << 10, 75}, {87, 163 << 10, 86}, {100, 227 << 10, 90}, {89, 99 << 10, 86}, {120, 99 << 10, 86}, {90, 48 << 10, 0}, {70, 96 << 10, 0}} {
		k, _ := Kernels(gpu.Device{Major: c.capability / 10, Minor: c.capability % 10, SharedPerBlock: c.shared}, psi)
		if k.Capability != c.want {
			t.Errorf("capability %d with %d bytes has the shape of %d, want %d", c.capability, c.shared, k.Capability, c.want)
		}
	}
	hopper := gpu.Device{Major: 9, SharedPerBlock: 227 << 10, Hopper: true}
	for depth, want := range map[int]string{2: "only", 3: "whole", 4: "top last", 5: "top bottom", 6: "top middle last", 7: ""} {
		k, _ := Kernels(hopper, perceptron("f16", 1, 128, depth, 1))
		var passes []string
		for _, p := range k.Backward() {
			passes = append(passes, strings.TrimPrefix(p.Kernel, "branch_backward_f16_pairs_128_"))
		}
		if got := strings.Join(passes, " "); k.Pairs && got != want || k.Pairs == (want == "") {
			t.Errorf("depth %d takes the passes %s, want %s", depth, got, want)
		}
	}
	if k, _ := Kernels(hopper, perceptron("f32", 1, 128, 5, 1)); k.Pairs {
		t.Error("fp32 runs on the pairs of half precision")
	}
	for _, b := range []Perceptron{perceptron("f32", 1, 96, 5, 1), perceptron("f16", 1, 96, 5, 1), perceptron("f16", 3, 128, 5, 1), perceptron("f16", 1, 128, 1, 1),
		perceptron("f16", 1, 128, 5, 17), perceptron("f16", 1, 128, 3, 0)} {
		if _, ok := Kernels(gpu.Device{Major: 9, SharedPerBlock: 227 << 10}, b); ok {
			t.Errorf("%+v has kernels", b)
		}
	}
}
