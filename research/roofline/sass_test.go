package main

import (
	"os"
	"strings"
	"testing"
)

// sample returns testdata/sample.sass: a loop with a read of shared memory, a loop of two products,
// a read of memory or a store to shared memory, and an instruction that cuobjdump does not know.
func sample(t *testing.T) *program {
	t.Helper()
	f, err := os.Open("testdata/sample.sass")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	kernels, err := readKernels(f)
	if err != nil || len(kernels) != 1 {
		t.Fatalf("found %d kernels, %v; want one", len(kernels), err)
	}
	return newProgram("sample", kernels["sample"])
}

func TestLoopsNest(t *testing.T) {
	p := sample(t)
	if len(p.code) != 13 || p.code[9].op != "?" {
		t.Errorf("found %d instructions, want 13 of which number 9 is unknown", len(p.code))
	}
	if len(p.loops) != 1 || len(p.loops[0].inner) != 1 { // the one behind EXIT is not reached
		t.Fatalf("found %d outermost loops, want one, with one in it", len(p.loops))
	}
	if n, inner := p.products(p.loops[0]), p.products(p.loops[0].inner[0]); n != 2 || inner != 2 {
		t.Errorf("found %g products, %g of them in the inner loop; want 2 and 2", n, inner)
	}
}

// TestPathCountsTrips takes three trips through the inner loop, and one of two sides.
func TestPathCountsTrips(t *testing.T) {
	p := sample(t)
	outer := p.loops[0]
	thrice := func(*loop) int { return 3 }
	for _, c := range []struct {
		needs []need
		want  effort
	}{
		// 1 LDS, 3 * 3 in the loop, 1 BRA, LDG and BRA, the unknown one and the last BRA. The first
		// product waits for LDS, 30 cycles; a trip of the loop takes 13.
		{nil, effort{Instructions: 15, Products: 6, Shared: 512 + 128, Alone: 30 + 3*13 + 5 + 1 + 5 + 1 + 5}},
		{[]need{{"STS", 1}}, effort{Instructions: 14, Products: 6, Shared: 512 + 256, Alone: 30 + 3*13 + 5 + 1 + 1 + 5}},
	} {
		path, err := p.longest(outer, thrice, c.needs...)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.effortOf(path); got != c.want {
			t.Errorf("with %v: found %+v, want %+v", c.needs, got, c.want)
		}
	}
	none, err := p.longest(outer, func(*loop) int { return 0 }, need{"LDG", 1})
	if err != nil || p.count(none, "HMMA") != 0 {
		t.Errorf("without trips: found %d products, %v; want none", p.count(none, "HMMA"), err)
	}
}

// TestChangedKernelFails holds a kernel whose code is not what the counts take it for to an error
// that says what was found.
func TestChangedKernelFails(t *testing.T) {
	p := sample(t)
	_, err := p.longest(p.loops[0], func(*loop) int { return 3 }, need{"HMMA", 8})
	if err == nil || !strings.Contains(err.Error(), "{HMMA 8}") || !strings.Contains(err.Error(), "found up to [6]") {
		t.Errorf("found %v, want an error with 8 products expected and 6 found", err)
	}
	if _, err := p.longest(p.loops[0], func(*loop) int { return never }); err == nil {
		t.Error("found a path around the inner loop")
	}
	for name, err := range map[string]error{
		"forward":  second(forwardParts(p, splits["f16"])),
		"backward": second(backwardParts(p, splits["f16"], 64)),
	} {
		if err == nil || !strings.Contains(err.Error(), "expected") {
			t.Errorf("%s: found %v, want an error", name, err)
		}
	}
}

func second(_ []counted, err error) error { return err }
