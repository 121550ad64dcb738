package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// norm holds the registers of a layer norm: the row that is next and how to go through its columns.
type norm struct {
	columns
	x          reg.GPVirtual
	count, eps Mem // n, as a float, and ε
}

// mean returns a sum over columns, divided by their number, in every element of a vector.
func (n *norm) mean(sums []reg.VecVirtual) reg.VecVirtual {
	s := n.reduce(sums, n.VADDPS).AsX()
	n.VDIVSS(n.count, s, s)
	return n.spread(s)
}

// statistics returns the mean m of the row at x and 1/√(v+ε), v being the mean of squares around m.
func (n *norm) statistics() (mean, inverse reg.VecVirtual) {
	sums := n.zeros()
	n.each("mean", func(e edge, i int, part func(reg.GPVirtual) Mem) {
		x := n.new()
		e.load(part(n.x), i, x)
		n.VADDPS(x, sums[i], sums[i])
	})
	mean = n.mean(sums)
	squares := n.zeros()
	n.each("variance", func(e edge, i int, part func(reg.GPVirtual) Mem) {
		x := n.new()
		e.load(part(n.x), i, x)
		n.VSUBPS(mean, x, x)
		e.elsewhere(0, i, x)
		n.VFMADD231PS(x, x, squares[i])
	})
	v := n.reduce(squares, n.VADDPS).AsX()
	n.VDIVSS(n.count, v, v)
	n.VADDSS(n.eps, v, v)
	n.VSQRTSS(v, v, v)
	return mean, n.spread(n.reciprocal(v))
}

// one returns a 1 in memory.
func (n *norm) one() Mem { return n.float(1).(Mem) }

// newNorm begins the function of a layer norm.
func (v *vectors) newNorm() *norm {
	return &norm{columns: v.newColumns("mask"), x: v.pointer("x"), count: v.memory("count"), eps: v.memory("eps")}
}

const normDoc = "gain %s [n]. count is n; mask [16] is -1 in the first n mod 16 elements."

// normalise normalises rows. A row is read three times, for its mean, its variance and its result;
// it stays in the first-level cache.
func (v *vectors) normalise() {
	v.function("normalise"+v.name,
		"func(m int, n int, x *float32, ldx int, gain *float32, shift *float32, y *float32, ldy int, count float32, eps float32, mask *int32)",
		"computes y = (x-mean)/√(variance+eps)·gain + shift for each row: x and y [m, n], "+fmt.Sprintf(normDoc, "and shift"))
	n := v.newNorm()
	m, y, gain, shift := v.pointer("m"), v.pointer("y"), v.pointer("gain"), v.pointer("shift")
	v.Label("rows")
	mean, inverse := n.statistics()
	n.each("result", func(e edge, i int, part func(reg.GPVirtual) Mem) {
		z, g, s := v.new(), v.new(), v.new()
		e.load(part(n.x), i, z)
		v.VSUBPS(mean, z, z)
		v.VMULPS(inverse, z, z)
		e.load(part(gain), i, g)
		e.load(part(shift), i, s)
		v.VFMADD213PS(s, g, z)
		e.store(z, i, part(y))
	})
	ldx, ldy := v.stride("ldx"), v.stride("ldy")
	v.ADDQ(ldx, n.x)
	v.ADDQ(ldy, y)
	v.DECQ(m)
	v.JNZ(LabelRef("rows"))
	v.end()
}

// normaliseGrad computes the gradients of a layer norm. With z the normalised row and h =
// gradient·gain, the gradient of x is (h - mean(h) - z·mean(h·z))/√(variance+eps).
func (v *vectors) normaliseGrad() {
	v.function("normaliseGrad"+v.name,
		"func(m int, n int, grad *float32, ldgrad int, x *float32, ldx int, gain *float32, dx *float32, lddx int, dgain *float32, dshift *float32, "+
			"count float32, eps float32, mask *int32)",
		"computes the gradients dx of x and adds those of gain and shift to dgain and dshift: grad, x and dx [m, n], "+fmt.Sprintf(normDoc, "dgain and dshift"))
	n := v.newNorm()
	m, g, gain, dx, dgain, dshift := v.pointer("m"), v.pointer("grad"), v.pointer("gain"), v.pointer("dx"), v.pointer("dgain"), v.pointer("dshift")
	v.Label("rows")
	mean, inverse := n.statistics()
	normalised := func(e edge, i int, part func(reg.GPVirtual) Mem) reg.VecVirtual {
		z := v.new()
		e.load(part(n.x), i, z)
		v.VSUBPS(mean, z, z)
		v.VMULPS(inverse, z, z)
		return z
	}
	scaled := func(e edge, i int, part func(reg.GPVirtual) Mem) (gradient, h reg.VecVirtual) {
		gradient, h = v.new(), v.new()
		e.load(part(g), i, gradient)
		e.load(part(gain), i, h)
		v.VMULPS(gradient, h, h)
		return gradient, h
	}
	hs, slopes := n.zeros(), n.zeros()
	n.each("sums", func(e edge, i int, part func(reg.GPVirtual) Mem) {
		z := normalised(e, i, part)
		gradient, h := scaled(e, i, part) // 0 beyond the last column
		v.VADDPS(h, hs[i], hs[i])
		v.VFMADD231PS(h, z, slopes[i])
		sum := v.new()
		e.load(part(dgain), i, sum)
		v.VFMADD231PS(gradient, z, sum)
		e.store(sum, i, part(dgain))
		e.load(part(dshift), i, sum)
		v.VADDPS(gradient, sum, sum)
		e.store(sum, i, part(dshift))
	})
	h, slope := n.mean(hs), n.mean(slopes)
	n.each("result", func(e edge, i int, part func(reg.GPVirtual) Mem) {
		z := normalised(e, i, part)
		_, d := scaled(e, i, part)
		v.VSUBPS(h, d, d)
		v.VFNMADD231PS(z, slope, d)
		v.VMULPS(inverse, d, d)
		e.store(d, i, part(dx))
	})
	ldg, ldx, lddx := v.stride("ldgrad"), v.stride("ldx"), v.stride("lddx")
	v.ADDQ(ldg, g)
	v.ADDQ(ldx, n.x)
	v.ADDQ(lddx, dx)
	v.DECQ(m)
	v.JNZ(LabelRef("rows"))
	v.end()
}
