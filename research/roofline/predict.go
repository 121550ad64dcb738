package main

import (
	"cmp"
	"math"
)

// A resource is what a kernel may wait for.
type resource int

const (
	matrixUnit resource = iota
	sharedMemory
	instructions
	oneWarp // the instructions of a warp wait for each other, whatever the other warps do
	l2
	memory
	resources
)

var resourceNames = [resources]string{"matrix unit", "shared memory", "instructions", "one warp", "L2", "memory"}

// A phase is a part of a kernel: passes of a block through the same code, on each multiprocessor.
// The bytes are those of all passes and multiprocessors.
type phase struct {
	name       string
	warp       effort  // of each of the block's warps, in a pass
	warps      int     // of the block; 0: as many as usual
	group      bool    // the products are those of warpgroups, by wgmma, and warp.Alone is without them
	together   bool    // all warps wait for all
	passes     float64 // with all warps
	last       float64 // with one warp a scheduler, at the end of the kernel
	wait       float64 // cycles for which the block waits in a pass besides
	l2, memory float64 // bytes
}

// A kernel is a list of phases that follow each other.
type kernel struct {
	name   string
	phases []phase
	serial bool // L2 and memory overlap with nothing, as a tile has one buffer; otherwise with all phases
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

const (
	warps      = threads / 32
	schedulers = 4 // of a multiprocessor; each has its own part of the matrix unit
)

// service returns the cycles for which a warp's pass keeps a scheduler's matrix unit, the
// multiprocessor's shared memory and a scheduler busy, and how many warps share each of them.
func (c chip) service(ph phase) (cycles, sharers [oneWarp]float64) {
	w, n, rate := ph.warp, float64(cmp.Or(ph.warps, warps)), matrixRate
	if ph.group {
		rate = groupRate
	}
	cycles = [oneWarp]float64{w.Products * schedulers / c.products(rate), w.Shared / c.of(sharedRate), w.Instructions}
	return cycles, [oneWarp]float64{n / schedulers, n, n / schedulers}
}

// pass returns the cycles in which all warps of a block make a pass. A warp alone takes the time of
// its instructions one after another. Beside others it also waits where a unit is busy with them: on
// average for as many as are there at the time, (n - 1)/n of the queue (mean value analysis of a
// closed queueing network, in Schweitzer's approximation). No figure in it is fitted.
func (c chip) pass(ph phase) float64 {
	busy, sharers := c.service(ph)
	alone := max(c.alone(ph), busy[matrixUnit]+busy[sharedMemory]+busy[instructions])
	if ph.together {
		most := 0.
		for r := range busy {
			most = max(most, busy[r]*sharers[r])
		}
		return most
	}
	queued, all := busy, alone
	for range 200 { // converges
		next := alone
		for r := range queued {
			queued[r] = busy[r] * (1 + (sharers[r]-1)*queued[r]/max(all, 1))
			next += queued[r] - busy[r]
		}
		all = next
	}
	return all
}

// alone returns the cycles of a warp's pass without other warps.
func (c chip) alone(ph phase) float64 {
	busy, _ := c.service(ph)
	if ph.group { // it waits for its products
		return ph.warp.Alone + busy[matrixUnit]
	}
	return ph.warp.Alone
}

// predict returns the time of a kernel.
func (c chip) predict(k kernel) (p prediction) {
	var near, far float64
	ms := 1 / (c.of(clock) * 1e6) // of a cycle
	for _, ph := range k.phases {
		busy, sharers := c.service(ph)
		waits := ph.wait + ph.warp.Barriers*c.of(barrierTime)
		for r := range busy {
			p.alone[r] += (ph.passes + ph.last/warps*schedulers) * busy[r] * sharers[r] * ms
		}
		p.alone[oneWarp] += (ph.passes + ph.last) * (c.alone(ph) + waits) * ms
		near += (ph.passes*(c.pass(ph)+waits) + ph.last*(c.alone(ph)+waits)) * ms
		of := [2]float64{ph.l2 / c.of(l2Rate) / 1e9, ph.memory / c.of(memoryRate) / 1e9}
		p.alone[l2] += of[0]
		p.alone[memory] += of[1]
		far += max(of[0], of[1])
	}
	if k.serial {
		p.ms = near + far
	} else {
		p.ms = math.Max(near, far)
	}
	return p
}
