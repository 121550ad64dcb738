package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// turns writes a loop over the n floats that the pointers point to. A turn takes the given number of
// floats, vector after vector. Only the very last vector is masked. The prefix makes labels unique.
func (v *vectors) turns(prefix string, pointers []reg.GPVirtual, together int, body func(s spot)) {
	n, count := v.pointer("n"), together/v.lanes
	v.SUBQ(Imm(uint64(together)), n)
	v.JL(LabelRef(prefix + "tail"))
	v.Label(prefix + "loop")
	for i := range count {
		body(v.spot(whole{v}, i))
	}
	for _, p := range pointers {
		v.ADDQ(U32(4*together), p)
	}
	v.SUBQ(Imm(uint64(together)), n)
	v.JGE(LabelRef(prefix + "loop"))
	v.Label(prefix + "tail")
	v.ADDQ(Imm(uint64(together)), n)
	for i := range count {
		v.CMPQ(n, Imm(uint64(v.lanes)))
		v.JL(LabelRef(fmt.Sprintf("%slast%d", prefix, i)))
		if i < count-1 {
			body(v.spot(whole{v}, i))
			v.SUBQ(Imm(uint64(v.lanes)), n)
		}
	}
	for i := range count {
		v.Label(fmt.Sprintf("%slast%d", prefix, i))
		v.TESTQ(n, n)
		v.JZ(LabelRef(prefix + "end"))
		body(v.spot(v.masked(1), i))
		v.JMP(LabelRef(prefix + "end"))
	}
	v.Label(prefix + "end")
}

// returns stores the combination of some vectors' elements as the function's result.
func (v *vectors) returns(parts []reg.VecVirtual, combine func(...Op)) {
	v.Store(v.reduce(parts, combine).AsX(), v.ReturnIndex(0))
	v.end()
}

// reduce combines all elements of some sums, or maxima, by halves: elements i and i+32 of 64, then
// i and i+16, and so on.
func (v *vectors) reduce(sums []reg.VecVirtual, combine func(...Op)) reg.VecVirtual {
	for half := len(sums) / 2; half > 0; half /= 2 {
		for i := range half {
			combine(sums[i+half], sums[i], sums[i])
		}
	}
	s := sums[0]
	t := v.new()
	if v.lanes == 16 {
		// Whole vectors all the way: AVX512F has no shorter instructions for registers beyond the 15th.
		for _, half := range []func(){
			func() { v.VSHUFF64X2(Imm(0b1110), s, s, t) },
			func() { v.VSHUFF64X2(Imm(0b01), s, s, t) },
			func() { v.VSHUFPS(Imm(0b1110), s, s, t) },
			func() { v.VMOVSHDUP(s, t) },
		} {
			half()
			combine(t, s, s)
		}
		return s
	}
	v.VEXTRACTF128(Imm(1), s.AsY(), t.AsX())
	combine(t.AsX(), s.AsX(), s.AsX())
	v.VMOVHLPS(s.AsX(), s.AsX(), t.AsX())
	combine(t.AsX(), s.AsX(), s.AsX())
	v.VMOVSHDUP(s.AsX(), t.AsX())
	combine(t.AsX(), s.AsX(), s.AsX())
	return s
}
