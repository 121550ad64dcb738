package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/mmcloughlin/avo/ir"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Go's assembler does not know AVX512_BF16. Such an instruction is a placeholder until avo has given
// it registers; then encodePlaceholders writes its bytes.

// opcodes holds the mandatory prefix and the opcode of 512-bit instructions of three registers, all in
// the map 0F38 and without W.
var opcodes = map[string]struct{ prefix, opcode byte }{
	"VDPBF16PS":      {prefix: 2, opcode: 0x52},
	"VCVTNE2PS2BF16": {prefix: 3, opcode: 0x72},
}

// placeholder writes an instruction with two sources and a destination, which it reads too if adds is
// true. In VCVTNE2PS2BF16 the first source becomes the low half.
func (v *vectors) placeholder(name string, first, second, to reg.VecVirtual, adds bool) {
	inputs := []Op{first, second}
	if adds {
		inputs = append(inputs, to)
	}
	v.Instruction(&ir.Instruction{Opcode: name, Operands: []Op{first, second, to}, Inputs: inputs, Outputs: []Op{to}})
}

// encodePlaceholders replaces the placeholders of all functions by their bytes.
func encodePlaceholders(file *ir.File) {
	for _, f := range file.Functions() {
		var nodes []ir.Node
		for _, n := range f.Nodes {
			if i, ok := n.(*ir.Instruction); ok && opcodes[i.Opcode].opcode != 0 {
				nodes = append(nodes, encoded(i)...)
			} else {
				nodes = append(nodes, n)
			}
		}
		f.Nodes = nodes
	}
}

// encoded returns the bytes of a placeholder: an EVEX prefix of four bytes, the opcode and ModRM.
func encoded(i *ir.Instruction) []ir.Node {
	var r [3]byte
	for j, o := range i.Operands {
		n, err := strconv.Atoi(strings.TrimPrefix(o.Asm(), "Z"))
		if err != nil {
			panic(fmt.Sprintf("%s has the operand %s, want a register of 512 bits", i.Opcode, o.Asm()))
		}
		r[j] = byte(n)
	}
	rm, vvvv, dst := r[0], r[1], r[2]
	bit := func(n, i byte) byte { return ^n >> i & 1 } // EVEX has the upper bits inverted
	op := opcodes[i.Opcode]
	p1 := bit(dst, 3)<<7 | bit(rm, 4)<<6 | bit(rm, 3)<<5 | bit(dst, 4)<<4 | 2
	p2 := (^vvvv&15)<<3 | 1<<2 | op.prefix
	p3 := byte(2<<5) | bit(vvvv, 4)<<3
	comment := ir.NewComment(fmt.Sprintf("%s %s, %s, %s", i.Opcode, i.Operands[0].Asm(), i.Operands[1].Asm(), i.Operands[2].Asm()))
	first := U32(uint32(0x62) | uint32(p1)<<8 | uint32(p2)<<16 | uint32(p3)<<24)
	last := U16(uint16(op.opcode) | uint16(0xc0|(dst&7)<<3|rm&7)<<8)
	return []ir.Node{comment, raw(first), raw(last)}
}

// Go's assembler has no tile instructions, so this file writes their bytes. A tile is a register of
// 16 rows of 64 bytes. An instruction begins with a VEX prefix of three bytes and an opcode, the
// lowest byte first.
const (
	tileConfigure = 0x4978e2c4
	tileZero      = 0x497be2c4
	tileLoad      = 0x4b7be2c4
	tileStore     = 0x4b7ae2c4
	tileMultiply  = 0x5c02e2c4 // its third byte also names a register
)

// numbers holds the numbers of the registers that addresses of tiles may use.
var numbers = map[reg.Register]uint32{reg.RAX: 0, reg.RCX: 1, reg.RDX: 2, reg.RBX: 3, reg.RSI: 6, reg.RDI: 7}

// encoded writes an instruction that reads registers: VEX prefix and opcode, then the rest.
func (v *vectors) encoded(comment string, first uint32, reads []Op, rest ...Constant) {
	v.Comment(comment)
	for _, part := range append([]Constant{U32(first)}, rest...) {
		v.Instruction(raw(part, reads...))
	}
}

// raw returns the bytes of a part of an instruction that reads registers.
func raw(part Constant, reads ...Op) *ir.Instruction {
	return &ir.Instruction{Opcode: map[int]string{1: "BYTE", 2: "WORD", 4: "LONG"}[part.Bytes()], Operands: []Op{part}, Inputs: reads}
}

// moveTile moves a tile from or to memory: 16 rows of 64 bytes, stride bytes apart.
func (v *vectors) moveTile(kind uint32, tile int, base reg.Register, disp int, stride reg.Register) {
	name := map[uint32]string{tileLoad: "load", tileStore: "store"}[kind]
	// This ModRM announces a base, an index and 32 bits of displacement.
	modRM := U16(0x84 | tile<<3 | int(numbers[stride]<<3|numbers[base])<<8)
	v.encoded(fmt.Sprintf("%s tile %d, %d(%s)(%s*1)", name, tile, disp, base.Asm(), stride.Asm()), kind, []Op{base, stride}, modRM, U32(disp))
}

// multiplyTiles computes c += a·b, where a has 16 rows of 32 numbers and b 16 rows of 16 pairs, all
// bfloat16.
func (v *vectors) multiplyTiles(c, a, b int) {
	v.encoded(fmt.Sprintf("tile %d += tile %d · tile %d", c, a, b), uint32(tileMultiply|(0xf&^b)<<19), nil, U8(0xc0|c<<3|a))
}

func (v *vectors) zeroTile(t int) {
	v.encoded(fmt.Sprintf("tile %d = 0", t), tileZero, nil, U8(0xc0|t<<3))
}

// configureTiles loads the configuration of all tiles from memory.
func (v *vectors) configureTiles(at reg.Register) {
	v.encoded("configure tiles from "+at.Asm(), tileConfigure, []Op{at}, U8(numbers[at]))
}

// releaseTiles frees the tiles, which spares the operating system saving them.
func (v *vectors) releaseTiles() { v.encoded("release tiles", tileConfigure, nil, U8(0xc0)) }
