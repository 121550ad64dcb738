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
func encodePlaceholders(file *ir.File) error {
	for _, f := range file.Functions() {
		var nodes []ir.Node
		for _, n := range f.Nodes {
			i, ok := n.(*ir.Instruction)
			if !ok || opcodes[i.Opcode].opcode == 0 {
				nodes = append(nodes, n)
				continue
			}
			code, err := encoded(i)
			if err != nil {
				return err
			}
			nodes = append(nodes, code...)
		}
		f.Nodes = nodes
	}
	return nil
}

// encoded returns the bytes of a placeholder: an EVEX prefix of four bytes, the opcode and ModRM.
func encoded(i *ir.Instruction) ([]ir.Node, error) {
	var r [3]byte
	for j, o := range i.Operands {
		n, err := strconv.Atoi(strings.TrimPrefix(o.Asm(), "Z"))
		if err != nil {
			return nil, fmt.Errorf("%s has the operand %s, want a register of 512 bits", i.Opcode, o.Asm())
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
	return []ir.Node{comment, &ir.Instruction{Opcode: "LONG", Operands: []Op{first}}, &ir.Instruction{Opcode: "WORD", Operands: []Op{last}}}, nil
}
