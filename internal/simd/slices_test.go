package simd_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/acqnp/acqnp/internal/simd"
)

// Tests take every n-th float32 bit pattern. n is a prime, so that all exponents and endings occur.
// With n = 3 the greatest errors are 0.91 (Exp), 0.87 (Log), 2.89 (softplus) and 2.40 (sigmoid),
// and 0.5 in plain Go.
const every = 2003

// function is a kernel with its float64 reference and its largest error, in units in the last
// place.
type function struct {
	name      string
	kernel    func(dst, x []float32)
	reference func(x float64) float64
	ulps      float64
}

var functions = []function{
	{"Exp", simd.Exp, math.Exp, 1},
	{"Log", simd.Log, math.Log, 1},
	{"Softplus", func(dst, x []float32) { simd.SoftplusSigmoid(dst, make([]float32, len(x)), x) }, softplus, 3},
	{"Sigmoid", func(dst, x []float32) { simd.SoftplusSigmoid(make([]float32, len(x)), dst, x) }, sigmoid, 2.5},
}

func softplus(x float64) float64 { return math.Max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }

func sigmoid(x float64) float64 {
	if x < 0 {
		return math.Exp(x) / (1 + math.Exp(x))
	}
	return 1 / (1 + math.Exp(-x))
}

// ulps returns the difference of got and want in units of want's last place as a float32. Infinity
// counts as 2¹²⁸.
func ulps(got float32, want float64) float64 {
	const infinity = 0x1p128
	g := float64(got)
	if math.IsInf(g, 0) {
		g = math.Copysign(infinity, g)
	}
	if math.Abs(want) > infinity {
		want = math.Copysign(infinity, want)
	}
	_, exponent := math.Frexp(want)
	return math.Abs(g-want) / math.Ldexp(1, min(max(exponent-24, -149), 104))
}

// arguments returns numbers spread over the whole range, numbers near which results begin to
// overflow or become denormal or 0, and the special numbers.
func arguments() []float32 {
	inf := float32(math.Inf(1))
	x := []float32{0, float32(math.Copysign(0, -1)), inf, -inf, float32(math.NaN()), math.MaxFloat32, -math.MaxFloat32,
		0x1p-126, math.SmallestNonzeroFloat32, -math.SmallestNonzeroFloat32, math.Float32frombits(0x007fffff), 1, -1}
	for _, edge := range []float32{88.72284, 89, -87.33655, -103.27893, -103.97208, -104, -17, 17, 0.70710677, 1.4142135} {
		for i := range uint32(41) {
			x = append(x, math.Float32frombits(math.Float32bits(edge)-20+i))
		}
	}
	for b := uint64(0); b < 1<<32; b += every {
		x = append(x, math.Float32frombits(uint32(b)))
	}
	return x
}

func TestFunctions(t *testing.T) {
	onEverySet(t, func(t *testing.T) {
		x := arguments()
		got := make([]float32, len(x))
		for _, f := range functions {
			f.kernel(got, x)
			worst, at := 0.0, float32(0)
			for i, v := range x {
				want := f.reference(float64(v))
				if math.IsNaN(want) {
					if got[i] == got[i] {
						t.Fatalf("%s(%v) is %v, want NaN", f.name, v, got[i])
					}
					continue
				}
				if math.IsInf(float64(v), 0) || v == 0 {
					if float64(got[i]) != float64(float32(want)) {
						t.Fatalf("%s(%v) is %v, want %v", f.name, v, got[i], want)
					}
					continue
				}
				if e := ulps(got[i], want); !(e <= worst) {
					worst, at = e, v
				}
			}
			t.Logf("%s: at most %.3f units in the last place, at %v", f.name, worst, at)
			if !(worst <= f.ulps) {
				t.Errorf("%s(%v) is %.3f units in the last place off", f.name, at, worst)
			}
		}
	})
}

// TestSlicesOfEveryLength: an element's result does not depend on its index, nothing beyond the end
// is written, and the result may replace the argument.
func TestSlicesOfEveryLength(t *testing.T) {
	onEverySet(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(21, 22))
		for n := range 70 {
			x := matrix(r, 1, n, n)
			for i := range x[:n] {
				x[i] = x[i]*50 + 1
			}
			for _, f := range functions {
				want := make([]float32, n)
				for i := range n {
					f.kernel(want[i:i+1], x[i:i+1])
				}
				got := slices.Clone(x)
				f.kernel(got[:n], got[:n])
				untouched(t, f.name, got, 1, n, n)
				for i := range n {
					if got[i] != want[i] && got[i] == got[i] {
						t.Fatalf("%s: element %d of %d is %v, alone %v", f.name, i, n, got[i], want[i])
					}
				}
			}
		}
	})
}

func TestAxpyAndDot(t *testing.T) {
	onEverySet(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(23, 24))
		for n := range 300 {
			x, y := matrix(r, 1, n, n), matrix(r, 1, n, n)
			var dot total
			for i := range n {
				dot.add(float64(x[i]) * float64(y[i]))
			}
			if got := simd.Dot(x[:n], y[:n]); !dot.holds(got) {
				t.Fatalf("dot product of %d is %v, want %v", n, got, dot.value)
			}
			got := slices.Clone(y)
			simd.Axpy(0.7, x[:n], got[:n])
			untouched(t, "y", got, 1, n, n)
			for i := range n {
				var s total
				s.add(float64(y[i]))
				s.add(float64(float32(0.7)) * float64(x[i]))
				if !s.holds(got[i]) {
					t.Fatalf("element %d of %d is %v, want %v", i, n, got[i], s.value)
				}
			}
		}
	})
}
