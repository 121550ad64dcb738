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

// laplaceSums writes the function of simd.LaplaceSums. Sums go into eight places, as many as a block
// has columns, which are added by halves: so all sets give the same bits.
func (d *doubles) laplaceSums() {
	d.function("laplaceSums"+d.name, "func(terms *float64, blocks int, y float64, sums *float64)",
		"sets sums[0] to the distribution function and sums[1] to the density of a mixture at y. terms [blocks, 7, 8]; blocks is positive.")
	terms, blocks, y := d.pointer("terms"), d.pointer("blocks"), d.broadcast("y")
	out := d.pointer("sums")
	e := d.exponential()
	parts := 8 / d.lanes
	zero := d.new()
	d.clear(zero)
	sums := make([]reg.VecVirtual, 2*parts) // of the distribution function, then of the density
	for i := range sums {
		sums[i] = d.new()
		d.clear(sums[i])
	}
	d.asm.Label("loop")
	for i := range parts {
		at := func(row int) Mem { return Mem{Base: terms, Disp: 64*row + d.bytes()*i} }
		x, p, c := d.new(), d.new(), d.new()
		d.asm.VSUBPD(at(rowLocation), y, x)
		d.asm.VMULPD(at(rowUp), x, p)
		d.asm.VMULPD(at(rowDown), x, c)
		d.asm.VMINPD(c, p, p)
		e.of(p)
		d.add(x, zero, p, at, sums[i])
		d.asm.VMULPD(at(rowHeight), p, p)
		d.asm.VADDPD(p, sums[parts+i], sums[parts+i])
	}
	d.asm.ADDQ(U32(64*rows), terms)
	d.asm.DECQ(blocks)
	d.asm.JNZ(LabelRef("loop"))
	for i := range 2 {
		d.asm.VMOVSD(d.total(sums[i*parts:][:parts]), Mem{Base: out, Disp: 8 * i})
	}
	d.asm.VZEROUPPER()
	d.asm.RET()
}

// add adds low·p where x < 0 and whole + high·p elsewhere.
func (d *doubles) add(x, zero, p reg.VecVirtual, at func(row int) Mem, sum reg.VecVirtual) {
	factor, whole := d.new(), d.new()
	d.asm.VMOVUPD(at(rowHigh), factor)
	if d.lanes == 8 {
		below := d.asm.K()
		d.asm.VCMPPD(Imm(1), zero, x, below) // less than
		d.asm.VMOVUPD(at(rowLow), below, factor)
		d.asm.VMOVUPD(at(rowWhole), whole)
		d.asm.VMOVUPD(zero, below, whole)
	} else {
		d.asm.VBLENDVPD(x, at(rowLow), factor, factor) // by the sign
		d.asm.VMOVUPD(at(rowWhole), whole)
		d.asm.VBLENDVPD(x, zero, whole, whole)
	}
	d.asm.VMULPD(factor, p, factor)
	d.asm.VADDPD(factor, whole, whole)
	d.asm.VADDPD(whole, sum, sum)
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
