package simd_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/acqnp/acqnp/internal/simd"
)

// The numbers have the bits of package math, also where log(1+e) is computed in other ways: at e next
// to √2−1, 2⁻²⁹ and 2⁻⁵⁴, at 1 and at 0.
func TestLogistic(t *testing.T) {
	onEverySet(t, func(t *testing.T) {
		x := []float64{0, math.Copysign(0, -1), 1e-300, -1e-9, 0.3, -0.7, 1, -1, 20, -37.5, 700, -708, 1e5, math.Inf(1), math.Inf(-1), 745.2}
		for _, e := range []float64{math.Sqrt2 - 1, 0x1p-29, 0x1p-54, 1} {
			for i := range 8 {
				x = append(x, -math.Log(e)*(1+float64(i-4)*0x1p-52), -math.Log(e)+float64(i)*0x1p-50)
			}
		}
		r := rand.New(rand.NewPCG(43, 44))
		for range 50_000 {
			x = append(x, 5*r.NormFloat64(), 1e-6*r.NormFloat64(), 30*r.NormFloat64(), r.Float64())
		}
		exps, logs := make([]float64, len(x)), make([]float64, len(x))
		simd.Logistic(exps, logs, x)
		for i, v := range x {
			e := math.Exp(-math.Abs(v))
			if log := math.Log1p(e); exps[i] != e || logs[i] != log {
				t.Fatalf("%v: exp %v and log %v, want %v and %v", v, exps[i], logs[i], e, log)
			}
		}
	})
}

// Exps has the bits of math.Exp, as the kernels of doubles_test.go; a NaN stays one.
func TestExps(t *testing.T) {
	onEverySet(t, func(t *testing.T) {
		x := []float64{0, 1, -1, -708.4, -744.9, -745.2, -1e6, math.Inf(-1), 699, 0.3, 1e-300, -20, 30, -40, 50, -60}
		got := make([]float64, len(x))
		simd.Exps(got, x)
		for i, v := range x {
			if want := math.Exp(v); math.Float64bits(got[i]) != math.Float64bits(want) {
				t.Errorf("exp(%v) is %v, want %v", v, got[i], want)
			}
		}
		nan := make([]float64, simd.DoubleLanes)
		nan[3] = math.NaN()
		logs := make([]float64, simd.DoubleLanes)
		simd.Exps(logs, nan)
		simd.Logistic(nan, logs, nan)
		if !math.IsNaN(nan[3]) || !math.IsNaN(logs[3]) || logs[2] != math.Ln2 {
			t.Errorf("exp and log of NaN are %v and %v, and log 2 is %v", nan[3], logs[3], logs[2])
		}
	})
}
