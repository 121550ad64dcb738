package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// sumRows sums nv vectors of columns. A single vector may be masked.
func (v *vectors) sumRows(nv int) {
	signature, doc := "func(m int, a *float32, lda int, dst *float32)", fmt.Sprintf("computes dst [%d] += the sum of the rows of a [m, %d].", nv*v.lanes, nv*v.lanes)
	if nv == 1 {
		signature, doc = "func(m int, a *float32, lda int, dst *float32, mask *int32)", "computes dst [columns] += the sum of the rows of a [m, columns]. mask [lanes] is -1 in the columns."
	}
	v.function(fmt.Sprintf("sumRows%sx%d", v.name, nv), signature, doc)
	m, a, dst, lda := v.pointer("m"), v.pointer("a"), v.pointer("dst"), v.stride("lda")
	e := edge(whole{v})
	if nv == 1 {
		e = v.masked(nv)
	}
	sums := make([]reg.VecVirtual, nv)
	for j := range sums {
		sums[j] = v.zero()
	}
	v.Label("loop")
	for j, s := range sums {
		x := v.new()
		e.load(Mem{Base: a, Disp: j * v.bytes()}, j, x)
		v.VADDPS(x, s, s)
	}
	v.ADDQ(lda, a)
	v.DECQ(m)
	v.JNZ(LabelRef("loop"))
	for j, s := range sums {
		old := v.new()
		e.load(Mem{Base: dst, Disp: j * v.bytes()}, j, old)
		v.VADDPS(old, s, s)
		e.store(s, j, Mem{Base: dst, Disp: j * v.bytes()})
	}
	v.end()
}

// axpy computes y += alpha·x.
func (v *vectors) axpy() {
	v.function("axpy"+v.name, "func(alpha float32, x *float32, y *float32, n int, mask *int32)", "computes y[i] += alpha·x[i] of n elements. mask [lanes] is for the last vector.")
	x, y, alpha := v.pointer("x"), v.pointer("y"), v.broadcast("alpha")
	v.elements([]reg.GPVirtual{x, y}, func(e edge) {
		xs, ys := v.new(), v.new()
		e.load(Mem{Base: x}, 0, xs)
		e.load(Mem{Base: y}, 0, ys)
		v.VFMADD231PS(xs, alpha, ys)
		e.store(ys, 0, Mem{Base: y})
	})
	v.end()
}

// flush replaces denormal numbers by 0.
func (v *vectors) flush() {
	v.function("flush"+v.name, "func(dst *float32, x *float32, n int, mask *int32)", "copies n elements of x, with 0 for those below 1e-30 in size. mask [lanes] is for the last vector.")
	dst, x := v.pointer("dst"), v.pointer("x")
	v.elements([]reg.GPVirtual{dst, x}, func(e edge) {
		xs := v.new()
		e.load(Mem{Base: x}, 0, xs)
		size := v.and(v.integer(1<<31-1), xs)
		e.store(v.pick(less, size, v.float(negligible), v.zero(), xs), 0, Mem{Base: dst})
	})
	v.end()
}

// addRows adds two matrices.
func (v *vectors) addRows() {
	v.function("addRows"+v.name, "func(m int, n int, a *float32, lda int, b *float32, ldb int, c *float32, ldc int, mask *int32)",
		"computes c = a + b, all [m, n]. mask [16] is -1 in the first n mod 16 elements.")
	columns := v.newColumns("mask")
	m, a, b, c := v.pointer("m"), v.pointer("a"), v.pointer("b"), v.pointer("c")
	lda, ldb, ldc := v.stride("lda"), v.stride("ldb"), v.stride("ldc")
	v.Label("rows")
	columns.each("row", func(e edge, i int, part func(reg.GPVirtual) Mem) {
		x, y := v.new(), v.new()
		e.load(part(a), i, x)
		e.load(part(b), i, y)
		v.VADDPS(y, x, x)
		e.store(x, i, part(c))
	})
	v.ADDQ(lda, a)
	v.ADDQ(ldb, b)
	v.ADDQ(ldc, c)
	v.DECQ(m)
	v.JNZ(LabelRef("rows"))
	v.end()
}

// dot keeps 64 sums, one for every index mod 64, in four vectors of AVX-512 or eight of AVX2: so
// both instruction sets add in the same order.
func (v *vectors) dot() {
	const together = 64
	v.function("dot"+v.name, "func(x *float32, y *float32, n int, mask *int32) float32", "returns the sum of x[i]·y[i] of n elements. mask [lanes] is for the last vector.")
	x, y := v.pointer("x"), v.pointer("y")
	sums := make([]reg.VecVirtual, together/v.lanes)
	for i := range sums {
		sums[i] = v.zero()
	}
	v.turns("", []reg.GPVirtual{x, y}, together, func(e edge, i int) {
		xs, ys := v.new(), v.new()
		e.load(Mem{Base: x, Disp: i * v.bytes()}, 0, xs)
		e.load(Mem{Base: y, Disp: i * v.bytes()}, 0, ys)
		v.VFMADD231PS(xs, ys, sums[i])
	})
	v.Store(v.reduce(sums, v.VADDPS).AsX(), v.ReturnIndex(0))
	v.end()
}

// fmaPeak keeps the multiply-add units as busy as possible: 12 independent sums, no loads.
func (v *vectors) fmaPeak() {
	const sums, turns = 12, 2
	v.function("fmaPeak"+v.name, "func(n int)", fmt.Sprintf("does n·%d fused multiply-adds of single floats in registers.", sums*turns*v.lanes))
	n := v.pointer("n")
	x, y := v.zero(), v.zero()
	var s []reg.VecVirtual
	for range sums {
		s = append(s, v.zero())
	}
	v.Label("loop")
	for range turns {
		for i := range s {
			v.VFMADD231PS(x, y, s[i])
		}
	}
	v.DECQ(n)
	v.JNZ(LabelRef("loop"))
	v.end()
}
