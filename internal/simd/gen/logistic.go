package main

import (
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The constants of math.Log1p.
const (
	log1pSplit = 4.142135623730950488017e-01 // √2 − 1, for which f is 1+x rounded, less 1
	log1pAbove = 0x1.a827999fcef33p-2        // the next float64, from which on 1+x is at least √2
	log1pSmall = 1.0 / (1 << 29)
	log1pUpper = 6.93147180369123816490e-01
	log1pLower = 1.90821492927058770002e-10
)

// log1pSeries are the coefficients of its series in z, from the first power on.
var log1pSeries = []float64{6.666666666666735130e-01, 3.999999999940941908e-01, 2.857142874366239149e-01, 2.222219843214978396e-01,
	1.818357216161805012e-01, 1.531383769920937332e-01, 1.479819860511658591e-01}

// exps writes the function of simd.Exps.
func (d *doubles) exps() {
	d.function("exps", "func(dst *float64, x *float64, n int)", "computes dst[i] = exp(x[i]) of n elements up to 700; n is a positive multiple of 8.")
	dst, x, n := d.pointer("dst"), d.pointer("x"), d.pointer("n")
	e := d.exponential()
	d.each(n, []Op{dst, x}, func() {
		t := d.asm.to(d.asm.VMOVUPD, Mem{Base: x})
		e.exponentiate(t)
		d.asm.VMOVUPD(t, Mem{Base: dst})
	})
}

// each writes a loop over n elements that pointers point to, and the end of a function.
func (d *doubles) each(n Op, pointers []Op, body func()) {
	d.asm.Label("loop")
	body()
	for _, p := range pointers {
		d.asm.ADDQ(Imm(uint64(d.bytes())), p)
	}
	d.asm.SUBQ(Imm(uint64(d.lanes)), n)
	d.asm.JG(LabelRef("loop"))
	d.asm.end()
}

// logistic writes the function of simd.Logistic.
func (d *doubles) logistic() {
	d.function("logistic", "func(exps *float64, logs *float64, x *float64, n int)",
		"computes exps[i] = exp(-|x[i]|) and logs[i] = log(1+exps[i]) of n elements; n is a positive multiple of 8.")
	exps, logs, x, n := d.pointer("exps"), d.pointer("logs"), d.pointer("x"), d.pointer("n")
	e := d.exponential()
	d.each(n, []Op{exps, logs, x}, func() {
		t := d.asm.to(d.asm.VMOVUPD, Mem{Base: x})
		if d.lanes == 8 {
			d.asm.VPORQ(d.number(1<<63), t, t)
		} else {
			d.asm.VPOR(d.number(1<<63), t, t)
		}
		e.exponentiate(t)
		d.asm.VMOVUPD(t, Mem{Base: exps})
		d.asm.VMOVUPD(d.log1p(t, e.two), Mem{Base: logs})
	})
}

// log1p returns log(1+x) for x from 0 to 1. It does what math.Log1p does, operation by operation. Up to
// √2 − 1, f is x; beyond, log(1+x) is log 2 + log(1+f), and c makes up for the rounding of 1+x.
func (d *doubles) log1p(x, two reg.VecVirtual) reg.VecVirtual {
	one, half := d.double(1), d.double(0.5)
	f, c, u := d.new(), d.new(), d.new()
	d.asm.VADDPD(one, x, u)
	d.asm.VSUBPD(one, u, c)
	d.asm.VMOVUPD(x, f)
	d.replace(f, c, x, 13, log1pSplit) // not less than
	d.asm.VSUBPD(c, x, c)
	d.asm.VDIVPD(u, c, c)
	d.asm.VMULPD(half, u, u)
	d.asm.VSUBPD(one, u, u)
	d.replace(f, u, x, 13, log1pAbove)
	square, s, z, r := d.new(), d.new(), d.new(), d.new()
	d.asm.VMULPD(half, f, square)
	d.asm.VMULPD(f, square, square)
	d.asm.VADDPD(two, f, s)
	d.asm.VDIVPD(s, f, s)
	d.asm.VMULPD(s, s, z)
	last := len(log1pSeries) - 1
	d.asm.VMULPD(d.double(log1pSeries[last]), z, r)
	for i := last - 1; i >= 0; i-- {
		d.asm.VADDPD(d.double(log1pSeries[i]), r, r)
		d.asm.VMULPD(z, r, r)
	}
	d.asm.VADDPD(square, r, r)
	d.asm.VMULPD(s, r, r)
	whole, part := d.new(), d.new()
	d.asm.VADDPD(d.double(log1pLower), c, c)
	d.asm.VADDPD(c, r, c)
	d.asm.VSUBPD(c, square, c)
	d.asm.VSUBPD(f, c, c)
	d.asm.VMOVUPD(d.double(log1pUpper), whole)
	d.asm.VSUBPD(c, whole, whole)
	d.clear(part)
	d.replace(r, part, x, 1, log1pSmall) // less than
	d.asm.VSUBPD(r, square, part)
	d.asm.VSUBPD(part, f, part)
	d.replace(part, whole, x, 13, log1pAbove)
	return part
}

// replace takes the elements of by into to where x compares with the constant.
func (d *doubles) replace(to, by, x reg.VecVirtual, comparison uint64, constant float64) {
	if d.lanes == 8 {
		where := d.asm.K()
		d.asm.VCMPPD(Imm(comparison), d.double(constant), x, where)
		d.asm.VMOVUPD(by, where, to)
		return
	}
	where := d.new()
	d.asm.VCMPPD(Imm(comparison), d.double(constant), x, where)
	d.asm.VBLENDVPD(where, by, to, to)
}
