//go:build linux && amd64

package main

import (
	"encoding/binary"
	"math"

	"golang.org/x/sys/unix"
)

// tiles is the state of a thread's tile registers: eight tiles of 16 rows of 64 bytes.
type tiles struct {
	configured bool
	data       [8]tile
}

type tile [16][64]byte

// memory is a process's memory: read and write move the rows of a tile, stride bytes apart, and report
// whether all of them exist.
type memory interface {
	read(at, stride uint64, to *tile) bool
	write(at, stride uint64, from *tile) bool
}

// execute carries out an instruction. It reports whether a processor would: false for tiles that are
// not configured, a product of a tile with itself and memory that does not exist. A configuration must
// be for eight whole tiles.
func (t *tiles) execute(i instruction, r *unix.PtraceRegs, m memory) bool {
	start, stride := i.start(r)
	if i.kind == configure {
		return t.configure(start, m)
	}
	if !t.configured {
		return i.kind == release
	}
	switch i.kind {
	case release:
		*t = tiles{}
	case zero:
		t.data[i.c] = tile{}
	case load:
		return m.read(start, stride, &t.data[i.c])
	case store:
		return m.write(start, stride, &t.data[i.c])
	case multiply:
		return t.multiply(i.c, i.a, i.b)
	}
	return true
}

// configure zeroes the tiles if memory has the configuration of eight whole ones.
func (t *tiles) configure(at uint64, m memory) bool {
	want := [64]byte{0: 1}
	for i := range t.data {
		want[16+2*i], want[48+i] = 64, 16
	}
	var rows tile // the configuration, over and over
	*t = tiles{configured: m.read(at, 0, &rows) && rows[0] == want}
	return t.configured
}

// multiply computes c += a·b as Intel's manual describes TDPBF16PS: the products of the pairs' first
// numbers and those of their second numbers are summed apart, in the order of the pairs and rounded
// every time; then both sums are added, and the result to c. Denormal numbers count as 0.
func (t *tiles) multiply(c, a, b int) bool {
	if c == a || c == b || a == b {
		return false
	}
	var first, second [16][16]float32 // of the pairs of b
	for k := range 16 {
		for n := range 16 {
			first[k][n], second[k][n] = pair(&t.data[b][k], n)
		}
	}
	for m := range 16 {
		var sums, others [16]float32
		for k := range 16 {
			x, y := pair(&t.data[a][m], k)
			addProducts(&sums, x, &first[k])
			addProducts(&others, y, &second[k])
		}
		for n := range 16 {
			at := t.data[c][m][4*n:]
			old := flush(math.Float32frombits(binary.LittleEndian.Uint32(at)))
			binary.LittleEndian.PutUint32(at, math.Float32bits(flush(old+flush(sums[n]+others[n]))))
		}
	}
	return true
}

// addProducts computes sums += x·row. Products of two bfloat16 are exact in float32.
func addProducts(sums *[16]float32, x float32, row *[16]float32) {
	for n, y := range row {
		sums[n] = flush(sums[n] + float32(x*y))
	}
}

// pair returns the two bfloat16 of pair i of a row.
func pair(row *[64]byte, i int) (first, second float32) {
	bits := binary.LittleEndian.Uint32(row[4*i:])
	return flush(math.Float32frombits(bits << 16)), flush(math.Float32frombits(bits & 0xffff0000))
}

// flush returns x, or 0 of its sign if it is denormal.
func flush(x float32) float32 {
	const exponent, sign = 0x7f800000, 0x80000000
	if bits := math.Float32bits(x); bits&exponent == 0 {
		return math.Float32frombits(bits & sign)
	}
	return x
}
