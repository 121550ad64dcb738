package main

import (
	"math"

	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// softmaxRows does greatest and expSum for each row of a matrix: rows of attention weights are short,
// and a call for each takes longer than its work.
func (v *vectors) softmaxRows() {
	v.function("softmaxRows"+v.name, "func(m int, n int, x *float32, ldx int, scale float32, inverse *float32, mask *int32)",
		"replaces each row of x [m, n] by exp(scale·x-greatest), with greatest the greatest scale·x and 0 for results below 1e-30, "+
			"and writes 1 over the sum of each row to inverse [m]. mask [16] is -1 in the first n mod 16 elements.")
	v.softmax("", func() {})
	v.end()
}

// softmax writes softmaxRows' body, with fetch in its loop.
func (v *vectors) softmax(prefix string, fetch func()) {
	c := v.newColumns("mask")
	m, x, inverse, scale := v.pointer("m"), v.pointer("x"), v.pointer("inverse"), v.broadcast("scale")
	ldx := v.stride("ldx")
	lowest := float32(math.Inf(-1))
	v.keepExp()
	v.keep(termLow, negligible, lowest)
	v.Label(prefix + "rows")
	fetch()
	var maxima []reg.VecVirtual
	for range c.parts {
		maxima = append(maxima, v.loaded(v.float(lowest)))
	}
	c.each(prefix+"greatest", func(e edge, i int, part func(reg.GPVirtual) Mem) {
		xs := v.new()
		e.load(part(x), i, xs)
		e.elsewhere(lowest, i, xs)
		v.VMAXPS(maxima[i], xs, maxima[i])
	})
	shift := v.spread(v.reduce(maxima, v.VMAXPS).AsX())
	v.VMULPS(scale, shift, shift)
	shift = v.pick(equal, shift, v.float(lowest), v.zero(), shift)
	sums := c.zeros()
	c.each(prefix+"terms", func(e edge, i int, part func(reg.GPVirtual) Mem) {
		xs := v.new()
		e.load(part(x), i, xs)
		e.elsewhere(lowest, i, xs)
		v.VMULPS(scale, xs, xs)
		v.VSUBPS(shift, xs, xs)
		y := v.expOf(xs, termLow)
		y = v.pick(less, y, v.float(negligible), v.zero(), y)
		v.VADDPS(y, sums[i], sums[i])
		e.store(y, i, part(x))
	})
	v.VMOVSS(v.reciprocal(v.reduce(sums, v.VADDPS).AsX()), Mem{Base: inverse})
	v.ADDQ(Imm(4), inverse)
	v.ADDQ(ldx, x)
	v.DECQ(m)
	v.JNZ(LabelRef(prefix + "rows"))
}

// softmaxGradRows does dot and softmaxGrad for each row of a matrix.
func (v *vectors) softmaxGradRows() {
	v.function("softmaxGradRows"+v.name,
		"func(m int, n int, x *float32, ldx int, terms *float32, ldt int, inverse *float32, scale float32, mask *int32, tail *int32)",
		"replaces each row of x [m, n] by terms·(x-mean)·scale·inverse, with mean = inverse·Σ terms·x and 0 for results below 1e-30 in "+
			"size: terms [m, n], inverse [m]. mask [lanes] is for the last vector, tail [16] is -1 in the first n mod 16 elements.")
	v.softmaxGrad("", func() {})
	v.end()
}

// softmaxGrad writes softmaxGradRows' body, with fetch in its loop.
func (v *vectors) softmaxGrad(prefix string, fetch func()) {
	const together = 64
	c := v.newColumns("tail")
	m, x, terms, inverse := v.pointer("m"), v.pointer("x"), v.pointer("terms"), v.pointer("inverse")
	v.Label(prefix + "rows")
	fetch()
	sums := make([]reg.VecVirtual, together/v.lanes)
	for i := range sums {
		sums[i] = v.zero()
	}
	xAt, termsAt := v.GP64(), v.GP64()
	v.MOVQ(x, xAt)
	v.MOVQ(terms, termsAt)
	v.turns(prefix, []reg.GPVirtual{xAt, termsAt}, together, func(e edge, i int) {
		xs, ts := v.new(), v.new()
		e.load(Mem{Base: xAt, Disp: i * v.bytes()}, 0, xs)
		e.load(Mem{Base: termsAt, Disp: i * v.bytes()}, 0, ts)
		v.VFMADD231PS(xs, ts, sums[i])
	})
	mean, factor := v.reduce(sums, v.VADDPS).AsX(), v.XMM()
	v.VMOVSS(Mem{Base: inverse}, factor)
	v.VMULSS(factor, mean, mean)
	v.VMULSS(v.memory("scale"), factor, factor)
	means, factors := v.spread(mean), v.spread(factor)
	c.each(prefix+"gradient", func(e edge, i int, part func(reg.GPVirtual) Mem) {
		xs, ts := v.new(), v.new()
		e.load(part(x), i, xs)
		e.load(part(terms), i, ts)
		v.VSUBPS(means, xs, xs)
		v.VMULPS(ts, xs, xs)
		v.VMULPS(factors, xs, xs)
		size := v.and(v.integer(1<<31-1), xs)
		e.store(v.pick(less, size, v.float(negligible), v.zero(), xs), i, part(x))
	})
	v.ADDQ(Imm(4), inverse)
	v.ADDQ(v.stride("ldx"), x)
	v.ADDQ(v.stride("ldt"), terms)
	v.DECQ(m)
	v.JNZ(LabelRef(prefix + "rows"))
}

// scaleRows multiplies each row by a number.
func (v *vectors) scaleRows() {
	v.function("scaleRows"+v.name, "func(m int, n int, factors *float32, x *float32, ldx int, y *float32, ldy int, mask *int32)",
		"computes y = x·factor for each row: x and y [m, n], factors [m]. mask [16] is -1 in the first n mod 16 elements.")
	v.scaled("", v.newColumns("mask"))
	v.end()
}

// scaled writes scaleRows' body.
func (v *vectors) scaled(prefix string, c columns) {
	m, factors, x, y := v.pointer("m"), v.pointer("factors"), v.pointer("x"), v.pointer("y")
	ldx, ldy := v.stride("ldx"), v.stride("ldy")
	v.Label(prefix + "rows")
	factor := v.new()
	v.VBROADCASTSS(Mem{Base: factors}, factor)
	c.each(prefix+"row", func(e edge, i int, part func(reg.GPVirtual) Mem) {
		xs := v.new()
		e.load(part(x), i, xs)
		v.VMULPS(factor, xs, xs)
		e.store(xs, i, part(y))
	})
	v.ADDQ(Imm(4), factors)
	v.ADDQ(ldx, x)
	v.ADDQ(ldy, y)
	v.DECQ(m)
	v.JNZ(LabelRef(prefix + "rows"))
}
