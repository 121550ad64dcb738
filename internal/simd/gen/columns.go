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

// each writes a loop over the columns of a row. body(e, i, part) writes the code of the i-th vector of
// columnLanes columns; part(p) is its address in the row at p. The prefix makes labels unique.
func (c columns) each(prefix string, body func(e edge, i int, part func(p reg.GPVirtual) Mem)) {
	step := func(e edge) {
		for i := range c.parts {
			body(e, i, func(p reg.GPVirtual) Mem { return Mem{Base: p, Index: c.offset, Scale: 1, Disp: i * c.bytes()} })
		}
	}
	left := c.pointer("n")
	c.XORQ(c.offset, c.offset)
	c.SUBQ(Imm(columnLanes), left)
	c.JL(LabelRef(prefix + "Tail"))
	c.Label(prefix + "Loop")
	step(whole{c.vectors})
	c.ADDQ(Imm(4*columnLanes), c.offset)
	c.SUBQ(Imm(columnLanes), left)
	c.JGE(LabelRef(prefix + "Loop"))
	c.Label(prefix + "Tail")
	c.ADDQ(Imm(columnLanes), left)
	c.JZ(LabelRef(prefix + "Done"))
	step(c.tail)
	c.Label(prefix + "Done")
}

// zeros returns the accumulators of a sum over columns.
func (c columns) zeros() []reg.VecVirtual {
	var sums []reg.VecVirtual
	for range c.parts {
		sums = append(sums, c.zero())
	}
	return sums
}

// reciprocal returns 1/x of the first element of x, a register of 128 bits.
func (v *vectors) reciprocal(x reg.Register) reg.Register {
	one := v.loaded(v.float(1)).AsX()
	v.VDIVSS(x, one, one)
	return one
}

// spread returns the first element of x, a register of 128 bits, in every element of a vector.
func (v *vectors) spread(x reg.Register) reg.VecVirtual {
	all := v.new()
	v.VBROADCASTSS(x, all)
	return all
}
