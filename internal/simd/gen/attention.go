package main

import (
	. "github.com/mmcloughlin/avo/operand"
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
	v.keepExp()
	v.keep(termLow, negligible, lowest)
	v.loop(prefix+"rows", m, func() {
		fetch()
		maxima := v.loadedAll(c.parts, v.float(lowest))
		c.each(prefix+"greatest", func(s spot) { v.raise(s, x, maxima) })
		shift := v.spread(v.reduce(maxima, v.VMAXPS).AsX())
		v.VMULPS(scale, shift, shift)
		shift = v.pick(equal, shift, v.float(lowest), v.zero(), shift)
		sums := v.zeros(c.parts)
		c.each(prefix+"terms", func(s spot) { v.term(s, x, x, scale, shift, sums) })
		v.VMOVSS(v.reciprocal(v.reduce(sums, v.VADDPS).AsX()), Mem{Base: inverse})
		v.advance(inverse, Imm(4), x, ldx)
	})
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
	c := v.newColumns("tail")
	m, x, terms, inverse := v.pointer("m"), v.pointer("x"), v.pointer("terms"), v.pointer("inverse")
	v.loop(prefix+"rows", m, func() {
		fetch()
		sums := v.zeros(together / v.lanes)
		xAt, termsAt := v.GP64(), v.GP64()
		v.MOVQ(x, xAt)
		v.MOVQ(terms, termsAt)
		v.products(prefix, xAt, termsAt, sums)
		mean, factor := v.reduce(sums, v.VADDPS).AsX(), v.XMM()
		v.VMOVSS(Mem{Base: inverse}, factor)
		v.VMULSS(factor, mean, mean)
		v.VMULSS(v.memory("scale"), factor, factor)
		means, factors := v.spread(mean), v.spread(factor)
		c.each(prefix+"gradient", func(s spot) {
			xs, ts := s.load(x), s.load(terms)
			v.VSUBPS(means, xs, xs)
			v.VMULPS(ts, xs, xs)
			v.VMULPS(factors, xs, xs)
			s.store(v.flushed(xs, negligible), x)
		})
		v.ADDQ(Imm(4), inverse)
		v.ADDQ(v.stride("ldx"), x)
		v.ADDQ(v.stride("ldt"), terms)
	})
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
	v.loop(prefix+"rows", m, func() {
		factor := v.spread(Mem{Base: factors})
		c.each(prefix+"row", func(s spot) {
			xs := s.load(x)
			v.VMULPS(factor, xs, xs)
			s.store(xs, y)
		})
		v.advance(factors, Imm(4), x, ldx, y, ldy)
	})
}
