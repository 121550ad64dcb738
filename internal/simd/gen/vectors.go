package main

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/gotypes"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
	"github.com/mmcloughlin/avo/x86"
)

// vectors writes functions of one instruction set. Operands are in Go's order: sources first,
// destination last.
type vectors struct {
	*build.Context
	name     string
	lanes    int                       // floats in a vector
	rows     int                       // of a block, at most: two sums a row, two vectors of B and a broadcast fill the registers
	new      func() reg.VecVirtual     // returns a free vector register
	kept     map[uint32]reg.VecVirtual // constants that the current function has in registers
	known    map[string]Mem            // constants in memory by name, shared by both instruction sets
	declared *[]*declared              // the kernels so far
	bf16     bool                      // products are of pairs of bfloat16: see halves
	sizes    []int                     // of blocks, in functions that consist of many parts: see blocksOf
	bound    map[string]place          // what stands for parameters in a part of a function: see with
}

// instructionSets returns AVX-512 and AVX2, which add what they declare.
func instructionSets(c *build.Context, all *[]*declared) []*vectors {
	known := map[string]Mem{}
	return []*vectors{
		{Context: c, name: "AVX512", lanes: 16, rows: 12, new: c.ZMM, known: known, declared: all},
		{Context: c, name: "AVX2", lanes: 8, rows: 6, new: c.YMM, known: known, declared: all},
	}
}

// begin begins an assembly function. Its comment is doc behind its name. No function retains a pointer.
func (v *vectors) begin(name, signature, doc string) {
	v.Function(name)
	v.kept = map[uint32]reg.VecVirtual{}
	v.bound, v.sizes = nil, nil
	v.Attributes(attr.NOSPLIT)
	v.SignatureExpr(signature)
	v.Pragma("noescape")
	if doc != "" {
		v.Doc(wrap(name+" "+doc, 97)...)
	}
}

// wrap divides a text into lines of at most the given number of characters.
func wrap(text string, width int) (lines []string) {
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && utf8.RuneCountInString(line+" "+word) > width {
			lines, line = append(lines, line), ""
		}
		line = strings.TrimPrefix(line+" "+word, " ")
	}
	return append(lines, line)
}

// end returns. It clears the upper halves of the registers, which would slow down SSE code.
func (v *vectors) end() {
	v.VZEROUPPER()
	v.RET()
}

// bytes returns the size of a vector.
func (v *vectors) bytes() int { return 4 * v.lanes }

// place is what a name stands for: a parameter of 64 bits with an offset in bytes, or a constant.
type place struct {
	param  string // of the function; empty for a constant
	offset int
}

// with writes a part of a function, in which some names stand for other places. Parts are bodies of
// smaller functions: this is how one function does the work of several.
func (v *vectors) with(names map[string]place, part func()) {
	v.bound = names
	part()
	v.bound, v.kept = nil, map[uint32]reg.VecVirtual{}
}

// pointer loads a parameter of 64 bits, or what stands for it.
func (v *vectors) pointer(name string) reg.GPVirtual {
	p, ok := v.bound[name]
	if !ok {
		p.param = name
	}
	r := v.GP64()
	if p.param == "" {
		v.MOVQ(U32(p.offset), r)
		return r
	}
	v.Load(v.Param(p.param), r)
	if p.offset != 0 {
		v.ADDQ(U32(p.offset), r)
	}
	return r
}

// stride loads a stride, given in floats, as bytes.
func (v *vectors) stride(name string) reg.GPVirtual {
	s := v.pointer(name)
	v.SHLQ(Imm(2), s)
	return s
}

// memory returns a parameter as an operand in memory.
func (v *vectors) memory(name string) Mem { return v.resolved(v.Param(name)) }

// resolved returns a parameter or a result as an operand in memory.
func (v *vectors) resolved(component gotypes.Component) Mem {
	address, err := component.Resolve()
	if err != nil {
		panic(err)
	}
	return address.Addr
}

// broadcast loads a parameter into every element of a vector.
func (v *vectors) broadcast(name string) reg.VecVirtual { return v.spread(v.memory(name)) }

// spread returns the first element of x, in memory or a register of 128 bits, in every element of a
// vector.
func (v *vectors) spread(x Op) reg.VecVirtual { return v.to(v.VBROADCASTSS, x) }

// zero returns a vector of zeros.
func (v *vectors) zero() reg.VecVirtual {
	z := v.new()
	if v.lanes == 8 {
		v.VXORPS(z, z, z)
		return z
	}
	i, err := x86.VPXORD(z, z, z)
	if err != nil {
		panic(err)
	}
	i.CancellingInputs = true // avo knows this of VXORPS only; otherwise z would be live from the start
	v.Instruction(i)
	return z
}

// zeros returns n vectors of zeros.
func (v *vectors) zeros(n int) (all []reg.VecVirtual) {
	for range n {
		all = append(all, v.zero())
	}
	return all
}

// integer returns a vector with a 32-bit constant in every element: the register that keeps it, or
// memory.
func (v *vectors) integer(x uint32) Op {
	if r, ok := v.kept[x]; ok {
		return r
	}
	return v.table("all%08x", x, func(int) Constant { return U32(x) })
}

// table returns 64 bytes in memory by the name of a key, which it fills with constants if they are new.
func (v *vectors) table(name string, key any, constant func(i int) Constant) Mem {
	name = fmt.Sprintf(name, key)
	if m, ok := v.known[name]; ok {
		return m
	}
	m := v.StaticGlobal(name)
	v.DataAttributes(attr.RODATA | attr.NOPTR)
	for at := 0; at < 64; at += constant(0).Bytes() {
		v.AddDatum(at, constant(at/constant(0).Bytes()))
	}
	v.known[name] = m
	return m
}

// float returns a vector of a constant by its bits: the assembler does not know infinity.
func (v *vectors) float(x float32) Op { return v.integer(math.Float32bits(x)) }

// keep keeps constants of this function in registers, if there are enough registers. In memory half
// of AVX-512's constants would straddle cache lines, since the linker aligns to 32 bytes.
func (v *vectors) keep(constants ...float32) {
	if v.lanes == 8 {
		return
	}
	for _, x := range constants {
		v.kept[math.Float32bits(x)] = v.loaded(v.float(x))
	}
}

// to writes an instruction whose result goes to a new register.
func (v *vectors) to(instruction func(...Op), sources ...Op) reg.VecVirtual {
	r := v.new()
	instruction(append(sources, r)...)
	return r
}

// choose returns an instruction that has other names in the two instruction sets.
func (v *vectors) choose(avx512 func(...Op), avx2 func(a, b, to Op)) func(...Op) {
	if v.lanes == 16 {
		return avx512
	}
	return func(ops ...Op) { avx2(ops[0], ops[1], ops[2]) }
}

// loaded loads a vector into a new register.
func (v *vectors) loaded(m Op) reg.VecVirtual { return v.to(v.VMOVUPS, m) }

// loadedAll loads a vector into each of n new registers.
func (v *vectors) loadedAll(n int, m Op) (all []reg.VecVirtual) {
	for range n {
		all = append(all, v.loaded(m))
	}
	return all
}

// edge reads and writes vectors j = 0, 1 … of a row: whole, or only the columns of a mask. fill sets other
// columns to 0, elsewhere sets them to x, store leaves them alone.
type edge interface {
	fill(m Mem, j int, dst reg.VecVirtual)
	elsewhere(x float32, j int, dst reg.VecVirtual)
	store(src reg.VecVirtual, j int, m Mem)
}

// whole reads and writes whole vectors.
type whole struct{ *vectors }

func (e whole) fill(m Mem, _ int, dst reg.VecVirtual)  { e.VMOVUPS(m, dst) }
func (e whole) elsewhere(float32, int, reg.VecVirtual) {}
func (e whole) store(src reg.VecVirtual, _ int, m Mem) { e.VMOVUPS(src, m) }

// opmasked uses the mask registers of AVX-512.
type opmasked struct {
	*vectors
	masks []reg.Register
}

func (e opmasked) fill(m Mem, j int, dst reg.VecVirtual) { e.VMOVUPS_Z(m, e.masks[j], dst) }
func (e opmasked) elsewhere(x float32, j int, dst reg.VecVirtual) {
	e.VBLENDMPS(dst, e.loaded(e.float(x)), e.masks[j], dst)
}
func (e opmasked) store(src reg.VecVirtual, j int, m Mem) { e.VMOVUPS(src, e.masks[j], m) }

// maskmoved uses AVX2's masked moves. They need the mask in a vector register, which is loaded
// every time.
type maskmoved struct {
	*vectors
	mask reg.GPVirtual
}

func (e maskmoved) fill(m Mem, j int, dst reg.VecVirtual) {
	e.VMOVUPS(Mem{Base: e.mask, Disp: j * e.bytes()}, dst)
	e.VMASKMOVPS(m, dst, dst)
}

func (e maskmoved) elsewhere(x float32, j int, dst reg.VecVirtual) {
	r := e.loaded(Mem{Base: e.mask, Disp: j * e.bytes()})
	e.VBLENDVPS(r, dst, e.loaded(e.float(x)), dst)
}

func (e maskmoved) store(src reg.VecVirtual, j int, m Mem) {
	r := e.loaded(Mem{Base: e.mask, Disp: j * e.bytes()})
	e.VMASKMOVPS(src, r, m)
}

// load fills a new register.
func (v *vectors) load(e edge, m Mem, j int) reg.VecVirtual {
	r := v.new()
	e.fill(m, j, r)
	return r
}

// masked returns the edge for the parameter mask: nv vectors of 32-bit integers, -1 for columns
// that exist and 0 for others.
func (v *vectors) masked(nv int) edge { return v.maskedBy("mask", nv) }

// maskedBy returns the edge for a parameter.
func (v *vectors) maskedBy(name string, nv int) edge {
	mask := v.pointer(name)
	if v.lanes == 8 {
		return maskmoved{v, mask}
	}
	e := v.stripEdge()
	e.masks = e.masks[:nv]
	v.test(mask, e.masks)
	return e
}

// stripEdge returns the edge for the masks K1 and K2.
func (v *vectors) stripEdge() opmasked { return opmasked{v, []reg.Register{reg.K1, reg.K2}} }

// test sets opmasks from consecutive vectors of 32-bit integers.
func (v *vectors) test(mask reg.GPVirtual, opmasks []reg.Register) {
	for j, k := range opmasks {
		m := v.loaded(Mem{Base: mask, Disp: j * v.bytes()})
		v.VPTESTMD(m, m, k)
	}
}

// edges writes a function's body for masked vectors. With both it also writes it for whole ones,
// which run where the mask has all columns. The prefix makes labels unique.
func (v *vectors) edges(nv int, both bool, body func(e edge, prefix string)) {
	if both {
		mask := v.pointer("mask")
		v.CMPL(Mem{Base: mask, Disp: nv*v.bytes() - 4}, Imm(0))
		v.JE(LabelRef("fringe"))
		body(whole{v}, "whole")
		v.Label("fringe")
	}
	body(v.masked(nv), "fringe")
}

// steps writes a loop that takes n of left at a time, and rest for what remains, if anything does. names
// are those of three labels: the loop, what remains, the end.
func (v *vectors) steps(left reg.GPVirtual, n int, names [3]string, loop, rest func()) {
	v.SUBQ(U8(n), left)
	v.JL(LabelRef(names[1]))
	v.Label(names[0])
	loop()
	v.SUBQ(U8(n), left)
	v.JGE(LabelRef(names[0]))
	v.Label(names[1])
	v.ADDQ(U8(n), left)
	v.JZ(LabelRef(names[2]))
	rest()
	v.Label(names[2])
}

// loop writes a loop of n turns.
func (v *vectors) loop(label string, n Op, body func()) {
	v.Label(label)
	body()
	v.DECQ(n)
	v.JNZ(LabelRef(label))
}

// advance adds to each of some pointers what stands behind it.
func (v *vectors) advance(pairs ...Op) {
	for i := 0; i < len(pairs); i += 2 {
		v.ADDQ(pairs[i+1], pairs[i])
	}
}

// spot is the place of a vector in a loop over rows: the same in all of them.
type spot struct {
	v    *vectors
	edge edge
	i    int                       // its number among the vectors of a turn
	part int                       // its number among those of the mask
	at   func(p reg.GPVirtual) Mem // its address in the row that begins at p
}

func (s spot) load(p reg.GPVirtual) reg.VecVirtual       { return s.v.load(s.edge, s.at(p), s.part) }
func (s spot) elsewhere(x float32, dst reg.VecVirtual)   { s.edge.elsewhere(x, s.part, dst) }
func (s spot) store(src reg.VecVirtual, p reg.GPVirtual) { s.edge.store(src, s.part, s.at(p)) }

// spot returns the place of the i-th vector behind pointers, whose mask is that of one vector.
func (v *vectors) spot(e edge, i int) spot {
	return spot{v: v, edge: e, i: i, at: func(p reg.GPVirtual) Mem { return Mem{Base: p, Disp: i * v.bytes()} }}
}

// elements writes a loop over the n floats that the pointers point to. The last vector is masked.
func (v *vectors) elements(pointers []reg.GPVirtual, body func(s spot)) {
	v.steps(v.pointer("n"), v.lanes, [3]string{"loop", "tail", "end"}, func() {
		body(v.spot(whole{v}, 0))
		for _, p := range pointers {
			v.ADDQ(Imm(uint64(v.bytes())), p)
		}
	}, func() { body(v.spot(v.masked(1), 0)) })
}
