// Package simd_test times the kernels of package simd: those of this machine, or the set that ACQNP_SIMD names.
package simd_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/acqnp/acqnp/internal/simd"
)

// measure runs f for a benchmark and reports its best run, because other programs may be using the
// machine: GFLOP/s, and their share of the peak of multiply-adds in registers, measured right
// before.
func measure(b *testing.B, flops float64, f func()) {
	const rounds = 200_000
	peak, best := 0.0, 0.0
	f()
	for b.Loop() {
		start := time.Now()
		done := simd.FMAPeak(rounds)
		peak = max(peak, done/time.Since(start).Seconds())
		times := max(1, int(5e6/flops))
		start = time.Now()
		for range times {
			f()
		}
		best = max(best, flops*float64(times)/time.Since(start).Seconds())
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(best/1e9, "GFLOP/s")
	b.ReportMetric(100*best/peak, "%peak")
}

// shapes are those of layers: rows of a tile, inputs, outputs.
var shapes = []struct{ m, k, n int }{
	{120, 128, 128}, {504, 128, 128}, {480, 64, 64}, {480, 256, 256}, {480, 130, 128}, {480, 128, 130}, {480, 128, 3},
	{480, 128, 1}, {480, 3, 128}, {480, 1, 128}, {13, 128, 128}, {1, 128, 128},
}

func gap(n int) int { return (n+15)/16*16 + 16 }

// BenchmarkMultiply times the three products of a layer on every shape.
func BenchmarkMultiply(b *testing.B) {
	for _, s := range shapes {
		m, k, n := s.m, s.k, s.n
		r := rand.New(rand.NewPCG(1, 1))
		w, bias, sum := matrix(r, k, n, n), matrix(r, 1, n, n), simd.Rows(make([]float32, k*n), n)
		a, y := simd.Rows(matrix(r, m, k, gap(k)), gap(k)), simd.Rows(matrix(r, m, n, gap(n)), gap(n))
		c := simd.Rows(slices.Clone(y.Data), y.Stride)
		p := simd.NewPacked(k, n)
		p.Pack(w, n, 1)
		run := func(kind string, f func()) {
			b.Run(fmt.Sprintf("%s/%s/%dx%dx%d", kind, simd.Name(), m, k, n), func(b *testing.B) { measure(b, 2*float64(m*k*n), f) })
		}
		run("bias", func() { p.MultiplyBias(m, a, simd.Rows(bias, 0), c, simd.ReLU, nil) })
		run("masked", func() { p.MultiplyMasked(m, a, y, c, simd.Overwrite, nil) })
		run("transposed", func() { simd.TransposeMultiply(m, k, n, a, y, sum, nil) })
	}
}

// matrix returns random numbers from -1 to 1 in m rows of n, which are ld apart.
func matrix(r *rand.Rand, m, n, ld int) []float32 {
	a := make([]float32, m*ld)
	for i := range a {
		if i%ld < n {
			a[i] = r.Float32()*2 - 1
		}
	}
	return a
}

// best reports the best of many runs of what f returns, as a figure of its nanoseconds.
func best(b *testing.B, unit string, figure func(ns float64) float64, f func() func()) {
	b.Run(simd.Name(), func(b *testing.B) {
		run, least := f(), time.Hour
		for b.Loop() {
			start := time.Now()
			run()
			least = min(least, time.Since(start))
		}
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(figure(float64(least.Nanoseconds())), unit)
	})
}

// BenchmarkRankOne measures C += a·b with one column a. It is bound by memory, so it reports bytes
// (C is read and written).
func BenchmarkRankOne(b *testing.B) {
	const m, n = 480, 128
	best(b, "GB/s", func(ns float64) float64 { return 8 * m * n / ns }, func() func() {
		r := rand.New(rand.NewPCG(1, 1))
		a, w, c, p := matrix(r, m, 1, 1), matrix(r, 1, n, n), matrix(r, m, n, gap(n)), simd.NewPacked(1, n)
		p.Pack(w, n, 1)
		return func() { p.Multiply(m, simd.Rows(a, 1), simd.Rows(c, gap(n)), simd.Accumulate, nil) }
	})
}

func BenchmarkSumRows(b *testing.B) {
	const m, n = 480, 128
	best(b, "GB/s", func(ns float64) float64 { return 4 * m * n / ns }, func() func() {
		a, dst := matrix(rand.New(rand.NewPCG(1, 1)), m, n, gap(n)), make([]float32, n)
		return func() { simd.SumRows(dst, simd.Rows(a, gap(n)), m, n) }
	})
}

func BenchmarkPack(b *testing.B) {
	const k, n = 128, 128
	w, p := make([]float32, k*n), simd.NewPacked(k, n)
	for b.Loop() {
		p.Pack(w, 1, k)
	}
}

// BenchmarkSlices reports nanoseconds per element.
func BenchmarkSlices(b *testing.B) {
	const n = 4000
	r := rand.New(rand.NewPCG(1, 1))
	x, y, z := matrix(r, 1, n, n)[:n], make([]float32, n), make([]float32, n)
	positive, exps, logs, terms := make([]float32, n), make([]float64, n), make([]float64, n), simd.NewLaplaceTerms(n)
	simd.Exp(positive, x)
	for name, f := range map[string]func(){
		"Exp":             func() { simd.Exp(y, x) },
		"Log":             func() { simd.Log(y, positive) },
		"SoftplusSigmoid": func() { simd.SoftplusSigmoid(y, z, x) },
		"Dot":             func() { simd.Dot(x, positive) },
		"Axpy":            func() { simd.Axpy(1, x, z) },
		"Logistic":        func() { simd.Logistic(exps, logs, exps) },
		"LaplaceSums":     func() { simd.LaplaceSums(terms, 0.7) },
	} {
		b.Run(name, func(b *testing.B) {
			best(b, "ns/element", func(ns float64) float64 { return ns / n }, func() func() { return f })
		})
	}
}

// BenchmarkThin measures a model's first layer, of one input, and its last, of a few columns, in
// nanoseconds per row.
func BenchmarkThin(b *testing.B) {
	const m = 200
	for _, s := range [][2]int{{1, 128}, {128, 1}, {128, 2}, {128, 3}, {128, 4}, {128, 5}} {
		k, n := s[0], s[1]
		b.Run(fmt.Sprintf("%dx%d", k, n), func(b *testing.B) {
			best(b, "ns/row", func(ns float64) float64 { return ns / m }, func() func() {
				a, bias, c := matrix(rand.New(rand.NewPCG(1, 1)), m, k, gap(k)), make([]float32, n), make([]float32, m*gap(n))
				p := simd.NewPacked(k, n)
				return func() {
					p.MultiplyBias(m, simd.Rows(a, gap(k)), simd.Rows(bias, 0), simd.Rows(c, gap(n)), simd.Overwrite, nil)
				}
			})
		})
	}
}

// BenchmarkClock measures a core in half a millisecond of work, and multiply-adds in registers in
// the microseconds right after it, before the clock recovers, both as medians. Their ratio is the
// share of the possible speed that a kernel reaches at that clock. Both are below the peak of an
// idle machine if the processor lowers its clock for such work.
func BenchmarkClock(b *testing.B) {
	const m, k, n = 200, 128, 128
	r := rand.New(rand.NewPCG(1, 1))
	x, y, w, grad := matrix(r, m, k, gap(k)), matrix(r, m, n, gap(n)), matrix(r, k, n, n), make([]float32, k*n)
	p := simd.NewPacked(k, n)
	p.Pack(w, n, 1)
	product := func(f func()) func() float64 {
		return func() float64 {
			const times = 12
			for range times {
				f()
			}
			return times * 2 * m * k * n
		}
	}
	for _, c := range []struct {
		name string
		work func() float64 // operations
	}{
		{"multiply-adds", func() float64 { return simd.FMAPeak(130_000) }},
		{"product", product(func() { p.Multiply(m, simd.Rows(x, gap(k)), simd.Rows(y, gap(n)), simd.Overwrite, nil) })},
		{"weights' gradient", product(func() {
			simd.TransposeMultiply(m, k, n, simd.Rows(x, gap(k)), simd.Rows(y, gap(n)), simd.Rows(grad, n), nil)
		})},
	} {
		b.Run(c.name, func(b *testing.B) {
			var during, after []float64
			rate := func(work func() float64) float64 {
				start := time.Now()
				operations := work()
				return operations / float64(time.Since(start).Nanoseconds())
			}
			for b.Loop() {
				during = append(during, rate(c.work))
				after = append(after, rate(func() float64 { return simd.FMAPeak(2000) }))
			}
			slices.Sort(during)
			slices.Sort(after)
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(during[len(during)/2], "GFLOP/s")
			b.ReportMetric(after[len(after)/2], "after-GFLOP/s")
		})
	}
}

// BenchmarkHalves times the three products of a layer in bfloat16.
func BenchmarkHalves(b *testing.B) {
	for _, s := range shapes {
		if s.k < 16 || s.n < 16 {
			continue
		}
		r := rand.New(rand.NewPCG(1, 1))
		input := func(m, n int) simd.Halves {
			h := simd.MakeHalves(make([]float32, simd.HalvesSize(m, gap(n))), m, gap(n))
			simd.Halve(m, n, simd.Rows(matrix(r, m, n, n), n), h)
			return h
		}
		a, w, g := input(s.m, s.k), input(s.k, s.n), input(s.m, s.n)
		bias := simd.Rows(make([]float32, s.n), 0)
		p := simd.NewPackedHalves(s.k, s.n)
		p.Pack(w)
		run := func(name string, f func()) {
			b.Run(fmt.Sprintf("%s/%dx%dx%d", name, s.m, s.k, s.n), func(b *testing.B) { measure(b, 2*float64(s.m*s.k*s.n), f) })
		}
		run("multiply", func() { p.Multiply(simd.HalfProduct{M: s.m, A: a, Start: bias, ReLU: true, To: g}) })
		run("masked", func() { p.Multiply(simd.HalfProduct{M: s.m, A: a, Where: g, To: g}) })
		dw := simd.Rows(make([]float32, s.k*s.n), s.n)
		run("transposed", func() { simd.TransposeMultiplyHalves(s.m, s.k, s.n, a, g, dw, nil) })
		x := simd.Rows(make([]float32, s.m*gap(s.n)), gap(s.n))
		run("halve", func() { simd.Halve(s.m, s.n, x, g) })
	}
}
