package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// unroll is the number of steps along k in one iteration of a product's loop.
const unroll = 4

// multiply multiplies all rows by one strip of nv vectors of columns. Sums start from the rows of
// from (a bias or zeros with stride 0, or c itself) and go over k in order, in blocks of any number
// of rows.
func (v *vectors) multiply(nv int) {
	v.function(kernel{goes: "multiply(t *product)", portable: "t.portable()", vectors: "(t.width + lanes - 1) / lanes",
		doc: "computes one strip of a product.",
		assembly: fmt.Sprintf("computes c = max(floor, from + a·b) or, if y is not nil, from + a·b where y ≠ 0 and 0 elsewhere. "+
			"a [m, k], b [k, %d], from [m, columns] (ldfrom 0: one row), c and y [m, columns]; mask [%[1]d] is -1 in the columns. "+
			"ahead and step say what to prefetch.", nv*v.lanes),
		before: "ahead, step := t.ahead.take(active.turns(t.m, t.k), &t.a.Data[0])",
		more:   []string{"mask *int32 mask(t.columns)", "ahead *float32 ahead", "step int step"}}, nv)
	v.edges(nv, v.lanes == 8, func(e edge, prefix string) {
		p := v.product(e, nv, prefix)
		v.blocks(prefix, p.m, p.block)
		v.end()
	})
}

// blocks calls block for every number of rows up to the most and writes the jumps among them. The
// code takes blocks of the most rows, but avoids a last block of very few, which could not hide the
// latency of sums.
func (v *vectors) blocks(prefix string, left reg.GPVirtual, block func(rows int)) {
	if v.sizes != nil {
		v.blocksOf(v.sizes, prefix, left, block)
		return
	}
	next := prefix + "Next"
	name := func(rows int) string { return fmt.Sprintf("%s%d", prefix, rows) }
	few := v.rows / 4
	v.Label(next)
	v.CMPQ(left, Imm(uint64(v.rows+few)))
	v.JG(LabelRef(name(v.rows)))
	v.CMPQ(left, Imm(uint64(v.rows)))
	v.JG(LabelRef(name((v.rows + few + 1) / 2)))
	for rows := v.rows; rows > 0; rows-- {
		v.JE(LabelRef(name(rows)))
		v.CMPQ(left, Imm(uint64(rows-1)))
	}
	v.JMP(LabelRef(prefix + "End"))
	for rows := v.rows; rows > 0; rows-- {
		v.Label(name(rows))
		block(rows)
		v.SUBQ(Imm(uint64(rows)), left)
		v.JMP(LabelRef(next))
	}
	v.Label(prefix + "End")
}

// blocksOf is blocks for a few sizes of blocks, the greatest first and 1 last. It takes the greatest
// that fits.
func (v *vectors) blocksOf(sizes []int, prefix string, left reg.GPVirtual, block func(rows int)) {
	for _, rows := range sizes {
		again, smaller := fmt.Sprintf("%s%d", prefix, rows), fmt.Sprintf("%sBelow%d", prefix, rows)
		v.Label(again)
		v.CMPQ(left, Imm(uint64(rows)))
		v.JL(LabelRef(smaller))
		block(rows)
		v.SUBQ(Imm(uint64(rows)), left)
		v.JMP(LabelRef(again))
		v.Label(smaller)
	}
}

// fetch prefetches one cache line of ahead into the second-level cache and moves on by the step.
func (v *vectors) fetch(ahead reg.GPVirtual) {
	v.PREFETCHT1(Mem{Base: ahead})
	v.ADDQ(v.memory("step"), ahead)
}

// product holds the registers of a product: what is left to do.
type product struct {
	*vectors
	edge             edge
	nv               int
	prefix           string
	m, a, from, c, y reg.GPVirtual
	lda, ahead       reg.GPVirtual
}

func (v *vectors) product(e edge, nv int, prefix string) product {
	return product{vectors: v, edge: e, nv: nv, prefix: prefix,
		m: v.pointer("m"), a: v.pointer("a"), from: v.pointer("from"), c: v.pointer("c"), y: v.pointer("y"),
		lda: v.stride("lda"), ahead: v.pointer("ahead")}
}

// start computes the sums of some rows, and moves on to the rows below.
func (p *product) start(rows int) [][]reg.VecVirtual {
	sums := make([][]reg.VecVirtual, rows)
	ldf := p.stride("ldfrom")
	for r := range sums {
		for j := range p.nv {
			sums[r] = append(sums[r], p.load(p.edge, Mem{Base: p.from, Disp: j * p.bytes()}, j))
		}
		p.ADDQ(ldf, p.from)
	}
	p.overK(rows, sums)
	next := p.GP64()
	p.IMUL3Q(Imm(uint64(rows)), p.lda, next)
	p.ADDQ(next, p.a)
	return sums
}

// block computes some rows of the product.
func (p *product) block(rows int) {
	sums := p.start(rows)
	masked, done := fmt.Sprintf("%s%dMasked", p.prefix, rows), fmt.Sprintf("%s%dStored", p.prefix, rows)
	ldc := p.stride("ldc")
	p.TESTQ(p.y, p.y)
	p.JNZ(LabelRef(masked))
	p.storeRectified(sums, ldc)
	p.JMP(LabelRef(done))
	p.Label(masked)
	p.storeMasked(sums, ldc)
	p.Label(done)
}

// rowPointers returns pointers for the given number of rows. Each serves three rows, at p, p+lda
// and p+2·lda.
func (v *vectors) rowPointers(a, lda reg.GPVirtual, rows int) []reg.GPVirtual {
	pointers := make([]reg.GPVirtual, (rows+2)/3)
	for i := range pointers {
		pointers[i] = v.GP64()
		if i == 0 {
			v.MOVQ(a, pointers[i])
			continue
		}
		v.LEAQ(Mem{Base: pointers[i-1], Index: lda, Scale: 2}, pointers[i])
		v.ADDQ(lda, pointers[i])
	}
	return pointers
}

// row returns the address in row r at an offset in bytes.
func (v *vectors) row(pointers []reg.GPVirtual, lda reg.GPVirtual, r, bytes int) Mem {
	m := Mem{Base: pointers[r/3], Disp: bytes}
	if r%3 > 0 {
		m.Index, m.Scale = lda, uint8(r%3)
	}
	return m
}

// overK adds the products over k to the sums.
func (p *product) overK(rows int, sums [][]reg.VecVirtual) {
	pointers := p.rowPointers(p.a, p.lda, rows)
	b, k := p.pointer("b"), p.pointer("k")
	step := func(u int) {
		bs := make([]reg.VecVirtual, p.nv)
		for j := range bs {
			bs[j] = p.loaded(Mem{Base: b, Disp: (u*p.nv + j) * p.bytes()})
		}
		p.addOuter(sums, bs, func(r int) Mem { return p.row(pointers, p.lda, r, 4*u) })
	}
	advance := func(steps int) {
		for _, q := range pointers {
			p.ADDQ(Imm(uint64(4*steps)), q)
		}
		p.ADDQ(U32(steps*p.nv*p.bytes()), b)
	}
	p.alongK(k, func(name string) string { return p.label(rows, name) }, "End", step, func(steps int) {
		if steps > 1 {
			p.fetch(p.ahead)
		}
		advance(steps)
	})
}

// eachSum writes the code of the sums of each row, the vectors j of its columns. After a row, it advances pointers.
func (v *vectors) eachSum(sums [][]reg.VecVirtual, body func(s reg.VecVirtual, j int), pointers ...Op) {
	for _, row := range sums {
		for j, s := range row {
			body(s, j)
		}
		v.advance(pointers...)
	}
}

// addOuter adds an outer product to the sums: of a number for every row and a vector for every column.
func (v *vectors) addOuter(sums [][]reg.VecVirtual, vectors []reg.VecVirtual, number func(r int) Mem) {
	for r, row := range sums {
		x := v.spread(number(r))
		for j, s := range row {
			v.multiplyAdd(vectors[j], x, s)
		}
	}
}

// alongK writes a loop over k, some steps in a turn and then one in each. advance goes on by a number of
// steps.
func (v *vectors) alongK(k reg.GPVirtual, label func(name string) string, end string, step, advance func(int)) {
	v.steps(k, unroll, [3]string{label("Loop"), label("Tail"), label(end)}, func() {
		for u := range unroll {
			step(u)
		}
		advance(unroll)
	}, func() {
		v.loop(label("One"), k, func() {
			step(0)
			advance(1)
		})
	})
}

func (p *product) label(rows int, name string) string {
	return fmt.Sprintf("%s%d%s", p.prefix, rows, name)
}

// storeRectified stores max(floor, sums). If an operand is a NaN, VMAXPS returns the first (in Go's
// order), so that is the sum.
func (p *product) storeRectified(sums [][]reg.VecVirtual, ldc reg.GPVirtual) {
	floor := p.broadcast("floor")
	p.eachSum(sums, func(s reg.VecVirtual, j int) {
		p.VMAXPS(s, floor, s)
		p.edge.store(s, j, Mem{Base: p.c, Disp: j * p.bytes()})
	}, p.c, ldc)
}

// storeMasked stores the sums where y ≠ 0 and 0 elsewhere. A NaN differs from 0.
func (p *product) storeMasked(sums [][]reg.VecVirtual, ldc reg.GPVirtual) {
	zero := p.zero()
	ldy := p.stride("ldy")
	p.eachSum(sums, func(s reg.VecVirtual, j int) {
		p.keepWhere(p.load(p.edge, Mem{Base: p.y, Disp: j * p.bytes()}, j), zero, s)
		p.edge.store(s, j, Mem{Base: p.c, Disp: j * p.bytes()})
	}, p.c, ldc, p.y, ldy)
}

// keepWhere sets s to 0 where y is 0. It overwrites y or K3.
func (v *vectors) keepWhere(y, zero, s reg.VecVirtual) {
	const notEqual = 4 // or unordered
	if v.lanes == 16 {
		v.VCMPPS(Imm(notEqual), zero, y, reg.K3)
		v.VMOVUPS_Z(s, reg.K3, s)
		return
	}
	v.VCMPPS(Imm(notEqual), zero, y, y)
	v.VANDPS(y, s, s)
}

// multiplyStrided is multiply for a matrix b that is not packed, without bias, ReLU, mask and
// prefetch. It adds in the same order.
func (v *vectors) multiplyStrided(nv int) {
	v.function(kernel{goes: "multiplyStrided(m, k, columns int, a, b, c Matrix)", portable: "none", vectors: "(columns + lanes - 1) / lanes",
		doc:      "computes c = a·b for one strip: a [m, k], b [k, columns], c [m, columns].",
		assembly: fmt.Sprintf("is a kernel of multiplyStrided for at most %d columns; mask [%[1]d] is -1 in them.", nv*v.lanes),
		more:     []string{"mask *int32 mask(columns)"}}, nv)
	v.edges(nv, nv > 1, func(e edge, prefix string) {
		v.strided(e, nv, prefix, func([][]reg.VecVirtual) {})
		v.end()
	})
}

// strided writes multiplyStrided's body. finish may change the sums of a block's rows before they are
// stored.
func (v *vectors) strided(e edge, nv int, prefix string, finish func(sums [][]reg.VecVirtual)) {
	left, a, c := v.pointer("m"), v.pointer("a"), v.pointer("c")
	lda, ldb := v.stride("lda"), v.stride("ldb")
	v.blocks(prefix, left, func(rows int) {
		sums := v.sumsOf(rows, nv)
		v.overStrided(e, fmt.Sprintf("%s%d", prefix, rows), a, lda, ldb, sums)
		next := v.GP64()
		v.IMUL3Q(Imm(uint64(rows)), lda, next)
		v.ADDQ(next, a)
		finish(sums)
		v.eachSum(sums, func(s reg.VecVirtual, j int) { e.store(s, j, Mem{Base: c, Disp: j * v.bytes()}) }, c, v.stride("ldc"))
	})
}

// sumsOf returns zeros for the sums of some rows of nv vectors.
func (v *vectors) sumsOf(rows, nv int) [][]reg.VecVirtual {
	sums := make([][]reg.VecVirtual, rows)
	for r := range sums {
		sums[r] = v.zeros(nv)
	}
	return sums
}

// overStrided adds the products over k to the sums, four rows of b in an iteration.
func (v *vectors) overStrided(e edge, prefix string, a, lda, ldb reg.GPVirtual, sums [][]reg.VecVirtual) {
	pointers := v.rowPointers(a, lda, len(sums))
	b, k := v.pointer("b"), v.pointer("k")
	step := func(u int) {
		bs := make([]reg.VecVirtual, len(sums[0]))
		for j := range bs {
			bs[j] = v.load(e, Mem{Base: b, Disp: j * v.bytes()}, j)
		}
		v.ADDQ(ldb, b)
		v.addOuter(sums, bs, func(r int) Mem { return v.row(pointers, lda, r, 4*u) })
	}
	v.alongK(k, func(name string) string { return prefix + name }, "Summed", step, func(steps int) {
		for _, q := range pointers {
			v.ADDQ(Imm(uint64(4*steps)), q)
		}
	})
}
