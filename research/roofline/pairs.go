package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/acqnp/acqnp/internal/engine/cuda"
)

// Kernels of pairs (kernels/pair_math.h) take rows through two square layers a pass, with Hopper's own
// instructions. Forward, three warpgroups go their own ways, each with a tile of 64 rows. Backward, two
// have a tile of 128 rows and meet at barriers, so that both wait for the products of both.
const (
	pairForwardRows  = 64
	pairBackwardRows = 128
)

// pairParts returns the parts of a kernel of pairs. Those of a forward kernel are the first layer, a
// square layer, one that is kept, and 8 columns of the output. Those of a pass backward are what its
// warps do in a tile while products of a warpgroup are under way, and the rest.
func pairParts(p *program) ([]counted, error) {
	if strings.Contains(p.name, "forward") {
		return pairForward(p)
	}
	tile := p.innermost("HGMMA")
	if tile == nil {
		return nil, fmt.Errorf("%s: found no loop with wgmma, expected one over tiles", p.name)
	}
	// A step of 16 rows has two thin products, two rows of the first layer are stored at a time.
	trips := func(l *loop) int {
		switch {
		case len(l.inner) == 0 && p.has(l, "HMMA"):
			return pairBackwardRows / 16 * 2 / p.count(p.whole(l), "HMMA")
		case p.has(l, "FFMA") && p.has(l, "STS"):
			return p.share() / p.count(p.whole(l), "STS")
		}
		return 1
	}
	products := need{"HGMMA", p.count(p.whole(tile), "HGMMA")}
	path, err := p.longest(tile, trips, products)
	if err == nil && !strings.HasSuffix(p.name, "_middle") && !strings.HasSuffix(p.name, "_bottom") && !strings.HasSuffix(p.name, "_last") {
		// Of the output's 16 columns, 8 are there; an element of its gradient is two stores.
		absent := pairBackwardRows * 8 / threads
		path, err = p.longest(tile, trips, products, need{"STS", p.count(path, "STS") - 2*absent})
	}
	if err != nil {
		return nil, err
	}
	under, between := p.divide(path)
	return []counted{{name: "products", rows: pairBackwardRows, effort: p.counts(under)},
		{name: "between", rows: pairBackwardRows, effort: p.effortOf(between)}}, nil
}

// share returns the stores of 16 bytes with which a thread has its share of a tile.
func (p *program) share() int { return pairBackwardRows * width * 2 / 16 / threads }

func pairForward(p *program) (parts []counted, err error) {
	layer := p.innermost("HGMMA")
	tile := slices.IndexFunc(p.loops, func(l *loop) bool { return slices.Contains(l.inner, layer) })
	if tile < 0 || len(p.loops[tile].inner) != 2 {
		return nil, fmt.Errorf("%s: expected a loop over tiles with two loops, of the layers and the output", p.name)
	}
	all := p.loops[tile]
	for _, of := range []struct {
		name  string
		loop  *loop
		trips int
		needs []need
	}{
		{"first", all, 0, nil},
		{"layer", layer, 1, []need{{"HGMMA", width / 16}, {"STSM", 0}, {"BAR", 0}}},
		{"kept", layer, 1, []need{{"HGMMA", width / 16}, {"STSM", width / 16}}},
		{"output", all.inner[1], 1, nil},
	} {
		path, err := p.longest(of.loop, func(*loop) int { return of.trips }, of.needs...)
		if err != nil {
			return nil, err
		}
		w := p.counts(path)
		_, between := p.divide(path)
		w.Alone = p.effortOf(between).Alone
		parts = append(parts, counted{name: of.name, rows: pairForwardRows, effort: w})
	}
	return parts, nil
}

// innermost returns the innermost loop that has all of an instruction; nil if there is none.
func (p *program) innermost(opcode string) (found *loop) {
	for ls := p.loops; ; {
		i := slices.IndexFunc(ls, func(l *loop) bool { return p.has(l, opcode) })
		if i < 0 {
			return found
		}
		found, ls = ls[i], ls[i].inner
	}
}

// divide divides a path into what a warp does from the start of a warpgroup's products until it has
// waited for them, and the rest.
func (p *program) divide(path []piece) (under, between []piece) {
	waits := false // behind, for products that start before
	for _, part := range slices.Backward(path) {
		for i := max(part.end, part.first+1) - 1; i >= part.first; i-- {
			one := part // a loop
			if part.body == nil {
				one = piece{first: i, end: i + 1, trips: 1}
				waits = waits || p.code[i].op == "WARPGROUP.DEPBAR.LE"
			}
			if waits {
				under = append(under, one)
			} else {
				between = append(between, one)
			}
			waits = waits && (part.body != nil || p.code[i].op != "WARPGROUP.ARRIVE")
		}
	}
	slices.Reverse(under)
	slices.Reverse(between)
	return under, between
}

// hopperBranch holds the kernels of pairs for a branch.
type hopperBranch struct {
	chip
	branch
	cuda.BranchKernels
	parts map[string]counted // by kernel and part
}

func newHopperBranch(c chip, b branch, counts []counted) (*hopperBranch, error) {
	h := &hopperBranch{chip: c, branch: b, parts: map[string]counted{}, BranchKernels: cuda.BranchKernels{
		Perceptron: cuda.Perceptron{Precision: "f16", Inputs: int(b.inputs), Width: width, Depth: int(b.depth), Outputs: int(b.outputs)},
		Capability: c.capability, Pairs: true}}
	names := map[string][]string{h.Forward(): {"first", "layer", "kept", "output"}}
	for _, pass := range h.Backward() {
		names[pass.Kernel] = []string{"products", "between"}
	}
	for kernel, parts := range names {
		for _, part := range parts {
			i := slices.IndexFunc(counts, func(c counted) bool { return c.kernel == kernel && c.name == part })
			if i < 0 {
				return nil, fmt.Errorf("found no count of %s, part %s: record the counts of pairs again", kernel, part)
			}
			h.parts[kernel+" "+part] = counts[i]
		}
	}
	return h, nil
}

// tiles returns the tiles of a chunk. A multiprocessor has one chunk.
func (h *hopperBranch) tiles() float64 {
	return math.Ceil(math.Ceil(points/h.multiprocessors) * levels / pairBackwardRows)
}

func (h *hopperBranch) all() []kernel {
	const row = 2 * width * rows // bytes of a hidden layer
	passes := h.Backward()
	kept := float64(len(passes) - 1)
	layers := h.depth - 1
	part := func(name string) effort { return h.parts[h.Forward()+" "+name].effort }
	unit := part("first")
	unit.add(part("layer"), layers-kept)
	unit.add(part("kept"), kept)
	unit.add(part("output"), math.Ceil(h.outputs/8))
	chunks := math.Ceil(points / math.Ceil(points/h.multiprocessors))
	ks := []kernel{{name: "branch_forward, " + h.branch.name, phases: []phase{{name: "rows", warp: unit, warps: 12, group: true,
		passes: math.Ceil(chunks * h.tiles() * pairBackwardRows / pairForwardRows / (3 * h.multiprocessors)),
		wait:   h.of(memoryTrip) / h.tiles(),
		memory: kept*row + 4*(h.inputs+h.outputs)*rows + 4*width*points, l2: layers * 2 * square * h.multiprocessors}}}}
	for i, pass := range passes {
		top, bottom := i == 0, i == len(passes)-1
		square := 2 * square // two layers
		if pass.Layer == 0 && int(layers)%2 == 1 {
			square /= 2
		}
		traffic := 0.
		if !top {
			traffic += row
		}
		if !bottom {
			traffic += 2 * row
		}
		if top {
			traffic += 4 * h.outputs * rows
		}
		if bottom {
			traffic += 4*2*h.inputs*rows + 8*width*points
		}
		of := func(part string) effort { return h.parts[pass.Kernel+" "+part].effort }
		ks = append(ks, kernel{name: pass.Kernel[strings.LastIndex(pass.Kernel, "_")+1:] + " backward, " + h.branch.name, phases: []phase{
			{name: "products", warp: of("products"), passes: h.tiles(), group: true, together: true},
			{name: "between", warp: of("between"), passes: h.tiles()},
			// The chunk's weights and its first tile are waited for, its sums are written.
			{name: "chunk", passes: 1, wait: 2 * h.of(memoryTrip), memory: traffic, l2: chunks * (2 + 4) * square},
		}})
	}
	return ks
}
