package main

import (
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The rows of a block of simd.LaplaceTerms.
const (
	rowLocation = iota
	rowUp
	rowDown
	rowLow
	rowHigh
	rowWhole
	rowHeight
	rows
)

// laplaceSums writes the function of simd.LaplaceSums.
func (d *doubles) laplaceSums() {
	var zero reg.VecVirtual
	d.laplace("laplaceSums", "sets sums[0] to the distribution function and sums[1] to the density of a mixture at y.",
		func() { zero = d.new(); d.clear(zero) },
		func(x, p reg.VecVirtual, at func(row int) Mem, first, second reg.VecVirtual) {
			d.add(x, zero, p, at, first)
			d.asm.VMULPD(at(rowHeight), p, p)
			d.asm.VADDPD(p, second, second)
		})
}

// laplaceSlope writes the function of simd.LaplaceSlope.
func (d *doubles) laplaceSlope() {
	d.laplace("laplaceSlope", "sets sums[0] to the density of a mixture at y and sums[1] to its derivative from the right.",
		func() {},
		func(x, p reg.VecVirtual, at func(row int) Mem, first, second reg.VecVirtual) {
			d.asm.VMULPD(at(rowHeight), p, p)
			d.asm.VADDPD(p, first, first)
			d.asm.VMULPD(d.below(x, at(rowUp), at(rowDown)), p, p)
			d.asm.VADDPD(p, second, second)
		})
}

// laplace writes a function that adds up two numbers of each component. For some of them, body gets x =
// y−μ and p, which is exp(Up·x) for x < 0 and exp(Down·x) elsewhere, with Down stored as negative. Sums
// go into eight places, as many as a block has columns, which are added by halves: so all sets give the
// same bits.
func (d *doubles) laplace(name, doc string, begin func(), body func(x, p reg.VecVirtual, at func(row int) Mem, first, second reg.VecVirtual)) {
	d.function(name, "func(terms *float64, blocks int, y float64, sums *float64)", doc+" terms [blocks, 7, 8]; blocks is positive.")
	terms, blocks, y := d.pointer("terms"), d.pointer("blocks"), d.broadcast("y")
	out := d.pointer("sums")
	e := d.exponential()
	parts := 8 / d.lanes
	begin()
	sums := make([]reg.VecVirtual, 2*parts) // of the first number, then of the second
	for i := range sums {
		sums[i] = d.new()
		d.clear(sums[i])
	}
	d.asm.loop("loop", blocks, func() {
		for i := range parts {
			at := func(row int) Mem { return Mem{Base: terms, Disp: 64*row + d.bytes()*i} }
			x := d.asm.to(d.asm.VSUBPD, at(rowLocation), y)
			p := d.asm.to(d.asm.VMULPD, at(rowUp), x)
			d.asm.VMINPD(d.asm.to(d.asm.VMULPD, at(rowDown), x), p, p)
			e.exponentiate(p)
			body(x, p, at, sums[i], sums[parts+i])
		}
		d.asm.ADDQ(U32(64*rows), terms)
	})
	for i := range 2 {
		d.asm.VMOVSD(d.total(sums[i*parts:][:parts]), Mem{Base: out, Disp: 8 * i})
	}
	d.asm.end()
}

// add adds low·p where x < 0 and whole + high·p elsewhere.
func (d *doubles) add(x, zero, p reg.VecVirtual, at func(row int) Mem, sum reg.VecVirtual) {
	factor := d.below(x, at(rowLow), at(rowHigh))
	whole := d.below(x, zero, at(rowWhole))
	d.asm.VMULPD(factor, p, factor)
	d.asm.VADDPD(factor, whole, whole)
	d.asm.VADDPD(whole, sum, sum)
}

// below returns yes where x < 0 and no elsewhere.
func (d *doubles) below(x reg.VecVirtual, yes, no Op) reg.VecVirtual {
	chosen := d.new()
	d.asm.VMOVUPD(no, chosen)
	if d.lanes == 8 {
		negative := d.asm.K()
		d.asm.VCMPPD(Imm(1), d.double(0), x, negative) // less than
		d.asm.VMOVUPD(yes, negative, chosen)
	} else {
		d.asm.VBLENDVPD(x, yes, chosen, chosen) // by the sign
	}
	return chosen
}

func (d *doubles) clear(x reg.VecVirtual) {
	if d.lanes == 8 {
		d.asm.VPXORQ(x, x, x)
	} else {
		d.asm.VXORPD(x, x, x)
	}
}

// total adds eight numbers by halves: i and i+4, then i and i+2, then both.
func (d *doubles) total(parts []reg.VecVirtual) reg.VecVirtual {
	four := d.asm.YMM()
	if d.lanes == 8 {
		d.asm.VEXTRACTF64X4(Imm(1), parts[0], four)
		d.asm.VADDPD(four, parts[0].AsY(), four)
	} else {
		d.asm.VADDPD(parts[1], parts[0], four)
	}
	two := d.asm.XMM()
	d.asm.VEXTRACTF128(Imm(1), four, two)
	d.asm.VADDPD(two, four.AsX(), two)
	one := d.asm.XMM()
	d.asm.VUNPCKHPD(two, two, one)
	d.asm.VADDSD(one, two, one)
	return one
}
