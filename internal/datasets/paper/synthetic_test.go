package paper_test

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/config/catalogue"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/datasets/datatest"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/test/must"
)

var syntheticNames = catalogue.Names(func(b catalogue.Benchmark) bool { return b.Kind == catalogue.Synthetic })

// syntheticExperiment returns an experiment with the paper's values. CNP reads no levels, so they
// do not bound the size of a batch.
func syntheticExperiment(name string) config.Experiment {
	text := fmt.Appendf(nil, "benchmark: %s\nmodel: {name: cnp}\ntrain: {seed: 43}\n", name)
	e, err := config.Parse(name, text, config.Overrides{})
	if err != nil {
		panic(err)
	}
	return e
}

// expect checks that the mean of independent values is as expected, within five standard errors.
func expect(t *testing.T, what string, values []float64, want float64) {
	t.Helper()
	n, mean, square := float64(len(values)), 0.0, 0.0
	for _, v := range values {
		mean += v / n
	}
	for _, v := range values {
		square += (v - mean) * (v - mean) / (n - 1)
	}
	if bound := 5 * math.Sqrt(square/n); !(math.Abs(mean-want) <= bound) {
		t.Errorf("%s: mean %.5f of %d values, want %.5f ± %.5f", what, mean, len(values), want, bound)
	}
}

func TestSyntheticBatchesStayWithinTheirSizes(t *testing.T) {
	for _, name := range syntheticNames {
		e := syntheticExperiment(name)
		e.Train.BatchSize, e.Eval.BatchSize, e.Eval.NumPoints = 3, 2, 140
		source := datatest.Open(t, e, "")
		if dx, dy := source.Dims(); dx != 1 || dy != 1 {
			t.Errorf("%s: dx %d, dy %d", name, dx, dy)
		}
		if got := source.Eval.Count; got != 5000 {
			t.Errorf("%s: %d evaluation batches", name, got)
		}
		if got, want := source.Train.Size, (datasets.Size{Groups: 3, Points: 100, Context: 97}); got != want {
			t.Errorf("%s: training size %+v, want %+v", name, got, want)
		}
		if got, want := source.Eval.Size, (datasets.Size{Groups: 2, Points: 140, Context: e.Eval.MaxContext}); got != want {
			t.Errorf("%s: evaluation size %+v, want %+v", name, got, want)
		}
		for step := range 200 {
			for _, evaluation := range []bool{false, true} {
				b := datatest.Made(t, datatest.Batches(source, evaluation), step)
				size, low := source.Train.Size, 6
				if evaluation {
					size, low = source.Eval.Size, 140
				}
				if b.Groups != size.Groups || b.Points < low || b.Points > size.Points ||
					b.Context < e.Data.LeastContext() || b.Context > size.Context || b.Context > b.Points-3 {
					t.Fatalf("%s: step %d has %d groups, %d points, %d context", name, step, b.Groups, b.Points, b.Context)
				}
				if b.DX != 1 || b.DY != 1 || b.NumTau != 0 || len(b.U) != 0 ||
					len(b.X) != b.Groups*b.Points || len(b.Y) != b.Groups*b.Points {
					t.Fatalf("%s: step %d has a misshapen batch", name, step)
				}
				for i := range b.X {
					if x, y := float64(b.X[i]), float64(b.Y[i]); math.IsNaN(x-x) || math.IsNaN(y-y) {
						t.Fatalf("%s: step %d has the point %v, %v", name, step, x, y)
					}
				}
			}
		}
	}
}

// N and N_c are uniform on their ranges, both ends included.
func TestSizesAreUniform(t *testing.T) {
	frequencies := func(e config.Experiment, evaluation bool, size func(*datasets.Batch) int, lo, hi int) {
		t.Helper()
		const many = 20000
		source, counts := datatest.Open(t, e, ""), make([]float64, hi-lo+1)
		var b datasets.Batch
		for step := range many {
			must.Do(t, datatest.Batches(source, evaluation).Make(step, &b))
			if n := size(&b); n < lo || n > hi {
				t.Fatalf("step %d: size %d outside %d..%d", step, n, lo, hi)
			}
			counts[size(&b)-lo]++
		}
		p := 1 / float64(len(counts))
		for i, c := range counts {
			if bound := 5 * math.Sqrt(p*(1-p)/many); math.Abs(c/many-p) > bound {
				t.Errorf("size %d comes up with frequency %v, want %v ± %v", lo+i, c/many, p, bound)
			}
		}
	}
	points := func(b *datasets.Batch) int { return b.Points }
	context := func(b *datasets.Batch) int { return b.Context }
	e := syntheticExperiment("circle")
	e.Train.BatchSize, e.Eval.BatchSize, e.Eval.NumPoints = 1, 1, 101
	frequencies(e, false, points, 6, 100)
	frequencies(e, true, context, 3, 100)
	e.Data.Points = []int{20, 20}
	frequencies(e, false, context, 3, 17)
	e.Data.Points = []int{6, 6}
	frequencies(e, false, context, 3, 3)
}

// A batch depends only on its seed and its number, not on earlier batches or on the slices that it
// is put into.
func TestSyntheticBatchDependsOnSeedAndNumberAlone(t *testing.T) {
	for _, name := range syntheticNames {
		e := syntheticExperiment(name)
		e.Train.BatchSize, e.Eval.BatchSize, e.Eval.NumPoints = 4, 4, 110
		source := datatest.Open(t, e, "")
		fresh := datatest.Made(t, datatest.Open(t, e, "").Train, 7)
		var b datasets.Batch
		b.NumTau, b.U = 3, make([]float32, 5)
		for _, step := range []int{0, 9, 3} {
			must.Do(t, source.Train.Make(step, &b))
			if slices.Contains(b.Y, fresh.Y[0]) {
				t.Errorf("%s: step %d repeats a number of step 7", name, step)
			}
		}
		must.Do(t, source.Eval.Make(7, &b))
		if slices.Contains(b.Y, fresh.Y[0]) || slices.Contains(b.X, fresh.X[0]) {
			t.Errorf("%s: evaluation repeats training under an equal seed", name)
		}
		must.Do(t, source.Train.Make(7, &b))
		if d := cmp.Diff(fresh.X, b.X); d != "" || !slices.Equal(fresh.Y, b.Y) || fresh.Context != b.Context || len(b.U)+b.NumTau != 0 {
			t.Errorf("%s: step 7 changed with what came before: %s", name, d)
		}

		e.Data.Seed++ // data.seed fixes splits, which synthetic data do not have
		e.Train.BatchSize, e.Eval.Seed = 2, 44
		if half := datatest.Made(t, datatest.Open(t, e, "").Train, 7); !slices.Equal(half.Y, fresh.Y[:2*fresh.Points]) {
			t.Errorf("%s: a group depends on how many there are", name)
		}
		e.Train.Seed = 44
		if other := datatest.Made(t, datatest.Open(t, e, "").Train, 7); slices.Contains(other.Y, fresh.Y[0]) {
			t.Errorf("%s: seed 44 repeats seed 43", name)
		}
	}
}

// Batches of 13 groups are three teams of four and one group, of which a worker takes any.
func TestSyntheticBitsDoNotDependOnThreads(t *testing.T) {
	for _, name := range syntheticNames {
		for _, groups := range []int{1, 13} {
			e := syntheticExperiment(name)
			e.Train.BatchSize, e.Eval.BatchSize, e.Eval.NumPoints = groups, 2, 120
			one := datatest.Open(t, e, "")
			one.SetThreads(1)
			for _, threads := range []int{0, 2, 7} {
				many := datatest.Open(t, e, "")
				many.SetThreads(threads)
				for step := range 6 {
					evaluation := step == 5
					a, b := datatest.Made(t, datatest.Batches(one, evaluation), step), datatest.Made(t, datatest.Batches(many, evaluation), step)
					if !slices.Equal(a.X, b.X) || !slices.Equal(a.Y, b.Y) {
						t.Fatalf("%s, step %d: one thread and %d give different bits", name, step, threads)
					}
				}
			}
		}
	}
}

// The error of a batch is that of its first bad group, on any number of threads.
func TestSyntheticBatchesReturnTheirErrors(t *testing.T) {
	e := syntheticExperiment("rbf")
	e.Data.Noise, e.Data.Length, e.Data.Amplitude = 0, 1e200, 0 // no variance: no Cholesky factor
	source := datatest.Open(t, e, "")
	for _, threads := range []int{1, 3} {
		source.SetThreads(threads)
		var bad *invalid.Input
		if err := source.Train.Make(0, new(datasets.Batch)); !errors.As(err, &bad) || bad.Key != "data" {
			t.Errorf("%d threads: %v", threads, err)
		}
	}
}

func TestSyntheticBatchesReuseTheirMemory(t *testing.T) {
	for _, name := range syntheticNames {
		source := datatest.Open(t, syntheticExperiment(name), "")
		var b datasets.Batch
		must.Do(t, source.Eval.Make(0, &b)) // the largest
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		must.Do(t, source.Eval.Make(1, &b))
		runtime.ReadMemStats(&after)
		const most = 16 << 10 // less than the batch's x
		if bytes := after.TotalAlloc - before.TotalAlloc; bytes > most {
			t.Errorf("%s: %d bytes allocated for a second batch, want at most %d", name, bytes, most)
		}
	}
}
