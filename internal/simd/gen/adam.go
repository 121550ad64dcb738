package main

import (
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// negligibleSquare is the size below which Adam's second moment becomes 0.
const negligibleSquare = 1e-37

// adam does every operation of the plain Go loop, in the same order and with the same roundings:
// nothing is fused. It returns the sum of x−x over the new parameters and second moments, which is
// 0 or a NaN. A first moment that is not finite makes its parameter so.
func (v *vectors) adam() {
	v.function(kernel{form: slice32, goes: "adam(params, m, v, grads []float32, step AdamStep) float32", portable: "none",
		doc: "does what Adam does, and returns 0 if all results are finite, else a NaN."})
	params, m, w, grads := v.pointer("params"), v.pointer("m"), v.pointer("v"), v.pointer("grads")
	step := v.pointer("step")
	var c [8]reg.VecVirtual // in an AdamStep's order
	for i := range c {
		c[i] = v.spread(Mem{Base: step, Disp: 4 * i})
	}
	rate, root, beta1, rest1, beta2, rest2, decay, epsilon := c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7]
	found := v.zero()
	look := func(x reg.VecVirtual) { v.VADDPS(v.to(v.VSUBPS, x, x), found, found) }
	// moment is beta·old + increment.
	moment := func(s spot, at reg.GPVirtual, beta, increment reg.VecVirtual, bound float32) reg.VecVirtual {
		old := s.load(at)
		v.VMULPS(beta, old, old)
		v.VADDPS(increment, old, old)
		old = v.flushed(old, bound)
		s.store(old, at)
		return old
	}
	v.elements([]reg.GPVirtual{params, m, w, grads}, func(s spot) {
		p, g, x := s.load(params), s.load(grads), v.new()
		v.VMULPS(decay, p, x)
		v.VADDPS(x, g, g)
		v.VMULPS(g, rest2, x)
		v.VMULPS(g, x, x)
		v.VMULPS(rest1, g, g)
		first := moment(s, m, beta1, g, negligible)
		divisor := moment(s, w, beta2, x, negligibleSquare)
		look(divisor)
		v.VSQRTPS(divisor, divisor)
		v.VDIVPS(root, divisor, divisor)
		v.VADDPS(epsilon, divisor, divisor)
		v.VMULPS(rate, first, first)
		v.VDIVPS(divisor, first, first)
		v.VSUBPS(first, p, p)
		p = v.flushed(p, negligible)
		look(p)
		s.store(p, params)
	})
	v.returns([]reg.VecVirtual{found}, v.VADDPS)
}
