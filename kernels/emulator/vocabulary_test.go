//go:build simt

package emulator_test

import (
	"math"
	"math/bits"
	"testing"

	"github.com/acqnp/acqnp/kernels/emulator"
)

func TestWordsOfAWarp(t *testing.T) {
	votes := uint32(0)
	for l := 0; l < 32; l += 3 {
		votes |= 1 << l
	}
	// what each lane gets, word after word
	want := []func(l int) int{
		func(l int) int { return 5 },
		func(l int) int { return l&^7 + 5 },
		func(l int) int { return l ^ 3 },
		func(l int) int { // an xor that leaves the group of 8 lanes gives the lane's own number
			if s := l ^ 12; s < l&^7+8 {
				return s
			}
			return l
		},
		func(l int) int {
			if l < 2 {
				return l
			}
			return l - 2
		},
		func(l int) int {
			if l&3 < 2 {
				return l
			}
			return l - 2
		},
		func(l int) int {
			if l+7 > 31 {
				return l
			}
			return l + 7
		},
		func(l int) int {
			if l&15+3 > 15 {
				return l
			}
			return l + 3
		},
		func(l int) int { return min(l+1, 31) },
		func(l int) int { return max(l-1, 0) },
		func(int) int { return 31 * 32 / 2 },
		func(int) int { return int(int32(votes)) },
		func(int) int { return 1 },
		func(int) int { return 1 },
		func(l int) int {
			if l < 16 {
				return l ^ 8
			}
			return 0
		},
		func(l int) int { return 10 * l },
	}
	x := make([]float32, 32)
	for i := range x {
		x[i] = 10 * float32(i)
	}
	for _, order := range orders {
		d := device(t, emulator.Options{Order: order})
		out := upload(t, d, make([]int32, 32*len(want)))
		mustLaunch(t, d, "vocabulary_warp", 1, 32, 0, out, upload(t, d, x), int32(32))
		got := download[int32](t, d, out, 32*len(want))
		for w, f := range want {
			for l := range 32 {
				if int(got[32*w+l]) != f(l) {
					t.Errorf("order %d, word %d, lane %d: %d, want %d", order, w, l, got[32*w+l], f(l))
				}
			}
		}
	}
}

// checkTurn runs barriers with static and dynamic shared memory.
func checkTurn(t *testing.T, o emulator.Options) {
	t.Helper()
	d := device(t, o)
	x := numbers(192, 0)
	out := upload(t, d, make([]float32, 192))
	mustLaunch(t, d, "vocabulary_shared", 3, 64, 256, out, upload(t, d, x))
	for i, v := range download[float32](t, d, out, 192) {
		b, j := i&^63, i&63^1
		if want := x[b+63-j] * float32(j&3+1); v != want {
			t.Errorf("%+v: %d is %g, want %g", o, i, v, want)
		}
	}
}

func TestBarriersAndSharedMemory(t *testing.T) {
	for _, order := range orders {
		checkTurn(t, emulator.Options{Order: order})
	}
}

// The operands are exact in halves and tf32. The sums are exact in float32: they have 16 products
// of numbers with 7 significant bits.
func TestMatrixUnit(t *testing.T) {
	for _, tile := range []struct {
		kernel     string
		k          int
		transposed int32 // -1: the kernel has no such argument
	}{{"vocabulary_f16", 16, 0}, {"vocabulary_f16", 16, 1}, {"vocabulary_tf32", 8, -1}} {
		d := device(t, emulator.Options{})
		k := tile.k
		a, b, c := numbers(16*k, 0), numbers(8*k, 1000), numbers(128, 2000)
		ga, gb := a, b // in the layout that the kernel takes
		if tile.transposed == 1 {
			ga = transposed(a, 16, k)
		} else if tile.transposed == 0 {
			gb = transposed(b, k, 8)
		}
		out := upload(t, d, make([]float32, 128))
		args := []any{out, upload(t, d, c), upload(t, d, ga), upload(t, d, gb)}
		if tile.transposed >= 0 {
			args = append(args, tile.transposed)
		}
		mustLaunch(t, d, tile.kernel, 1, 32, 0, args...)
		for i, v := range download[float32](t, d, out, 128) {
			want := float64(c[i])
			for j := range k {
				want += float64(a[i/8*k+j]) * float64(b[j*8+i%8])
			}
			if float64(v) != want {
				t.Errorf("%s (%d): element %d is %g, want %g", tile.kernel, tile.transposed, i, v, want)
			}
		}
	}
}

func TestTf32NeedsCapability8(t *testing.T) {
	for minor, major := range map[int]int{5: 7, 0: 8} {
		d := device(t, emulator.Options{Major: major, Minor: minor})
		x := upload(t, d, numbers(128, 0))
		err := launch(t, d, "vocabulary_tf32", 1, 32, 0, upload(t, d, make([]float32, 128)), x, x, x)
		if (err != nil) != (major < 8) {
			t.Errorf("%d.%d: %v", major, minor, err)
		}
	}
}

func transposed(m []float32, rows, columns int) []float32 {
	out := make([]float32, len(m))
	for i := range rows {
		for j := range columns {
			out[j*rows+i] = m[i*columns+j]
		}
	}
	return out
}

func TestAsynchronousCopies(t *testing.T) {
	for _, order := range orders {
		for _, n := range []int{4, 256, 260, 1020} {
			d := device(t, emulator.Options{Order: order})
			x := numbers(n, n)
			out := upload(t, d, make([]float32, n))
			mustLaunch(t, d, "vocabulary_copy", 1, 64, 2048, out, upload(t, d, x), int32(n))
			for i, v := range download[float32](t, d, out, n) {
				if v != x[i] {
					t.Errorf("order %d, n %d: %d is %g, want %g", order, n, i, v, x[i])
				}
			}
		}
	}
}

func TestAtomics(t *testing.T) {
	const n = 300
	for _, order := range orders {
		d := device(t, emulator.Options{Order: order})
		found, bit, large := upload(t, d, []int32{0, 1 << 30, 0, 0, 0}), upload(t, d, []uint32{0, ^uint32(0)}), upload(t, d, []uint64{0})
		mustLaunch(t, d, "vocabulary_atomic", 2, 256, 0, found, bit, large, int32(n))
		got := download[int32](t, d, found, 5)
		if got[0] != n*(n-1)/2 || got[1] != 0 || got[2] != n-1 || got[3] < 1 || got[3] > n || got[4] != 7 {
			t.Errorf("order %d: %v", order, got)
		}
		if b := download[uint32](t, d, bit, 2); b[0] != ^uint32(0) || b[1] != 0 {
			t.Errorf("order %d: bits %x", order, b)
		}
		if l := download[uint64](t, d, large, 1); l[0] != n<<33 {
			t.Errorf("order %d: %d", order, l[0])
		}
	}
}

func TestNumbers(t *testing.T) {
	a, b := 2.7182818, 0.7109375
	want := []float64{
		math.Exp(a), math.Log(a), a / b, 1 / b, math.Sqrt(a), 1 / math.Sqrt(a), 1, a*b + 1, a + b + b + 4 + 3,
		math.Exp(a) + math.Log(a) + math.Log1p(a) + math.Expm1(b) + math.Tanh(b) + math.Sqrt(a) + b + math.Floor(a),
		float64(2 + 8 + bits.LeadingZeros32(1) + 4), 3, a + b, 2.71875, 2.71875 + 2*b, 2*a + 3*b + 4 + 6 + 8 + 1, 0,
	}
	d := device(t, emulator.Options{})
	out := upload(t, d, make([]float32, len(want)))
	mustLaunch(t, d, "vocabulary_numbers", 1, 1, 0, out, upload(t, d, []float32{float32(a), float32(b)}))
	for i, v := range download[float32](t, d, out, len(want)) {
		if !(math.Abs(float64(v)-want[i]) <= 1e-6*(1+math.Abs(want[i]))) { // a few roundings of float32
			t.Errorf("number %d is %g, want %g", i, v, want[i])
		}
	}
}
