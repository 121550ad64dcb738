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
	v.function("adam"+v.name, "func(params *float32, m *float32, v *float32, grads *float32, n int, mask *int32, step *float32) float32",
		"makes one update of params, m and v [n] by grads [n]. step points to an AdamStep, mask [lanes] is for the last vector. "+
			"It returns 0 if all results are finite, else a NaN.")
	params, m, w, grads := v.pointer("params"), v.pointer("m"), v.pointer("v"), v.pointer("grads")
	step := v.pointer("step")
	constants := make([]reg.VecVirtual, 8) // in an AdamStep's order
	for i := range constants {
		constants[i] = v.new()
		v.VBROADCASTSS(Mem{Base: step, Disp: 4 * i}, constants[i])
	}
	rate, root, beta1, rest1, beta2, rest2, decay, epsilon := constants[0], constants[1], constants[2], constants[3], constants[4],
		constants[5], constants[6], constants[7]
	found := v.zero()
	look := func(x reg.VecVirtual) {
		difference := v.new()
		v.VSUBPS(x, x, difference)
		v.VADDPS(difference, found, found)
	}
	flushed := func(x reg.VecVirtual, bound float32) reg.VecVirtual {
		return v.pick(less, v.and(v.integer(1<<31-1), x), v.float(bound), v.zero(), x)
	}
	// moment is beta·old + increment.
	moment := func(e edge, at reg.GPVirtual, beta, increment reg.VecVirtual, bound float32) reg.VecVirtual {
		old := v.new()
		e.load(Mem{Base: at}, 0, old)
		v.VMULPS(beta, old, old)
		v.VADDPS(increment, old, old)
		old = flushed(old, bound)
		e.store(old, 0, Mem{Base: at})
		return old
	}
	v.elements([]reg.GPVirtual{params, m, w, grads}, func(e edge) {
		p, g, x := v.new(), v.new(), v.new()
		e.load(Mem{Base: params}, 0, p)
		e.load(Mem{Base: grads}, 0, g)
		v.VMULPS(decay, p, x)
		v.VADDPS(x, g, g)
		v.VMULPS(g, rest2, x)
		v.VMULPS(g, x, x)
		v.VMULPS(rest1, g, g)
		first := moment(e, m, beta1, g, negligible)
		divisor := moment(e, w, beta2, x, negligibleSquare)
		look(divisor)
		v.VSQRTPS(divisor, divisor)
		v.VDIVPS(root, divisor, divisor)
		v.VADDPS(epsilon, divisor, divisor)
		v.VMULPS(rate, first, first)
		v.VDIVPS(divisor, first, first)
		v.VSUBPS(first, p, p)
		p = flushed(p, negligible)
		look(p)
		e.store(p, 0, Mem{Base: params})
	})
	v.Store(v.reduce([]reg.VecVirtual{found}, v.VADDPS).AsX(), v.ReturnIndex(0))
	v.end()
}
