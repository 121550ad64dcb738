package datasets_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/datasets/datatest"
	"github.com/acqnp/acqnp/internal/files/safetensors"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/test/must"
)

// growing returns a source whose evaluation batch i has 2 groups of 5+i points, of which 1+i are context; dx = 2
// and dy = 1. Batch 2 fails unless fail is nil.
func growing(fail error) *datasets.Source {
	return &datasets.Source{DX: 2, DY: 1, Eval: datasets.Batches{Size: datasets.Size{Groups: 2, Points: 104, Context: 100}, Count: 100, Make: func(i int, b *datasets.Batch) error {
		if i == 2 && fail != nil {
			return fail
		}
		n := 5 + i
		*b = datasets.Batch{Groups: 2, Points: n, Context: 1 + i, DX: 2, DY: 1, X: make([]float32, 4*n), Y: make([]float32, 2*n)}
		for k := range b.X {
			b.X[k] = float32(100*i + k)
		}
		for k := range b.Y {
			b.Y[k] = -float32(100*i+k) / 3
		}
		return nil
	}}}
}

func TestTasksRoundTrip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tasks.safetensors")
	var heard []int
	must.Do(t, datasets.WriteTasks(t.Context(), path, "rbf", growing(nil), 4, func(done int) { heard = append(heard, done) }))
	if diff := cmp.Diff([]int{1, 2, 3, 4}, heard); diff != "" {
		t.Error(diff)
	}
	tasks := must.Get(datasets.OpenTasks(path))(t)
	defer tasks.Close()
	if dx, dy := tasks.Dims(); dx != 2 || dy != 1 || tasks.Eval.Count != 4 {
		t.Errorf("dims %d and %d, %d batches", dx, dy, tasks.Eval.Count)
	}
	if diff := cmp.Diff(datasets.Size{Groups: 2, Points: 8, Context: 4}, tasks.Eval.Size); diff != "" {
		t.Error(diff)
	}
	got := datasets.Batch{NumTau: 3, U: make([]float32, 7)} // left from an earlier use
	for _, i := range []int{3, 0, 2, 1} {
		var want datasets.Batch
		must.Do(t, growing(nil).Eval.Make(i, &want))
		must.Do(t, tasks.Eval.Make(i, &got))
		if len(got.U) != 0 {
			t.Errorf("batch %d has levels", i)
		}
		want.U = got.U
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
	if err := tasks.Eval.Make(4, &got); err == nil {
		t.Error("there is a batch 4")
	}
	// The names in the file are a contract with other programs.
	r := must.Get(safetensors.Open(path))(t)
	defer r.Close()
	if got := r.Metadata()["num_context"]; got != "[1,2,3,4]" {
		t.Errorf("num_context is %q", got)
	}
	x, _ := r.Spec("3.x")
	if x.DType != safetensors.Float32 || !slices.Equal(x.Shape, []int{2, 8, 2}) {
		t.Errorf("3.x has type %s and shape %v", x.DType, x.Shape)
	}
}

func TestWriteTasksIsTheSameEveryTime(t *testing.T) {
	var files [2][]byte
	for k := range files {
		path := filepath.Join(t.TempDir(), "tasks.safetensors")
		must.Do(t, datasets.WriteTasks(t.Context(), path, "rbf", growing(nil), 3, nil))
		var err error
		if files[k], err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(files[0], files[1]) {
		t.Error("two runs wrote different bytes")
	}
}

func TestWriteTasksLeavesNothingHalfWritten(t *testing.T) {
	stopped, cancel := context.WithCancel(t.Context())
	broken := errors.New("broken")
	cases := map[string]struct {
		ctx    context.Context
		src    *datasets.Source
		report func(int)
		want   error
	}{
		"a source that fails": {t.Context(), growing(broken), nil, broken},
		"a person who stops":  {stopped, growing(nil), func(int) { cancel() }, context.Canceled},
	}
	for name, c := range cases {
		dir := t.TempDir()
		err := datasets.WriteTasks(c.ctx, filepath.Join(dir, "tasks.safetensors"), "rbf", c.src, 4, c.report)
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
		if left, _ := os.ReadDir(dir); len(left) > 0 {
			t.Errorf("%s left %v", name, left)
		}
	}
	must.Refuse(t, datasets.WriteTasks(t.Context(), filepath.Join(t.TempDir(), "no", "t.safetensors"), "rbf", growing(nil), 1, nil))
	must.Refuse(t, datasets.WriteTasks(t.Context(), filepath.Join(t.TempDir(), "t.safetensors"), "rbf", growing(nil), 500_001, nil))
	must.Refuse(t, datasets.WriteTasks(t.Context(), filepath.Join(t.TempDir(), "t.safetensors"), "rbf", growing(nil), 0, nil))
}

// tasksFile writes tensors and num_context.
func tasksFile(t *testing.T, numContext string, ts ...safetensors.Tensor) string {
	t.Helper()
	meta := map[string]string{"num_context": numContext}
	if numContext == "" {
		meta = nil
	}
	var b bytes.Buffer
	must.Do(t, safetensors.Write(&b, meta, ts))
	path := filepath.Join(t.TempDir(), "tasks.safetensors")
	datatest.Put(t, path, b.String())
	return path
}

func f32(name string, shape ...int) safetensors.Tensor {
	n := 1
	for _, s := range shape {
		n *= s
	}
	v := make([]float32, n)
	for i := range v {
		v[i] = float32(i) / float32(n)
	}
	return safetensors.F32(name, shape, v)
}

func TestTasksBringTheirLevels(t *testing.T) {
	u := f32("0.u", 2, 3, 4) // [B, N_τ, N], 0/24, 1/24, …
	path := tasksFile(t, "[2]", f32("0.x", 2, 4, 1), f32("0.y", 2, 4, 1), u, safetensors.I32("0.resample", []int{2, 1, 2, 2}, make([]int32, 8)))
	tasks := must.Get(datasets.OpenTasks(path))(t)
	defer tasks.Close()
	var b datasets.Batch
	must.Do(t, tasks.Eval.Make(0, &b))
	if b.NumTau != 3 || len(b.U) != 24 {
		t.Fatalf("%d levels, %d numbers", b.NumTau, len(b.U))
	}
	for group := range 2 {
		for point := range 4 {
			for level := range 3 {
				got := b.U[(group*4+point)*3+level]
				if want := float32((group*3+level)*4+point) / 24; got != want {
					t.Errorf("group %d, point %d, level %d: %v, want %v", group, point, level, got, want)
				}
			}
		}
	}
}

func i32(name string, shape []int, v ...int32) safetensors.Tensor {
	n := 1
	for _, s := range shape {
		n *= s
	}
	return safetensors.I32(name, shape, append(v, make([]int32, n-len(v))...))
}

func TestTasksBringTheirBootstraps(t *testing.T) {
	const k, groups, context = 2, 2, 3
	want := func(half, bootstrap, group, place int) int32 {
		return int32(half+2*bootstrap+group+place) % context
	}
	var v []int32
	for i := range 2 * k * groups * context { // [2, k, B, N_c]
		v = append(v, want(i/(k*groups*context), i/(groups*context)%k, i/context%groups, i%context))
	}
	path := tasksFile(t, "[3]", f32("0.x", groups, 4, 1), f32("0.y", groups, 4, 1), i32("0.resample", []int{2, k, groups, context}, v...))
	tasks := must.Get(datasets.OpenTasks(path))(t)
	defer tasks.Close()
	var b datasets.Batch
	must.Do(t, tasks.Eval.Make(0, &b))
	if b.Bootstraps != k || len(b.Resample) != len(v) || b.NumTau != 0 {
		t.Fatalf("%d bootstraps, %d numbers, %d levels", b.Bootstraps, len(b.Resample), b.NumTau)
	}
	for i, got := range b.Resample { // [2, B, N_c, k]
		half, group, place, bootstrap := i/(groups*context*k), i/(context*k)%groups, i/k%context, i%k
		if want := want(half, bootstrap, group, place); got != want {
			t.Errorf("half %d, bootstrap %d, group %d, place %d: %d, want %d", half, bootstrap, group, place, got, want)
		}
	}
}

func TestTasksNameWhatIsWrong(t *testing.T) {
	x, y, x1, y1 := f32("0.x", 2, 4, 1), f32("0.y", 2, 4, 1), f32("1.x", 2, 4, 1), f32("1.y", 2, 4, 1)
	with := func(name string, shape []int, at int, v float32) safetensors.Tensor {
		tensor := f32(name, shape...)
		values := must.Get(tensor.Float32s())(t)
		values[at] = v
		return safetensors.F32(name, shape, values)
	}
	nan, inf := float32(math.NaN()), float32(math.Inf(-1))
	ts := func(t ...safetensors.Tensor) []safetensors.Tensor { return t }
	cases := []struct {
		name, context string
		tensors       []safetensors.Tensor
		key, says     string
	}{
		{"no num_context", "", ts(x, y), "__metadata__.num_context", "nothing"},
		{"num_context is no list", "4", ts(x, y), "__metadata__.num_context", "JSON list"},
		{"num_context of fractions", "[1.5]", ts(x, y), "__metadata__.num_context", "JSON list"},
		{"num_context is null", "null", ts(), "__metadata__.num_context", "JSON list"},
		{"no batches", "[]", ts(), "__metadata__.num_context", "JSON list"},
		{"no target", "[4]", ts(x, y), "__metadata__.num_context[0]", "0 to 3"},
		{"negative context", "[-1]", ts(x, y), "__metadata__.num_context[0]", "0 to 3"},
		{"x missing", "[2]", ts(y), "0.x", "no such tensor"},
		{"y missing", "[2]", ts(x), "0.y", "no such tensor"},
		{"list longer than the batches", "[2,2]", ts(x, y), "1.x", "no such tensor"},
		{"list shorter than the batches", "[2]", ts(x, y, x1, y1), `"1.x"`, "no batch"},
		{"another tensor", "[2]", ts(x, y, f32("0.z", 1)), `"0.z"`, "no batch"},
		{"number written otherwise", "[2]", ts(x, y, f32("00.x", 1)), `"00.x"`, "no batch"},
		{"float64", "[2]", ts(safetensors.F64("0.x", []int{2, 4, 1}, make([]float64, 8)), y), "0.x", "F64"},
		{"two dimensions", "[2]", ts(f32("0.x", 2, 4), y), "0.x", "[2 4]"},
		{"no groups", "[2]", ts(f32("0.x", 0, 4, 1), f32("0.y", 0, 4, 1)), "0.x", "above 0"},
		{"other groups in y", "[2]", ts(x, f32("0.y", 3, 4, 1)), "0.y", "[2, 4, 1]"},
		{"other points in y", "[2]", ts(x, f32("0.y", 2, 5, 1)), "0.y", "[2, 4, 1]"},
		{"dx changes", "[2,2]", ts(x, y, f32("1.x", 2, 4, 2), y1), "1.x", "batch 0"},
		{"dy changes", "[2,2]", ts(x, y, x1, f32("1.y", 2, 4, 3)), "1.y", "[2, 4, 1]"},
		{"levels of other points", "[2]", ts(x, y, f32("0.u", 2, 3, 5)), "0.u", "[2, N_τ, 4]"},
		{"levels laid out as in memory", "[2]", ts(x, y, f32("0.u", 2, 4, 3)), "0.u", "[2, N_τ, 4]"},
		{"levels in one batch alone", "[2,2]", ts(x, y, f32("0.u", 2, 3, 4), x1, y1), "1.u", "3 as in batch 0"},
		{"levels from the second batch on", "[2,2]", ts(x, y, x1, y1, f32("1.u", 2, 3, 4)), "1.u", "0 as in batch 0"},
		{"x is NaN", "[2]", ts(with("0.x", []int{2, 4, 1}, 5, nan), y), "0.x[1, 1, 0]", "NaN"},
		{"y is infinite", "[2]", ts(x, with("0.y", []int{2, 4, 1}, 7, inf)), "0.y[1, 3, 0]", "-Inf"},
		{"level above 1", "[2]", ts(x, y, with("0.u", []int{2, 3, 4}, 23, 1.01)), "0.u[1, 2, 3]", "1.01"},
		{"level below 0", "[2]", ts(x, y, with("0.u", []int{2, 3, 4}, 0, -0.01)), "0.u[0, 0, 0]", "-0.01"},
		{"bootstraps in float32", "[2]", ts(x, y, f32("0.resample", 2, 1, 2, 2)), "0.resample", "I32"},
		{"bootstraps of other groups", "[2]", ts(x, y, i32("0.resample", []int{2, 1, 3, 2})), "0.resample", "[2, k, 2, 2]"},
		{"bootstraps of other context", "[2]", ts(x, y, i32("0.resample", []int{2, 1, 2, 3})), "0.resample", "[2, k, 2, 2]"},
		{"bootstraps without residuals", "[2]", ts(x, y, i32("0.resample", []int{1, 1, 2, 2})), "0.resample", "[2, k, 2, 2]"},
		{"no bootstraps", "[2]", ts(x, y, i32("0.resample", []int{2, 0, 2, 2})), "0.resample", "[2, k, 2, 2]"},
		{"bootstraps in three dimensions", "[2]", ts(x, y, i32("0.resample", []int{2, 2, 2})), "0.resample", "[2, k, 2, 2]"},
		{"bootstraps in one batch alone", "[2,2]", ts(x, y, i32("0.resample", []int{2, 1, 2, 2}), x1, y1), "1.resample", "1 as in batch 0"},
		{"index beyond the context", "[2]", ts(x, y, i32("0.resample", []int{2, 1, 2, 2}, 0, 0, 0, 0, 0, 0, 2)), "0.resample[1, 0, 1, 0]", "0 to 1"},
		{"index below 0", "[2]", ts(x, y, i32("0.resample", []int{2, 1, 2, 2}, -1)), "0.resample[0, 0, 0, 0]", "-1"},
		{"level is NaN", "[2]", ts(x, y, with("0.u", []int{2, 3, 4}, 4, nan)), "0.u[0, 1, 0]", "NaN"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			path := tasksFile(t, c.context, c.tensors...)
			tasks, err := datasets.OpenTasks(path)
			if err == nil {
				defer tasks.Close()
				var b datasets.Batch
				err = tasks.Eval.Make(0, &b)
			}
			var bad *invalid.Input
			if !errors.As(err, &bad) {
				t.Fatalf("got %v, want an *invalid.Input", err)
			}
			if bad.File != path || bad.Key != c.key || !strings.Contains(bad.Error(), c.says) {
				t.Errorf("%q with key %q; want key %q and %q", bad.Error(), bad.Key, c.key, c.says)
			}
		})
	}
	if _, err := datasets.OpenTasks(datatest.CSV(t, "x,y\n1,2\n")); err == nil || !slices.Contains(strings.Fields(err.Error()), "found") {
		t.Errorf("a CSV file: %v", err)
	}
}

// Opening and reading arbitrary bytes does not panic, and what is read fits its stated sizes.
func FuzzOpenTasks(f *testing.F) {
	add := func(numContext string, ts ...safetensors.Tensor) {
		var b bytes.Buffer
		if err := safetensors.Write(&b, map[string]string{"num_context": numContext}, ts); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes())
	}
	add("[2]", f32("0.x", 2, 4, 1), f32("0.y", 2, 4, 1), f32("0.u", 2, 3, 4))
	add("[1,1]", f32("0.x", 1, 2, 1), f32("0.y", 1, 2, 2), f32("1.x", 3, 2, 1), f32("1.y", 3, 2, 2))
	add("[-1]", f32("0.x", 1, 2, 1), f32("0.y", 1, 2, 2))
	add("null")
	path := filepath.Join(f.TempDir(), "fuzz.safetensors")
	f.Fuzz(func(t *testing.T, content []byte) {
		must.Do(t, os.WriteFile(path, content, 0o600))
		tasks, err := datasets.OpenTasks(path)
		if err != nil {
			must.Refuse(t, err)
			return
		}
		defer tasks.Close()
		var b datasets.Batch
		for i := range tasks.Eval.Count {
			if err := tasks.Eval.Make(i, &b); err != nil {
				must.Refuse(t, err)
				continue
			}
			n, size := b.Groups*b.Points, tasks.Eval.Size
			if len(b.X) != n*b.DX || len(b.Y) != n*b.DY || len(b.U) != n*b.NumTau || b.Context < 1 || b.Context >= b.Points ||
				b.Groups > size.Groups || b.Points > size.Points || b.Context > size.Context {
				t.Fatalf("%+v in %+v", b, size)
			}
		}
	})
}
