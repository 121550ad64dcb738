package main

import (
	"regexp"

	"github.com/acqnp/acqnp/internal/engine/cuda"
	"github.com/acqnp/acqnp/internal/random"
	"github.com/acqnp/acqnp/kernels/gpu"
	"github.com/acqnp/acqnp/research/idlegpu"
)

// A remainder is a training step outside the fused branch.
type remainder struct {
	bytes    float64 // of device memory, with one kernel an operation
	launches int
	chain    int // nodes of the step's graph, the branch's too, in the longest chain that wait for each other
}

// remainderOf compiles a step as the engine does and counts its launches, with Hopper's own kernels or
// without.
func remainderOf(path string, hopper bool) (r remainder, err error) {
	_, s, g, err := count(path, noOverrides)
	if err != nil {
		return r, err
	}
	for _, w := range s.unfused {
		r.bytes += w.bytes
	}
	d := &listing{Driver: idlegpu.New(), hopper: hopper}
	draw := random.New(1, random.Levels)
	t, err := cuda.NewTrainer(d, g, cuda.Options{Fused: true, Precision: cuda.FP16, DrawLevels: &draw})
	if err != nil {
		return r, err
	}
	defer t.Close()
	for batch := range 2 { // the second step makes the graph
		if err := t.Step(s.e, batch, 0); err != nil {
			return r, err
		}
	}
	r.launches, r.chain = d.outside()
	return r, nil
}

// listing is a driver that does nothing but keep the nodes of the last graph.
type listing struct {
	gpu.Driver
	hopper  bool
	kernels []string // a Func is an index
	nodes   []gpu.Node
}

func (d *listing) Device() gpu.Device {
	device := d.Driver.Device() // an H100
	device.Hopper = d.hopper
	return device
}

func (d *listing) Function(name string) (gpu.Func, error) {
	d.kernels = append(d.kernels, name)
	return gpu.Func(len(d.kernels) - 1), nil
}

func (d *listing) Graph(nodes []gpu.Node) (gpu.Graph, error) {
	d.nodes = nodes
	return d.Driver.Graph(nodes)
}

// predicted matches the kernels of the branch that have predictions of their own.
var predicted = regexp.MustCompile(`^branch_(forward|backward|reduce)`)

// outside returns the launches of the graph without a prediction, and its longest chain.
func (d *listing) outside() (launches, chain int) {
	longest := make([]int, len(d.nodes)) // chain that ends at each
	for i, n := range d.nodes {
		for _, j := range n.After {
			longest[i] = max(longest[i], longest[j])
		}
		longest[i]++
		chain = max(chain, longest[i])
		if !predicted.MatchString(d.kernels[n.Func]) {
			launches++
		}
	}
	return launches, chain
}
