package prior_test

import (
	"math"
	"reflect"
	"testing"

	"github.com/acqnp/acqnp/internal/datasets/prior"
	"github.com/acqnp/acqnp/internal/random"
)

// Every data set has the rows that were asked for, columns and groups within their limits, and finite
// values.
func TestSetsAreWhole(t *testing.T) {
	g := random.New(1, random.Data)
	for step := range uint64(3000) {
		rows := []int{8, 13, 100, 480, 2000}[step%5]
		s := prior.Draw(g, step, rows)
		total, wide := 0, s.Varying+s.Constant
		for _, n := range s.Groups {
			if n < 1 {
				t.Fatalf("step %d: a group of %d rows", step, n)
			}
			total += n
		}
		if total != rows || len(s.Y) != rows || len(s.X) != rows*wide || s.Varying > 4 || s.Constant > 4 || wide < 0 {
			t.Fatalf("step %d: %d rows of %d, %d values of x, %d + %d columns", step, total, rows, len(s.X), s.Varying, s.Constant)
		}
		for _, v := range append(s.X, s.Y...) {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				t.Fatalf("step %d: a value %v", step, v)
			}
		}
		lo, hi := s.Y[0], s.Y[0]
		for _, y := range s.Y {
			lo, hi = min(lo, y), max(hi, y)
		}
		if lo == hi {
			t.Errorf("step %d: every y of %d is %v", step, rows, lo)
		}
		from := 0
		for _, n := range s.Groups {
			for i := from; i < from+n; i++ {
				for j := s.Varying; j < wide; j++ {
					if s.X[i*wide+j] != s.X[from*wide+j] {
						t.Fatalf("step %d: column %d differs within a group", step, j)
					}
				}
			}
			from += n
		}
	}
}

func TestSameSeedSameBits(t *testing.T) {
	for step := range uint64(40) {
		one := prior.Draw(random.New(5, random.Data), step, 300)
		prior.Draw(random.New(6, random.Data), step+1, 200) // numbers made in between change nothing
		if two := prior.Draw(random.New(5, random.Data), step, 300); !reflect.DeepEqual(one, two) {
			t.Errorf("step %d: another data set from the same seed", step)
		}
	}
}

// BenchmarkDraw reports the time for a row and column, y among them, over 500 rows a set.
func BenchmarkDraw(b *testing.B) {
	g := random.New(1, random.Data)
	cells := 0
	for step := range uint64(b.N) {
		s := prior.Draw(g, step, 500)
		cells += len(s.X) + len(s.Y)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(cells), "ns/cell")
}
