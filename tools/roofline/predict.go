package main

import (
	"fmt"
	"slices"
)

const (
	// A step of ACQNP on lissajous outside the branch, one kernel an operation in float32: GB moved
	// (main's table, "the rest"), and the nodes in the longest chain of the step's graph.
	restGB, restNodes = 0.096, 20
	// The time in ms of a node of a graph that does next to nothing: its start and its end.
	nodeTime = 3.6e-3
)

// rest returns the time in ms of what is not the branch.
func (c chip) rest() prediction {
	var p prediction
	p.alone[memory] = restGB / c.memory
	p.ms = p.alone[memory] + restNodes*nodeTime
	return p
}

// stationaryKernels returns the branch's kernels on a chip.
func stationaryKernels(c chip) (ks []kernel) {
	for _, b := range branches {
		s := newStationary(c, b)
		ks = append(ks, s.forward(), s.backward(), s.reduce())
	}
	return ks
}

// step returns the time of a whole step in ms.
func (c chip) step() float64 {
	ms := c.rest().ms
	for _, k := range stationaryKernels(c) {
		ms += c.predict(k, rows).ms
	}
	return ms
}

// between returns the time of a whole step in ms if in each kernel everything overlapped, and if
// nothing did.
func (c chip) between() (least, most float64) {
	least = c.rest().ms
	most = least
	for _, k := range stationaryKernels(c) {
		alone := c.predict(k, rows).alone
		least += slices.Max(alone[:])
		for _, ms := range alone {
			most += ms
		}
	}
	return least, most
}

// printPredictions prints the tables of predicted times of ACQNP in half precision.
func printPredictions() {
	fmt.Println("| GPU | everything overlaps, ms | predicted, ms | nothing overlaps, ms |")
	fmt.Println("| --- | --- | --- | --- |")
	for _, c := range chips {
		least, most := c.between()
		fmt.Printf("| %s | %s | **%s** | %s |\n", c.name, short(least), short(c.step()), short(most))
	}
	for _, c := range chips {
		fmt.Printf("\n**%s**\n\n| kernel | matrix unit | shared memory | instructions | L2 | memory | latency | predicted, ms | bound |\n", c.name)
		fmt.Println("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
		for _, k := range stationaryKernels(c) {
			p := c.predict(k, rows)
			p.print(k.name, p.bound())
		}
		c.rest().print(fmt.Sprintf("the rest, a chain of %d nodes", restNodes), "launch")
	}
}

// print prints a row of the table.
func (p prediction) print(name, bound string) {
	fmt.Printf("| %s |", name)
	for _, ms := range p.alone {
		fmt.Printf(" %s |", short(ms))
	}
	fmt.Printf(" %s | %s |\n", short(p.ms), bound)
}
