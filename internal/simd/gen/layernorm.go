package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// norm holds the registers of a layer norm: the row that is next and how to go through its columns.
type norm struct {
	columns
	x             reg.GPVirtual
	count, eps    Mem            // n, as a float, and ε
	mean, inverse reg.VecVirtual // of the row: see statistics
}

// average returns a sum over columns, divided by their number, in every element of a vector.
func (n *norm) average(sums []reg.VecVirtual) reg.VecVirtual {
	s := n.reduce(sums, n.VADDPS).AsX()
	n.VDIVSS(n.count, s, s)
	return n.spread(s)
}

// statistics computes the mean m of the row at x and 1/√(v+ε), v being the mean of squares around m.
func (n *norm) statistics() {
	sums := n.zeros(n.parts)
	n.each("mean", func(s spot) { n.VADDPS(s.load(n.x), sums[s.i], sums[s.i]) })
	mean := n.average(sums)
	squares := n.zeros(n.parts)
	n.each("variance", func(s spot) {
		x := s.load(n.x)
		n.VSUBPS(mean, x, x)
		s.elsewhere(0, x)
		n.VFMADD231PS(x, x, squares[s.i])
	})
	v := n.reduce(squares, n.VADDPS).AsX()
	n.VDIVSS(n.count, v, v)
	n.VADDSS(n.eps, v, v)
	n.VSQRTSS(v, v, v)
	n.mean, n.inverse = mean, n.spread(n.reciprocal(v))
}

// normalised returns a vector of the row less its mean, over its deviation.
func (n *norm) normalised(s spot) reg.VecVirtual {
	z := s.load(n.x)
	n.VSUBPS(n.mean, z, z)
	n.VMULPS(n.inverse, z, z)
	return z
}

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
	v.loop("rows", m, func() {
		n.statistics()
		n.each("result", func(s spot) {
			z := n.normalised(s)
			by, add := s.load(gain), s.load(shift)
			v.VFMADD213PS(add, by, z)
			s.store(z, y)
		})
		ldx, ldy := v.stride("ldx"), v.stride("ldy")
		v.advance(n.x, ldx, y, ldy)
	})
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
	v.loop("rows", m, func() {
		n.statistics()
		scaled := func(s spot) (gradient, h reg.VecVirtual) {
			gradient, h = s.load(g), s.load(gain)
			v.VMULPS(gradient, h, h)
			return gradient, h
		}
		hs, slopes := n.zeros(n.parts), n.zeros(n.parts)
		n.each("sums", func(s spot) {
			z := n.normalised(s)
			gradient, h := scaled(s) // 0 beyond the last column
			v.VADDPS(h, hs[s.i], hs[s.i])
			v.VFMADD231PS(h, z, slopes[s.i])
			sum := s.load(dgain)
			v.VFMADD231PS(gradient, z, sum)
			s.store(sum, dgain)
			s.edge.fill(s.at(dshift), s.part, sum)
			v.VADDPS(gradient, sum, sum)
			s.store(sum, dshift)
		})
		h, slope := n.average(hs), n.average(slopes)
		n.each("result", func(s spot) {
			z := n.normalised(s)
			_, d := scaled(s)
			v.VSUBPS(h, d, d)
			v.VFNMADD231PS(z, slope, d)
			v.VMULPS(n.inverse, d, d)
			s.store(d, dx)
		})
		ldg, ldx, lddx := v.stride("ldgrad"), v.stride("ldx"), v.stride("lddx")
		v.advance(g, ldg, n.x, ldx, dx, lddx)
	})
}
