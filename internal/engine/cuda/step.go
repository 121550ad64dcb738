package cuda

import (
	"github.com/acqnp/acqnp/internal/models/ops"
	"github.com/acqnp/acqnp/kernels/gpu"
)

// kind says how a step is launched.
type kind int

const (
	alone    kind = iota // a launch of its own
	byPiece              // a lane of kernel each: a thread takes an element or a row through the tasks
	byRows               // a lane of kernel chain: a block takes some rows through the tasks
	bySlices             // a task of kernel weight_grads
	bySums               // a task of kernel sums
)

// step is a launch of its own, or a lane: tasks that run one after another on the same rows and
// share a launch with other lanes.
type step struct {
	kind   kind
	launch        // if it is alone
	tasks  []task // otherwise
	rows   int    // that a lane computes, at capacity
	reads  []region
	writes []region
	before []*step // the steps that must end before it begins
	level  int     // launches of a level do not depend on each other

	gradient bool // of an MLP, alone
}

// written marks an argument of a launch as memory that the kernel writes.
type written struct{ region }

// emit adds a launch. An argument is a region, which the kernel reads, or a written one, an int, or
// a type that gpu.Args accepts. If no argument is marked as written, the kernel may write all.
func (c *compiler) emit(kernel string, d gpu.Dims, args ...any) {
	s := &step{launch: launch{kernel: kernel, dims: d, args: args}}
	for i, a := range args {
		switch a := a.(type) {
		case written:
			s.writes = append(s.writes, present(a.region)...)
			args[i] = a.region
		case region:
			s.reads = append(s.reads, present(a)...)
		}
	}
	if len(s.writes) == 0 {
		s.writes = s.reads
	}
	c.steps = append(c.steps, s)
}

// put adds a task, as a lane of its own.
func (c *compiler) put(k kind, t task) {
	rows := 1
	if t.s > int(ops.Scalar) {
		rows = c.source.Capacity.Rows(ops.Space(t.s))
	}
	c.steps = append(c.steps, &step{kind: k, tasks: []task{t}, rows: rows, reads: t.reads(), writes: t.writes()})
}

// manyRows is the number of rows beyond which a layer has a launch of its own, with larger tiles.
const manyRows = 1 << 16
