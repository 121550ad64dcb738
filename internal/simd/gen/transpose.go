package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// transposeMultiply computes one strip of nv vectors of columns of c += aᵀ·b. A block is some rows
// of c, that is columns of a. The loop goes down the rows of a and b.
func (v *vectors) transposeMultiply(nv int) {
	v.transposeProduct("transposeMultiply", "t.portable()", ", b [m, columns]", nv)
}

// transposeProduct writes transposeMultiply, for floats or pairs of bfloat16.
func (v *vectors) transposeProduct(name, portable, operands string, nv int) {
	v.function(kernel{goes: name + "(t *transposed)", portable: portable, vectors: "(t.n + lanes - 1) / lanes",
		doc: "computes one strip of columns.",
		assembly: fmt.Sprintf("computes c [k, columns] += aᵀ·b: a [m, k]%s, at most %d columns; mask [%[2]d] is -1 in them. "+
			"ahead and step say what to prefetch.", operands, nv*v.lanes),
		before: "ahead, step := t.ahead.take(active.turns(t.k, t.m), &t.a.Data[0])",
		more:   []string{"mask *int32 mask(t.n)", "ahead *float32 ahead", "step int step"}}, nv)
	// A masked load takes a slot of a multiply-add unit, so whole strips have separate code. A
	// single vector is only used for a last, narrower strip.
	v.edges(nv, nv > 1, func(e edge, prefix string) {
		ahead := v.pointer("ahead")
		v.transposed(e, nv, prefix, func() { v.fetch(ahead) })
		v.end()
	})
}

// transposed writes transposeMultiply's body, with fetch in its loop.
func (v *vectors) transposed(e edge, nv int, prefix string, fetch func()) {
	left, a, c := v.pointer("k"), v.pointer("a"), v.pointer("c")
	lda, ldb := v.stride("lda"), v.stride("ldb")
	v.blocks(prefix, left, func(rows int) {
		sums := v.sumsOf(rows, nv)
		v.overM(e, fmt.Sprintf("%s%d", prefix, rows), a, lda, ldb, fetch, sums)
		v.ADDQ(Imm(uint64(4*rows)), a)
		v.eachSum(sums, func(s reg.VecVirtual, j int) { v.addTo(e, Mem{Base: c, Disp: j * v.bytes()}, j, s) }, c, v.stride("ldc"))
	})
}

// overM adds the products over m to the sums, four rows of a and b in an iteration: pointer
// arithmetic competes with the multiply-adds for ports.
func (v *vectors) overM(e edge, prefix string, a, lda, ldb reg.GPVirtual, fetch func(), sums [][]reg.VecVirtual) {
	b, m, x := v.pointer("b"), v.pointer("m"), v.GP64()
	v.MOVQ(a, x)
	lda3, ldb3 := v.GP64(), v.GP64()
	v.LEAQ(Mem{Base: lda, Index: lda, Scale: 2}, lda3)
	v.LEAQ(Mem{Base: ldb, Index: ldb, Scale: 2}, ldb3)
	v.steps(m, unroll, [3]string{prefix + "Loop", prefix + "Tail", prefix + "Summed"}, func() {
		v.outer(e, Mem{Base: b}, Mem{Base: x}, sums)
		v.outer(e, Mem{Base: b, Index: ldb, Scale: 1}, Mem{Base: x, Index: lda, Scale: 1}, sums)
		fetch()
		v.outer(e, Mem{Base: b, Index: ldb, Scale: 2}, Mem{Base: x, Index: lda, Scale: 2}, sums)
		v.outer(e, Mem{Base: b, Index: ldb3, Scale: 1}, Mem{Base: x, Index: lda3, Scale: 1}, sums)
		v.LEAQ(Mem{Base: x, Index: lda, Scale: 4}, x)
		v.LEAQ(Mem{Base: b, Index: ldb, Scale: 4}, b)
	}, func() {
		v.loop(prefix+"One", m, func() {
			v.outer(e, Mem{Base: b}, Mem{Base: x}, sums)
			v.advance(x, lda, b, ldb)
		})
	})
}

// outer adds the outer product of one row of a (a number for every row of sums) and one row of b.
func (v *vectors) outer(e edge, b, a Mem, sums [][]reg.VecVirtual) {
	bs := make([]reg.VecVirtual, len(sums[0]))
	for j := range bs {
		bs[j] = v.load(e, b.Offset(j*v.bytes()), j)
	}
	v.addOuter(sums, bs, func(r int) Mem { return a.Offset(4 * r) })
}
