//go:build simt || gpu

package kernels

import (
	"fmt"
	"testing"

	"github.com/acqnp/acqnp/kernels/gpu"
)

// hopperWord runs a kernel of vocabulary_hopper.cu, on a device that has the words of sm_90a.
func hopperWord(t *testing.T, kernel string, dims gpu.Dims, args func(*device) []any, check func(d *device, args []any)) {
	t.Helper()
	if why := withoutHopper(newDevice(t)); why != "" {
		t.Skip(why)
	}
	word(t, kernel, dims, args, check)
}

func beforeHopper(d gpu.Driver) string {
	if c := d.Device().Capability(); c != 90 {
		return fmt.Sprintf("compute capability %d.%d has no words of sm_90a", c/10, c%10)
	}
	return ""
}

// An operand of wgmma is a matrix [n, k] in shared memory: rows of A, or columns of B.
type operand struct {
	n, k     int
	down     bool // k counts rows of the memory
	swizzled bool
}

// layout returns the bytes from 8 of one direction to the next 8, and from 16 of k to the next: the
// three numbers of a descriptor.
func (o operand) layout() (leading, stride, step int) {
	switch {
	case o.swizzled && o.down: // pieces of 64 columns
		return 128 * o.k, 1024, 2048
	case o.swizzled: // rows of 64
		return 16, 1024, 32
	}
	return 128 * (o.n/8 + 1), 128, 256 * (o.n/8 + 1) // one piece is left out
}

// at returns where the operand's element (x, k) is, in bytes.
func (o operand) at(x, k int) int {
	leading, stride, _ := o.layout()
	switch {
	case o.swizzled && o.down: // chunks of 16 bytes of a row change places
		return x/64*leading + k*128 + (x%64/8^k%8)*16 + x%8*2
	case o.swizzled:
		return x*128 + (k/8^x%8)*16 + k%8*2
	case o.down:
		return x/8*stride + k/8*leading + k%8*16 + x%8*2
	}
	return x/8*stride + k/8*leading + x%8*16 + k%8*2
}

func (o operand) bytes() int {
	last := 0
	for x := range o.n {
		for k := range o.k {
			last = max(last, o.at(x, k)+2)
		}
	}
	return (last + 1023) &^ 1023
}

// descriptor returns that of the operand at an address, as the PTX manual documents it.
func (o operand) descriptor(address int) uint64 {
	leading, stride, _ := o.layout()
	d := uint64(address>>4) | uint64(leading>>4)<<16 | uint64(stride>>4)<<32
	if o.swizzled {
		d |= 1 << 62
	}
	return d
}

func (o operand) String() string {
	return fmt.Sprintf("[%d, %d], k down %v, swizzled %v", o.n, o.k, o.down, o.swizzled)
}

// write puts the operand's numbers [n, k] into an image.
func (o operand) write(image []uint16, numbers []float32) {
	h := halves(numbers)
	for x := range o.n {
		for k := range o.k {
			image[o.at(x, k)/2] = h[x*o.k+k]
		}
	}
}

// groupSums is the fragment of a warpgroup's sums; rowsA that of its factor in registers.
var (
	groupSums fragment = func(t, i int) (int, int) { return t/32*16 + t%32/4 + i/2%2*8, i/4*8 + t%4*2 + i%2 }
	rowsA              = groupSums
)

// wgmmaWant returns c + x·yᵀ, or x·yᵀ without c: [64, n] + [64, k]·[n, k]ᵀ.
func wgmmaWant(c, x, y []float32, n, k int) []float32 {
	out := make([]float32, 64*n)
	for i := range out {
		if c != nil {
			out[i] = c[i]
		}
		for j := range k {
			out[i] += x[i/n*k+j] * y[i%n*k+j]
		}
	}
	return out
}

// TestWordWgmma multiplies operands in every layout. Numbers are exact in halves and their sums in
// float32, as in TestWordMMA.
func TestWordWgmma(t *testing.T) {
	const k = 64
	for _, n := range []int{128, 64, 8} {
		for kind := range 32 {
			a := operand{64, k, kind&1 != 0, kind&2 != 0}
			b := operand{n, k, kind&4 != 0, kind&8 != 0}
			add := kind&16 != 0
			if n == 8 && b.down && b.swizzled {
				continue // a row of the pattern has 64 columns
			}
			x, y, c := simple(64*k, n), simple(n*k, 1000+kind), simple(64*n, 2000)
			image := make([]uint16, (a.bytes()+b.bytes())/2)
			a.write(image, x)
			b.write(image[a.bytes()/2:], y)
			_, _, stepA := a.layout()
			_, _, stepB := b.layout()
			operands := []uint64{a.descriptor(0), b.descriptor(a.bytes()), uint64(stepA >> 4), uint64(stepB >> 4)}
			from := c
			if !add {
				from = nil
			}
			want := wgmmaWant(from, x, y, n, k)
			args := func(d *device) []any {
				return []any{d.upload(raw(c)), d.upload(raw(image)), int32(2 * len(image)), d.upload(raw(operands)),
					int32(k / 16), flag(add), flag(a.down), flag(b.down)}
			}
			hopperWord(t, fmt.Sprint("vocabulary_wgmma_", n), gpu.Line(1, 128, 2*len(image)+1024), args, func(d *device, args []any) {
				for i, v := range download[float32](d, args[0].(gpu.Ptr), 64*n) {
					if v != want[i] {
						t.Fatalf("A %v, B %v, add %v: (%d, %d) is %g, want %g", a, b, add, i/n, i%n, v, want[i])
					}
				}
			})
		}
	}
}

func flag(b bool) int32 {
	if b {
		return 1
	}
	return 0
}

// TestWordWgmmaRows has A in registers, and two products under way.
func TestWordWgmmaRows(t *testing.T) {
	const k = 32
	for _, n := range []int{128, 64} {
		for kind := range 4 {
			b := operand{n, k, kind&1 != 0, true}
			add := kind&2 != 0
			x, y, c := simple(64*k, n), simple(n*k, 1000+kind), simple(2*64*n, 2000)
			image := make([]uint16, b.bytes()/2)
			b.write(image, y)
			_, _, step := b.layout()
			operands := []uint64{0, b.descriptor(0), 0, uint64(step >> 4)}
			h, registers := halves(x), make([]uint16, 128*16)
			for i := range registers {
				row, column := rowsA(i/16, i%8)
				registers[i] = h[row*k+i%16/8*16+column]
			}
			var want []float32
			for half := range 2 {
				from := c[half*64*n:]
				if !add {
					from = nil
				}
				want = append(want, wgmmaWant(from, x, y, n, k)...)
			}
			args := func(d *device) []any {
				return []any{d.upload(raw(c)), d.upload(raw(registers)), d.upload(raw(image)), int32(2 * len(image)), d.upload(raw(operands)),
					flag(add), flag(b.down)}
			}
			hopperWord(t, fmt.Sprint("vocabulary_rows_", n), gpu.Line(1, 128, 2*len(image)+1024), args, func(d *device, args []any) {
				for i, v := range download[float32](d, args[0].(gpu.Ptr), 2*64*n) {
					if v != want[i] {
						t.Fatalf("B %v, add %v: (%d, %d) is %g, want %g", b, add, i/n, i%n, v, want[i])
					}
				}
			})
		}
	}
}

// TestWordBulk copies tiles in the background, to and from shared memory: fewer than buffers, and so
// many that the mbarriers' parities come back.
func TestWordBulk(t *testing.T) {
	for _, tiles := range []int{1, 2, 3, 7} {
		for _, n := range []int{4, 68, 1020} {
			x := simple(tiles*n, n)
			args := func(d *device) []any {
				return []any{d.alloc(4 * tiles * n), d.upload(raw(x)), int32(tiles), int32(n)}
			}
			hopperWord(t, "vocabulary_bulk", gpu.Line(1, 64, 32+12*n), args, func(d *device, args []any) {
				for i, v := range download[float32](d, args[0].(gpu.Ptr), tiles*n) {
					if want := x[i-i%n+n-1-i%n]; v != want {
						t.Fatalf("%d tiles of %d: %d is %g, want %g", tiles, n, i, v, want)
					}
				}
			})
		}
	}
}

// TestWordGroups has three groups of threads with barriers of their own and of two groups.
func TestWordGroups(t *testing.T) {
	args := func(d *device) []any { return []any{d.alloc(4 * 2 * 192)} }
	hopperWord(t, "vocabulary_groups", gpu.Line(1, 192, 0), args, func(d *device, args []any) {
		got := download[int32](d, args[0].(gpu.Ptr), 2*192)
		for i := range 192 {
			number := func(t int) int { return t&^63 + (t+t/64+1)%64 }
			left := number(i)
			if i < 64 {
				left = 0
			}
			if want := number((i + 64) % 192); int(got[i]) != want || int(got[192+i]) != left {
				t.Fatalf("%d: %d and %d, want %d and %d", i, got[i], got[192+i], want, left)
			}
		}
	})
}

// TestWordStmatrix stores four matrices of numbered halves and loads them again.
func TestWordStmatrix(t *testing.T) {
	x := make([]uint16, 256) // of matrix, lane and half
	for i := range x {
		x[i] = uint16(i)
	}
	args := func(d *device) []any { return []any{d.alloc(4 * 128), d.alloc(4 * 128), d.upload(raw(x))} }
	hopperWord(t, "vocabulary_stmatrix", gpu.Line(1, 32, 512), args, func(d *device, args []any) {
		stored, back := download[uint16](d, args[0].(gpu.Ptr), 256), download[uint16](d, args[1].(gpu.Ptr), 256)
		for i := range x {
			matrix, row, column := i/64, i/8%8, i%8
			if want := x[64*matrix+2*(4*row+column/2)+column%2]; stored[i] != want {
				t.Fatalf("matrix %d, row %d, column %d: %d, want %d", matrix, row, column, stored[i], want)
			}
			if back[i] != x[i] {
				t.Fatalf("half %d is %d again, want %d", i, back[i], x[i])
			}
		}
	})
}

// TestWordPositive tries every half.
func TestWordPositive(t *testing.T) {
	x := make([]uint32, 1<<16)
	for i := range x {
		x[i] = uint32(i) | uint32(i*40503+1)<<16
	}
	above := func(h uint32) uint32 {
		if h > 0 && h <= 0x7c00 { // up to infinity, no NaN
			return 0xffff
		}
		return 0
	}
	args := func(d *device) []any { return []any{d.alloc(4 * len(x)), d.upload(raw(x)), int32(len(x))} }
	hopperWord(t, "vocabulary_positive", gpu.Line(1, 256, 0), args, func(d *device, args []any) {
		for i, v := range download[uint32](d, args[0].(gpu.Ptr), len(x)) {
			if want := above(x[i]&0xffff) | above(x[i]>>16)<<16; v != want {
				t.Fatalf("%#x: %#x, want %#x", x[i], v, want)
			}
		}
	})
}
