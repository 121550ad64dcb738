package main

import "math"

// A chip holds the figures of a GPU that the prediction of the branch's kernels needs.
type chip struct {
	name            string
	capability      int // compute capability, 75 for 7.5
	multiprocessors float64
	clock           float64 // GHz
	matrix          float64 // products m16n8k16 in half precision per cycle and multiprocessor, by mma.sync
	shared          float64 // bytes of shared memory per cycle and multiprocessor
	l2, memory      float64 // TB/s
	l2Size          float64 // MB
}

// The clocks are those at which the publishers' rates of the matrix units hold. mma.sync is taken to
// reach 90% of that rate, and on H100 and H200 60% of the 798 and 790 TFLOP/s that a library's product
// reached there. The memories are taken to reach 85% of the publishers' bandwidth; that of H100 and
// H200 is that of a copy. The bandwidths of the L2 caches are those that microbenchmarks report, rounded.
var chips = []chip{
	{"T4", 75, 40, 1.59, 0.9 * 0.25, 64, 1.2, 0.85 * 0.32, 4},
	{"RTX 6000 (Turing)", 75, 72, 1.77, 0.9 * 0.25, 64, 2.4, 0.85 * 0.672, 6},
	{"A100", 80, 108, 1.41, 0.9 * 0.5, 128, 4.5, 0.85 * 1.555, 40},
	{"H100", 90, 132, 1.83, 0.6 * 798 / (132 * 4.096 * 1.83), 128, 5.5, 3.0, 50},
	{"H200", 90, 132, 1.83, 0.6 * 790 / (132 * 4.096 * 1.83), 128, 5.5, 4.3, 50},
}

// A resource is what a kernel may wait for.
type resource int

const (
	matrixUnit resource = iota
	sharedMemory
	instructions
	l2
	memory
	latency
	resources
)

var resourceNames = [resources]string{"matrix unit", "shared memory", "instructions", "L2", "memory", "latency"}

// A phase is the work of a block between two barriers, per row. latency counts cycles that a
// multiprocessor waits in any case.
type phase struct {
	products     float64 // m16n8k16
	shared       float64 // bytes
	instructions float64 // of warps
	l2, memory   float64 // bytes
	latency      float64 // cycles
}

// times returns n times a phase.
func (p phase) times(n float64) phase {
	return phase{n * p.products, n * p.shared, n * p.instructions, n * p.l2, n * p.memory, n * p.latency}
}

// plus returns the sum of two phases.
func (p phase) plus(q phase) phase {
	return phase{p.products + q.products, p.shared + q.shared, p.instructions + q.instructions, p.l2 + q.l2, p.memory + q.memory, p.latency + q.latency}
}

// cycles returns the cycles of a multiprocessor that a phase of one row takes of each resource,
// while active multiprocessors share L2 and memory.
func (c chip) cycles(p phase, active float64) (of [resources]float64) {
	perCycle := func(tb float64) float64 { return tb * 1e3 / (c.clock * active) } // bytes
	of[matrixUnit] = p.products / c.matrix
	of[sharedMemory] = p.shared / c.shared
	of[instructions] = p.instructions / 4 // four schedulers
	of[l2] = p.l2 / perCycle(c.l2)
	of[memory] = p.memory / perCycle(c.memory)
	of[latency] = p.latency
	return of
}

// A kernel is a list of phases that every row goes through. Phases do not overlap with each other.
// Within a phase the resources do; latency is added to the slowest.
type kernel struct {
	name     string
	phases   []phase
	chunks   float64 // parts of the rows that the multiprocessors share; 0 for as many as wanted
	prefetch bool    // L2 and memory overlap with all phases
	serial   bool    // they overlap with nothing: a tile has one buffer
}

// A prediction is a kernel's time in ms, in all and as each resource alone would take.
type prediction struct {
	ms    float64
	alone [resources]float64
}

// bound returns the resource that takes longest.
func (p prediction) bound() string {
	most := matrixUnit
	for r := range resources {
		if p.alone[r] > p.alone[most] {
			most = r
		}
	}
	return resourceNames[most]
}

// predict returns the time of a kernel for a number of rows.
func (c chip) predict(k kernel, rows float64) (p prediction) {
	active := c.multiprocessors
	if k.chunks > 0 { // a multiprocessor takes whole chunks
		active = k.chunks / math.Ceil(k.chunks/c.multiprocessors)
	}
	ms := rows / active / (c.clock * 1e6) // for each cycle of a row
	var far, near float64
	for _, ph := range k.phases {
		of := c.cycles(ph, active)
		for r, n := range of {
			p.alone[r] += n * ms
		}
		chip := max(of[matrixUnit], of[sharedMemory], of[instructions])
		switch {
		case k.prefetch:
			near += chip + of[latency]
			far += max(of[l2], of[memory])
		case k.serial:
			near += chip + max(of[l2], of[memory]) + of[latency]
		default:
			near += max(chip, of[l2], of[memory]) + of[latency]
		}
	}
	p.ms = ms * math.Max(near, far)
	return p
}
