package main

import (
	"fmt"
	"slices"
)

// tail is a step of ACQNP on lissajous outside the branch, one kernel an operation in float32: GB
// moved (main's table, "the rest"), and the nodes in the longest chain of the step's graph.
type tail struct{ gb, nodes float64 }

// nodeTime is the time in ms of a node of a graph that does next to nothing: its start and its end.
const nodeTime = 3.6e-3

var (
	tailBefore = tail{0.096, 56}
	tailNow    = tail{0.096, 20}
)

// A version is the branch's kernels on a chip and the rest of the step.
type version struct {
	name    string
	kernels []kernel
	tail    tail
}

// versions returns the kernels through which the weights pass, and those in which they stay.
func versions(c chip) []version {
	return []version{{"panels", before(c), tailBefore}, {"stationary", now(c), tailNow}}
}

// predict returns the tail's time in ms.
func (t tail) predict(c chip) prediction {
	var p prediction
	p.alone[memory] = t.gb / c.memory
	p.ms = p.alone[memory] + t.nodes*nodeTime
	return p
}

// before and now return the branch's kernels on a chip.
func before(c chip) (ks []kernel) {
	for _, b := range branches {
		ks = append(ks, newPanels(c, b, false).forward(), newPanels(c, b, true).backward())
	}
	return ks
}

func now(c chip) (ks []kernel) {
	for _, b := range branches {
		s := newStationary(c, b)
		ks = append(ks, s.forward(), s.backward(), s.reduce())
	}
	return ks
}

// step returns the time of a whole step in ms.
func (c chip) step(ks []kernel, t tail) float64 {
	ms := t.predict(c).ms
	for _, k := range ks {
		ms += c.predict(k, rows).ms
	}
	return ms
}

// between returns the time of a whole step in ms if in each kernel everything overlapped, and if
// nothing did.
func (c chip) between(ks []kernel, t tail) (least, most float64) {
	least = t.predict(c).ms
	most = least
	for _, k := range ks {
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
	fmt.Println("| GPU | kernels | everything overlaps, ms | predicted, ms | nothing overlaps, ms | measured |")
	fmt.Println("| --- | --- | --- | --- | --- | --- |")
	for _, c := range chips {
		for _, v := range versions(c) {
			least, most := c.between(v.kernels, v.tail)
			fmt.Printf("| %s | %s | %s | **%s** | %s | not measured |\n", c.name, v.name, short(least), short(c.step(v.kernels, v.tail)), short(most))
		}
	}
	for _, c := range chips {
		fmt.Printf("\n**%s**\n\n| kernel | matrix unit | shared memory | instructions | L2 | memory | latency | predicted, ms | bound | measured |\n", c.name)
		fmt.Println("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
		for _, v := range versions(c) {
			for _, k := range v.kernels {
				p := c.predict(k, rows)
				p.print(k.name+", "+v.name, p.bound())
			}
			v.tail.predict(c).print(fmt.Sprintf("the rest, a chain of %.0f nodes", v.tail.nodes), "launch")
		}
	}
}

// print prints a row of the table.
func (p prediction) print(name, bound string) {
	fmt.Printf("| %s |", name)
	for _, ms := range p.alone {
		fmt.Printf(" %s |", short(ms))
	}
	fmt.Printf(" %s | %s | not measured |\n", short(p.ms), bound)
}
