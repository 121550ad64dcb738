package datasets

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/acqnp/acqnp/internal/files/safetensors"
	"github.com/acqnp/acqnp/internal/invalid"
)

// The metadata keys of the JSON list of N_c, with one entry for each batch, and of the benchmark, which files of other
// programs may lack.
const (
	contextKey   = "num_context"
	benchmarkKey = "benchmark"
)

// contextList is the expected form of that list.
const contextList = "a JSON list such as [11,30,5], with one entry for each batch"

// tasks are the evaluation batches of a tasks file, which is a safetensors file. They are read one
// at a time. Batch i has `i.x` [B, N, dx] and `i.y` [B, N, dy] in the model's units. Either all
// batches have levels `i.u` [B, N_τ, N] or none has, and likewise for bootstraps `i.resample` [2,
// k, B, N_c].
type tasks struct {
	path    string
	file    *safetensors.Reader
	context []int // N_c of every batch
	dx, dy  int
	size    Size // of the largest batch
	numTau  int  // 0 without levels
	k       int  // 0 without bootstraps
}

// OpenTasks opens a tasks file. It checks the shapes of all batches and, if the file has a
// checksum, every byte; a batch is checked when it is read. An error is an *invalid.Input that names the file
// and the tensor. The source has no training. The caller closes it.
func OpenTasks(path string) (*Source, error) {
	file, err := safetensors.Open(path)
	if err != nil {
		return nil, err
	}
	return tasksIn(file, path)
}

// ReadTasks reads tasks from the content of a file, which name stands for in errors, as OpenTasks does.
func ReadTasks(content []byte, name string) (*Source, error) {
	file, err := safetensors.NewReader(bytes.NewReader(content), int64(len(content)), name)
	if err != nil {
		return nil, err
	}
	return tasksIn(file, name)
}

func tasksIn(file *safetensors.Reader, path string) (*Source, error) {
	t := &tasks{path: path, file: file}
	err := t.check()
	if err == nil {
		err = file.Verify("tasks file")
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return &Source{DX: t.dx, DY: t.dy, Benchmark: file.Metadata()[benchmarkKey], Scaling: Unscaled(t.dx, t.dy), Close: file.Close,
		Eval: Batches{Size: t.size, Count: len(t.context), Make: t.batch, Keys: SizeKeys{Groups: "--tasks", Points: "--tasks"}}}, nil
}

func (t *tasks) refuse(key, found, expected string) error {
	return &invalid.Input{File: t.path, Key: key, Found: found, Expected: expected}
}

// check checks the metadata and the shapes and names of all tensors.
func (t *tasks) check() error {
	list, ok := t.file.Metadata()[contextKey]
	if !ok {
		return t.refuse("__metadata__."+contextKey, "nothing", contextList)
	}
	if err := json.Unmarshal([]byte(list), &t.context); err != nil || len(t.context) == 0 {
		return t.refuse("__metadata__."+contextKey, fmt.Sprintf("%.40q", list), contextList)
	}
	for i := range t.context {
		if err := t.checkBatch(i); err != nil {
			return err
		}
	}
	return t.checkNames()
}

// checkBatch checks the shapes of batch i against each other and against batch 0.
func (t *tasks) checkBatch(i int) error {
	x, err := t.shape(tensorName(i, "x"))
	if err != nil {
		return err
	}
	y, err := t.shape(tensorName(i, "y"))
	if err != nil {
		return err
	}
	if i == 0 {
		t.dx, t.dy = x[2], y[2]
	}
	b, n := x[0], x[1]
	switch {
	case x[2] != t.dx:
		return t.refuse(tensorName(i, "x"), fmt.Sprintf("shape %v", x), fmt.Sprintf("[B, N, %d] as in batch 0", t.dx))
	case y[0] != b || y[1] != n || y[2] != t.dy:
		return t.refuse(tensorName(i, "y"), fmt.Sprintf("shape %v", y), fmt.Sprintf("[%d, %d, %d]", b, n, t.dy))
	case t.context[i] < 0 || t.context[i] >= n:
		return t.refuse(fmt.Sprintf("__metadata__.%s[%d]", contextKey, i), strconv.Itoa(t.context[i]),
			fmt.Sprintf("0 to %d, with %d points a group", n-1, n))
	}
	t.size = Size{max(t.size.Groups, b), max(t.size.Points, n), max(t.size.Context, t.context[i])}
	if err := t.checkLevels(i, b, n); err != nil {
		return err
	}
	return t.checkBootstraps(i, b)
}

// checkLevels checks the levels of batch i, which has b groups of n points.
func (t *tasks) checkLevels(i, b, n int) error {
	u := tensorName(i, "u")
	numTau := 0
	if _, ok := t.file.Spec(u); ok {
		shape, err := t.shape(u)
		if err != nil {
			return err
		}
		if shape[0] != b || shape[2] != n {
			return t.refuse(u, fmt.Sprintf("shape %v", shape), fmt.Sprintf("[%d, N_τ, %d]", b, n))
		}
		numTau = shape[1]
	}
	return t.same(i, &t.numTau, numTau, u, "levels")
}

// same refuses a number of batch i that is not that of batch 0, which it keeps.
func (t *tasks) same(i int, first *int, n int, tensor, what string) error {
	if i == 0 {
		*first = n
	}
	if n != *first {
		return t.refuse(tensor, fmt.Sprintf("%d %s", n, what), fmt.Sprintf("%d as in batch 0", *first))
	}
	return nil
}

// checkBootstraps checks the bootstraps of batch i, which has b groups.
func (t *tasks) checkBootstraps(i, b int) error {
	name, k := tensorName(i, "resample"), 0
	if spec, ok := t.file.Spec(name); ok {
		switch s := spec.Shape; {
		case spec.DType != safetensors.Int32:
			return t.refuse(name, "type "+string(spec.DType), "I32")
		case len(s) != 4 || s[0] != 2 || s[1] < 1 || s[2] != b || s[3] != t.context[i]:
			return t.refuse(name, fmt.Sprintf("shape %v", s), fmt.Sprintf("[2, k, %d, %d]", b, t.context[i]))
		}
		k = spec.Shape[1]
	}
	return t.same(i, &t.k, k, name, "bootstraps")
}

// shape returns the shape of a tensor. It refuses a tensor that is not float32 or does not have
// three dimensions above 0.
func (t *tasks) shape(name string) ([]int, error) {
	spec, ok := t.file.Spec(name)
	switch {
	case !ok:
		return nil, t.refuse(name, "no such tensor", "one for every entry of "+contextKey)
	case spec.DType != safetensors.Float32:
		return nil, t.refuse(name, "type "+string(spec.DType), "F32")
	case len(spec.Shape) != 3 || slices.Min(spec.Shape) < 1:
		return nil, t.refuse(name, fmt.Sprintf("shape %v", spec.Shape), "three dimensions above 0")
	}
	return spec.Shape, nil
}

// checkNames refuses a tensor that belongs to no batch, because the list may have been shortened or
// the name misspelt.
func (t *tasks) checkNames() error {
	for _, tensor := range t.file.Names() {
		number, kind, _ := strings.Cut(tensor, ".")
		i, err := strconv.Atoi(number)
		if err != nil || i < 0 || i >= len(t.context) || tensor != tensorName(i, kind) ||
			!slices.Contains([]string{"x", "y", "u", "resample"}, kind) {
			return t.refuse(fmt.Sprintf("%.40q", tensor), "a tensor that belongs to no batch",
				fmt.Sprintf("x, y, u and resample of the batches 0 to %d", len(t.context)-1))
		}
	}
	return nil
}

func tensorName(batch int, kind string) string { return strconv.Itoa(batch) + "." + kind }

// batch reads batch i. It refuses numbers that are not finite, levels outside [0, 1] and indices
// outside the context.
func (t *tasks) batch(i int, dst *Batch) error {
	if i < 0 || i >= len(t.context) {
		return t.refuse("", fmt.Sprintf("%d batches", len(t.context)), fmt.Sprintf("at least %d", i+1))
	}
	x, shape, err := t.numbers(tensorName(i, "x"), math.Inf(-1), math.Inf(1), "a finite number")
	if err != nil {
		return err
	}
	y, _, err := t.numbers(tensorName(i, "y"), math.Inf(-1), math.Inf(1), "a finite number")
	if err != nil {
		return err
	}
	dst.Reshape(Size{shape[0], shape[1], t.context[i]}, t.dx, t.dy)
	copy(dst.X, x)
	copy(dst.Y, y)
	if t.k > 0 {
		if err := t.bootstraps(i, dst); err != nil {
			return err
		}
	}
	if t.numTau == 0 {
		return nil
	}
	// 0 and 1 are valid: uniform generators return 0, and rounding to float32 makes 1.
	u, _, err := t.numbers(tensorName(i, "u"), 0, 1, "a level from 0 to 1")
	if err != nil {
		return err
	}
	dst.NumTau = t.numTau
	dst.U = levelsLast(dst.U, u, shape[0], t.numTau, shape[1])
	return nil
}

// numbers reads a tensor and its shape. All elements must be finite and within [lo, hi].
func (t *tasks) numbers(name string, lo, hi float64, expected string) ([]float32, []int, error) {
	tensor, err := t.file.Read(name)
	if err != nil {
		return nil, nil, err
	}
	v, err := tensor.Float32s()
	if err != nil {
		return nil, nil, err
	}
	for k, v := range v {
		if f := float64(v); !(lo <= f && f <= hi) || math.IsInf(f, 0) {
			last, middle := tensor.Shape[2], tensor.Shape[1]
			at := fmt.Sprintf("%s[%d, %d, %d]", name, k/last/middle, k/last%middle, k%last)
			return nil, nil, t.refuse(at, fmt.Sprint(v), expected)
		}
	}
	return v, tensor.Shape, nil
}

// bootstraps reads the bootstraps of batch i and transposes them from [2, k, B, N_c] to [2, B, N_c,
// k].
func (t *tasks) bootstraps(i int, dst *Batch) error {
	name := tensorName(i, "resample")
	tensor, err := t.file.Read(name)
	if err != nil {
		return err
	}
	indices, err := tensor.Int32s()
	if err != nil {
		return err
	}
	points := dst.Groups * dst.Context
	dst.Bootstraps = t.k
	dst.Resample = slices.Grow(dst.Resample[:0], len(indices))[:len(indices)]
	for at, v := range indices {
		half, k, group, place := at/points/t.k, at/points%t.k, at%points/dst.Context, at%dst.Context
		if v < 0 || int(v) >= dst.Context {
			return t.refuse(fmt.Sprintf("%s[%d, %d, %d, %d]", name, half, k, group, place), fmt.Sprint(v),
				fmt.Sprintf("0 to %d, with %d context points", dst.Context-1, dst.Context))
		}
		dst.Resample[(half*points+at%points)*t.k+k] = v
	}
	return nil
}

// levelsLast transposes levels from [B, N_τ, N] to [B, N, N_τ].
func levelsLast(dst, src []float32, b, numTau, n int) []float32 {
	dst = slices.Grow(dst[:0], len(src))[:len(src)]
	for i := range b {
		at := i * numTau * n
		for k := range numTau {
			for p, u := range src[at+k*n : at+(k+1)*n] {
				dst[at+p*numTau+k] = u
			}
		}
	}
	return dst
}
