package own_test

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/stat"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/datasets/datatest"
)

// csvData returns the experiment on a file of groups f0, f1, … whose point i is (i, 1000·f + i).
// So every point tells its group.
func csvData(t testing.TB, split string, points ...int) config.Experiment {
	t.Helper()
	text := []byte("name,x,y,note\n")
	for f, n := range points {
		for i := range n {
			text = fmt.Appendf(text, "f%d,%d,%d,\"a, b\"\n", f, i, 1000*f+i)
		}
	}
	path := filepath.Join(t.TempDir(), "mine.csv")
	datatest.Put(t, path, text)
	return config.Experiment{
		Benchmark: "csv",
		Data: config.Data{Seed: 43, File: path, Group: "name", XColumns: []string{"x"}, YColumns: []string{"y"}, SplitBy: split,
			TrainFraction: 0.75, Scale: "none"},
		Train: config.Train{BatchSize: 3, Seed: 1},
		Eval:  config.Eval{BatchSize: 2, Seed: 43},
	}
}

// alike returns the sizes of count groups of n points.
func alike(count, n int) []int { return slices.Repeat([]int{n}, count) }

// identify returns the group and the number of the batch's point k, which must be a point of the
// file.
func identify(t testing.TB, b *datasets.Batch, k int) (group, point int) {
	t.Helper()
	x, y := int(b.X[k]), int(b.Y[k])
	if float32(x) != b.X[k] || float32(y) != b.Y[k] || y%1000 != x {
		t.Fatalf("(%v, %v) is no point of the file", b.X[k], b.Y[k])
	}
	return y / 1000, x
}

// members returns the group of each row of a batch and its points in their order. Every point
// must be different.
func members(t testing.TB, b *datasets.Batch) (groups []int, points [][]int) {
	t.Helper()
	for row := range b.Groups {
		var of []int
		f, _ := identify(t, b, row*b.Points)
		for k := range b.Points {
			g, p := identify(t, b, row*b.Points+k)
			if g != f || slices.Contains(of, p) {
				t.Fatalf("row %d of group %d has point %d of group %d, after %v", row, f, p, g, of)
			}
			of = append(of, p)
		}
		groups, points = append(groups, f), append(points, of)
	}
	return groups, points
}

// evaluatedGroups returns all groups of the evaluation.
func evaluatedGroups(t testing.TB, s *datasets.Source) (all []int) {
	t.Helper()
	for i := range s.Eval.Count {
		groups, _ := members(t, datatest.Made(t, s.Eval, i))
		all = append(all, groups...)
	}
	return all
}

func TestCSVHoldsGroupsOut(t *testing.T) {
	e := csvData(t, "group", alike(20, 12)...)
	s := datatest.Open(t, e, "")
	test := evaluatedGroups(t, s)
	if len(test) != 5 || !slices.IsSorted(test) || len(slices.Compact(slices.Clone(test))) != 5 {
		t.Fatalf("groups %v in the evaluation, want 5 of 20 in their order", test)
	}
	if s.Eval.Count != 3 {
		t.Errorf("%d batches of 2 for 5 groups", s.Eval.Count)
	}
	for i := range s.Eval.Count {
		b := datatest.Made(t, s.Eval, i)
		if b.Points != 12 || b.Context > 11 {
			t.Errorf("N = %d and N_c = %d of 12 points", b.Points, b.Context)
		}
	}
	seen := map[int]bool{}
	for step := range 200 {
		b := datatest.Made(t, s.Train, step)
		groups, _ := members(t, b)
		if b.Groups != 3 || b.Points != 12 || b.Context > 11 {
			t.Fatalf("a batch of %d groups, N = %d, N_c = %d", b.Groups, b.Points, b.Context)
		}
		for i, f := range groups {
			if slices.Contains(test, f) || slices.Contains(groups[:i], f) {
				t.Fatalf("training on %v with %v held out", groups, test)
			}
			seen[f] = true
		}
	}
	if len(seen) != 15 {
		t.Errorf("200 batches met %d of 15 groups", len(seen))
	}
	// The split depends only on data.seed.
	for _, c := range []struct {
		change func(*config.Experiment)
		same   bool
	}{
		{func(e *config.Experiment) { e.Train.Seed, e.Eval.Seed = 7, 8 }, true},
		{func(e *config.Experiment) { e.Data.Seed = 44 }, false},
	} {
		other := e
		c.change(&other)
		if got := evaluatedGroups(t, datatest.Open(t, other, "")); slices.Equal(got, test) != c.same {
			t.Errorf("%v held out, with other seeds %v", test, got)
		}
	}
}

// Groups of the same size share batches. If sizes differ, each group has its own batch.
func TestCSVGroupsGroupsOfOneSize(t *testing.T) {
	for _, split := range []string{"group", "point"} {
		for want, points := range map[int][]int{2: alike(20, 12), 1: slices.Repeat([]int{12, 13}, 10)} {
			e := csvData(t, split, points...)
			s := datatest.Open(t, e, "")
			if got := s.Eval.Size.Groups; got != want {
				t.Errorf("by %s, points %v: batches of %d groups", split, points, got)
			}
			groups := evaluatedGroups(t, s)
			if n := s.Eval.Count; n != (len(groups)+want-1)/want {
				t.Errorf("by %s: %d batches of %d for %d groups", split, n, want, len(groups))
			}
			for i := range s.Eval.Count {
				b := datatest.Made(t, s.Eval, i)
				if b.Groups > want || b.Points > s.Eval.Size.Points || b.Context > s.Eval.Size.Context {
					t.Errorf("by %s: a batch beyond %v", split, s.Eval.Size)
				}
				if f := groups[i*want]; b.Points != points[f] {
					t.Errorf("by %s: %d of the %d points of group %d", split, b.Points, points[f], f)
				}
			}
			e.Eval.Batches = 1
			if got := datatest.Open(t, e, "").Eval.Count; got != 1 {
				t.Errorf("eval.batches 1 gives %d", got)
			}
		}
	}
}

func TestCSVScalesByTheTrainingPartAlone(t *testing.T) {
	for _, split := range []string{"group", "point"} {
		e := csvData(t, split, alike(20, 12)...)
		s := datatest.Open(t, e, "")
		var x, y []float64 // of the training part, found without scaling
		seen := map[[2]int]bool{}
		for step := range 300 { // 9 points of 20 groups by 3·9 a step: surely all
			b := datatest.Made(t, s.Train, step)
			for k := range b.Groups * b.Points {
				f, p := identify(t, b, k)
				if !seen[[2]int{f, p}] {
					seen[[2]int{f, p}] = true
					x, y = append(x, float64(p)), append(y, float64(1000*f+p))
				}
			}
		}
		if len(x) != 180 {
			t.Fatalf("%s: %d points for training, want 180 of 240", split, len(x))
		}
		meanX, deviationX := stat.PopMeanStdDev(x, nil)
		meanY, deviationY := stat.PopMeanStdDev(y, nil)
		for scale, want := range map[string]datasets.Scaling{
			"none":     {XOffset: []float64{0}, XScale: []float64{1}, YOffset: []float64{0}, YScale: []float64{1}},
			"standard": {XOffset: []float64{meanX}, XScale: []float64{deviationX}, YOffset: []float64{meanY}, YScale: []float64{deviationY}},
			"range": {XOffset: []float64{slices.Min(x)}, XScale: []float64{slices.Max(x) - slices.Min(x)},
				YOffset: []float64{slices.Min(y)}, YScale: []float64{slices.Max(y) - slices.Min(y)}},
		} {
			e.Data.Scale = scale
			scaled := datatest.Open(t, e, "")
			got := scaled.Scaling
			close := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) <= 1e-9*(1+math.Abs(b)) }) // sums in another order
			if diff := cmp.Diff(want, got, close); diff != "" {
				t.Errorf("%s by %s: %s", scale, split, diff)
			}
			if shift, want := got.RawShift(), -math.Log(got.YScale[0]); math.Abs(shift-want) > 1e-12 {
				t.Errorf("raw log-likelihoods are shifted by %v, want %v", shift, want)
			}
			plain, model := datatest.Made(t, s.Train, 5), datatest.Made(t, scaled.Train, 5)
			for k := range plain.X {
				wantX := (float64(plain.X[k]) - got.XOffset[0]) / got.XScale[0]
				wantY := (float64(plain.Y[k]) - got.YOffset[0]) / got.YScale[0]
				if float32(wantX) != model.X[k] || float32(wantY) != model.Y[k] {
					t.Fatalf("%s: (%v, %v) became (%v, %v)", scale, plain.X[k], plain.Y[k], model.X[k], model.Y[k])
				}
			}
		}
	}
}

// N, N_c, groups and points are each uniform: binomial counts stay within five standard
// deviations.
func TestCSVDrawsUniformly(t *testing.T) {
	e := csvData(t, "group", alike(8, 10)...)
	e.Data.Points, e.Data.Context = []int{6, 8}, []int{2, 5}
	s := datatest.Open(t, e, "")
	const steps = 3000
	sizes, contexts, groups, first := map[int]int{}, map[int]int{}, map[int]int{}, map[int]int{}
	for step := range steps {
		b := datatest.Made(t, s.Train, step)
		sizes[b.Points]++
		contexts[b.Context]++
		of, points := members(t, b)
		for i, f := range of {
			groups[f]++
			first[points[i][0]]++
		}
	}
	for _, c := range []struct {
		name         string
		counts       map[int]int
		values, each int
	}{{"N", sizes, 3, steps}, {"N_c", contexts, 4, steps}, {"group", groups, 6, 3 * steps}, {"first point", first, 10, 3 * steps}} {
		if len(c.counts) != c.values {
			t.Errorf("%s takes the values %v, want %d", c.name, c.counts, c.values)
		}
		p := 1 / float64(c.values)
		mean, bound := float64(c.each)*p, 5*math.Sqrt(float64(c.each)*p*(1-p))
		for v, n := range c.counts {
			if math.Abs(float64(n)-mean) > bound {
				t.Errorf("%s %d came %d times, want %.0f ± %.0f", c.name, v, n, mean, bound)
			}
		}
	}
}

// If there are fewer groups than a batch needs, groups occur several times, each time with
// other points.
func TestCSVRepeatsFewGroups(t *testing.T) {
	e := csvData(t, "point", 40)
	e.Train.BatchSize = 4
	e.Data.Points = []int{8, 8}
	_, points := members(t, datatest.Made(t, datatest.Open(t, e, "").Train, 0))
	if len(points) != 4 || slices.Equal(points[0], points[1]) {
		t.Errorf("points %v", points)
	}
}

// A batch does not depend on earlier batches, in whatever round, so a resumed run sees the same data.
func TestCSVBatchesDependOnTheirNumberAlone(t *testing.T) {
	few := csvData(t, "group", 12, 15, 19, 12, 30, 14, 13, 18)
	few.Data.Points = []int{6, 12}
	for _, e := range []config.Experiment{few, csvData(t, "group", oneTo(1, 30)...)} {
		s, fresh := datatest.Open(t, e, ""), datatest.Open(t, e, "")
		var before []*datasets.Batch
		for step := range 60 {
			before = append(before, datatest.Made(t, s.Train, step))
		}
		for _, step := range []int{59, 3, 58, 22, 21, 23, 0, 40} {
			if diff := cmp.Diff(before[step], datatest.Made(t, fresh.Train, step)); diff != "" {
				t.Fatalf("step %d: %s", step, diff)
			}
		}
		for i := range s.Eval.Count {
			if diff := cmp.Diff(datatest.Made(t, s.Eval, i), datatest.Made(t, fresh.Eval, i)); diff != "" {
				t.Fatalf("evaluation %d: %s", i, diff)
			}
		}
		e.Train.Seed++
		other := datatest.Open(t, e, "")
		if cmp.Equal(before[0], datatest.Made(t, other.Train, 0)) {
			t.Error("train.seed changes nothing")
		}
		if !cmp.Equal(datatest.Made(t, s.Eval, 0), datatest.Made(t, other.Eval, 0)) {
			t.Error("train.seed changes the evaluation")
		}
	}
}

// A file may be in the working directory or in <data-dir>/csv. The files of a directory are parts
// of one table.
func TestCSVFiles(t *testing.T) {
	dir := t.TempDir()
	part := func(group string, from, to int) string {
		text := "t,who,a,b\n"
		for i := from; i < to; i++ {
			text += fmt.Sprintf("%d,%s,%d,%d\n", i, group, 2*i, 3*i)
		}
		return text
	}
	datatest.Put(t, filepath.Join(dir, "csv", "parts", "1.csv"), []byte(part("p", 0, 5)))
	datatest.Put(t, filepath.Join(dir, "csv", "parts", "2.CSV"), []byte(part("p", 5, 10)+strings.TrimPrefix(part("q", 0, 8), "t,who,a,b\n")))
	datatest.Put(t, filepath.Join(dir, "csv", "parts", "readme.txt"), "not of the data")
	datatest.Put(t, filepath.Join(dir, "csv", "parts", ".hidden.csv"), "nor this")
	e := config.Experiment{Benchmark: "csv",
		Data: config.Data{File: "parts", Group: "who", XColumns: []string{"t", "a"}, YColumns: []string{"b"}, SplitBy: "point",
			TrainFraction: 0.8, Scale: "none"},
		Train: config.Train{BatchSize: 1}, Eval: config.Eval{BatchSize: 1}}
	for group, want := range map[string][]int{"who": {10, 8}, "": {5, 13}} { // without names a group is a file
		e.Data.Group = group
		e.Data.Context = []int{1, 2}
		s := datatest.Open(t, e, dir)
		if dx, dy := s.Dims(); dx != 2 || dy != 1 {
			t.Errorf("dims %d, %d", dx, dy)
		}
		for i, n := range want {
			b := datatest.Made(t, s.Eval, i)
			if b.Points != n {
				t.Errorf("group %d of %q has %d points, want %d", i, group, b.Points, n)
			}
			for k := range b.Points {
				if b.X[2*k+1] != 2*b.X[2*k] || b.Y[k] != 3*b.X[2*k] {
					t.Fatalf("no such point: %v, %v", b.X[2*k:][:2], b.Y[k])
				}
			}
		}
	}
}
