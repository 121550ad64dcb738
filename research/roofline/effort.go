package main

import (
	"fmt"
	"strings"
)

// An effort is what a warp does in one pass through a part of a kernel.
type effort struct {
	Instructions float64 // issued, NOP and those that are skipped by a predicate too
	Products     float64 // cycles of the matrix unit, counted in m16n8k16 of half precision
	Shared       float64 // bytes by way of shared memory and the L1 cache, 32 lanes
	Barriers     float64
	Alone        float64 // cycles that the warp takes if no other one runs
}

func (w *effort) add(v effort, times float64) {
	w.Instructions += times * v.Instructions
	w.Products += times * v.Products
	w.Shared += times * v.Shared
	w.Barriers += times * v.Barriers
	w.Alone += times * v.Alone
}

// Cycles until the result of an instruction without a fixed latency is there. They are assumptions,
// from microbenchmarks of several GPUs, rounded.
const (
	nearCycles = 30  // shared memory, constants, special functions, conversions
	farCycles  = 270 // a read of device memory, found in the L2
	readCycles = 12  // until a store has read its registers
)

// effortOf returns the work of a path.
func (p *program) effortOf(path []piece) (w effort) {
	w = p.counts(path)
	var t timeline
	p.run(&t, path)
	w.Alone = t.now
	return w
}

// counts returns the work of a path without its time.
func (p *program) counts(path []piece) (w effort) {
	for _, piece := range path {
		w.add(p.counts(piece.body), float64(piece.trips))
		for _, in := range p.code[piece.first:piece.end] {
			w.Instructions++
			switch op := in.opcode(); op {
			case "HMMA", "HGMMA":
				w.Products += in.product()
			case "BAR":
				if !in.when { // otherwise it is for other layers
					w.Barriers++
				}
			case "LDS", "STS", "LDSM", "STSM", "LDG", "STG", "LDGSTS":
				w.Shared += in.bytes()
			}
		}
	}
	return w
}

// has reports whether an instruction has a suffix.
func (i instruction) has(suffix string) bool { return strings.Contains(i.op+".", "."+suffix+".") }

// product returns the work of an instruction of the matrix unit. m16n8k8 takes half as long as
// m16n8k16.
func (i instruction) product() float64 {
	var columns int
	if n, _ := fmt.Sscanf(i.op, "HGMMA.64x%dx16", &columns); n == 1 {
		return groupProduct(float64(columns))
	}
	if i.has("1688") {
		return 0.5
	}
	return 1
}

// groupProduct returns a warp's part of a warpgroup's product of 64 rows. With few columns it takes as
// long as its operands come from shared memory, 512 bytes in the time of a product.
func groupProduct(columns float64) float64 { return max(columns/8, (64*32+columns*32)/512) }

// bytes returns the bytes that the 32 lanes of a load or store move. Less than 4 bytes a lane take as
// long as 4.
func (i instruction) bytes() float64 {
	switch {
	case i.has("128"), (i.opcode() == "LDSM" || i.opcode() == "STSM") && i.has("4"):
		return 512
	case i.has("64"), i.opcode() == "LDSM" && i.has("2"):
		return 256
	}
	return 128
}

// A timeline executes a warp's instructions one after another, without other warps. Each
// instruction says how many cycles the next one has to wait, which of six barriers it sets until its
// result is there, or until it has read its registers, and for which it waits itself.
type timeline struct {
	now   float64
	ready [6]float64
}

// run executes a path. The body of a loop is executed twice; further trips take as long as the
// second.
func (p *program) run(t *timeline, path []piece) {
	for _, piece := range path {
		for _, in := range p.code[piece.first:piece.end] {
			t.execute(in)
		}
		var last float64
		for range min(piece.trips, 2) {
			before := t.now
			p.run(t, piece.body)
			last = t.now - before
		}
		if more := float64(piece.trips - 2); more > 0 && piece.body != nil {
			t.now += more * last
			for i := range t.ready {
				t.ready[i] += more * last
			}
		}
	}
}

func (t *timeline) execute(in instruction) {
	field := func(from, bits int) int { return int(in.control >> from & (1<<bits - 1)) }
	for i := range t.ready {
		if field(52, 6)>>i&1 == 1 {
			t.now = max(t.now, t.ready[i])
		}
	}
	if b := field(46, 3); b < len(t.ready) {
		t.ready[b] = max(t.ready[b], t.now+in.latency())
	}
	if b := field(49, 3); b < len(t.ready) {
		t.ready[b] = max(t.ready[b], t.now+readCycles)
	}
	t.now += max(1, float64(field(41, 4)))
}

// latency returns the cycles until an instruction's result is there. LD reads what is usually in shared
// memory: the bases of a tile's points.
func (i instruction) latency() float64 {
	if i.opcode() == "LDG" {
		return farCycles
	}
	return nearCycles
}
