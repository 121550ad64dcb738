package main

import (
	"fmt"
	"math"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// doubles writes functions of float64 of one instruction set.
type doubles struct {
	*build.Context
	name  string
	lanes int // numbers in a vector
	new   func() reg.VecVirtual
	known map[uint64]Mem // constants in memory, 8 copies each
}

func doubles512(c *build.Context, known map[uint64]Mem) *doubles {
	return &doubles{c, "AVX512", 8, c.ZMM, known}
}

func doubles2(c *build.Context, known map[uint64]Mem) *doubles {
	return &doubles{c, "AVX2", 4, c.YMM, known}
}

// function begins an assembly function. The lines of doc follow its name.
func (d *doubles) function(name, signature, doc string) {
	d.Function(name)
	d.Attributes(attr.NOSPLIT)
	d.SignatureExpr(signature)
	d.Pragma("noescape")
	d.Doc(wrap(name+" "+doc, 97)...)
}

func (d *doubles) pointer(name string) reg.GPVirtual {
	return d.Load(d.Param(name), d.GP64()).(reg.GPVirtual)
}

func (d *doubles) bytes() int { return 8 * d.lanes }

// number returns a vector in memory of a constant by its bits.
func (d *doubles) number(bits uint64) Mem {
	if m, ok := d.known[bits]; ok {
		return m
	}
	m := d.StaticGlobal(fmt.Sprintf("double%016x", bits))
	d.DataAttributes(attr.RODATA | attr.NOPTR)
	for i := range 8 {
		d.AddDatum(8*i, U64(bits))
	}
	d.known[bits] = m
	return m
}

// kept loads a constant into a register.
func (d *doubles) kept(x float64) reg.VecVirtual {
	r := d.new()
	d.VMOVUPD(d.number(math.Float64bits(x)), r)
	return r
}

// The constants of math.Exp's assembly for amd64.
const (
	ln2Upper = 0.69314718055966295651160180568695068359375
	ln2Lower = 0.28235290563031577122588448175013436025525412068e-12
)

// expTaylor are the coefficients of (exp(x)−1)/x, from the constant on.
var expTaylor = []float64{1, 0.5, 1.6666666666666666667e-1, 4.1666666666666666667e-2, 8.3333333333333333333e-3,
	1.3888888888888888889e-3, 1.9841269841269841270e-4, 2.4801587301587301587e-5}

// exp does what math.Exp's assembly does on a processor with FMA, operation by operation. With
// x = k·ln 2 + 16·r it computes exp(r)−1 by its Taylor series, squares exp(r) four times, and scales by 2ᵏ.
func (d *doubles) exp() {
	d.function("exp64"+d.name, "func(dst *float64, src *float64, n int)",
		fmt.Sprintf("computes dst[i] = exp(src[i]) of n elements, a positive multiple of %d.", d.lanes))
	dst, src, n := d.pointer("dst"), d.pointer("src"), d.pointer("n")
	low, log2e, upper, lower := d.kept(-746), d.kept(math.Log2E), d.kept(ln2Upper), d.kept(ln2Lower)
	sixteenth, two := d.kept(0.0625), d.kept(2)
	var taylor []reg.VecVirtual
	if d.lanes == 8 { // AVX2 has too few registers
		for _, c := range expTaylor {
			taylor = append(taylor, d.kept(c))
		}
	}
	coefficient := func(i int) Op {
		if taylor != nil {
			return taylor[i]
		}
		return d.number(math.Float64bits(expTaylor[i]))
	}
	d.Label("loop")
	x, k, y := d.new(), d.new(), d.new()
	d.VMAXPD(Mem{Base: src}, low, x)
	d.VMULPD(log2e, x, k)
	if d.lanes == 8 {
		d.VRNDSCALEPD(Imm(0), k, k)
	} else {
		d.VROUNDPD(Imm(0), k, k)
	}
	d.VFNMADD231PD(upper, k, x)
	d.VFNMADD231PD(lower, k, x)
	d.VMULPD(sixteenth, x, x)
	d.VMOVUPD(coefficient(len(expTaylor)-1), y)
	for i := len(expTaylor) - 2; i >= 0; i-- {
		d.VFMADD213PD(coefficient(i), x, y)
	}
	d.VMULPD(y, x, x) // exp(r)−1
	for range 3 {
		d.VADDPD(two, x, y)
		d.VMULPD(y, x, x)
	}
	d.VADDPD(two, x, y)
	d.VFMADD213PD(coefficient(0), y, x)
	if d.lanes == 8 {
		d.VSCALEFPD(k, x, x)
	} else {
		d.scale(x, k)
	}
	d.VMOVUPD(x, Mem{Base: dst})
	d.ADDQ(Imm(uint64(d.bytes())), src)
	d.ADDQ(Imm(uint64(d.bytes())), dst)
	d.SUBQ(Imm(uint64(d.lanes)), n)
	d.JG(LabelRef("loop"))
	d.VZEROUPPER()
	d.RET()
}

// scale multiplies x by 2ᵏ in two factors, since 2ᵏ may not be a normal number. The first product is
// exact.
func (d *doubles) scale(x, k reg.VecVirtual) {
	whole := d.XMM()
	d.VCVTPD2DQY(k, whole)
	half, rest := d.XMM(), d.XMM()
	d.VPSRAD(Imm(1), whole, half)
	d.VPSUBD(half, whole, rest)
	for _, e := range []reg.VecVirtual{half, rest} {
		wide := d.YMM()
		d.VPMOVSXDQ(e, wide)
		d.VPADDQ(d.number(1023), wide, wide)
		d.VPSLLQ(Imm(52), wide, wide)
		d.VMULPD(wide, x, x)
	}
}

// mostVectors is the number of vectors of a row that one call of subtractProducts computes at most.
const mostVectors = 8

// subtractProducts rounds each product and each difference, in the order of the rows.
func (d *doubles) subtractProducts() {
	d.function("subtractProducts"+d.name, "func(c *float64, a *float64, b *float64, ld int, k int, vectors int, scale float64)",
		fmt.Sprintf("computes c = (c − Σ a[i·ld]·b[i·ld+j])·scale of the first %d·vectors columns j, where i goes from 0 to k−1 in this "+
			"order and vectors from 1 to %d. Every operation is rounded.", d.lanes, mostVectors))
	c, a, b, ld, k, vectors := d.pointer("c"), d.pointer("a"), d.pointer("b"), d.pointer("ld"), d.pointer("k"), d.pointer("vectors")
	d.SHLQ(Imm(3), ld)
	for n := 1; n < mostVectors; n++ {
		d.CMPQ(vectors, Imm(uint64(n)))
		d.JE(LabelRef(fmt.Sprintf("vectors%d", n)))
	}
	for n := mostVectors; n >= 1; n-- {
		d.Label(fmt.Sprintf("vectors%d", n))
		sums := make([]reg.VecVirtual, n)
		at := func(base reg.Register, j int) Mem { return Mem{Base: base, Disp: j * d.bytes()} }
		for j := range sums {
			sums[j] = d.new()
			d.VMOVUPD(at(c, j), sums[j])
		}
		d.TESTQ(k, k)
		d.JZ(LabelRef(fmt.Sprintf("summed%d", n)))
		d.Label(fmt.Sprintf("loop%d", n))
		factor := d.new()
		d.VBROADCASTSD(Mem{Base: a}, factor)
		for j, s := range sums {
			product := d.new()
			d.VMULPD(at(b, j), factor, product)
			d.VSUBPD(product, s, s)
		}
		d.ADDQ(ld, a)
		d.ADDQ(ld, b)
		d.DECQ(k)
		d.JNZ(LabelRef(fmt.Sprintf("loop%d", n)))
		d.Label(fmt.Sprintf("summed%d", n))
		scale := d.new()
		address, err := d.Param("scale").Resolve()
		if err != nil {
			panic(err)
		}
		d.VBROADCASTSD(address.Addr, scale)
		for j, s := range sums {
			d.VMULPD(scale, s, s)
			d.VMOVUPD(s, at(c, j))
		}
		d.VZEROUPPER()
		d.RET()
	}
}
