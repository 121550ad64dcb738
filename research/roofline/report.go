package main

import (
	"fmt"
	"slices"
	"strings"
)

// A report predicts the step of ACQNP on GPUs.
type report struct {
	chips  []chip
	counts []counted
	rest   map[bool]remainder // true: on Hopper's own instructions
}

// A kernelCase is a chip and a precision that it has kernels for.
type kernelCase struct {
	chip
	precision string
	pairs     bool // of two layers, on Hopper's own instructions
	kernels   []kernel
}

// cases returns the cases of a report.
func (r report) cases() (all []kernelCase, err error) {
	for _, c := range r.chips {
		for _, p := range precisions {
			shape, ok := shapeOf(c, p.kernels)
			if !ok {
				continue
			}
			of := kernelCase{chip: c, precision: p.name}
			pairs := kernelCase{chip: c, precision: p.name, pairs: true}
			for _, b := range branches {
				s, err := newStationary(c, b, shape, r.counts)
				if err != nil {
					return nil, err
				}
				of.kernels = append(of.kernels, s.forward(), s.backward(), s.reduce())
				if shape.Precision != "f16" || c.of(groupRate) == 0 {
					continue
				}
				h, err := newHopperBranch(c, b, r.counts)
				if err != nil {
					return nil, err
				}
				pairs.kernels = append(append(pairs.kernels, h.all()...), s.reduce())
			}
			if pairs.kernels != nil {
				of.precision += ", mma.sync"
				all = append(all, pairs)
			}
			all = append(all, of)
		}
	}
	return all, nil
}

// print prints the tables.
func (r report) print() error {
	cases, err := r.cases()
	if err != nil {
		return err
	}
	fmt.Println("| GPU | precision | everything overlaps, ms | predicted, ms | nothing overlaps, ms |")
	fmt.Println("| --- | --- | --- | --- | --- |")
	for _, c := range cases {
		ms, least, most := r.step(c)
		fmt.Printf("| %s | %s | %s | **%s** | %s |\n", c.name, c.precision, short(least), short(ms), short(most))
	}
	r.printConstants()
	for _, c := range cases {
		fmt.Printf("\n**%s, %s**\n\n| kernel | matrix unit | shared memory | instructions | one warp | L2 | memory | predicted, ms | bound |\n", c.name, c.precision)
		fmt.Println("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
		for _, k := range c.kernels {
			p := c.predict(k)
			p.print(k.name, p.bound())
		}
		rest := r.rest[c.pairs]
		r.restOf(c).print(fmt.Sprintf("the rest, %d launches; a chain of %d nodes in all", rest.launches, rest.chain), "launch")
	}
	return nil
}

// printConstants prints the constants of the GPUs and what they are.
func (r report) printConstants() {
	fmt.Print("\n| constant |")
	for _, c := range r.chips {
		fmt.Printf(" %s |", c.name)
	}
	fmt.Println(" source |\n| --- |" + strings.Repeat(" --- |", len(r.chips)+1))
	for f, name := range figures {
		fmt.Printf("| %s |", name)
		for _, c := range r.chips {
			fmt.Printf(" %.3g |", c.constants[f].value)
		}
		fmt.Printf(" %s |\n", r.chips[0].constants[f].source)
	}
}

// restOf returns the time of what is not the branch: its traffic of device memory, and the start of
// each node of the longest chain. What its kernels do on the chip is not predicted.
func (r report) restOf(c kernelCase) (p prediction) {
	p.alone[memory] = r.rest[c.pairs].bytes / c.of(memoryRate) / 1e9
	p.ms = p.alone[memory] + float64(r.rest[c.pairs].chain)*c.of(nodeTime)/1e3
	return p
}

// step returns the time of a whole step in ms, the time if in each kernel everything overlapped, and
// the time if nothing did.
func (r report) step(c kernelCase) (ms, least, most float64) {
	ms = r.restOf(c).ms
	least, most = ms, ms
	for _, k := range c.kernels {
		p := c.predict(k)
		ms += p.ms
		least += slices.Max(p.alone[:])
		for _, alone := range p.alone {
			most += alone
		}
	}
	return ms, least, most
}

// print prints a row of the table.
func (p prediction) print(name, bound string) {
	fmt.Printf("| %s |", name)
	for _, ms := range p.alone {
		fmt.Printf(" %s |", short(ms))
	}
	fmt.Printf(" %s | %s |\n", short(p.ms), bound)
}
