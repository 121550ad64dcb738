//go:build linux && amd64

package main

import (
	"encoding/binary"
	"math"
	"slices"

	"golang.org/x/sys/unix"
)

// tiles is the state of a thread's tile registers: a configuration and eight tiles of up to 16 rows
// of 64 bytes. Bytes outside a tile's configured size are 0.
type tiles struct {
	configured bool
	rows       [8]int
	bytes      [8]int // of a row
	data       [8][16][64]byte
}

// memory is a process's memory: read and write move count rows of n bytes, stride bytes apart, and
// report whether all of them exist.
type memory interface {
	read(at, stride uint64, count, n int, to []byte) bool
	write(at, stride uint64, count, n int, from []byte) bool
}

// execute carries out an instruction. It reports whether a processor would: false for tiles that
// are not configured, operands whose sizes do not fit and memory that does not exist.
func (t *tiles) execute(i instruction, r *unix.PtraceRegs, m memory) bool {
	start, stride := i.start(r)
	switch i.kind {
	case configure:
		var config [64]byte
		return m.read(start+stride, 64, 1, 64, config[:]) && t.configure(&config)
	case release:
		*t = tiles{}
		return true
	}
	switch {
	case !t.exists(i.c):
		return false
	case i.kind == multiply:
		return t.multiply(i.c, i.a, i.b)
	case i.kind == load:
		return t.load(i.c, start, stride, m)
	case i.kind == store:
		return t.store(i.c, start, stride, m)
	}
	t.data[i.c] = [16][64]byte{}
	return true
}

// configure sets the tiles' sizes and zeroes them.
func (t *tiles) configure(config *[64]byte) bool {
	const palette, bytesAt, rowsAt = 1, 16, 48
	*t = tiles{configured: config[0] == palette}
	reserved := slices.Concat(config[1:bytesAt], config[bytesAt+16:rowsAt], config[rowsAt+8:]) // and a start row, for interrupted instructions
	if config[0] > palette || slices.ContainsFunc(reserved, func(b byte) bool { return b != 0 }) {
		*t = tiles{}
		return false
	}
	for i := range t.data {
		t.bytes[i] = int(binary.LittleEndian.Uint16(config[bytesAt+2*i:]))
		t.rows[i] = int(config[rowsAt+i])
		if t.bytes[i] > 64 || t.rows[i] > 16 || (t.bytes[i] == 0) != (t.rows[i] == 0) {
			*t = tiles{}
			return false
		}
	}
	return true
}

func (t *tiles) exists(tile int) bool { return t.configured && t.rows[tile] > 0 }

func (t *tiles) load(tile int, start, stride uint64, m memory) bool {
	n, rows := t.bytes[tile], t.rows[tile]
	buffer := make([]byte, n*rows)
	if !m.read(start, stride, rows, n, buffer) {
		return false
	}
	t.data[tile] = [16][64]byte{}
	for i := range rows {
		copy(t.data[tile][i][:n], buffer[i*n:])
	}
	return true
}

func (t *tiles) store(tile int, start, stride uint64, m memory) bool {
	n := t.bytes[tile]
	var buffer []byte
	for i := range t.rows[tile] {
		buffer = append(buffer, t.data[tile][i][:n]...)
	}
	return m.write(start, stride, t.rows[tile], n, buffer)
}

// multiply computes c += a·b as Intel's manual describes TDPBF16PS: the products of the pairs' first
// numbers and those of their second numbers are summed apart, in the order of the pairs and rounded
// every time; then both sums are added, and the result to c. Denormal numbers count as 0.
func (t *tiles) multiply(c, a, b int) bool {
	pairs, columns := t.bytes[a]/4, t.bytes[c]/4
	if c == a || c == b || a == b || !t.exists(a) || !t.exists(b) ||
		t.rows[a] != t.rows[c] || t.rows[b] != pairs || t.bytes[b] != t.bytes[c] {
		return false
	}
	var first, second [16][16]float32 // of the pairs of b
	for k := range pairs {
		for n := range columns {
			first[k][n], second[k][n] = pair(&t.data[b][k], n)
		}
	}
	for m := range t.rows[c] {
		var sums, others [16]float32
		for k := range pairs {
			x, y := pair(&t.data[a][m], k)
			addProducts(&sums, x, &first[k])
			addProducts(&others, y, &second[k])
		}
		for n := range columns {
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
