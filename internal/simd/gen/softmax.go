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

// greatest keeps 64 maxima. If an operand is a NaN, VMAXPS returns the first (in Go's order), the
// maximum so far.
func (v *vectors) greatest() {
	const together = 64
	v.function("greatest"+v.name, "func(x *float32, n int, mask *int32) float32", "returns the greatest of n elements other than NaNs. mask [lanes] is for the last vector.")
	x := v.pointer("x")
	lowest := float32(math.Inf(-1))
	maxima := make([]reg.VecVirtual, together/v.lanes)
	for i := range maxima {
		maxima[i] = v.loaded(v.float(lowest))
	}
	v.turns("", []reg.GPVirtual{x}, together, func(e edge, i int) {
		xs := v.new()
		e.load(Mem{Base: x, Disp: i * v.bytes()}, 0, xs)
		e.elsewhere(lowest, 0, xs)
		v.VMAXPS(maxima[i], xs, maxima[i])
	})
	v.Store(v.reduce(maxima, v.VMAXPS).AsX(), v.ReturnIndex(0))
	v.end()
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
	sums := make([]reg.VecVirtual, together/v.lanes)
	for i := range sums {
		sums[i] = v.zero()
	}
	v.turns("", []reg.GPVirtual{dst, src}, together, func(e edge, i int) {
		x := v.new()
		e.load(Mem{Base: src, Disp: i * v.bytes()}, 0, x)
		e.elsewhere(float32(math.Inf(-1)), 0, x)
		v.VMULPS(scale, x, x)
		v.VSUBPS(shift, x, x)
		y := v.expOf(x, termLow)
		y = v.pick(less, y, v.float(negligible), v.zero(), y)
		v.VADDPS(y, sums[i], sums[i])
		e.store(y, 0, Mem{Base: dst, Disp: i * v.bytes()})
	})
	v.Store(v.reduce(sums, v.VADDPS).AsX(), v.ReturnIndex(0))
	v.end()
}
