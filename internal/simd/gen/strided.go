package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// multiplyStrided is multiply for a matrix b that is not packed, without bias, ReLU, mask and
// prefetch. It adds in the same order.
func (v *vectors) multiplyStrided(nv int) {
	v.function(fmt.Sprintf("multiplyStrided%sx%d", v.name, nv),
		"func(m int, a *float32, lda int, b *float32, ldb int, k int, c *float32, ldc int, mask *int32)",
		fmt.Sprintf("computes c = a·b: a [m, k], b [k, columns], c [m, columns], at most %d columns; mask [%d] is -1 in them.", nv*v.lanes, nv*v.lanes))
	v.edges(nv, nv > 1, func(e edge, prefix string) {
		v.strided(e, nv, prefix, func([][]reg.VecVirtual) {})
		v.end()
	})
}

// strided writes multiplyStrided's body. finish may change the sums of a block's rows before they are
// stored.
func (v *vectors) strided(e edge, nv int, prefix string, finish func(sums [][]reg.VecVirtual)) {
	left, a, c := v.pointer("m"), v.pointer("a"), v.pointer("c")
	lda, ldb := v.stride("lda"), v.stride("ldb")
	v.blocks(prefix, left, func(rows int) {
		sums := v.sumsOf(rows, nv)
		v.overStrided(e, fmt.Sprintf("%s%d", prefix, rows), a, lda, ldb, sums)
		next := v.GP64()
		v.IMUL3Q(Imm(uint64(rows)), lda, next)
		v.ADDQ(next, a)
		finish(sums)
		ldc := v.stride("ldc")
		for _, row := range sums {
			for j, s := range row {
				e.store(s, j, Mem{Base: c, Disp: j * v.bytes()})
			}
			v.ADDQ(ldc, c)
		}
	})
}

// sumsOf returns zeros for the sums of some rows of nv vectors.
func (v *vectors) sumsOf(rows, nv int) [][]reg.VecVirtual {
	sums := make([][]reg.VecVirtual, rows)
	for r := range sums {
		sums[r] = v.zeros(nv)
	}
	return sums
}

// overStrided adds the products over k to the sums, four rows of b in an iteration.
func (v *vectors) overStrided(e edge, prefix string, a, lda, ldb reg.GPVirtual, sums [][]reg.VecVirtual) {
	pointers := v.rowPointers(a, lda, len(sums))
	b, k := v.pointer("b"), v.pointer("k")
	step := func(u int) {
		bs := make([]reg.VecVirtual, len(sums[0]))
		for j := range bs {
			bs[j] = v.load(e, Mem{Base: b, Disp: j * v.bytes()}, j)
		}
		v.ADDQ(ldb, b)
		for r, row := range sums {
			x := v.spread(v.row(pointers, lda, r, 4*u))
			for j, s := range row {
				v.VFMADD231PS(bs[j], x, s)
			}
		}
	}
	v.alongK(k, func(name string) string { return prefix + name }, "Summed", step, func(steps int) {
		for _, q := range pointers {
			v.ADDQ(Imm(uint64(4*steps)), q)
		}
	})
}
