//go:build simt || gpu

package kernels

import (
	"math"
	"slices"
	"strings"

	"github.com/acqnp/acqnp/internal/engine/gpu"
)

// operations lists enum Operation of kernels/task.h, in its order, each with the fields of struct
// Task that a test's arguments stand for. The field d is 1 if it is
// not among them.
var operations = []struct{ name, fields string }{
	{"END", ""},
	{"add", "a b out s d"}, {"affine", "a out s d number stride"}, {"base_grad", "a b out other s d flag"}, {"columns", "a out s k stride d"},
	{"ensemble_add", "a b out s other d flag"}, {"ensemble_add_grad_level", "a b out s other d flag"},
	{"ensemble_add_grad_point", "a b out s other d flag"}, {"exp", "a out s d"}, {"gather", "a b out s other d"},
	{"gaussian", "a b out s other k number"}, {"gaussian_grad", "a b c out s other k number"}, {"join", "a b out s k d"},
	{"log", "a out s d"}, {"log_mean_exp_grad", "a b c out s"}, {"log_sum_exp", "a out s other k d"}, {"mul", "a b out s d"},
	{"neg_mean_grad", "a out s"}, {"ones", "out s d"}, {"pad_columns", "a out s k stride d"},
	{"perturb", "a b c out s d number"}, {"positive", "a out s d"}, {"residual", "a b out s d number"}, {"set_mean", "a out s other d"},
	{"set_mean_grad", "a b out s d"}, {"sigmoid", "a out s d"}, {"sigmoid_grad", "a b out s d"},
	{"softplus", "a out s d"}, {"spread", "a out s other k d"}, {"sum", "a out s other k d"}, {"uniform_level", "a out s d"},
	{"uniform_logit", "a out s d"}, {"levels", "out s k d stride"}, {"linear_rows", "a b c out s other k d flag stride"},
	{"in_grad_rows", "a b c out s k d flag stride"}, {"layer_norm", "a b c out s d"}, {"layer_norm_grad", "a b c out more s d"},
	{"weight_grad", "a b c out s k d flag"}, {"weight_grad_sum", "a out more s k d stride"}, {"neg_mean", "a b out s other"},
	{"branch_sum", "a b out other k d number stride"}, {"branch_pack", "a b out more k d stride"},
}

// fields lists the fields of struct Task by their place, in words of 4 bytes.
var fields = map[string]int{"operation": 0, "s": 1, "other": 2, "k": 3, "d": 4, "flag": 5, "stride": 6, "number": 7,
	"a": 8, "b": 10, "c": 12, "out": 14, "more": 16}

// taskOf returns a struct Task with the arguments, and its operation; ok is false if there is no
// operation of the name.
func (d *device) taskOf(name string, args []any) (task []uint32, operation int, ok bool) {
	d.t.Helper()
	for i, o := range operations {
		if o.name != name {
			continue
		}
		words := strings.Fields(o.fields)
		if len(words) != len(args) {
			d.t.Fatalf("%s: %d arguments, want %s", name, len(args), o.fields)
		}
		task = make([]uint32, 18)
		task[0], task[fields["d"]] = uint32(i), 1
		for j, word := range words {
			at := fields[word]
			switch a := args[j].(type) {
			case gpu.Ptr:
				task[at], task[at+1] = uint32(a), uint32(a>>32)
			case int32:
				task[at] = uint32(a)
			case uint32:
				task[at] = a
			case float32:
				task[at] = math.Float32bits(a)
			}
		}
		return task, i, true
	}
	return nil, 0, false
}

// operationOf returns the number of an operation.
func operationOf(name string) int {
	return slices.IndexFunc(operations, func(o struct{ name, fields string }) bool { return o.name == name })
}

// launchTask runs a task by a kernel that has the operation. An elementwise one runs by kernel each
// at a grid of one block, and otherwise by kernel chain; with few columns, at large grids again by
// kernel each, a row at a time.
func (d *device) launchTask(operation int, task []uint32, grid int, step gpu.Ptr) {
	d.t.Helper()
	table := d.upload(raw(task))
	dims := func(threads int) gpu.Dims { return gpu.Line(grid, threads, 0) }
	switch {
	case operation >= operationOf("weight_grad_sum"):
		d.launch("sums", dims(128), step, table, gpu.Ptr(0), int32(0), gpu.Ptr(0))
	case operation == operationOf("weight_grad"):
		d.launch("weight_grads", dims(128), step, table)
	case operation >= operationOf("linear_rows") || operation < operationOf("levels") && grid > 1 && (grid < 10 || task[fields["d"]] > 8):
		d.launch("chain", dims(128), step, table, int32(1))
	default:
		byRow := int32(0)
		if grid >= 10 {
			byRow = 1
		}
		d.launch("each", dims(256), step, table, int32(1), byRow)
	}
	if err := d.Free(table); err != nil {
		d.t.Fatal(err)
	}
}
