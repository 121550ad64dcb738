package main

import (
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// norm holds the registers of a layer norm: the row that is next and how to go through its columns.
type norm struct {
	columns
	x              reg.GPVirtual
	count, epsilon Mem            // n, as a float, and ε
	mean, inverse  reg.VecVirtual // of the row: see statistics
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
	n.VADDSS(n.epsilon, v, v)
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
	return &norm{columns: v.newColumns("mask"), x: v.pointer("x"), count: v.memory("count"), epsilon: v.memory("epsilon")}
}

// count is the number of columns as a float.
const count = "count float32 float32(n)"

// layerNorm normalises rows. A row is read three times, for its mean, its variance and its result;
// it stays in the first-level cache.
func (v *vectors) layerNorm() {
	v.function(kernel{form: matrix, goes: "LayerNorm(m, n int, norm Norm, x, y Matrix)",
		doc: "writes the layer norm of x [m, n] to y [m, n]. y may be x. m may be 0. Results of rows whose deviation is far below " +
			"their mean carry the rounding error of that mean.",
		checks: `x.check("x", m, n); y.check("y", m, n); Rows(norm.Gain, n).check("gain", 1, n); Rows(norm.Shift, n).check("shift", 1, n)`,
		more:   []string{count, "shift *float32 &norm.Shift[0]"}})
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

// layerNormGrad computes the gradients of a layer norm. With z the normalised row and h =
// gradient·gain, the gradient of x is (h - mean(h) - z·mean(h·z))/√(variance+eps).
func (v *vectors) layerNormGrad() {
	v.function(kernel{form: matrix, goes: "LayerNormGrad(m, n int, norm Norm, grad, x Matrix, to NormGrad)",
		doc: "computes the gradients of LayerNorm from the gradient grad [m, n] of its result. It overwrites that of x and adds to " +
			"those of gain and shift. The gradient of x may be grad. Shift is not read. m may be 0.",
		checks: `grad.check("gradient", m, n); x.check("x", m, n); to.X.check("x's gradient", m, n)
			Rows(norm.Gain, n).check("gain", 1, n); Rows(to.Gain, n).check("gain's gradient", 1, n); Rows(to.Shift, n).check("shift's gradient", 1, n)`,
		more: []string{count}})
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
