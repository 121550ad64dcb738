//go:build simt

package cuda_test

import (
	"testing"

	"gorgonia.org/tensor"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/engine/cuda"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/models/ops"
	"github.com/acqnp/acqnp/internal/random"
	"github.com/acqnp/acqnp/internal/test/must"
	"github.com/acqnp/acqnp/kernels/gpu"
)

// drawn is a driver that keeps the nodes of the last graph.
type drawn struct {
	gpu.Driver
	nodes []gpu.Node
}

func (d *drawn) Graph(nodes []gpu.Node) (gpu.Graph, error) {
	d.nodes = nodes
	return d.Driver.Graph(nodes)
}

// TestNodesOfAStep counts the nodes of the graph of a training step, the longest chain of nodes that
// wait for each other, and the nodes that may not start early. The models have the depths of their configurations, and a width that has
// fused kernels and that the emulator runs quickly. They have the same nodes at the configurations'
// capacity, because neither width nor rows change which steps share a launch.
func TestNodesOfAStep(t *testing.T) {
	for name, want := range map[string]struct{ nodes, chain, late int }{
		"acqnp": {20, 20, 1}, "cqnp": {16, 15, 3}, "cnp": {12, 12, 1}, "canp": {17, 16, 6}, "bnp": {39, 28, 18},
		"acqnp-attention": {31, 23, 14}, "acqnp-transformer": {118, 62, 84},
	} {
		d := &drawn{Driver: openDevice(t)}
		trainStepsOf(t, d, name)
		after := make([]int, len(d.nodes)) // the nodes of the longest chain that ends at each
		longest := 0
		for i, n := range d.nodes {
			for _, j := range n.After {
				after[i] = max(after[i], after[j])
			}
			after[i]++
			longest = max(longest, after[i])
		}
		late := 0
		for _, early := range gpu.Early(d.nodes) {
			if !early {
				late++
			}
		}
		t.Logf("%s: %d nodes, %d in the longest chain, %d not early", name, len(d.nodes), longest, late)
		if len(d.nodes) == 0 || len(d.nodes) > want.nodes || longest > want.chain || late > want.late {
			t.Errorf("%s: %d nodes, %d in the longest chain, %d not early, want at most %d, %d and %d", name, len(d.nodes), longest, late,
				want.nodes, want.chain, want.late)
		}
	}
}

// trainStepsOf makes two steps of a model of lissajous, so that there is a graph.
func trainStepsOf(t *testing.T, d gpu.Driver, name string) {
	t.Helper()
	x := must.Get(config.Load("../../../configs/lissajous/"+name+".yaml", config.Overrides{}))(t)
	m := must.Get(models.New(narrow(x.Model), 1, 2))(t)
	e := ops.Extents{Groups: 2, Context: 3, Points: 5, Levels: 2}
	if name == "cnp" || name == "canp" {
		e.Levels = 0
	}
	g := must.Get(m.Build(tensor.Float32, e, models.Training))(t)
	draw := random.New(1, random.Levels)
	tr := must.Get(cuda.NewTrainer(d, g, cuda.Options{Fused: true, Precision: cuda.FP16, DrawLevels: &draw}))(t)
	closing(t, tr)
	for batch := range 2 {
		step(t, tr, m, e, batch)
	}
	must.Do(t, must.Err(tr.Loss()))
}

// narrow returns a model with the same layers, 64 columns wide.
func narrow(m config.Model) config.Model {
	for _, widths := range [][]int{m.Encoder, m.Adaptor, m.Decoder, m.KeyEncoder, m.QueryEncoder} {
		for i := range widths {
			widths[i] = 64
		}
	}
	m.Representation, m.Width, m.Feedforward = min(m.Representation, 64), min(m.Width, 64), min(m.Feedforward, 64)
	return m
}
