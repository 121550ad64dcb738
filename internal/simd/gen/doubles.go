package main

import (
	"fmt"
	"math"

	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// number returns a vector in memory of a constant by its bits.
func (v *vectors) number(bits uint64) Mem {
	return v.table("double%016x", bits, func(int) Constant { return U64(bits) })
}

// double returns a vector in memory of a constant.
func (v *vectors) double(x float64) Mem { return v.number(math.Float64bits(x)) }

// kept loads a constant into a register.
func (v *vectors) keptDouble(x float64) reg.VecVirtual { return v.to(v.VMOVUPD, v.double(x)) }

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
	*vectors
	low, log2e, upper, lower, sixteenth, two reg.VecVirtual
	taylor                                   []reg.VecVirtual // nil in AVX2, which has too few registers
}

func (v *vectors) exponential() exponential {
	e := exponential{vectors: v, low: v.keptDouble(-746), log2e: v.keptDouble(math.Log2E), upper: v.keptDouble(ln2Upper), lower: v.keptDouble(ln2Lower),
		sixteenth: v.keptDouble(0.0625), two: v.keptDouble(2)}
	if v.lanes == 16 {
		for _, c := range expTaylor {
			e.taylor = append(e.taylor, v.keptDouble(c))
		}
	}
	return e
}

func (e exponential) coefficient(i int) Op {
	if e.taylor != nil {
		return e.taylor[i]
	}
	return e.double(expTaylor[i])
}

// exponentiate replaces x by exp(x). It does what math.Exp's assembly does on a processor with FMA, operation by
// operation. With x = k·ln 2 + 16·r it computes exp(r)−1 by its Taylor series, squares exp(r) four
// times, and scales by 2ᵏ.
func (e exponential) exponentiate(x reg.VecVirtual) {
	k, y := e.new(), e.new()
	e.VMAXPD(x, e.low, x)
	e.VMULPD(e.log2e, x, k)
	e.choose(e.VRNDSCALEPD, e.VROUNDPD)(Imm(0), k, k)
	e.VFNMADD231PD(e.upper, k, x)
	e.VFNMADD231PD(e.lower, k, x)
	e.VMULPD(e.sixteenth, x, x)
	e.VMOVUPD(e.coefficient(len(expTaylor)-1), y)
	for i := len(expTaylor) - 2; i >= 0; i-- {
		e.VFMADD213PD(e.coefficient(i), x, y)
	}
	e.VMULPD(y, x, x) // exp(r)−1
	for range 3 {
		e.VADDPD(e.two, x, y)
		e.VMULPD(y, x, x)
	}
	e.VADDPD(e.two, x, y)
	e.VFMADD213PD(e.coefficient(0), y, x)
	if e.lanes == 16 {
		e.VSCALEFPD(k, x, x)
	} else {
		e.scale(x, k)
	}
}

// covariance writes a function that sets dst[i] to what body makes of distances[i].
func (v *vectors) covariance(name, doc string, body func(e exponential, x, scale, variance reg.VecVirtual)) {
	v.function(kernel{form: slice64, goes: name + "(dst, distances []float64, scale, variance float64)", doc: doc})
	dst, src, n := v.pointer("dst"), v.pointer("distances"), v.pointer("n")
	scale, variance := v.broadcastDouble("scale"), v.broadcastDouble("variance")
	e := v.exponential()
	v.each(n, []Op{src, dst}, func() {
		x := v.to(v.VMOVUPD, Mem{Base: src})
		body(e, x, scale, variance)
		v.VMOVUPD(x, Mem{Base: dst})
	})
}

// broadcast loads a parameter into every element of a vector.
func (v *vectors) broadcastDouble(name string) reg.VecVirtual {
	return v.to(v.VBROADCASTSD, v.memory(name))
}

func (v *vectors) squaredExponential() {
	v.covariance("SquaredExponential", "sets dst[i] to the covariance variance·exp(scale·d·d) of two points at distance d = distances[i], "+
		"with the bits of this expression in Go. dst may be distances. The lengths are equal and a multiple of DoubleLanes. "+
		"scale·d·d must be at most 700 and not NaN.", func(e exponential, x, scale, variance reg.VecVirtual) {
		v.VMULPD(v.to(v.VMULPD, x, scale), x, x)
		e.exponentiate(x)
		v.VMULPD(variance, x, x)
	})
}

func (v *vectors) matern52() {
	v.covariance("Matern52", "sets dst[i] to the covariance variance·(1 + t + t·t/3)·exp(−t), t = scale·|distances[i]|, under the same "+
		"conditions as SquaredExponential. scale is positive.", func(e exponential, x, scale, variance reg.VecVirtual) {
		sign := v.number(1 << 63)
		t, sum, square := v.new(), v.new(), v.new()
		v.choose(v.VPANDQ, v.VPAND)(v.number(1<<63-1), x, t)
		v.VMULPD(t, scale, t)
		v.VADDPD(e.coefficient(0), t, sum)
		v.VMULPD(t, t, square)
		v.VDIVPD(v.double(3), square, square)
		v.VADDPD(square, sum, sum)
		v.VMULPD(sum, variance, sum)
		v.choose(v.VPXORQ, v.VPXOR)(sign, t, x)
		e.exponentiate(x)
		v.VMULPD(sum, x, x)
	})
}

// scale multiplies x by 2ᵏ in two factors, since 2ᵏ may not be a normal number. The first product is
// exact.
func (v *vectors) scale(x, k reg.VecVirtual) {
	whole := v.XMM()
	v.VCVTPD2DQY(k, whole)
	half, rest := v.XMM(), v.XMM()
	v.VPSRAD(Imm(1), whole, half)
	v.VPSUBD(half, whole, rest)
	for _, e := range []reg.VecVirtual{half, rest} {
		wide := v.YMM()
		v.VPMOVSXDQ(e, wide)
		v.VPADDQ(v.number(1023), wide, wide)
		v.VPSLLQ(Imm(52), wide, wide)
		v.VMULPD(wide, x, x)
	}
}

// mostVectors is the number of vectors of a row that one call of subtractProducts computes at most.
const mostVectors = 8

// subtractProducts rounds each product and each difference, in the order of the rows.
func (v *vectors) subtractProducts() {
	v.function(kernel{goes: "subtractProducts(c, a, b *float64, ld, k, vectors int, scale float64)", portable: "none",
		doc: fmt.Sprintf("computes c = (c − Σ a[i·ld]·b[i·ld+j])·scale of the columns j of some vectors, 1 to %d, where i goes from "+
			"0 to k−1 in this order. Every operation is rounded.", mostVectors)})
	c, a, b, ld, k, vectors := v.pointer("c"), v.pointer("a"), v.pointer("b"), v.pointer("ld"), v.pointer("k"), v.pointer("vectors")
	v.SHLQ(Imm(3), ld)
	for n := 1; n < mostVectors; n++ {
		v.CMPQ(vectors, Imm(uint64(n)))
		v.JE(LabelRef(fmt.Sprintf("vectors%d", n)))
	}
	for n := mostVectors; n >= 1; n-- {
		v.Label(fmt.Sprintf("vectors%d", n))
		at := func(base reg.Register, j int) Mem { return Mem{Base: base, Disp: j * v.bytes()} }
		var sums []reg.VecVirtual
		for j := range n {
			sums = append(sums, v.to(v.VMOVUPD, at(c, j)))
		}
		v.TESTQ(k, k)
		v.JZ(LabelRef(fmt.Sprintf("summed%d", n)))
		v.loop(fmt.Sprintf("loop%d", n), k, func() {
			factor := v.to(v.VBROADCASTSD, Mem{Base: a})
			for j, s := range sums {
				v.VSUBPD(v.to(v.VMULPD, at(b, j), factor), s, s)
			}
			v.advance(a, ld, b, ld)
		})
		v.Label(fmt.Sprintf("summed%d", n))
		scale := v.broadcastDouble("scale")
		for j, s := range sums {
			v.VMULPD(scale, s, s)
			v.VMOVUPD(s, at(c, j))
		}
		v.end()
	}
}

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
func (v *vectors) laplaceSums() {
	var zero reg.VecVirtual
	v.laplace("LaplaceSums", "(probability, density float64)", "returns the mixture's distribution function and its density at a finite y. "+
		"The error is that of rounding each term.",
		func() { zero = v.new(); v.clear(zero) },
		func(x, p reg.VecVirtual, at func(row int) Mem, first, second reg.VecVirtual) {
			factor := v.below(x, at(rowLow), at(rowHigh)) // low·p where x < 0, whole + high·p elsewhere
			whole := v.below(x, zero, at(rowWhole))
			v.VMULPD(factor, p, factor)
			v.VADDPD(factor, whole, whole)
			v.VADDPD(whole, first, first)
			v.VMULPD(at(rowHeight), p, p)
			v.VADDPD(p, second, second)
		})
}

// laplaceSlope writes the function of simd.LaplaceSlope.
func (v *vectors) laplaceSlope() {
	v.laplace("LaplaceSlope", "(density, slope float64)", "returns the mixture's density at a finite y, and the density's derivative from the right.",
		func() {},
		func(x, p reg.VecVirtual, at func(row int) Mem, first, second reg.VecVirtual) {
			v.VMULPD(at(rowHeight), p, p)
			v.VADDPD(p, first, first)
			v.VMULPD(v.below(x, at(rowUp), at(rowDown)), p, p)
			v.VADDPD(p, second, second)
		})
}

// laplace writes a function that adds up two numbers of each component. For some of them, body gets x =
// y−μ and p, which is exp(Up·x) for x < 0 and exp(Down·x) elsewhere, with Down stored as negative. Sums
// go into eight places, as many as a block has columns, which are added by halves: so all sets give the
// same bits.
func (v *vectors) laplace(name, results, doc string, begin func(), body func(x, p reg.VecVirtual, at func(row int) Mem, first, second reg.VecVirtual)) {
	v.function(kernel{goes: name + "(terms LaplaceTerms, y float64) " + results, doc: doc, checks: `terms.check()`,
		assembly: "is a kernel of " + name + ". terms [blocks, 7, 8]; blocks is positive."})
	terms, blocks, y := v.pointer("terms"), v.pointer("blocks"), v.broadcastDouble("y")
	e := v.exponential()
	parts := 16 / v.lanes
	begin()
	sums := make([]reg.VecVirtual, 2*parts) // of the first number, then of the second
	for i := range sums {
		sums[i] = v.new()
		v.clear(sums[i])
	}
	v.loop("loop", blocks, func() {
		for i := range parts {
			at := func(row int) Mem { return Mem{Base: terms, Disp: 64*row + v.bytes()*i} }
			x := v.to(v.VSUBPD, at(rowLocation), y)
			p := v.to(v.VMULPD, at(rowUp), x)
			v.VMINPD(v.to(v.VMULPD, at(rowDown), x), p, p)
			e.exponentiate(p)
			body(x, p, at, sums[i], sums[parts+i])
		}
		v.ADDQ(U32(64*rows), terms)
	})
	for i := range 2 {
		v.VMOVSD(v.total(sums[i*parts:][:parts]), v.resolved(v.ReturnIndex(i)))
	}
	v.end()
}

// below returns yes where x < 0 and no elsewhere.
func (v *vectors) below(x reg.VecVirtual, yes, no Op) reg.VecVirtual {
	chosen := v.new()
	v.VMOVUPD(no, chosen)
	if v.lanes == 16 {
		negative := v.K()
		v.VCMPPD(Imm(1), v.double(0), x, negative) // less than
		v.VMOVUPD(yes, negative, chosen)
	} else {
		v.VBLENDVPD(x, yes, chosen, chosen) // by the sign
	}
	return chosen
}

func (v *vectors) clear(x reg.VecVirtual) {
	if v.lanes == 16 {
		v.VPXORQ(x, x, x)
	} else {
		v.VXORPD(x, x, x)
	}
}

// total adds eight numbers by halves: i and i+4, then i and i+2, then both.
func (v *vectors) total(parts []reg.VecVirtual) reg.VecVirtual {
	four := v.YMM()
	if v.lanes == 16 {
		v.VEXTRACTF64X4(Imm(1), parts[0], four)
		v.VADDPD(four, parts[0].AsY(), four)
	} else {
		v.VADDPD(parts[1], parts[0], four)
	}
	two := v.XMM()
	v.VEXTRACTF128(Imm(1), four, two)
	v.VADDPD(two, four.AsX(), two)
	one := v.XMM()
	v.VUNPCKHPD(two, two, one)
	v.VADDSD(one, two, one)
	return one
}

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
func (v *vectors) exps() {
	v.function(kernel{form: slice64, goes: "Exps(dst, x []float64)",
		doc: "sets dst[i] to exp(x[i]), with the bits of math.Exp on a processor with FMA. No x is above 700. " +
			"The lengths are equal and a multiple of DoubleLanes; dst may be x."})
	dst, x, n := v.pointer("dst"), v.pointer("x"), v.pointer("n")
	e := v.exponential()
	v.each(n, []Op{dst, x}, func() {
		t := v.to(v.VMOVUPD, Mem{Base: x})
		e.exponentiate(t)
		v.VMOVUPD(t, Mem{Base: dst})
	})
}

// each writes a loop over n elements that pointers point to, and the end of a function.
func (v *vectors) each(n Op, pointers []Op, body func()) {
	v.Label("loop")
	body()
	for _, p := range pointers {
		v.ADDQ(Imm(uint64(v.bytes())), p)
	}
	v.SUBQ(Imm(uint64(v.lanes/2)), n)
	v.JG(LabelRef("loop"))
	v.end()
}

// logistic writes the function of simd.Logistic.
func (v *vectors) logistic() {
	v.function(kernel{form: slice64, goes: "Logistic(exps, logs, x []float64)",
		doc: "sets exps[i] to exp(−|x[i]|) and logs[i] to log(1 + exps[i]), with the bits of math.Exp and math.Log1p on a processor " +
			"with FMA: softplus(x) is max(x, 0) + log, and sigmoid(|x|) is 1/(1 + exp). The lengths are equal and a multiple of DoubleLanes."})
	exps, logs, x, n := v.pointer("exps"), v.pointer("logs"), v.pointer("x"), v.pointer("n")
	e := v.exponential()
	v.each(n, []Op{exps, logs, x}, func() {
		t := v.to(v.VMOVUPD, Mem{Base: x})
		v.choose(v.VPORQ, v.VPOR)(v.number(1<<63), t, t)
		e.exponentiate(t)
		v.VMOVUPD(t, Mem{Base: exps})
		v.VMOVUPD(v.log1p(t, e.two), Mem{Base: logs})
	})
}

// log1p returns log(1+x) for x from 0 to 1. It does what math.Log1p does, operation by operation. Up to
// √2 − 1, f is x; beyond, log(1+x) is log 2 + log(1+f), and c makes up for the rounding of 1+x.
func (v *vectors) log1p(x, two reg.VecVirtual) reg.VecVirtual {
	one, half := v.double(1), v.double(0.5)
	f, c, u := v.new(), v.new(), v.new()
	v.VADDPD(one, x, u)
	v.VSUBPD(one, u, c)
	v.VMOVUPD(x, f)
	v.replace(f, c, x, 13, log1pSplit) // not less than
	v.VSUBPD(c, x, c)
	v.VDIVPD(u, c, c)
	v.VMULPD(half, u, u)
	v.VSUBPD(one, u, u)
	v.replace(f, u, x, 13, log1pAbove)
	square, s, z, r := v.new(), v.new(), v.new(), v.new()
	v.VMULPD(half, f, square)
	v.VMULPD(f, square, square)
	v.VADDPD(two, f, s)
	v.VDIVPD(s, f, s)
	v.VMULPD(s, s, z)
	last := len(log1pSeries) - 1
	v.VMULPD(v.double(log1pSeries[last]), z, r)
	for i := last - 1; i >= 0; i-- {
		v.VADDPD(v.double(log1pSeries[i]), r, r)
		v.VMULPD(z, r, r)
	}
	v.VADDPD(square, r, r)
	v.VMULPD(s, r, r)
	whole, part := v.new(), v.new()
	v.VADDPD(v.double(log1pLower), c, c)
	v.VADDPD(c, r, c)
	v.VSUBPD(c, square, c)
	v.VSUBPD(f, c, c)
	v.VMOVUPD(v.double(log1pUpper), whole)
	v.VSUBPD(c, whole, whole)
	v.clear(part)
	v.replace(r, part, x, 1, log1pSmall) // less than
	v.VSUBPD(r, square, part)
	v.VSUBPD(part, f, part)
	v.replace(part, whole, x, 13, log1pAbove)
	return part
}

// replace takes the elements of by into to where x compares with the constant.
func (v *vectors) replace(to, by, x reg.VecVirtual, comparison uint64, constant float64) {
	if v.lanes == 16 {
		where := v.K()
		v.VCMPPD(Imm(comparison), v.double(constant), x, where)
		v.VMOVUPD(by, where, to)
		return
	}
	where := v.new()
	v.VCMPPD(Imm(comparison), v.double(constant), x, where)
	v.VBLENDVPD(where, by, to, to)
}
