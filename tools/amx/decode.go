//go:build linux && amd64

package main

import (
	"encoding/binary"

	"golang.org/x/sys/unix"
)

// kind says which instruction of AMX an instruction is.
type kind uint8

const (
	none kind = iota
	configure
	release
	zero
	load
	store
	multiply
)

// instruction is a decoded instruction: tile c, and tiles a and b for a product or an address for
// the others.
type instruction struct {
	kind    kind
	size    int // bytes
	c, a, b int
	address address
}

// address is base + index·scale + displacement. For rows of a tile, index·scale is the stride.
type address struct {
	base, index  int // numbers of registers, or absent
	scale        uint
	displacement int64
	next         bool // relative to the next instruction, in place of the base
}

const (
	absent  = -1
	longest = 15 // bytes of an instruction
)

// kinds holds the instructions by opcode and VEX.pp, the prefix that VEX stands for.
var kinds = map[[2]byte]kind{
	{0x49, 0}: configure, {0x49, 3}: zero,
	{0x4b, 1}: load, {0x4b, 3}: load, {0x4b, 2}: store,
	{0x5c, 2}: multiply,
}

// decode decodes an instruction. Its kind is none unless it is whole and one of AMX.
func decode(code []byte) instruction {
	const map0F38, long = 2, 0x80 | 0x04 // VEX.mmmmm; VEX.W and VEX.L, which must be 0
	if len(code) < 5 || code[0] != 0xc4 || code[1]&0x1f != map0F38 || code[2]&long != 0 {
		return instruction{}
	}
	i := instruction{kind: kinds[[2]byte{code[3], code[2] & 3}]}
	modrm, tile := code[4], int(code[4]>>3&7)
	vvvv := int(^code[2] >> 3 & 15)
	registers := modrm>>6 == 3
	switch {
	case i.kind == multiply && registers && vvvv < 8 && code[1]&0xa0 == 0xa0:
		i.c, i.a, i.b, i.size = tile, int(modrm&7), vvvv, 5
		return i
	case i.kind == multiply || vvvv != 0:
		return instruction{}
	case i.kind == configure && modrm == 0xc0:
		return instruction{kind: release, size: 5}
	case i.kind == zero && registers && modrm&7 == 0:
		i.c, i.size = tile, 5
		return i
	case i.kind == none || i.kind == zero || registers:
		return instruction{}
	case i.kind == configure && tile != 0 || i.kind != configure && modrm&7 != 4:
		return instruction{} // a tile's rows need an index
	}
	i.c = tile
	size, ok := i.address.decode(code[4:], code[1])
	if !ok {
		return instruction{}
	}
	i.size = 4 + size
	return i
}

// decode decodes an address from ModRM on and returns its size. vex has the highest bits of the
// registers' numbers, inverted.
func (a *address) decode(code []byte, vex byte) (size int, ok bool) {
	high := func(bit byte) int { return int(^vex >> bit & 1 << 3) }
	mod, rm := code[0]>>6, int(code[0]&7)
	*a = address{base: rm | high(5), index: absent}
	size = 1
	wide := mod == 2
	switch {
	case rm == 4: // a further byte has scale, index and base
		if len(code) < 2 {
			return 0, false
		}
		sib := code[1]
		size = 2
		a.scale, a.base = uint(sib>>6), int(sib&7)|high(5)
		if a.index = int(sib>>3&7) | high(6); a.index == 4 {
			a.index = absent
		}
		if mod == 0 && sib&7 == 5 {
			a.base, wide = absent, true
		}
	case mod == 0 && rm == 5:
		a.base, a.next, wide = absent, true, true
	}
	switch {
	case wide && len(code) >= size+4:
		a.displacement = int64(int32(binary.LittleEndian.Uint32(code[size:])))
		return size + 4, true
	case mod == 1 && len(code) > size:
		a.displacement = int64(int8(code[size]))
		return size + 1, true
	}
	return size, mod == 0 && !wide
}

// start returns the address without index·scale, and stride the rest.
func (i *instruction) start(r *unix.PtraceRegs) (start, stride uint64) {
	a := i.address
	start = uint64(a.displacement)
	if a.next {
		start += r.Rip + uint64(i.size)
	}
	if a.base != absent {
		start += register(r, a.base)
	}
	if a.index != absent {
		stride = register(r, a.index) << a.scale
	}
	return start, stride
}

// register returns a register by its number in an instruction.
func register(r *unix.PtraceRegs, number int) uint64 {
	return [...]uint64{r.Rax, r.Rcx, r.Rdx, r.Rbx, r.Rsp, r.Rbp, r.Rsi, r.Rdi,
		r.R8, r.R9, r.R10, r.R11, r.R12, r.R13, r.R14, r.R15}[number]
}
