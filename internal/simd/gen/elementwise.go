package main

import (
	"fmt"
	"math"
	"slices"

	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Predicates of VCMPPS. Comparisons with a NaN are false.
const (
	less  = 17
	equal = 0
)

// pick returns yes where a <predicate> b, and no elsewhere.
func (v *vectors) pick(predicate uint8, a reg.VecVirtual, b Op, yes Op, no reg.VecVirtual) reg.VecVirtual {
	r := v.new()
	if v.lanes == 16 {
		v.VCMPPS(Imm(uint64(predicate)), b, a, reg.K3)
		v.VBLENDMPS(yes, no, reg.K3, r)
		return r
	}
	v.VCMPPS(Imm(uint64(predicate)), b, a, r)
	v.VBLENDVPS(r, yes, no, r)
	return r
}

// polynomial evaluates a polynomial in x by Horner's rule, coefficients from the constant on.
func (v *vectors) polynomial(x reg.VecVirtual, coefficients []float32) reg.VecVirtual {
	last := len(coefficients) - 1
	y := v.loaded(v.float(coefficients[last]))
	for i := last - 1; i >= 0; i-- {
		v.VFMADD213PS(v.float(coefficients[i]), x, y)
	}
	return y
}

// and returns the bitwise and of m and x.
func (v *vectors) and(m Op, x reg.VecVirtual) reg.VecVirtual {
	return v.to(v.choose(v.VPANDD, v.VPAND), m, x)
}

const (
	// below it exp is 0: 2⁻¹⁵⁰ is half the smallest float
	expLow = -104
	// above it exp is +Inf
	expHigh = 89
	// ln 2 in two parts. The first is so short that its multiples by integers up to 2⁹ are exact.
	ln2High = 0.693359375
	ln2Low  = -2.12194440e-4

	smallestNormal = 0x1p-126
)

// Coefficients from the constant on. Those that are not exact are minimax, by Remez' algorithm.
var (
	expSeries   = []float32{1, 1, 0.49999994, 0.1666652, 0.041668393, 0.008368781, 0.0013814468}
	logSeries   = []float32{0.3333333, -0.2500082, 0.20001227, -0.16623357, 0.14201759, -0.13160183, 0.12761575, -0.07634495}
	atanhSeries = []float32{0.083333015, 0.012506781, 0.002187433, 0.0005473527}
)

// expConstants are the constants that expOf has in registers.
var expConstants = slices.Concat(expSeries[1:], []float32{math.Log2E, ln2High, ln2Low})

// expOf returns exp(max(x, least)) and overwrites x, which must not exceed 89. With x = k·ln 2 + r
// it computes exp(r) = 1 + r + r²·P(r), where P's error is 3.1e-9 of exp(r), and scales by 2ᵏ with
// one rounding, also of denormal results.
func (v *vectors) expOf(x reg.VecVirtual, least float32) reg.VecVirtual {
	low := v.loaded(v.float(least))
	v.VMAXPS(x, low, x) // x first, so that a NaN stays
	k := v.to(v.VMULPS, v.float(math.Log2E), x)
	v.choose(v.VRNDSCALEPS, v.VROUNDPS)(Imm(0), k, k)
	v.VFNMADD231PS(v.float(ln2High), k, x)
	v.VFNMADD231PS(v.float(ln2Low), k, x)
	y := v.polynomial(x, expSeries)
	if v.lanes == 16 {
		v.VSCALEFPS(k, y, y)
		return y
	}
	// In two factors, since 2ᵏ may not be a normal float. The first product is exact.
	half, rest := v.new(), v.new()
	v.VCVTPS2DQ(k, k)
	v.VPSRAD(Imm(1), k, half)
	v.VPSUBD(half, k, rest)
	for _, e := range []reg.VecVirtual{half, rest} {
		v.VPADDD(v.integer(127), e, e)
		v.VPSLLD(Imm(23), e, e)
		v.VMULPS(e, y, y)
	}
	return y
}

func (v *vectors) exp() {
	v.unary("Exp", "computes dst[i] = exp(x[i]). dst may be x. The error is at most 1 unit in the last place, also for denormal "+
		"results. Overflow gives +Inf, exp(-Inf) is 0 and exp(NaN) is NaN.", append(expConstants, expLow, expHigh), func(x reg.VecVirtual) reg.VecVirtual {
		v.VMINPS(x, v.loaded(v.float(expHigh)), x)
		return v.expOf(x, expLow)
	})
}

// unary writes a function whose result takes one slice, and the constants that it keeps.
func (v *vectors) unary(name, doc string, constants []float32, result func(x reg.VecVirtual) reg.VecVirtual) {
	v.function(kernel{form: slice32, goes: name + "(dst, x []float32)", doc: doc})
	dst, x := v.pointer("dst"), v.pointer("x")
	v.keep(constants...)
	v.elements([]reg.GPVirtual{dst, x}, func(s spot) { s.store(result(s.load(x)), dst) })
}

// log writes x as 2ᵏ·(1+f) with 1+f in [√½, √2) and computes log(1+f) = f - f²/2 + f³·Q(f), where
// Q's error is 5.9e-9 of the logarithm.
func (v *vectors) log() {
	v.unary("Log", "computes dst[i] = ln x[i]. dst may be x. The error is at most 1 unit in the last place, also for denormal x. "+
		"ln 0 is -Inf, ln(+Inf) is +Inf, and the result for negative numbers and NaN is NaN.", append(logSeries, 1, 0.5, ln2High, ln2Low), v.logOf)
}

func (v *vectors) logOf(x reg.VecVirtual) reg.VecVirtual {
	const rootHalf = 0x3f3504f3
	// A denormal number is made normal first.
	normal := v.float(smallestNormal)
	scaled := v.to(v.VMULPS, v.float(1<<23), x)
	y := v.pick(less, x, normal, scaled, x)
	zero := v.zero()
	shift := v.pick(less, x, normal, v.float(-23), zero)

	k := v.new()
	v.VPSUBD(v.integer(rootHalf), y, y)
	v.VPSRAD(Imm(23), y, k)
	v.VCVTDQ2PS(k, k)
	v.VADDPS(shift, k, k)
	f := v.and(v.integer(1<<23-1), y)
	v.VPADDD(v.integer(rootHalf), f, f)
	v.VSUBPS(v.float(1), f, f)

	square, r := v.new(), v.polynomial(f, logSeries)
	v.VMULPS(f, f, square)
	v.VMULPS(f, r, r)
	v.VMULPS(square, r, r)
	v.VFMADD231PS(v.float(ln2Low), k, r)
	v.VFNMADD231PS(v.float(0.5), square, r)
	v.VADDPS(f, r, r)
	v.VFMADD231PS(v.float(ln2High), k, r)

	infinity := float32(math.Inf(1))
	r = v.pick(equal, x, v.float(infinity), v.float(infinity), r)
	r = v.pick(less, x, zero, v.integer(0x7fc00000), r)
	r = v.pick(equal, x, zero, v.float(-infinity), r)
	return v.pickNaN(x, x, r)
}

// pickNaN returns yes where x is a NaN, and no elsewhere.
func (v *vectors) pickNaN(x, yes, no reg.VecVirtual) reg.VecVirtual {
	const unordered = 3
	return v.pick(unordered, x, x, yes, no)
}

// softplusSigmoid takes e = exp(-|x|): softplus is max(x, 0) + log(1+e), sigmoid 1/(1+e), or e/(1+e) for
// x < 0. With s = e/(1+e/2), log(1+e) = 2·atanh(s/2) = s + s³·P(s²), which is exact where e is tiny
// or denormal. P's error is 4.6e-9.
func (v *vectors) softplusSigmoid() {
	v.function(kernel{form: slice32, goes: "SoftplusSigmoid(dst, slope, x []float32)",
		doc: "computes dst[i] = log(1+exp(x[i])) and its derivative slope[i] = 1/(1+exp(-x[i])). dst or slope may be x. " +
			"The errors are at most 3 and 2.5 units in the last place for any x, also at -80, where both results are tiny. " +
			"For NaN both results are NaN."})
	dst, slope, src := v.pointer("dst"), v.pointer("slope"), v.pointer("x")
	v.keep(slices.Concat(expConstants, atanhSeries, []float32{expLow, 0.5})...)
	v.elements([]reg.GPVirtual{dst, slope, src}, func(at spot) {
		x, negative := at.load(src), v.new()
		absolute := v.and(v.integer(1<<31-1), x)
		v.VSUBPS(absolute, v.zero(), negative)
		t := v.expOf(negative, expLow)

		one := v.loaded(v.float(1))
		s := v.to(v.VMOVAPS, one)
		v.VFMADD231PS(v.float(0.5), t, s)
		v.VDIVPS(s, t, s)
		square := v.to(v.VMULPS, s, s)
		p := v.polynomial(square, atanhSeries)
		v.VMULPS(square, p, p)
		v.VFMADD213PS(s, s, p)
		positive := v.to(v.VMAXPS, x, v.zero())
		v.VADDPS(positive, p, p)
		at.store(p, dst)

		above := v.pick(less, x, v.zero(), t, one)
		v.VADDPS(one, t, t)
		v.VDIVPS(t, above, above)
		at.store(above, slope)
	})
}

// round rounds to bfloat16: to the nearest number, or to the even one of two equally near. Denormal
// numbers become zeros, as in AVX512_BF16's instructions.
func (v *vectors) round() {
	v.unary("round", "copies x to dst, rounded to bfloat16 and 0 if denormal.", nil, func(xs reg.VecVirtual) reg.VecVirtual {
		up, quiet := v.new(), v.new()
		v.VPSRLD(Imm(16), xs, up)
		up = v.and(v.integer(1), up)
		v.VPADDD(v.integer(0x7fff), up, up)
		v.VPADDD(xs, up, up)
		r := v.and(v.integer(upperBits), up)
		size := v.and(v.integer(1<<31-1), xs)
		r = v.pick(less, size, v.float(smallestNormal), v.and(v.integer(1<<31), xs), r)
		v.VADDPS(xs, xs, quiet) // sets a NaN's quiet bit
		return v.pickNaN(xs, v.and(v.integer(upperBits), quiet), r)
	})
}

// sumRows sums nv vectors of columns. A single vector may be masked.
func (v *vectors) sumRows(nv int) {
	v.function(kernel{goes: "sumRows(m, columns int, a Matrix, dst []float32)", vectors: "(columns + lanes - 1) / lanes",
		doc:      "computes dst [columns] += the sum of the rows of a [m, columns]. There are as many columns as set.columns says.",
		assembly: "is a kernel of sumRows. mask [lanes] is -1 in the columns, in that for one vector.",
		more:     []string{"mask *int32 mask(min(columns, lanes))"}}, nv)
	m, a, dst, lda := v.pointer("m"), v.pointer("a"), v.pointer("dst"), v.stride("lda")
	e := edge(whole{v})
	if nv == 1 {
		e = v.masked(nv)
	}
	sums := v.zeros(nv)
	v.loop("loop", m, func() {
		for j, s := range sums {
			v.VADDPS(v.load(e, Mem{Base: a, Disp: j * v.bytes()}, j), s, s)
		}
		v.ADDQ(lda, a)
	})
	for j, s := range sums {
		v.addTo(e, Mem{Base: dst, Disp: j * v.bytes()}, j, s)
	}
	v.end()
}

// addTo adds s to a vector in memory. It overwrites s.
func (v *vectors) addTo(e edge, m Mem, j int, s reg.VecVirtual) {
	v.VADDPS(v.load(e, m, j), s, s)
	e.store(s, j, m)
}

// axpy computes y += alpha·x.
func (v *vectors) axpy() {
	v.function(kernel{form: slice32, goes: "Axpy(alpha float32, x, y []float32)",
		doc: "computes y += alpha·x. The slices of all functions here have equal lengths."})
	x, y, alpha := v.pointer("x"), v.pointer("y"), v.broadcast("alpha")
	v.elements([]reg.GPVirtual{x, y}, func(s spot) {
		xs, ys := s.load(x), s.load(y)
		v.VFMADD231PS(xs, alpha, ys)
		s.store(ys, y)
	})
}

// flush replaces denormal numbers by 0.
func (v *vectors) flush() {
	v.unary("Flush", "copies x to dst, with 0 for elements below 1e-30 in absolute value. dst may be x. NaN stays NaN.", nil, func(x reg.VecVirtual) reg.VecVirtual {
		return v.flushed(x, negligible)
	})
}

// flushed returns x, with 0 for elements below a bound in size.
func (v *vectors) flushed(x reg.VecVirtual, bound float32) reg.VecVirtual {
	return v.pick(less, v.and(v.integer(1<<31-1), x), v.float(bound), v.zero(), x)
}

// add adds two matrices.
func (v *vectors) add() {
	v.function(kernel{form: matrix, goes: "Add(m, n int, a, b, c Matrix)", doc: "computes C[m, n] = A + B. C may be A or B. m may be 0.",
		checks: `a.check("A", m, n); b.check("B", m, n); c.check("C", m, n)
			if a.Stride == n && b.Stride == n && c.Stride == n {
 m, n = 1, m*n // without gaps: one long row
}`})
	columns := v.newColumns("mask")
	m, a, b, c := v.pointer("m"), v.pointer("a"), v.pointer("b"), v.pointer("c")
	lda, ldb, ldc := v.stride("lda"), v.stride("ldb"), v.stride("ldc")
	v.loop("rows", m, func() {
		columns.each("row", func(s spot) {
			x, y := s.load(a), s.load(b)
			v.VADDPS(y, x, x)
			s.store(x, c)
		})
		v.advance(a, lda, b, ldb, c, ldc)
	})
}

// together is the number of sums of dot, and of maxima of greatest.
const together = 64

// dot keeps 64 sums, one for every index mod 64, in four vectors of AVX-512 or eight of AVX2: so
// both instruction sets add in the same order.
func (v *vectors) dot() {
	v.function(kernel{form: slice32, goes: "Dot(x, y []float32) float32", doc: "returns the sum of x[i]·y[i]."})
	x, y := v.pointer("x"), v.pointer("y")
	sums := v.zeros(together / v.lanes)
	v.products("", x, y, sums)
	v.returns(sums, v.VADDPS)
}

// products adds the products of n elements of x and y to 64 sums.
func (v *vectors) products(prefix string, x, y reg.GPVirtual, sums []reg.VecVirtual) {
	v.turns(prefix, []reg.GPVirtual{x, y}, together, func(s spot) {
		xs, ys := s.load(x), s.load(y)
		v.VFMADD231PS(xs, ys, sums[s.i])
	})
}

// fmaPeak keeps the multiply-add units as busy as possible: 12 independent sums, no loads.
func (v *vectors) fmaPeak() {
	const sums, turns = 12, 2
	v.function(kernel{goes: "fmaPeak(n int)", doc: fmt.Sprintf("does n·%d fused multiply-adds of vectors in registers.", sums*turns), portable: "none"})
	n := v.pointer("n")
	x, y := v.zero(), v.zero()
	all := v.zeros(sums)
	v.loop("loop", n, func() {
		for range turns {
			for _, s := range all {
				v.VFMADD231PS(x, y, s)
			}
		}
	})
}
