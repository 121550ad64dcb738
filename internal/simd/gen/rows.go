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
	sums := v.zeros(nv)
	v.loop("loop", m, func() {
		for j, s := range sums {
			v.VADDPS(v.load(e, Mem{Base: a, Disp: j * v.bytes()}, j), s, s)
		}
		v.ADDQ(lda, a)
	})
	for j, s := range sums {
		v.addTo(e, Mem{Base: dst, Disp: j * v.bytes()}, j, s)
	}
	v.end()
}

// addTo adds s to a vector in memory. It overwrites s.
func (v *vectors) addTo(e edge, m Mem, j int, s reg.VecVirtual) {
	v.VADDPS(v.load(e, m, j), s, s)
	e.store(s, j, m)
}

// axpy computes y += alpha·x.
func (v *vectors) axpy() {
	v.function("axpy"+v.name, "func(alpha float32, x *float32, y *float32, n int, mask *int32)", "computes y[i] += alpha·x[i] of n elements. mask [lanes] is for the last vector.")
	x, y, alpha := v.pointer("x"), v.pointer("y"), v.broadcast("alpha")
	v.elements([]reg.GPVirtual{x, y}, func(s spot) {
		xs, ys := s.load(x), s.load(y)
		v.VFMADD231PS(xs, alpha, ys)
		s.store(ys, y)
	})
	v.end()
}

// flush replaces denormal numbers by 0.
func (v *vectors) flush() {
	v.function("flush"+v.name, "func(dst *float32, x *float32, n int, mask *int32)", "copies n elements of x, with 0 for those below 1e-30 in size. mask [lanes] is for the last vector.")
	dst, x := v.pointer("dst"), v.pointer("x")
	v.elements([]reg.GPVirtual{dst, x}, func(s spot) { s.store(v.flushed(s.load(x), negligible), dst) })
	v.end()
}

// flushed returns x, with 0 for elements below a bound in size.
func (v *vectors) flushed(x reg.VecVirtual, bound float32) reg.VecVirtual {
	return v.pick(less, v.and(v.integer(1<<31-1), x), v.float(bound), v.zero(), x)
}

// addRows adds two matrices.
func (v *vectors) addRows() {
	v.function("addRows"+v.name, "func(m int, n int, a *float32, lda int, b *float32, ldb int, c *float32, ldc int, mask *int32)",
		"computes c = a + b, all [m, n]. mask [16] is -1 in the first n mod 16 elements.")
	columns := v.newColumns("mask")
	m, a, b, c := v.pointer("m"), v.pointer("a"), v.pointer("b"), v.pointer("c")
	lda, ldb, ldc := v.stride("lda"), v.stride("ldb"), v.stride("ldc")
	v.loop("rows", m, func() {
		columns.each("row", func(s spot) {
			x, y := s.load(a), s.load(b)
			v.VADDPS(y, x, x)
			s.store(x, c)
		})
		v.advance(a, lda, b, ldb, c, ldc)
	})
	v.end()
}

// together is the number of sums of dot, and of maxima of greatest.
const together = 64

// dot keeps 64 sums, one for every index mod 64, in four vectors of AVX-512 or eight of AVX2: so
// both instruction sets add in the same order.
func (v *vectors) dot() {
	v.function("dot"+v.name, "func(x *float32, y *float32, n int, mask *int32) float32", "returns the sum of x[i]·y[i] of n elements. mask [lanes] is for the last vector.")
	x, y := v.pointer("x"), v.pointer("y")
	sums := v.zeros(together / v.lanes)
	v.products("", x, y, sums)
	v.returns(sums, v.VADDPS)
}

// products adds the products of n elements of x and y to 64 sums.
func (v *vectors) products(prefix string, x, y reg.GPVirtual, sums []reg.VecVirtual) {
	v.turns(prefix, []reg.GPVirtual{x, y}, together, func(s spot) {
		xs, ys := s.load(x), s.load(y)
		v.VFMADD231PS(xs, ys, sums[s.i])
	})
}

// fmaPeak keeps the multiply-add units as busy as possible: 12 independent sums, no loads.
func (v *vectors) fmaPeak() {
	const sums, turns = 12, 2
	v.function("fmaPeak"+v.name, "func(n int)", fmt.Sprintf("does n·%d fused multiply-adds of single floats in registers.", sums*turns*v.lanes))
	n := v.pointer("n")
	x, y := v.zero(), v.zero()
	all := v.zeros(sums)
	v.loop("loop", n, func() {
		for range turns {
			for _, s := range all {
				v.VFMADD231PS(x, y, s)
			}
		}
	})
	v.end()
}
