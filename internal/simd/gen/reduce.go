package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// turns writes a loop over the n floats that the pointers point to. A turn takes the given number of
// floats, vector after vector. Only the very last vector is masked. The prefix makes labels unique.
func (v *vectors) turns(prefix string, pointers []reg.GPVirtual, together int, body func(s spot)) {
	n, count := v.pointer("n"), together/v.lanes
	v.SUBQ(Imm(uint64(together)), n)
	v.JL(LabelRef(prefix + "tail"))
	v.Label(prefix + "loop")
	for i := range count {
		body(v.spot(whole{v}, i))
	}
	for _, p := range pointers {
		v.ADDQ(U32(4*together), p)
	}
	v.SUBQ(Imm(uint64(together)), n)
	v.JGE(LabelRef(prefix + "loop"))
	v.Label(prefix + "tail")
	v.ADDQ(Imm(uint64(together)), n)
	for i := range count {
		v.CMPQ(n, Imm(uint64(v.lanes)))
		v.JL(LabelRef(fmt.Sprintf("%slast%d", prefix, i)))
		if i < count-1 {
			body(v.spot(whole{v}, i))
			v.SUBQ(Imm(uint64(v.lanes)), n)
		}
	}
	for i := range count {
		v.Label(fmt.Sprintf("%slast%d", prefix, i))
		v.TESTQ(n, n)
		v.JZ(LabelRef(prefix + "end"))
		body(v.spot(v.masked(1), i))
		v.JMP(LabelRef(prefix + "end"))
	}
	v.Label(prefix + "end")
}

// returns stores the combination of some vectors' elements as the function's result.
func (v *vectors) returns(parts []reg.VecVirtual, combine func(...Op)) {
	v.Store(v.reduce(parts, combine).AsX(), v.ReturnIndex(0))
}

// reduce combines all elements of some sums, or maxima, by halves: elements i and i+32 of 64, then
// i and i+16, and so on.
func (v *vectors) reduce(sums []reg.VecVirtual, combine func(...Op)) reg.VecVirtual {
	for half := len(sums) / 2; half > 0; half /= 2 {
		for i := range half {
			combine(sums[i+half], sums[i], sums[i])
		}
	}
	s, t := sums[0], v.new()
	a, b := Op(s), Op(t)
	// Whole vectors all the way: AVX512F has no shorter instructions for registers beyond the 15th.
	steps := []func(){
		func() { v.VSHUFF64X2(Imm(0b1110), a, a, b) },
		func() { v.VSHUFF64X2(Imm(0b01), a, a, b) },
		func() { v.VSHUFPS(Imm(0b1110), a, a, b) },
		func() { v.VMOVSHDUP(a, b) },
	}
	if v.lanes == 8 {
		a, b = s.AsX(), t.AsX()
		steps = []func(){func() { v.VEXTRACTF128(Imm(1), s, b) }, func() { v.VMOVHLPS(a, a, b) }, steps[3]}
	}
	for _, step := range steps {
		step()
		combine(b, a, a)
	}
	return s
}

// columnLanes is the number of columns that a loop over a row takes at a time, and the number of sums
// that a row is divided into. It is the same for both lengths of vectors, so both instruction sets
// add in the same order.
const columnLanes = 16

// columns writes loops over the columns of a row, for kernels that go through several rows. The
// function has parameters n, the number of columns, and a mask [16] for the last n mod 16.
type columns struct {
	*vectors
	parts  int           // vectors of columnLanes columns
	tail   edge          // for the last columns
	offset reg.GPVirtual // of the column, in bytes
}

// newColumns takes the name of the mask.
func (v *vectors) newColumns(mask string) columns {
	parts := columnLanes / v.lanes
	return columns{vectors: v, parts: parts, tail: v.maskedBy(mask, parts), offset: v.GP64()}
}

// each writes a loop over the columns of a row. body writes the code of a vector, the i-th of
// columnLanes columns. The prefix makes labels unique.
func (c columns) each(prefix string, body func(s spot)) {
	step := func(e edge) {
		for i := range c.parts {
			body(spot{c.vectors, e, i, i, func(p reg.GPVirtual) Mem { return Mem{Base: p, Index: c.offset, Scale: 1, Disp: i * c.bytes()} }})
		}
	}
	left := c.pointer("n")
	c.XORQ(c.offset, c.offset)
	c.steps(left, columnLanes, [3]string{prefix + "Loop", prefix + "Tail", prefix + "Done"}, func() {
		step(whole{c.vectors})
		c.ADDQ(Imm(4*columnLanes), c.offset)
	}, func() { step(c.tail) })
}

// reciprocal returns 1/x of the first element of x, a register of 128 bits.
func (v *vectors) reciprocal(x reg.Register) reg.Register {
	one := v.loaded(v.float(1)).AsX()
	v.VDIVSS(x, one, one)
	return one
}
