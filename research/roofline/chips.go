package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
)

// A constant is a figure of a GPU and where it comes from: a datasheet, a measurement elsewhere that
// this project has not repeated (assumed), or the file of --ceilings (measured).
type constant struct {
	value  float64
	source string
}

// A chip holds the figures of a GPU that the predictions need.
type chip struct {
	name            string
	capability      int // compute capability, 75 for 7.5
	code            int // that of the machine code whose counts are taken
	multiprocessors float64
	constants       [constants]constant
}

// figure is one of the constants of a GPU.
type figure int

const (
	clock       figure = iota // GHz
	matrixRate                // TFLOP/s of mma.sync in half precision
	groupRate                 // TFLOP/s of wgmma; 0: the GPU has none
	sharedRate                // bytes of shared memory per cycle and multiprocessor
	l2Rate                    // TB/s
	memoryRate                // TB/s
	l2Size                    // MB
	nodeTime                  // µs from one node of a graph to the next, if they do next to nothing
	memoryTrip                // cycles of a read of device memory
	barrierTime               // cycles of a barrier
	constants
)

func datasheet(v float64) constant { return constant{v, "datasheet"} }
func assumed(v float64) constant   { return constant{v, "assumed"} }

// usual is the part of the publisher's rate of the matrix unit that is assumed.
const usual = 0.9

// newChip takes the datasheet's clock in GHz, rate of half precision in TFLOP/s, bytes of shared
// memory a cycle, TB/s of memory and MB of L2. It assumes the usual part of the rate, 85% of the bandwidth, and
// the given TB/s of the L2, from published microbenchmarks.
func newChip(name string, capability int, multiprocessors, ghz, tflops, shared, l2, memory, mb float64) chip {
	return chip{name, capability, capability, multiprocessors, [constants]constant{
		datasheet(ghz), assumed(usual * tflops), assumed(0), datasheet(shared), assumed(l2), assumed(0.85 * memory),
		datasheet(mb), assumed(3.6), assumed(600), assumed(60)}}
}

// hopper returns a chip on which a copy and a library's product, with Hopper's own instructions,
// reached the given TB/s and TFLOP/s. mma.sync is assumed to reach 60% of the latter.
func hopper(name string, tflops, memory float64) chip {
	c := newChip(name, 90, 132, 1.83, 0, 128, 5.5, 0, 50)
	c.constants[matrixRate], c.constants[groupRate], c.constants[memoryRate] = assumed(0.6*tflops), assumed(tflops), assumed(memory)
	return c
}

// ada returns a chip of capability 8.9. Its machine code is taken to be as long as that for 8.0.
func ada(name string, multiprocessors, ghz, tflops, memory, mb float64) chip {
	c := newChip(name, 89, multiprocessors, ghz, tflops, 128, 5, memory, mb)
	c.code = 80
	return c
}

// The clocks are those at which the publishers' rates of the matrix units hold.
var chips = []chip{
	newChip("T4", 75, 40, 1.59, 65, 64, 1.2, 0.32, 4),
	newChip("RTX 6000 (Turing)", 75, 72, 1.77, 130, 64, 2.4, 0.672, 6),
	ada("RTX 6000 Ada", 142, 2.505, 364, 0.96, 96),
	newChip("A100", 80, 108, 1.41, 312, 128, 4.5, 1.555, 40),
	hopper("H100", 798, 3.0),
	hopper("H200", 790, 4.3),
}

// names and units of the constants, for the table of what they are.
var figures = [constants]string{"clock, GHz", "mma.sync, TFLOP/s", "wgmma, TFLOP/s", "shared memory, B/cycle", "L2, TB/s",
	"memory, TB/s", "L2, MB", "node, µs", "read of memory, cycles", "barrier, cycles"}

// of returns a constant's value.
func (c chip) of(f figure) float64 { return c.constants[f].value }

// products returns the products m16n8k16 of a multiprocessor in a cycle, by mma.sync or wgmma.
func (c chip) products(rate figure) float64 {
	return c.of(rate) * 1e3 / (c.multiprocessors * c.of(clock) * 2 * 16 * 8 * 16)
}

// capabilities returns the compute capabilities whose machine code is counted.
func capabilities() (all []int) {
	for _, c := range chips {
		if !slices.Contains(all, c.code) {
			all = append(all, c.code)
		}
	}
	return all
}

// A ceiling is a line of what research/roofline/ceilings.cu prints, and what it is a constant of.
// Where several lines are, the smallest value counts.
var ceilings = []struct {
	name, unit string
	of         figure
	per        float64 // divides the value
}{
	{"mma_f16_8_warps", "TFLOP/s", matrixRate, 1},                     // the branch's kernels have 8 warps
	{"wgmma_f16_left_in_registers_3_groups", "TFLOP/s", groupRate, 1}, // forward
	{"wgmma_f16_both_shared_2_groups", "TFLOP/s", groupRate, 1},       // backward
	{"wgmma_f16_both_transposed_2_groups", "TFLOP/s", groupRate, 1},
	{"l2_read", "TB/s", l2Rate, 1},
	{"memory_read", "TB/s", memoryRate, 1},
	{"memory_write", "TB/s", memoryRate, 1},
	{"l2_size", "MiB", l2Size, 1e6 / (1 << 20)},
	{"graph_of_20_kernels_of_1_blocks", "us", nodeTime, 20},
	{"graph_of_20_kernels_of_1_blocks_programmatic", "us", nodeTime, 20}, // less, where the driver has it
}

// like returns a chip whose constants are changed in the proportion in which those that were measured on
// another GPU differ from what was assumed of it. Before Hopper, mma.sync is no faster than published.
func (c chip) like(measured, assumed chip) chip {
	for f, m := range measured.constants {
		if m.source != "measured" || figure(f) == l2Size {
			continue
		}
		times := m.value / assumed.of(figure(f))
		if figure(f) == matrixRate && c.capability < 90 {
			times = min(times, 1/usual)
		}
		c.constants[f] = constant{c.of(figure(f)) * times, "in proportion"}
	}
	return c
}

// measured returns a chip with the constants that ceilings.cu has measured, instead of those of the
// table's chip with the same capability and multiprocessors, and then the others of the table, like it.
func measured(r io.Reader) (all []chip, err error) {
	c, i, err := measuredChip(r)
	if err != nil {
		return nil, err
	}
	all = []chip{c}
	for j, other := range chips {
		if j != i {
			all = append(all, other.like(c, chips[i]))
		}
	}
	return all, nil
}

// measuredChip returns the chip that was measured, and which of the table's it is.
func measuredChip(r io.Reader) (c chip, i int, err error) {
	lines, err := csv.NewReader(r).ReadAll()
	if err != nil {
		return c, 0, err
	}
	value := map[string]float64{}
	unit := map[string]string{}
	for n, l := range lines {
		if n == 0 {
			continue // the names of the columns
		}
		v, err := strconv.ParseFloat(l[1], 64)
		if err != nil || !(v > 0) {
			return c, 0, fmt.Errorf("line %d: found %q, expected a positive number", n+1, l[1])
		}
		value[l[0]], unit[l[0]] = v, l[2]
	}
	i = slices.IndexFunc(chips, func(c chip) bool {
		return float64(c.capability) == value["capability"] && c.multiprocessors == value["multiprocessors"]
	})
	if i < 0 {
		return c, 0, fmt.Errorf("found capability %g and %g multiprocessors, expected those of a GPU in research/roofline/chips.go",
			value["capability"], value["multiprocessors"])
	}
	c = chips[i]
	c.name = fmt.Sprintf("measured, sm_%d with %g multiprocessors", c.capability, c.multiprocessors)
	for _, k := range ceilings {
		v, ok := value[k.name]
		switch {
		case !ok:
			continue
		case unit[k.name] != k.unit:
			return c, 0, fmt.Errorf("%s: found the unit %q, expected %q", k.name, unit[k.name], k.unit)
		}
		if old := c.constants[k.of]; old.source != "measured" || v/k.per < old.value {
			c.constants[k.of] = constant{v / k.per, "measured"}
		}
	}
	return c, i, nil
}
