package main

import (
	"fmt"
	"math"

	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// doubles writes functions of float64 of one instruction set.
type doubles struct {
	asm   *vectors // not embedded: the compiler would write each of its thousands of methods again
	lanes int      // numbers in a vector
}

func newDoubles(v *vectors) *doubles { return &doubles{v, v.lanes / 2} }

// function begins an assembly function for the instruction set. The lines of doc follow its name.
func (d *doubles) function(name, signature, doc string) {
	d.asm.function(name+d.asm.name, signature, doc)
}

func (d *doubles) pointer(name string) reg.GPVirtual { return d.asm.pointer(name) }
func (d *doubles) bytes() int                        { return d.asm.bytes() }
func (d *doubles) new() reg.VecVirtual               { return d.asm.new() }

// number returns a vector in memory of a constant by its bits.
func (d *doubles) number(bits uint64) Mem {
	return d.asm.table("double%016x", bits, func(int) Constant { return U64(bits) })
}

// double returns a vector in memory of a constant.
func (d *doubles) double(x float64) Mem { return d.number(math.Float64bits(x)) }

// kept loads a constant into a register.
func (d *doubles) kept(x float64) reg.VecVirtual { return d.asm.to(d.asm.VMOVUPD, d.double(x)) }

// The constants of math.Exp's assembly for amd64.
const (
	ln2Upper = 0.69314718055966295651160180568695068359375
	ln2Lower = 0.28235290563031577122588448175013436025525412068e-12
)

// expTaylor are the coefficients of (exp(x)−1)/x, from the constant on.
var expTaylor = []float64{1, 0.5, 1.6666666666666666667e-1, 4.1666666666666666667e-2, 8.3333333333333333333e-3,
	1.3888888888888888889e-3, 1.9841269841269841270e-4, 2.4801587301587301587e-5}

// exponential has the constants of expOf in registers, as far as there are registers.
type exponential struct {
	d                                        *doubles
	low, log2e, upper, lower, sixteenth, two reg.VecVirtual
	taylor                                   []reg.VecVirtual // nil in AVX2, which has too few registers
}

func (d *doubles) exponential() exponential {
	e := exponential{d: d, low: d.kept(-746), log2e: d.kept(math.Log2E), upper: d.kept(ln2Upper), lower: d.kept(ln2Lower),
		sixteenth: d.kept(0.0625), two: d.kept(2)}
	if d.lanes == 8 {
		for _, c := range expTaylor {
			e.taylor = append(e.taylor, d.kept(c))
		}
	}
	return e
}

func (e exponential) coefficient(i int) Op {
	if e.taylor != nil {
		return e.taylor[i]
	}
	return e.d.double(expTaylor[i])
}

// exponentiate replaces x by exp(x). It does what math.Exp's assembly does on a processor with FMA, operation by
// operation. With x = k·ln 2 + 16·r it computes exp(r)−1 by its Taylor series, squares exp(r) four
// times, and scales by 2ᵏ.
func (e exponential) exponentiate(x reg.VecVirtual) {
	k, y := e.d.new(), e.d.new()
	e.d.asm.VMAXPD(x, e.low, x)
	e.d.asm.VMULPD(e.log2e, x, k)
	if e.d.lanes == 8 {
		e.d.asm.VRNDSCALEPD(Imm(0), k, k)
	} else {
		e.d.asm.VROUNDPD(Imm(0), k, k)
	}
	e.d.asm.VFNMADD231PD(e.upper, k, x)
	e.d.asm.VFNMADD231PD(e.lower, k, x)
	e.d.asm.VMULPD(e.sixteenth, x, x)
	e.d.asm.VMOVUPD(e.coefficient(len(expTaylor)-1), y)
	for i := len(expTaylor) - 2; i >= 0; i-- {
		e.d.asm.VFMADD213PD(e.coefficient(i), x, y)
	}
	e.d.asm.VMULPD(y, x, x) // exp(r)−1
	for range 3 {
		e.d.asm.VADDPD(e.two, x, y)
		e.d.asm.VMULPD(y, x, x)
	}
	e.d.asm.VADDPD(e.two, x, y)
	e.d.asm.VFMADD213PD(e.coefficient(0), y, x)
	if e.d.lanes == 8 {
		e.d.asm.VSCALEFPD(k, x, x)
	} else {
		e.d.scale(x, k)
	}
}

// kernel writes a function that sets dst[i] to what body makes of src[i].
func (d *doubles) kernel(name, formula string, body func(e exponential, x, scale, variance reg.VecVirtual)) {
	d.function(name, "func(dst *float64, src *float64, n int, scale float64, variance float64)",
		fmt.Sprintf("computes dst[i] = %s of n elements d = src[i]; n is a positive multiple of %d. Every operation of the formula is rounded.", formula, d.lanes))
	dst, src, n := d.pointer("dst"), d.pointer("src"), d.pointer("n")
	scale, variance := d.broadcast("scale"), d.broadcast("variance")
	e := d.exponential()
	d.each(n, []Op{src, dst}, func() {
		x := d.asm.to(d.asm.VMOVUPD, Mem{Base: src})
		body(e, x, scale, variance)
		d.asm.VMOVUPD(x, Mem{Base: dst})
	})
}

// broadcast loads a parameter into every element of a vector.
func (d *doubles) broadcast(name string) reg.VecVirtual {
	return d.asm.to(d.asm.VBROADCASTSD, d.asm.memory(name))
}

func (d *doubles) squaredExponential() {
	d.kernel("squaredExponential", "variance·exp(scale·d·d)", func(e exponential, x, scale, variance reg.VecVirtual) {
		d.asm.VMULPD(d.asm.to(d.asm.VMULPD, x, scale), x, x)
		e.exponentiate(x)
		d.asm.VMULPD(variance, x, x)
	})
}

func (d *doubles) matern52() {
	d.kernel("matern52", "variance·(1 + t + t·t/3)·exp(−t), t = scale·|d|,", func(e exponential, x, scale, variance reg.VecVirtual) {
		sign := d.number(1 << 63)
		t, sum, square := d.new(), d.new(), d.new()
		if d.lanes == 8 {
			d.asm.VPANDQ(d.number(1<<63-1), x, t)
		} else {
			d.asm.VPAND(d.number(1<<63-1), x, t)
		}
		d.asm.VMULPD(t, scale, t)
		d.asm.VADDPD(e.coefficient(0), t, sum)
		d.asm.VMULPD(t, t, square)
		d.asm.VDIVPD(d.double(3), square, square)
		d.asm.VADDPD(square, sum, sum)
		d.asm.VMULPD(sum, variance, sum)
		if d.lanes == 8 {
			d.asm.VPXORQ(sign, t, x)
		} else {
			d.asm.VPXOR(sign, t, x)
		}
		e.exponentiate(x)
		d.asm.VMULPD(sum, x, x)
	})
}

// scale multiplies x by 2ᵏ in two factors, since 2ᵏ may not be a normal number. The first product is
// exact.
func (d *doubles) scale(x, k reg.VecVirtual) {
	whole := d.asm.XMM()
	d.asm.VCVTPD2DQY(k, whole)
	half, rest := d.asm.XMM(), d.asm.XMM()
	d.asm.VPSRAD(Imm(1), whole, half)
	d.asm.VPSUBD(half, whole, rest)
	for _, e := range []reg.VecVirtual{half, rest} {
		wide := d.asm.YMM()
		d.asm.VPMOVSXDQ(e, wide)
		d.asm.VPADDQ(d.number(1023), wide, wide)
		d.asm.VPSLLQ(Imm(52), wide, wide)
		d.asm.VMULPD(wide, x, x)
	}
}

// mostVectors is the number of vectors of a row that one call of subtractProducts computes at most.
const mostVectors = 8

// subtractProducts rounds each product and each difference, in the order of the rows.
func (d *doubles) subtractProducts() {
	d.function("subtractProducts", "func(c *float64, a *float64, b *float64, ld int, k int, vectors int, scale float64)",
		fmt.Sprintf("computes c = (c − Σ a[i·ld]·b[i·ld+j])·scale of the first %d·vectors columns j, where i goes from 0 to k−1 in this "+
			"order and vectors from 1 to %d. Every operation is rounded.", d.lanes, mostVectors))
	c, a, b, ld, k, vectors := d.pointer("c"), d.pointer("a"), d.pointer("b"), d.pointer("ld"), d.pointer("k"), d.pointer("vectors")
	d.asm.SHLQ(Imm(3), ld)
	for n := 1; n < mostVectors; n++ {
		d.asm.CMPQ(vectors, Imm(uint64(n)))
		d.asm.JE(LabelRef(fmt.Sprintf("vectors%d", n)))
	}
	for n := mostVectors; n >= 1; n-- {
		d.asm.Label(fmt.Sprintf("vectors%d", n))
		at := func(base reg.Register, j int) Mem { return Mem{Base: base, Disp: j * d.bytes()} }
		var sums []reg.VecVirtual
		for j := range n {
			sums = append(sums, d.asm.to(d.asm.VMOVUPD, at(c, j)))
		}
		d.asm.TESTQ(k, k)
		d.asm.JZ(LabelRef(fmt.Sprintf("summed%d", n)))
		d.asm.loop(fmt.Sprintf("loop%d", n), k, func() {
			factor := d.asm.to(d.asm.VBROADCASTSD, Mem{Base: a})
			for j, s := range sums {
				d.asm.VSUBPD(d.asm.to(d.asm.VMULPD, at(b, j), factor), s, s)
			}
			d.asm.advance(a, ld, b, ld)
		})
		d.asm.Label(fmt.Sprintf("summed%d", n))
		scale := d.broadcast("scale")
		for j, s := range sums {
			d.asm.VMULPD(scale, s, s)
			d.asm.VMOVUPD(s, at(c, j))
		}
		d.asm.end()
	}
}
