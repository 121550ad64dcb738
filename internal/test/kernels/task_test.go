//go:build simt || gpu

package kernels

import (
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/acqnp/acqnp/internal/test/must"
	"github.com/acqnp/acqnp/kernels"
	"github.com/acqnp/acqnp/kernels/gpu"
)

// operations lists enum Operation of kernels/task.h, in its order.
var operations = func() (names []string) {
	text, err := kernels.Sources.ReadFile("operations.h")
	if err != nil {
		panic(err)
	}
	for _, m := range regexp.MustCompile(`(?m)^  ENTRY\((\w+)`).FindAllStringSubmatch(string(text), -1) {
		names = append(names, strings.ToLower(m[1]))
	}
	return names
}()

// arguments holds, for each operation that is not declared by an element, the fields of struct Task that a
// test's arguments stand for. The field d is 1 if it is not among them. Layers have kernels of their own
// names, too.
var arguments = map[string]string{
	"base_grad": "a b out other s d relu", "ensemble_add_grad_level": "a b out s other d relu", "ensemble_add_grad_point": "a b out s other d relu",
	"gaussian": "a b out s other k floor", "gaussian_grad": "a b c out s other k floor",
	"levels": "out s k d stream", "linear_rows": "a b c out s other k d relu stride", "in_grad_rows": "a b c out s k d relu stride",
	"layer_norm": "a b c out s d", "layer_norm_grad": "a b c out more s d", "weight_grad": "a b c out s k d relu",
	"weight_grad_sum": "a out more s k d stride", "neg_mean": "a b out s other",
	"branch_sum": "a b out s other k d depth chunks", "branch_pack": "a b out more other k d depth",
}

// fields lists the fields of struct Task by their place, in words of 4 bytes.
var fields = map[string]int{"operation": 0, "s": 1, "other": 2, "k": 3, "d": 4, "relu": 5, "stride": 6, "from": 6, "depth": 6, "stream": 6,
	"shift": 6, "scale": 7, "floor": 7, "chunks": 7, "a": 8, "b": 10, "c": 12, "out": 14, "more": 16}

// A task is a struct Task.
type task []uint32

func newTask(operation string) task {
	t := make(task, 18)
	t.set("operation", uint32(slices.Index(operations, strings.TrimSuffix(operation, "_rows"))))
	t.set("d", uint32(1))
	return t
}

// set sets a field.
func (t task) set(field string, v any) {
	at := fields[field]
	switch v := v.(type) {
	case gpu.Ptr:
		t[at], t[at+1] = uint32(v), uint32(v>>32)
	case int:
		t[at] = uint32(v)
	case int32:
		t[at] = uint32(v)
	case uint32:
		t[at] = v
	case float32:
		t[at] = math.Float32bits(v)
	}
}

func (t task) operation() string { return operations[t[0]] }

// taskOf returns a task with the arguments; nil if the name is that of a kernel.
func (d *device) taskOf(name string, args []any) task {
	d.t.Helper()
	words := strings.Fields(arguments[name])
	if len(words) == 0 {
		return nil
	}
	if len(words) != len(args) {
		d.t.Fatalf("%s: %d arguments, want %s", name, len(args), arguments[name])
	}
	t := newTask(name)
	for i, word := range words {
		t.set(word, args[i])
	}
	return t
}

// launchTask runs a task by a kernel that has the operation. One of elements runs by kernel each
// at a grid of one block, and otherwise by kernel chain; with few columns, at large grids again by
// kernel each, a row at a time.
func (d *device) launchTask(t task, grid int, step gpu.Ptr) {
	d.t.Helper()
	table := d.upload(raw(t))
	dims := func(threads int) gpu.Dims { return gpu.Line(grid, threads, 0) }
	chain := grid > 1 && (grid < 10 || t[fields["d"]] > 8)
	switch t.operation() {
	case "weight_grad_sum", "neg_mean", "branch_sum":
		d.launch("sums", dims(128), step, table, gpu.Ptr(0), int32(0), gpu.Ptr(0))
	case "weight_grad":
		d.launch("weight_grads", dims(128), step, table)
	case "linear", "in_grad", "layer_norm", "layer_norm_grad":
		d.launch("chain", dims(128), step, table, int32(1))
	default:
		if chain && t.operation() != "levels" {
			d.launch("chain", dims(128), step, table, int32(1))
			break
		}
		byRow := int32(0)
		if grid >= 10 {
			byRow = 1
		}
		d.launch("each", dims(256), step, table, int32(1), byRow)
	}
	must.Do(d.t, d.Free(table))
}
