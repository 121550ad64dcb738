package main

import (
	"cmp"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/engine/cuda"
)

// TestMeasured holds the predictions to what an H100 took for the kernels of commit 3ca6e741
// (research/data/gpu-kernels.csv), in ms, to 25%: the assumed latencies are known no better, and
// stores are taken to delay nothing. The measured times include a kernel's start.
func TestMeasured(t *testing.T) {
	f, err := os.Open("testdata/3ca6e741.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	counts, err := readCounts(f)
	if err != nil {
		t.Fatal(err)
	}
	h100 := chips[4]
	shape := cuda.Shape{Precision: "f16", Capability: 90, Width: width, Resident: 6, Rows: 64, Stages: 2}
	took := map[string][2]float64{"ψ": {0.219, 0.672}, "decoder": {0.139, 0.433}}
	for _, b := range branches {
		s, err := newStationary(h100, b, shape, counts)
		if err != nil {
			t.Fatal(err)
		}
		s.chunks = 124
		for i, k := range []kernel{s.forward(), s.backward()} {
			ms, want := s.predict(k).ms+h100.of(nodeTime)/1e3, took[b.name][i]
			t.Logf("%s: predicted %.3f ms, measured %.3f: %+.0f%%", k.name, ms, want, 100*(ms/want-1))
			if math.Abs(ms/want-1) > 0.25 {
				t.Errorf("%s: %.3f ms, measured %.3f", k.name, ms, want)
			}
		}
	}
}

// TestCountsAreThere looks for every kernel of the engine in counts.txt, and holds the sums of a chunk
// to 0.8 MB through the L2 in a step, 0.1 GB for the 124 chunks that were usual.
func TestCountsAreThere(t *testing.T) {
	counts, err := loadCounts("", "")
	if err != nil {
		t.Fatal(err)
	}
	cases, err := report{chips: chips, counts: counts}.cases()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		bytes := 0.0
		precision, _, _ := strings.Cut(c.precision, ",")
		shape, _ := shapeOf(c.chip, precisionOf(precision))
		for _, b := range branches {
			s, err := newStationary(c.chip, b, shape, counts)
			if err != nil {
				t.Fatal(err)
			}
			bytes += 2 * s.sums()
		}
		if bytes /= c.multiprocessors; bytes >= 0.8e6 {
			t.Errorf("%s, %s: %.2f MB of a chunk's gradients pass through the L2", c.name, c.precision, bytes/1e6)
		}
	}
	if _, err := (report{chips: chips}).cases(); err == nil {
		t.Error("found no error for kernels without counts")
	}
}

func precisionOf(name string) string {
	for _, p := range precisions {
		if p.name == name {
			return p.kernels
		}
	}
	return ""
}

// TestRemainder counts the launches of a step outside the branch, in the engine's own graph.
func TestRemainder(t *testing.T) {
	for _, hopper := range []bool{false, true} {
		r, err := remainderOf("../../configs/lissajous/acqnp.yaml", hopper)
		if err != nil {
			t.Fatal(err)
		}
		if r.launches < 1 || r.launches > 17 || r.chain < r.launches/2 || r.chain > 20 || r.bytes < 50e6 || r.bytes > 200e6 {
			t.Errorf("found %+v, want at most 17 launches and a chain of 20, which move about 0.1 GB", r)
		}
	}
}

// TestPairsMakeTheirProducts holds the counts of the pairs' kernels to 23 products of a layer with all
// rows: 6 forward, 12 of gradients, and 5 of hidden layers that are computed again. Tiles that are not
// full add a twentieth, the sums of biases and the output's columns two.
func TestPairsMakeTheirProducts(t *testing.T) {
	counts, err := loadCounts("", "")
	if err != nil {
		t.Fatal(err)
	}
	const layer = 2 * rows * square
	h100, flops := chips[4], 0.
	for _, b := range branches {
		h, err := newHopperBranch(h100, b, counts)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range h.all() {
			for _, ph := range k.phases {
				if ph.group {
					flops += ph.warp.Products * 4096 * ph.passes * float64(cmp.Or(ph.warps, warps)) * h100.multiprocessors
				}
			}
		}
	}
	if n := flops / layer; n < 23 || n > 26.5 {
		t.Errorf("found the products of %.1f layers, want 23 to 26.5", n)
	}
}

// TestPassBounds compares a pass with bounds that hold for any order of the warps: no unit does more
// than its rate, no warp is faster than alone, and at worst each waits for all others at every unit.
func TestPassBounds(t *testing.T) {
	for _, w := range []effort{
		{Instructions: 100, Alone: 1000},                            // waits for itself
		{Instructions: 1000, Alone: 1000},                           // issues at every cycle
		{Instructions: 500, Products: 500, Shared: 1, Alone: 5000},  // the matrix unit
		{Instructions: 100, Products: 10, Shared: 1e5, Alone: 2000}, // shared memory
	} {
		for i, c := range append(slices.Clone(chips), chips[4]) {
			ph := phase{warp: w, group: i == len(chips)} // by wgmma on the last, an H100
			busy, sharers := c.service(ph)
			alone := max(c.alone(ph), busy[matrixUnit]+busy[sharedMemory]+busy[instructions])
			most, got := alone, c.pass(ph)
			for r := range busy {
				if got < 0.99*busy[r]*sharers[r] {
					t.Errorf("%s: %+v takes %g cycles, less than %s needs", c.name, w, got, resourceNames[r])
				}
				most += busy[r] * (sharers[r] - 1)
			}
			if got < alone || got > most {
				t.Errorf("%s: %+v takes %g cycles, want %g to %g", c.name, w, got, alone, most)
			}
		}
	}
}

func TestCeilings(t *testing.T) {
	const head, gpu = "constant,value,unit\n", "capability,90,\nmultiprocessors,132,\n"
	all, err := measured(strings.NewReader(head + gpu + "mma_f16_8_warps,612,TFLOP/s\nmemory_write,2.5,TB/s\nmemory_read,2.9,TB/s\n" +
		"graph_of_20_kernels_of_1_blocks,60,us\nupload_of_16_KiB,9,us\n"))
	if err != nil || len(all) != len(chips) || all[0].capability != 90 || all[0].constants[l2Rate].source != "assumed" {
		t.Fatalf("found %+v, %v; want sm_90 with an assumed L2, and the others", all, err)
	}
	c, a100 := all[0], all[4]
	if got, want := a100.of(memoryRate), chips[3].of(memoryRate)*2.5/3; a100.name != "A100" || math.Abs(got/want-1) > 1e-9 || a100.of(l2Size) != 40 || math.Abs(a100.of(matrixRate)-312) > 1e-9 {
		t.Errorf("%+v, want memory at %g TB/s, in proportion, its own L2, and products at no more than 312 TFLOP/s", a100, want)
	}
	for f, want := range map[figure]float64{matrixRate: 612, memoryRate: 2.5, nodeTime: 3} {
		if c.constants[f] != (constant{want, "measured"}) {
			t.Errorf("%s: found %+v, want %g, measured", figures[f], c.constants[f], want)
		}
	}
	for text, want := range map[string]string{
		head + "mma_f16_8_warps,612,TFLOP/s\n":       "capability",
		head + gpu + "mma_f16_8_warps,612,GFLOP/s\n": "unit",
		head + gpu + "memory_read,much,TB/s\n":       "line 4",
	} {
		if _, err := measured(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: found %v, want an error with %q", text, err, want)
		}
	}
}

func TestCountsRoundTrip(t *testing.T) {
	for name, recorded := range map[string]string{"counts.txt": recorded, "pairs.txt": recordedPairs} {
		counts, err := readCounts(strings.NewReader(recorded))
		if err != nil {
			t.Fatal(err)
		}
		var again strings.Builder
		_, table, _ := strings.Cut(recorded, "\n") // the first line names nvcc
		if err := printCounts(&again, counts); err != nil || again.String() != table {
			t.Errorf("%s is not as --record writes it: %v", name, err)
		}
	}
	if _, err := readCounts(strings.NewReader("branch_forward_f16_128 sm_90 layer\n")); err == nil {
		t.Error("found no error for a line without numbers")
	}
}
