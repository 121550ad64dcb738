//go:build linux && amd64

package main

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"golang.org/x/sys/unix"
)

// TestDecode decodes instructions as GNU's assembler and internal/simd/gen write them.
func TestDecode(t *testing.T) {
	for _, c := range []struct {
		what string
		code []byte
		want instruction
	}{
		{"ldtilecfg (%rdx)", []byte{0xc4, 0xe2, 0x78, 0x49, 0x02}, instruction{kind: configure, size: 5, base: 2}},
		{"tilerelease", []byte{0xc4, 0xe2, 0x78, 0x49, 0xc0}, instruction{kind: release, size: 5}},
		{"tilezero %tmm3", []byte{0xc4, 0xe2, 0x7b, 0x49, 0xd8}, instruction{kind: zero, size: 5, c: 3}},
		{"tileloadd -64(%rsi,%rdx,1), %tmm4", []byte{0xc4, 0xe2, 0x7b, 0x4b, 0xa4, 0x16, 0xc0, 0xff, 0xff, 0xff},
			instruction{kind: load, size: 10, c: 4, base: 6, index: 2, displacement: -64}},
		{"tilestored %tmm2, 256(%rbx,%rdx,1)", []byte{0xc4, 0xe2, 0x7a, 0x4b, 0x94, 0x13, 0, 1, 0, 0},
			instruction{kind: store, size: 10, c: 2, base: 3, index: 2, displacement: 256}},
		{"tdpbf16ps %tmm7, %tmm4, %tmm1", []byte{0xc4, 0xe2, 0x42, 0x5c, 0xcc}, instruction{kind: multiply, size: 5, c: 1, a: 4, b: 7}},
		{"tileloadd (%rsi,%rdx,4), %tmm1", []byte{0xc4, 0xe2, 0x7b, 0x4b, 0x8c, 0x96, 0, 0, 0, 0}, instruction{}},
		{"tileloadd (%r8,%rdx,1), %tmm1", []byte{0xc4, 0xc2, 0x7b, 0x4b, 0x8c, 0x10, 0, 0, 0, 0}, instruction{}},
		{"andn %eax, %ecx, %edx", []byte{0xc4, 0xe2, 0x70, 0xf2, 0xd0}, instruction{}},
		{"ud2", []byte{0x0f, 0x0b}, instruction{}},
		{"half an address", []byte{0xc4, 0xe2, 0x7b, 0x4b, 0xa4, 0x16, 0xc0}, instruction{}},
	} {
		if got := decode(c.code); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.what, got, c.want)
		}
	}
}

// rowMemory is memory of which only one row of 64 bytes exists, everywhere.
type rowMemory []byte

func (m rowMemory) read(_, _ uint64, to *tile) bool {
	for i := range to {
		copy(to[i][:], m)
	}
	return len(m) > 0
}
func (rowMemory) write(_, _ uint64, _ *tile) bool { return false }

// configuredTiles returns tiles after a configuration with the given number of bytes in a row of tile 0.
func configuredTiles(bytes byte) *tiles {
	config := tileConfiguration()
	config[16] = bytes
	s := &tiles{}
	s.execute(instruction{kind: configure}, &unix.PtraceRegs{}, rowMemory(config))
	return s
}

func tileConfiguration() []byte {
	config := make([]byte, 64)
	config[0] = 1
	for i := range 8 {
		config[16+2*i], config[48+i] = 64, 16
	}
	return config
}

func (t *tiles) set(tile, row, dword int, bits uint32) {
	binary.LittleEndian.PutUint32(t.data[tile][row][4*dword:], bits)
}

func (t *tiles) float(tile, row, column int) float32 {
	return math.Float32frombits(binary.LittleEndian.Uint32(t.data[tile][row][4*column:]))
}

// TestProductOfTiles compares a product with float64. A sum of n products rounds n times, by at most
// 2⁻²⁴ of the sum of absolute values.
func TestProductOfTiles(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	s := configuredTiles(64)
	bits := func() uint32 { return math.Float32bits(r.Float32()*2-1) >> 16 }
	const start = 0.75
	for m := range 16 {
		for n := range 16 {
			s.set(0, m, n, math.Float32bits(start))
			s.set(1, m, n, bits()|bits()<<16)
			s.set(2, m, n, bits()|bits()<<16)
		}
	}
	if !s.execute(instruction{kind: multiply, c: 0, a: 1, b: 2}, &unix.PtraceRegs{}, rowMemory{}) {
		t.Fatal("the product is refused")
	}
	for m := range 16 {
		for n := range 16 {
			want, size := start, start
			for k := range 16 {
				a0, a1 := pair(&s.data[1][m], k)
				b0, b1 := pair(&s.data[2][k], n)
				want += float64(a0)*float64(b0) + float64(a1)*float64(b1)
				size += math.Abs(float64(a0)*float64(b0)) + math.Abs(float64(a1)*float64(b1))
			}
			if got := float64(s.float(0, m, n)); math.Abs(got-want) > size*33*0x1p-24 {
				t.Fatalf("(%d, %d) is %v, want %v", m, n, got, want)
			}
		}
	}
}

// TestOrderOfSums: the first and the second numbers of pairs have sums of their own, which are added
// before the result's old value.
func TestOrderOfSums(t *testing.T) {
	const large, one = 0x4c80, 0x3f80 // 2²⁶ and 1 as bfloat16: their sum in float32 is 2²⁶
	s := configuredTiles(64)
	s.set(1, 0, 0, one|one<<16)
	s.set(1, 0, 1, one|one<<16)
	s.set(2, 0, 0, large|one<<16)          // 2²⁶, 1
	s.set(2, 1, 0, (large|0x8000)|one<<16) // -2²⁶, 1
	s.set(0, 0, 0, math.Float32bits(3))
	if s.multiply(0, 1, 2); s.float(0, 0, 0) != 5 {
		t.Errorf("sum %v, want 5: one after another it would lose a 1", s.float(0, 0, 0))
	}
	s.set(0, 0, 0, large<<16)
	s.set(2, 0, 0, 0x4040|one<<16) // 3, 1
	s.set(2, 1, 0, 0x4040|one<<16)
	if s.multiply(0, 1, 2); s.float(0, 0, 0) != 0x1p26+8 {
		t.Errorf("sum %v, want 2²⁶ + 8: each product alone would be lost", s.float(0, 0, 0))
	}
}

func TestDenormalNumbersAreZero(t *testing.T) {
	s := configuredTiles(64)
	s.set(1, 0, 0, 0x0001|0x3f80<<16) // the smallest bfloat16, and 1
	s.set(2, 0, 0, 0x7f00|0x0001<<16) // 2¹²⁷, and the smallest
	s.set(0, 0, 0, 0x0040_0000)
	if s.multiply(0, 1, 2); s.float(0, 0, 0) != 0 {
		t.Errorf("sum %v, want 0", s.float(0, 0, 0))
	}
}

// TestProcessorsRefuse: what a processor refuses ends the program here too.
func TestProcessorsRefuse(t *testing.T) {
	released := configuredTiles(64)
	released.execute(instruction{kind: release}, &unix.PtraceRegs{}, rowMemory{})
	for what, c := range map[string]struct {
		tiles *tiles
		i     instruction
	}{
		"tiles without a configuration": {&tiles{}, instruction{kind: zero}},
		"a released tile":               {released, instruction{kind: zero}},
		"rows of 65 bytes":              {configuredTiles(65), instruction{kind: zero}},
		"one tile twice":                {configuredTiles(64), instruction{kind: multiply, c: 0, a: 1, b: 1}},
		"memory that does not exist":    {configuredTiles(64), instruction{kind: load, base: 0, index: 1}},
	} {
		if c.tiles.execute(c.i, &unix.PtraceRegs{}, rowMemory{}) {
			t.Errorf("%s: done", what)
		}
	}
}
