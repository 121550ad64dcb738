package main

import (
	"math"

	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const (
	// negligible is the absolute value below which results become 0: arithmetic on denormal numbers
	// takes a hundred times as long.
	negligible = 1e-30
	// termLow is an exponent whose exponential is negligible but normal.
	termLow = -80
)

// lowest is where maxima begin.
var lowest = float32(math.Inf(-1))

// greatest keeps 64 maxima. If an operand is a NaN, VMAXPS returns the first (in Go's order), the
// maximum so far.
func (v *vectors) greatest() {
	v.function(kernel{form: slice32, goes: "greatest(x []float32) float32", doc: "returns the greatest of the elements other than NaNs."})
	x := v.pointer("x")
	maxima := v.loadedAll(together/v.lanes, v.float(lowest))
	v.turns("", []reg.GPVirtual{x}, together, func(s spot) { v.raise(s, x, maxima) })
	v.returns(maxima, v.VMAXPS)
}

// raise raises the maxima to the elements at x.
func (v *vectors) raise(s spot, x reg.GPVirtual, maxima []reg.VecVirtual) {
	xs := s.load(x)
	s.elsewhere(lowest, xs)
	v.VMAXPS(maxima[s.i], xs, maxima[s.i])
}

// expSum keeps 16 sums. Exponents must not exceed 89.
func (v *vectors) expSum() {
	const together = 16
	v.function(kernel{form: slice32, goes: "expSum(dst, x []float32, scale, shift float32) float32",
		doc: "computes dst[i] = exp(scale·x[i]-shift), 0 for results below 1e-30, and returns their sum."})
	dst, src, scale, shift := v.pointer("dst"), v.pointer("x"), v.broadcast("scale"), v.broadcast("shift")
	v.keep(append(expConstants, termLow, negligible)...)
	sums := v.zeros(together / v.lanes)
	v.turns("", []reg.GPVirtual{dst, src}, together, func(s spot) { v.term(s, src, dst, scale, shift, sums) })
	v.returns(sums, v.VADDPS)
}

// term stores exp(scale·x-shift), or 0 for negligible results, and adds it to the sums.
func (v *vectors) term(s spot, x, dst reg.GPVirtual, scale, shift reg.VecVirtual, sums []reg.VecVirtual) {
	xs := s.load(x)
	s.elsewhere(lowest, xs)
	v.VMULPS(scale, xs, xs)
	v.VSUBPS(shift, xs, xs)
	y := v.expOf(xs, termLow)
	y = v.pick(less, y, v.float(negligible), v.zero(), y)
	v.VADDPS(y, sums[s.i], sums[s.i])
	s.store(y, dst)
}

// softmaxRows does greatest and expSum for each row of a matrix: rows of attention weights are short,
// and a call for each takes longer than its work.
func (v *vectors) softmaxRows() {
	v.function(kernel{form: matrix, goes: "SoftmaxRows(m, n int, x Matrix, scale float32, inverse []float32)",
		doc: "does for each row of x [m, n] what SoftmaxTerms does, in place, and writes 1 over the sums to inverse [m]. " +
			"m may be 0. scale is positive.",
		checks: `x.check("x", m, n); Rows(inverse, m).check("inverses", 1, m); positive(scale)`})
	v.softmax("", func() {})
}

// softmax writes softmaxRows' body, with fetch in its loop.
func (v *vectors) softmax(prefix string, fetch func()) {
	c := v.newColumns("mask")
	m, x, inverse, scale := v.pointer("m"), v.pointer("x"), v.pointer("inverse"), v.broadcast("scale")
	ldx := v.stride("ldx")
	v.keep(append(expConstants, termLow, negligible, lowest)...)
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
	v.function(kernel{form: unmasked, goes: "SoftmaxGradRows(m, n int, x, terms Matrix, scale float32, inverse []float32)",
		doc: "replaces the gradient x [m, n] with respect to a softmax by the gradient with respect to its argument, row by row: " +
			"terms·(x−mean)·scale·inverse, where mean is Σ terms·x·inverse, with 0 for results below 1e-30 in absolute value. " +
			"terms, scale and inverse are those of SoftmaxRows. m may be 0.",
		assembly: "is a kernel of SoftmaxGradRows; mask [lanes] is for the last vector, tail [16] is -1 in the first n mod 16 elements.",
		checks:   `x.check("gradient", m, n); terms.check("terms", m, n); Rows(inverse, m).check("inverses", 1, m)`,
		more:     []string{"mask *int32 mask(n%lanes)", "tail *int32 mask(n%16)"}})
	v.softmaxGrad("", func() {})
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
		v.ADDQ(v.stride("ldterms"), terms)
	})
}

// scaleRows multiplies each row by a number.
func (v *vectors) scaleRows() {
	v.function(kernel{form: matrix, goes: "ScaleRows(m, n int, factors []float32, x, y Matrix)",
		doc:    "computes y = x·factors[i] for each row i of x [m, n]. y may be x. m may be 0.",
		checks: `x.check("x", m, n); y.check("y", m, n); Rows(factors, m).check("factors", 1, m)`})
	v.scaled("", v.newColumns("mask"))
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
