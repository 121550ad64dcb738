package main

import (
	"math"

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
	v.function("greatest"+v.name, "func(x *float32, n int, mask *int32) float32", "returns the greatest of n elements other than NaNs. mask [lanes] is for the last vector.")
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
	v.function("expSum"+v.name, "func(dst *float32, src *float32, scale float32, shift float32, n int, mask *int32) float32",
		"computes dst[i] = exp(scale·src[i]-shift) of n elements, 0 for results below 1e-30, and returns their sum. "+
			"mask [lanes] is for the last vector.")
	dst, src, scale, shift := v.pointer("dst"), v.pointer("src"), v.broadcast("scale"), v.broadcast("shift")
	v.keepExp()
	v.keep(termLow, negligible)
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
