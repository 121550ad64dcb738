package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// sumRows is nv vectors of columns; one vector alone may be masked.
func (v *vectors) sumRows(nv int) {
	signature, doc := "func(m int, a *float32, lda int, dst *float32)", fmt.Sprintf("is dst[%d] += the sum of a's m rows.", nv*v.lanes)
	if nv == 1 {
		signature, doc = "func(m int, a *float32, lda int, dst *float32, mask *int32)", "is dst[columns] += the sum of a's m rows."
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

// axpy is y += alpha·x.
func (v *vectors) axpy() {
	v.function("axpy"+v.name, "func(alpha float32, x *float32, y *float32, n int, mask *int32)", "is y[n] += alpha·x[n].")
	x, y := v.pointer("x"), v.pointer("y")
	alpha := v.new()
	address, err := v.Param("alpha").Resolve()
	if err != nil {
		panic(err)
	}
	v.VBROADCASTSS(address.Addr, alpha)
	v.elements([]reg.GPVirtual{x, y}, func(e edge) {
		xs, ys := v.new(), v.new()
		e.load(Mem{Base: x}, 0, xs)
		e.load(Mem{Base: y}, 0, ys)
		v.VFMADD231PS(xs, alpha, ys)
		e.store(ys, 0, Mem{Base: y})
	})
	v.end()
}

// dot keeps 64 sums, one for every n mod 64, in four vectors of AVX-512 or eight of AVX2: either adds in the same order.
func (v *vectors) dot() {
	const together = 64
	v.function("dot"+v.name, "func(x *float32, y *float32, n int, mask *int32) float32", "is the sum of x[n]·y[n].")
	x, y, n := v.pointer("x"), v.pointer("y"), v.pointer("n")
	sums := make([]reg.VecVirtual, together/v.lanes)
	for i := range sums {
		sums[i] = v.zero()
	}
	add := func(e edge, at int, s reg.VecVirtual) {
		xs, ys := v.new(), v.new()
		e.load(Mem{Base: x, Disp: at * v.bytes()}, 0, xs)
		e.load(Mem{Base: y, Disp: at * v.bytes()}, 0, ys)
		v.VFMADD231PS(xs, ys, s)
	}
	v.SUBQ(Imm(together), n)
	v.JL(LabelRef("tail"))
	v.Label("loop")
	for i, s := range sums {
		add(whole{v}, i, s)
	}
	v.ADDQ(U32(4*together), x)
	v.ADDQ(U32(4*together), y)
	v.SUBQ(Imm(together), n)
	v.JGE(LabelRef("loop"))
	v.Label("tail")
	v.ADDQ(Imm(together), n)
	for i, s := range sums {
		v.CMPQ(n, Imm(uint64(v.lanes)))
		v.JL(LabelRef(fmt.Sprintf("last%d", i)))
		add(whole{v}, i, s)
		v.SUBQ(Imm(uint64(v.lanes)), n)
	}
	v.JMP(LabelRef("end"))
	for i, s := range sums {
		v.Label(fmt.Sprintf("last%d", i))
		v.TESTQ(n, n)
		v.JZ(LabelRef("end"))
		add(v.masked(1), i, s)
		v.JMP(LabelRef("end"))
	}
	v.Label("end")
	v.Store(v.reduce(sums).AsX(), v.ReturnIndex(0))
	v.end()
}

// reduce adds 64 sums by halves: sum i and sum i+32, then i and i+16, and so on.
func (v *vectors) reduce(sums []reg.VecVirtual) reg.VecVirtual {
	for half := len(sums) / 2; half > 0; half /= 2 {
		for i := range half {
			v.VADDPS(sums[i+half], sums[i], sums[i])
		}
	}
	s := sums[0]
	t := v.new()
	if v.lanes == 16 {
		v.VEXTRACTF64X4(Imm(1), s, t.AsY())
		v.VADDPS(t.AsY(), s.AsY(), s.AsY())
	}
	v.VEXTRACTF128(Imm(1), s.AsY(), t.AsX())
	v.VADDPS(t.AsX(), s.AsX(), s.AsX())
	v.VMOVHLPS(s.AsX(), s.AsX(), t.AsX())
	v.VADDPS(t.AsX(), s.AsX(), s.AsX())
	v.VMOVSHDUP(s.AsX(), t.AsX())
	v.VADDSS(t.AsX(), s.AsX(), s.AsX())
	return s
}

// fmaPeak keeps the multiply-add units as busy as they can be: 12 independent sums, nothing loaded.
func (v *vectors) fmaPeak() {
	const sums, turns = 12, 2
	v.function("fmaPeak"+v.name, "func(n int)", fmt.Sprintf("does n·%d fused multiply-adds of single floats, in registers alone.", sums*turns*v.lanes))
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
