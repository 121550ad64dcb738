package main

import (
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// turn transposes at most 8 rows, 8 columns at a time, in registers of 256 bits. Both instruction
// sets use it.
func (v *vectors) turn() {
	v.function(kernel{goes: "turn(rows, n int, a, dst Matrix)", portable: "none",
		doc:      "writes the transpose of a [rows, n], at most 8 rows, to dst [n, 8], with 0 in columns beyond the rows.",
		assembly: "is the kernel of turn. mask [8] is -1 in the first `rows` elements, last [8] in the first n mod 8.",
		checks:   `a.check("A", rows, n); dst.check("transpose", n, turnRows)`,
		more:     []string{"mask *int32 mask(rows)", "last *int32 mask(n%turnRows)"}})
	const size = 8
	n, dst, ldd := v.pointer("n"), v.pointer("dst"), v.stride("lddst")
	keep := v.loaded(Mem{Base: v.pointer("mask")})
	// Rows that do not exist repeat the last one.
	pointers := make([]reg.GPVirtual, size)
	left, next := v.pointer("rows"), v.stride("lda")
	none := v.GP64()
	v.XORQ(none, none)
	for i := range pointers {
		pointers[i] = v.GP64()
		if i == 0 {
			v.MOVQ(v.memory("a"), pointers[i])
			continue
		}
		v.DECQ(left)
		v.CMOVQEQ(none, next) // the last row is reached
		v.MOVQ(pointers[i-1], pointers[i])
		v.ADDQ(next, pointers[i])
	}
	v.steps(n, size, [3]string{"loop", "tail", "end"}, func() {
		for i, column := range v.turned(whole{v}, pointers) {
			v.VANDPS(keep, column, column)
			v.VMOVUPS(column, Mem{Base: dst})
			v.ADDQ(ldd, dst)
			v.ADDQ(Imm(4*size), pointers[i])
		}
	}, func() {
		for _, column := range v.turned(maskmoved{v, v.pointer("last")}, pointers) {
			v.VANDPS(keep, column, column)
			v.VMOVUPS(column, Mem{Base: dst})
			v.ADDQ(ldd, dst)
			v.DECQ(n)
			v.JZ(LabelRef("end"))
		}
	})
	v.end()
}

// turned loads 8 rows of 8 columns and returns the columns. A step exchanges elements that are one,
// two and four places apart.
func (v *vectors) turned(e edge, pointers []reg.GPVirtual) []reg.VecVirtual {
	rows := make([]reg.VecVirtual, len(pointers))
	for i, p := range pointers {
		rows[i] = v.load(e, Mem{Base: p}, 0)
	}
	exchange := func(step int, low, high func(a, b, to Op)) {
		for i := range rows {
			if i&step == 0 {
				a, b := v.new(), v.new()
				low(rows[i+step], rows[i], a)
				high(rows[i+step], rows[i], b)
				rows[i], rows[i+step] = a, b
			}
		}
	}
	exchange(1, func(b, a, to Op) { v.VUNPCKLPS(b, a, to) }, // a0 b0 a1 b1
		func(b, a, to Op) { v.VUNPCKHPS(b, a, to) }) // a2 b2 a3 b3
	exchange(2, func(b, a, to Op) { v.VSHUFPS(Imm(0b01000100), b, a, to) },
		func(b, a, to Op) { v.VSHUFPS(Imm(0b11101110), b, a, to) })
	exchange(4, func(b, a, to Op) { v.VPERM2F128(Imm(0x20), b, a, to) },
		func(b, a, to Op) { v.VPERM2F128(Imm(0x31), b, a, to) })
	// Rows 0 to 7 are now columns 0 2 1 3 4 6 5 7: unpacking takes pairs of columns.
	return []reg.VecVirtual{rows[0], rows[2], rows[1], rows[3], rows[4], rows[6], rows[5], rows[7]}
}
