package main

import (
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

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
