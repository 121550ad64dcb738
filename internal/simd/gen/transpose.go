package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// transposeMultiply is one panel of nv vectors of columns of c += aᵀ·b. Blocks are rows of c, that is columns of a; the loop
// goes down the rows of a and b, whose elements stand beside one another.
func (v *vectors) transposeMultiply(nv int) {
	v.function(fmt.Sprintf("transposeMultiply%sx%d", v.name, nv),
		"func(k int, m int, a *float32, lda int, b *float32, ldb int, c *float32, ldc int, mask *int32)",
		"is c[k, columns] += a[m, k]ᵀ·b[m, columns].")
	v.edges(nv, func(e edge, prefix string) {
		left, a, c := v.pointer("k"), v.pointer("a"), v.pointer("c")
		lda, ldb := v.stride("lda"), v.stride("ldb")
		v.blocks(prefix, left, func(rows int) {
			sums := make([][]reg.VecVirtual, rows)
			for r := range sums {
				for range nv {
					sums[r] = append(sums[r], v.zero())
				}
			}
			b, m, x := v.pointer("b"), v.pointer("m"), v.GP64()
			v.MOVQ(a, x)
			loop := fmt.Sprintf("%s%dLoop", prefix, rows)
			v.Label(loop)
			v.outer(e, b, x, sums)
			v.ADDQ(lda, x)
			v.ADDQ(ldb, b)
			v.DECQ(m)
			v.JNZ(LabelRef(loop))
			v.ADDQ(Imm(uint64(4*rows)), a)
			ldc := v.stride("ldc")
			for _, row := range sums {
				for j, s := range row {
					old := v.new()
					e.load(Mem{Base: c, Disp: j * v.bytes()}, j, old)
					v.VADDPS(old, s, s)
					e.store(s, j, Mem{Base: c, Disp: j * v.bytes()})
				}
				v.ADDQ(ldc, c)
			}
		})
		v.end()
	})
}

// outer adds the product of one row of a (a number for every row of sums) and one of b.
func (v *vectors) outer(e edge, b, a reg.GPVirtual, sums [][]reg.VecVirtual) {
	bs := make([]reg.VecVirtual, len(sums[0]))
	for j := range bs {
		bs[j] = v.new()
		e.load(Mem{Base: b, Disp: j * v.bytes()}, j, bs[j])
	}
	for r, row := range sums {
		x := v.new()
		v.VBROADCASTSS(Mem{Base: a, Disp: 4 * r}, x)
		for j, s := range row {
			v.VFMADD231PS(bs[j], x, s)
		}
	}
}
