package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A head's room has these parts, at offsets in bytes. The stride of the terms is not a power of
// two.
const (
	headColumns = 32 // the most context points
	headRows    = 48 // the most queries
	headWidth   = 32 // the most columns
	termsStride = 48

	keysAt    = 0                                  // the transposed keys [headWidth, headColumns]
	valuesAt  = keysAt + 4*headWidth*headColumns   // the transposed values
	termsAt   = valuesAt + 4*headWidth*headColumns // the softmax's terms [headRows, termsStride]
	slopesAt  = termsAt + 4*headRows*termsStride   // their gradients
	scaledAt  = slopesAt + 4*headRows*termsStride  // the scaled gradient [headRows, headWidth]
	inverseAt = scaledAt + 4*headRows*headWidth    // 1 over the sums of the terms [headRows]
)

const (
	headDoc = " m queries, at most 48, and n context points, at most 32; q [m, %[1]d], k and v [n, %[1]d]; mask [16] is -1 in the first " +
		"n mod 16 elements. The next head, which is prefetched, begins `rows` rows of queries and `keys` rows of keys on, and `columns` columns."
)

// head writes the functions of one head of attention. They do what several smaller functions do,
// and nothing between: with few context points, calling those takes longer than their work.
type head struct {
	*vectors
	nv int // vectors of the head's columns
}

// newHead begins a function. Blocks of few sizes keep it short.
func newHead(v *vectors, nv int) head {
	v.sizes = []int{12, 6, 4, 3, 2, 1}
	return head{v, nv}
}

// names says what stands for the names in a part of a function.
type names map[string]place

func param(name string) place   { return place{param: name} }
func room(offset int) place     { return place{"room", offset} }
func constant(number int) place { return place{offset: number} }
func (h head) columns() place   { return constant(h.nv * h.lanes) }

// attend writes a head's attention.
func (v *vectors) attend(nv int) {
	v.function(kernel{form: unmasked, goes: "(h *Head) Attend(m int, y Matrix)",
		doc: "computes Y [m, Width] = softmax(Q·Kᵀ·Scale)·V. m may be 0 and is at most FusedRows. It panics for a head that is " +
			"not Fused.",
		assembly: fmt.Sprintf("computes y [m, %[1]d] = softmax(q·kᵀ·scale)·v:"+headDoc, nv*v.lanes),
		checks:   `h.check(m); y.check("result", m, h.Width)`, vectors: "h.Width / lanes", portable: "none"}, nv)
	h := newHead(v, nv)
	h.turn("key", param("k"), param("ldk"), keysAt)
	h.product("score", param("q"), param("ldq"), keysAt, termsAt)
	h.terms("q", "k", "v")
	h.with(names{"a": room(termsAt), "lda": constant(termsStride), "b": param("v"), "ldb": param("ldv"), "k": param("n"),
		"c": param("y"), "ldc": param("ldy")}, func() {
		inverse := v.pointer("room")
		v.ADDQ(U32(inverseAt), inverse)
		v.strided(whole{v}, nv, "result", func(sums [][]reg.VecVirtual) {
			for r, row := range sums {
				factor := v.spread(Mem{Base: inverse, Disp: 4 * r})
				for _, s := range row {
					v.VMULPS(factor, s, s)
				}
			}
			v.ADDQ(Imm(uint64(4*len(sums))), inverse)
		})
	})
	v.end()
}

// attendGrad writes the gradient of a head's attention.
func (v *vectors) attendGrad(nv int) {
	v.function(kernel{form: unmasked, goes: "(h *Head) AttendGrad(m int, to HeadGrad)",
		doc:      "computes to.Q and adds to to.K and to.V. The rest is as in Attend.",
		assembly: fmt.Sprintf("computes the gradient dq [m, %[1]d], and adds to dk and dv [n, %[1]d], from that of attend's result, grad [m, %[1]d]:"+headDoc, nv*v.lanes),
		checks: `h.check(m); to.G.check("gradient", m, h.Width); to.Q.check("queries' gradient", m, h.Width)
			to.K.check("keys' gradient", h.Context, h.Width); to.V.check("values' gradient", h.Context, h.Width)`,
		vectors: "h.Width / lanes", portable: "none"}, nv)
	h := newHead(v, nv)
	h.turn("key", param("k"), param("ldk"), keysAt)
	h.turn("value", param("v"), param("ldv"), valuesAt)
	h.product("score", param("q"), param("ldq"), keysAt, termsAt)
	h.terms("q", "grad")
	h.with(names{"n": h.columns(), "factors": room(inverseAt), "x": param("grad"), "ldx": param("ldgrad"), "y": room(scaledAt), "ldy": h.columns()}, func() {
		v.scaled("scaled", columns{vectors: v, parts: 1, tail: whole{v}, offset: v.GP64()})
	})
	h.sum("values", termsAt, room(scaledAt), h.columns(), "dv", "lddv")
	h.product("slope", param("grad"), param("ldgrad"), valuesAt, slopesAt)
	h.slopes("k", "v")
	h.with(names{"a": room(slopesAt), "lda": constant(termsStride), "b": param("k"), "ldb": param("ldk"), "k": param("n"),
		"c": param("dq"), "ldc": param("lddq")}, func() {
		v.strided(whole{v}, nv, "queries", func([][]reg.VecVirtual) {})
	})
	h.sum("keys", slopesAt, param("q"), param("ldq"), "dk", "lddk")
	v.end()
}

// product multiplies rows by a transposed matrix in the room and writes the products to the room.
func (h head) product(prefix string, a, lda place, from, to int) {
	h.with(names{"a": a, "lda": lda, "b": room(from), "ldb": constant(headColumns), "k": h.columns(), "c": room(to), "ldc": constant(termsStride)}, func() {
		h.strided(whole{h.vectors}, headColumns/h.lanes, prefix, func([][]reg.VecVirtual) {})
	})
}

// terms makes terms of the products, and prefetches rows of the next head.
func (h head) terms(next ...string) {
	fetch := h.fetcher(next)
	h.with(names{"x": room(termsAt), "ldx": constant(termsStride), "inverse": room(inverseAt)}, func() { h.softmax("terms", fetch) })
}

// slopes computes the gradient of the scores, and prefetches rows of the next head.
func (h head) slopes(next ...string) {
	fetch := h.fetcher(next)
	h.with(names{"x": room(slopesAt), "ldx": constant(termsStride), "terms": room(termsAt), "ldterms": constant(termsStride),
		"inverse": room(inverseAt), "tail": param("mask")}, func() { h.softmaxGrad("slopes", fetch) })
}

// sum adds the product of a transposed matrix in the room and b to c.
func (h head) sum(prefix string, a int, b, ldb place, c, ldc string) {
	h.with(names{"k": param("n"), "a": room(a), "lda": constant(termsStride), "b": b, "ldb": ldb, "c": param(c), "ldc": param(ldc)}, func() {
		h.transposed(whole{h.vectors}, h.nv, prefix, func() {})
	})
}

// fetcher returns what prefetches a row of the next head from each of some matrices, and goes on to
// the next row.
func (h head) fetcher(matrices []string) func() {
	var pointers []reg.GPVirtual
	for _, name := range matrices {
		first := h.pointer("rows")
		if name == "k" || name == "v" {
			first = h.pointer("keys")
		}
		h.IMULQ(h.memory("ld"+name), first)
		h.ADDQ(h.memory("columns"), first)
		h.SHLQ(Imm(2), first)
		h.ADDQ(h.memory(name), first)
		pointers = append(pointers, first)
	}
	return func() {
		for i, p := range pointers {
			for j := range h.nv {
				h.PREFETCHT1(Mem{Base: p, Disp: j * h.bytes()})
			}
			h.ADDQ(h.stride("ld"+matrices[i]), p)
		}
	}
}

// turn transposes n rows to the room, 16 rows and 16 columns at a time. What it writes beyond n
// columns has no meaning.
func (h head) turn(prefix string, from, ld place, to int) {
	const size = 16
	h.with(names{"from": from, "ld": ld, "to": room(to)}, func() {
		a, dst, ld, left := h.pointer("from"), h.pointer("to"), h.stride("ld"), h.pointer("n")
		h.Label(prefix + "Rows")
		for j := range h.nv {
			p, step, none, last := h.GP64(), h.GP64(), h.GP64(), h.GP64()
			h.MOVQ(a, p)
			h.MOVQ(ld, step)
			h.MOVQ(left, last)
			h.XORQ(none, none)
			var rows []reg.VecVirtual
			for range size { // rows that do not exist repeat the last one
				rows = append(rows, h.loaded(Mem{Base: p, Disp: j * h.bytes()}))
				h.DECQ(last)
				h.CMOVQEQ(none, step)
				h.ADDQ(step, p)
			}
			for i, column := range h.turned16(rows) {
				h.VMOVUPS(column, Mem{Base: dst, Disp: (j*size + i) * 4 * headColumns})
			}
		}
		h.SHLQ(Imm(4), ld)
		h.ADDQ(ld, a)
		h.SHRQ(Imm(4), ld)
		h.ADDQ(Imm(4*size), dst)
		h.SUBQ(Imm(size), left)
		h.JG(LabelRef(prefix + "Rows"))
	})
}

// turned16 returns the columns of 16 rows of 16 numbers. The first two steps make quarters of
// columns, in 128 bits each; the others gather them.
func (v *vectors) turned16(rows []reg.VecVirtual) []reg.VecVirtual {
	low := func(a, b Op) reg.VecVirtual { return v.to(v.VUNPCKLPS, b, a) }
	high := func(a, b Op) reg.VecVirtual { return v.to(v.VUNPCKHPS, b, a) }
	shuffle := func(order uint8, a, b Op) reg.VecVirtual { return v.to(v.VSHUFPS, U8(order), b, a) }
	var quarters [4][4]reg.VecVirtual // [rows 4i to 4i+3][column mod 4], columns j, j+4, j+8, j+12
	for i := range quarters {
		r := rows[4*i:]
		a, b, c, d := low(r[0], r[1]), low(r[2], r[3]), high(r[0], r[1]), high(r[2], r[3])
		quarters[i] = [4]reg.VecVirtual{shuffle(0x44, a, b), shuffle(0xee, a, b), shuffle(0x44, c, d), shuffle(0xee, c, d)}
	}
	columns := make([]reg.VecVirtual, len(rows))
	for j := range 4 {
		even := func(a, b Op) reg.VecVirtual { return v.to(v.VSHUFF32X4, U8(0x88), b, a) }
		odd := func(a, b Op) reg.VecVirtual { return v.to(v.VSHUFF32X4, U8(0xdd), b, a) }
		q0, q1, q2, q3 := quarters[0][j], quarters[1][j], quarters[2][j], quarters[3][j]
		a, b, c, d := even(q0, q1), even(q2, q3), odd(q0, q1), odd(q2, q3)
		columns[j], columns[j+4], columns[j+8], columns[j+12] = even(a, b), even(c, d), odd(a, b), odd(c, d)
	}
	return columns
}
