package cuda

import (
	"slices"

	"github.com/acqnp/acqnp/kernels/gpu"
)

// together returns the launch of steps that share one.
func (c *compiler) together(group []*step) *launch {
	l := &launch{}
	switch group[0].kind {
	case alone:
		l = &group[0].launch
	case byPiece:
		l = c.laneLaunch("each", group, threads, func(s *step) int { return s.pieces() })
		rowWise := 0
		for i, s := range group {
			if s.width() == 0 {
				rowWise |= 1 << i
			}
		}
		l.args = append(l.args, rowWise)
	case byRows:
		l = c.laneLaunch("chain", group, linearThreads, func(s *step) int { return linearThreads * ceilDiv(s.rows, tileRows) })
	case bySlices:
		l = c.taskLaunch("weight_grads", group, func(t task) int { return slicesOf(group[0].rows) * tiles(t.d, t.k) })
	case bySums:
		l = c.taskLaunch("sums", group, func(t task) int { return t.sumBlocks() })
		l.args = append(l.args, c.grads, c.n, c.training) // adam, which reads the gradient, comes after it
	}
	for _, s := range group {
		l.reads, l.writes = append(l.reads, s.reads...), append(l.writes, s.writes...)
	}
	return l
}

// pieces returns the threads that a lane of kernel each has work for, at capacity.
func (s *step) pieces() int {
	switch {
	case s.tasks[0].op == drawLevels:
		return ceilDiv(s.rows, 4)
	case s.width() == 0:
		return s.rows
	}
	return s.rows * s.width()
}

// sumBlocks returns the blocks of kernel sums that a task has work for.
func (t task) sumBlocks() int {
	if t.op == branchSum {
		return ceilDiv(t.a.buffer.Size/t.chunks, linearThreads) // a chunk's sums
	}
	return ceilDiv(t.d*(t.k+1), sumsPerBlock)
}

// laneLaunch returns the launch of a kernel whose lanes are lists of tasks. work returns the number
// of threads that a lane has work for.
func (c *compiler) laneLaunch(kernel string, group []*step, block int, work func(s *step) int) *launch {
	most, largest := 0, 0
	for _, s := range group {
		most, largest = max(most, len(s.tasks)), max(largest, work(s))
	}
	var all []task
	for _, s := range group {
		all = append(all, s.tasks...)
		all = append(all, make([]task, most-len(s.tasks))...)
	}
	d := c.grid(largest, block, block)
	d.Grid[1] = uint32(len(group))
	return &launch{kernel: kernel, dims: d, args: []any{c.step, c.keepTable(nil, all...), most}}
}

// taskLaunch returns the launch of a kernel with one task for each blockIdx.y. blocks returns the
// number of blocks that a task has work for.
func (c *compiler) taskLaunch(kernel string, group []*step, blocks func(t task) int) *launch {
	var all []task
	largest := 0
	for _, s := range group {
		all = append(all, s.tasks...)
		largest = max(largest, blocks(s.tasks[0]))
	}
	d := c.eachTile(largest)
	d.Grid[1] = uint32(len(group))
	return &launch{kernel: kernel, dims: d, args: []any{c.step, c.keepTable(nil, all...)}}
}

// dependencies returns for each launch the earlier ones that must end before it begins. It leaves
// out a launch that another one of them comes after.
func dependencies(m *memory, launches []*launch) [][]int {
	after := make([][]int, len(launches))
	before := make([]map[int]bool, len(launches)) // all that must end before, directly or not
	for i, l := range launches {
		before[i] = map[int]bool{}
		for j := i - 1; j >= 0; j-- {
			if before[i][j] || !l.waitsFor(m, launches[j]) {
				continue
			}
			after[i] = append(after[i], j)
			before[i][j] = true
			for k := range before[j] {
				before[i][k] = true
			}
		}
		slices.Sort(after[i])
	}
	return after
}

// waitsFor reports whether a launch must begin after an earlier one ends: one reads what the other
// writes, both write the same region, or the launch writes to a buffer that overlaps in memory with
// one that the earlier launch uses.
func (l *launch) waitsFor(m *memory, earlier *launch) bool {
	if touches(l.reads, earlier.writes) || touches(l.writes, earlier.reads) {
		return true
	}
	for _, w := range l.writes {
		for _, r := range slices.Concat(earlier.reads, earlier.writes) {
			if r == w || r.buffer != w.buffer && m.overlap(r.buffer, w.buffer) {
				return true
			}
		}
	}
	return false
}

// nodes returns the launches of a graph.
func nodes(calls []call, after [][]int, late bool) []gpu.Node {
	all := make([]gpu.Node, len(calls))
	for i, c := range calls {
		all[i] = gpu.Node{Func: c.f, Dims: c.dims, Params: c.params, After: after[i], Late: late}
	}
	return all
}
