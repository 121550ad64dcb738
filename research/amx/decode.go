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

// instruction is a decoded instruction: tile c, and tiles a and b of a product, or an address base +
// index + displacement of the others. configure has the base alone.
type instruction struct {
	kind         kind
	size         int // bytes
	c, a, b      int
	base, index  int // numbers of registers
	displacement int64
}

const longest = 10 // bytes of an instruction

// kinds holds the instructions by opcode and the low bits of VEX's third byte, the prefix that it
// stands for.
var kinds = map[[2]byte]kind{
	{0x49, 0}: configure, {0x49, 3}: zero, {0x4b, 3}: load, {0x4b, 2}: store, {0x5c, 2}: multiply,
}

// decode decodes an instruction in the form in which internal/simd/gen/encode.go writes it: addresses use
// the first eight registers, and those of tiles have an index and 32 bits of displacement. Its kind is
// none for any other.
func decode(code []byte) instruction {
	if len(code) < 5 || code[0] != 0xc4 || code[1] != 0xe2 || code[2]&0x84 != 0 {
		return instruction{}
	}
	modrm, vvvv := code[4], int(^code[2]>>3&15)
	mod, tile, rm := modrm>>6, int(modrm>>3&7), int(modrm&7)
	i := instruction{kind: kinds[[2]byte{code[3], code[2] & 3}], size: 5, c: tile}
	switch i.kind {
	case multiply:
		if i.a, i.b = rm, vvvv; mod == 3 && vvvv < 8 {
			return i
		}
	case configure:
		if modrm == 0xc0 {
			return instruction{kind: release, size: 5}
		}
		if i.base = rm; modrm < 8 && rm != 4 && rm != 5 {
			return i
		}
	case zero:
		if mod == 3 && rm == 0 {
			return i
		}
	case load, store:
		if mod == 2 && rm == 4 && len(code) >= longest && code[5]>>3 != 4 && code[5]>>6 == 0 {
			i.size, i.base, i.index = longest, int(code[5]&7), int(code[5]>>3)
			i.displacement = int64(int32(binary.LittleEndian.Uint32(code[6:])))
			return i
		}
	}
	return instruction{}
}

// start returns where the instruction's memory begins, and the stride of a tile's rows there.
func (i *instruction) start(r *unix.PtraceRegs) (start, stride uint64) {
	registers := [...]uint64{r.Rax, r.Rcx, r.Rdx, r.Rbx, r.Rsp, r.Rbp, r.Rsi, r.Rdi}
	return registers[i.base] + uint64(i.displacement), registers[i.index]
}
