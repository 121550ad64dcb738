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
	const stride = 2 // number of RDX
	for _, c := range []struct {
		what string
		code []byte
		want instruction
	}{
		{"ldtilecfg (%rax)", []byte{0xc4, 0xe2, 0x78, 0x49, 0x00}, instruction{kind: configure, size: 5, address: address{base: 0, index: absent}}},
		{"ldtilecfg 8(%r9)", []byte{0xc4, 0xc2, 0x78, 0x49, 0x41, 8}, instruction{kind: configure, size: 6, address: address{base: 9, index: absent, displacement: 8}}},
		{"tilerelease", []byte{0xc4, 0xe2, 0x78, 0x49, 0xc0}, instruction{kind: release, size: 5}},
		{"tilezero %tmm3", []byte{0xc4, 0xe2, 0x7b, 0x49, 0xd8}, instruction{kind: zero, size: 5, c: 3}},
		{"tileloadd -64(%rsi,%rdx,1), %tmm4", []byte{0xc4, 0xe2, 0x7b, 0x4b, 0xa4, 0x16, 0xc0, 0xff, 0xff, 0xff},
			instruction{kind: load, size: 10, c: 4, address: address{base: 6, index: stride, displacement: -64}}},
		{"tileloadd (%r8,%r12,4), %tmm1", []byte{0xc4, 0x82, 0x7b, 0x4b, 0x0c, 0xa0},
			instruction{kind: load, size: 6, c: 1, address: address{base: 8, index: 12, scale: 2}}},
		{"tileloadd (%rax), %tmm1", []byte{0xc4, 0xe2, 0x7b, 0x4b, 0x0c, 0x20}, instruction{kind: load, size: 6, c: 1, address: address{base: 0, index: absent}}},
		{"tilestored %tmm2, 16(%rbx,%rdx,1)", []byte{0xc4, 0xe2, 0x7a, 0x4b, 0x54, 0x13, 0x10},
			instruction{kind: store, size: 7, c: 2, address: address{base: 3, index: stride, displacement: 16}}},
		{"tdpbf16ps %tmm7, %tmm4, %tmm1", []byte{0xc4, 0xe2, 0x42, 0x5c, 0xcc}, instruction{kind: multiply, size: 5, c: 1, a: 4, b: 7}},
		{"andn %eax, %ecx, %edx", []byte{0xc4, 0xe2, 0x70, 0xf2, 0xd0}, instruction{}},
		{"ud2", []byte{0x0f, 0x0b}, instruction{}},
		{"half an address", []byte{0xc4, 0xe2, 0x7b, 0x4b, 0xa4, 0x16, 0xc0}, instruction{}},
	} {
		got := decode(c.code)
		if got.kind != c.want.kind || got != c.want && got.kind != none {
			t.Errorf("%s: %+v, want %+v", c.what, got, c.want)
		}
	}
}

// noMemory is memory of which nothing exists.
type noMemory struct{}

func (noMemory) read(_, _ uint64, _, _ int, _ []byte) bool  { return false }
func (noMemory) write(_, _ uint64, _, _ int, _ []byte) bool { return false }

// configured returns tiles 0 [rows, columns], 1 [rows, pairs] and 2 [pairs, columns].
func configured(t *testing.T, rows, pairs, columns int) *tiles {
	t.Helper()
	config := [64]byte{0: 1, 16: byte(4 * columns), 18: byte(4 * pairs), 20: byte(4 * columns), 48: byte(rows), 49: byte(rows), 50: byte(pairs)}
	s := &tiles{}
	if !s.configure(&config) {
		t.Fatal("the configuration is refused")
	}
	return s
}

func (t *tiles) set(tile, row, dword int, bits uint32) {
	binary.LittleEndian.PutUint32(t.data[tile][row][4*dword:], bits)
}

func (t *tiles) float(tile, row, column int) float32 {
	return math.Float32frombits(binary.LittleEndian.Uint32(t.data[tile][row][4*column:]))
}

// TestProductOfTiles compares products of whole and of smaller tiles with float64. A sum of n
// products rounds n times, by at most 2⁻²⁴ of the sum of absolute values.
func TestProductOfTiles(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, size := range [][3]int{{16, 16, 16}, {3, 5, 7}, {1, 1, 1}} {
		rows, pairs, columns := size[0], size[1], size[2]
		s := configured(t, rows, pairs, columns)
		random := func() uint32 { // a pair of numbers
			bits := func() uint32 { return math.Float32bits(r.Float32()*2-1) >> 16 }
			return bits() | bits()<<16
		}
		for k := range pairs {
			for m := range rows {
				s.set(1, m, k, random())
			}
			for n := range columns {
				s.set(2, k, n, random())
			}
		}
		const start = 0.75
		for m := range rows {
			for n := range columns {
				s.set(0, m, n, math.Float32bits(start))
			}
		}
		if !s.execute(instruction{kind: multiply, c: 0, a: 1, b: 2}, &unix.PtraceRegs{}, noMemory{}) {
			t.Fatalf("%v: the product is refused", size)
		}
		for m := range 16 {
			for n := range 16 {
				want, of := 0.0, 0.0
				if m < rows && n < columns {
					want, of = start, start
				}
				for k := range pairs {
					a0, a1 := pair(&s.data[1][m], k)
					b0, b1 := pair(&s.data[2][k], n)
					want += float64(a0)*float64(b0) + float64(a1)*float64(b1)
					of += math.Abs(float64(a0)*float64(b0)) + math.Abs(float64(a1)*float64(b1))
				}
				if got := float64(s.float(0, m, n)); math.Abs(got-want) > of*float64(2*pairs+1)*0x1p-24 {
					t.Fatalf("%v: (%d, %d) is %v, want %v", size, m, n, got, want)
				}
			}
		}
	}
}

// TestOrderOfSums: the first and the second numbers of pairs have sums of their own, which are added
// before the result's old value.
func TestOrderOfSums(t *testing.T) {
	const large, one = 0x4c80, 0x3f80 // 2²⁶ and 1 as bfloat16: their sum in float32 is 2²⁶
	s := configured(t, 1, 2, 1)
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
	s := configured(t, 1, 1, 1)
	s.set(1, 0, 0, 0x0001|0x3f80<<16) // the smallest bfloat16, and 1
	s.set(2, 0, 0, 0x7f00|0x0001<<16) // 2¹²⁷, and the smallest
	s.set(0, 0, 0, 0x0040_0000)
	if s.multiply(0, 1, 2); s.float(0, 0, 0) != 0 {
		t.Errorf("sum %v, want 0", s.float(0, 0, 0))
	}
}

// TestProcessorsRefuse: what a processor refuses ends the program here too.
func TestProcessorsRefuse(t *testing.T) {
	product := instruction{kind: multiply, c: 0, a: 1, b: 2}
	for what, c := range map[string]struct {
		tiles *tiles
		i     instruction
	}{
		"tiles without a configuration": {&tiles{}, instruction{kind: zero}},
		"a released tile":               {released(configured(t, 16, 16, 16)), instruction{kind: zero}},
		"a tile without rows":           {configured(t, 16, 16, 16), instruction{kind: zero, c: 3}},
		"one tile twice":                {configured(t, 16, 16, 16), instruction{kind: multiply, c: 0, a: 1, b: 1}},
		"sizes that do not fit":         {configured(t, 16, 8, 16), instruction{kind: multiply, c: 0, a: 2, b: 1}},
		"memory that does not exist":    {configured(t, 16, 16, 16), instruction{kind: load, address: address{base: 0, index: 1}}},
	} {
		if c.tiles.execute(c.i, &unix.PtraceRegs{}, noMemory{}) {
			t.Errorf("%s: done", what)
		}
	}
	if !configured(t, 16, 8, 16).execute(product, &unix.PtraceRegs{}, noMemory{}) {
		t.Error("a product that fits is refused")
	}
	bad := [64]byte{0: 1, 16: 65, 48: 16}
	if (&tiles{}).configure(&bad) {
		t.Error("rows of 65 bytes are accepted")
	}
}

func released(s *tiles) *tiles {
	s.execute(instruction{kind: release}, &unix.PtraceRegs{}, noMemory{})
	return s
}
