package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/ir"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

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

// encoded writes an instruction that reads registers: VEX prefix and opcode, then what rest writes.
func (v *vectors) encoded(comment string, first uint32, reads []Op, rest func()) {
	v.Comment(comment)
	v.Instruction(&ir.Instruction{Opcode: "LONG", Operands: []Op{U32(first)}, Inputs: reads})
	rest()
}

func (v *vectors) word(x uint16) {
	v.Instruction(&ir.Instruction{Opcode: "WORD", Operands: []Op{U16(x)}})
}

func (v *vectors) byte(x uint8) {
	v.Instruction(&ir.Instruction{Opcode: "BYTE", Operands: []Op{U8(x)}})
}

// memoryTile moves a tile from or to memory: 16 rows of 64 bytes, stride bytes apart.
func (v *vectors) memoryTile(kind uint32, name string, tile int, base reg.Register, disp int, stride reg.Register) {
	v.encoded(fmt.Sprintf("%s tile %d, %d(%s)(%s*1)", name, tile, disp, base.Asm(), stride.Asm()), kind, []Op{base, stride}, func() {
		// This ModRM announces a base, an index and 32 bits of displacement.
		v.word(uint16(0x84 | tile<<3 | int(numbers[stride]<<3|numbers[base])<<8))
		v.Instruction(&ir.Instruction{Opcode: "LONG", Operands: []Op{U32(disp)}})
	})
}

func (v *vectors) loadTile(tile int, base reg.Register, disp int, stride reg.Register) {
	v.memoryTile(tileLoad, "load", tile, base, disp, stride)
}

func (v *vectors) storeTile(tile int, base reg.Register, disp int, stride reg.Register) {
	v.memoryTile(tileStore, "store", tile, base, disp, stride)
}

// multiplyTiles computes c += a·b, where a has 16 rows of 32 numbers and b 16 rows of 16 pairs, all
// bfloat16.
func (v *vectors) multiplyTiles(c, a, b int) {
	v.encoded(fmt.Sprintf("tile %d += tile %d · tile %d", c, a, b), uint32(tileMultiply|(0xf&^b)<<19), nil, func() {
		v.byte(uint8(0xc0 | c<<3 | a))
	})
}

func (v *vectors) zeroTile(t int) {
	v.encoded(fmt.Sprintf("tile %d = 0", t), tileZero, nil, func() { v.byte(uint8(0xc0 | t<<3)) })
}

// configureTiles loads the configuration of all tiles from memory.
func (v *vectors) configureTiles(at reg.Register) {
	v.encoded("configure tiles from "+at.Asm(), tileConfigure, []Op{at}, func() { v.byte(uint8(numbers[at])) })
}

// releaseTiles frees the tiles, which spares the operating system saving them.
func (v *vectors) releaseTiles() {
	v.encoded("release tiles", tileConfigure, nil, func() { v.byte(0xc0) })
}
