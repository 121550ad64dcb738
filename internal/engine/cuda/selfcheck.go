package cuda

import (
	"cmp"
	"fmt"
	"math"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"github.com/acqnp/acqnp/internal/models/ops"
	"github.com/acqnp/acqnp/internal/random"
	"github.com/acqnp/acqnp/kernels/gpu"
)

// A PairCheck compares the kernels for sm_90a with those of sm_90 on the device, before they are used: a
// branch of a few rows, forward and backward, on the same random numbers. Each perceptron is compared once.
type PairCheck struct {
	driver  gpu.Driver
	agreed  map[Perceptron]bool
	warning string
}

// NewPairCheck returns a check on a driver's device.
func NewPairCheck(d gpu.Driver) *PairCheck {
	return &PairCheck{driver: d, agreed: map[Perceptron]bool{}}
}

// Warning returns, once, what the check has found since the last call; empty if nothing differs.
func (c *PairCheck) Warning() string {
	text := c.warning
	c.warning = ""
	return text
}

// pairTolerance is the largest difference of the two, relative to a tensor in the root mean square. Both
// round at the same places, to 2^-12, in sums of another order: a number that falls on the other side
// changes 2^-11 of itself, and a ReLU may switch. The emulator finds 1.2e-4 at most.
const pairTolerance = 0x1p-8

// checked has chunks of several tiles, the last of which is not full.
var checked = ops.Extents{Groups: 1, Points: 3, Levels: 300}

// agree reports whether both kernels compute the same for a perceptron. Its error is that of the device.
func (c *PairCheck) agree(p Perceptron) (bool, error) {
	if agreed, known := c.agreed[p]; known {
		return agreed, nil
	}
	worst, where, err := c.difference(p)
	if err != nil {
		return false, fmt.Errorf("cuda: the check of the kernels for sm_90a, which ACQNP_CUDA_PAIRS=0 leaves out: %w", err)
	}
	c.agreed[p] = worst <= pairTolerance // not of a NaN
	if !c.agreed[p] {
		c.warning = fmt.Sprintf("the kernels for sm_90a are not used, because they failed their check: %s differs by %.2g of it from the other kernels', "+
			"of which at most %.2g are expected; please report this with the output of acqnp doctor", where, worst, pairTolerance)
	}
	return c.agreed[p], nil
}

// difference returns the largest difference, which may be NaN, and its tensor.
func (c *PairCheck) difference(p Perceptron) (worst float64, where string, err error) {
	g, err := branchAlone(p)
	if err != nil {
		return 0, "", err
	}
	results := [2]map[string][]float32{}
	for i := range results {
		if results[i], err = c.run(g, Options{Precision: FP16, Fused: true, NoPairs: i == 1}); err != nil {
			return 0, "", err
		}
	}
	for name, other := range results[1] {
		if d := distance(results[0][name], other); !(d <= worst) {
			worst, where = d, name
			if math.IsNaN(d) {
				break
			}
		}
	}
	return worst, where, nil
}

// distance returns the root mean square of a − b, relative to that of b.
func distance(a, b []float32) float64 {
	var off, all float64
	for i, v := range b {
		d := float64(a[i]) - float64(v)
		off += d * d
		all += float64(v) * float64(v)
	}
	return math.Sqrt(off / all)
}

// branchAlone returns a graph of a branch whose base and level are made of inputs, so that it has all
// gradients. The loss is the mean over the points of the results times numbers that are inputs too.
func branchAlone(p Perceptron) (*ops.Graph, error) {
	b := ops.NewBuilder(tensor.Float32, checked)
	layer := func(name string, base, in *G.Node, out, width int, relu bool) *G.Node {
		if base == nil {
			base = b.Bias(name+"'s bias", out, width)
		}
		return b.Linear(base, in, b.Weight(name, out, width)[0], relu)
	}
	level := layer("the level", nil, b.Input("u", ops.Row, p.Inputs), p.Inputs, p.Inputs, false)
	base := layer("the base", nil, b.Input("x", ops.Point, 1), p.Width, 1, false)
	h := layer("layer 1", base, level, p.Width, p.Inputs, true)
	for l := range p.Depth - 1 {
		h = layer(fmt.Sprint("layer ", l+2), nil, h, p.Width, p.Width, true)
	}
	out := layer("the last layer", nil, h, p.Outputs, p.Width, false)
	b.Output("out", out)
	cost := b.Cost(b.Sum(b.Mul(out, b.Input("grad", ops.Row, p.Outputs)), ops.Point, 1))
	b.Output("cost", cost)
	return b.Finish(cost)
}

// run returns the results and gradients of a branch.
func (c *PairCheck) run(g *ops.Graph, o Options) (map[string][]float32, error) {
	program, err := New(c.driver, g, o)
	if err != nil {
		return nil, err
	}
	r := random.New(1, random.Data)
	symmetric := func(to []float32, bound float64, number int) {
		for i := range to {
			to[i] = float32(bound * (2*r.Float(uint64(number), uint64(i)) - 1))
		}
	}
	for i, t := range g.Tensors { // He's start, which keeps the size of hidden values
		symmetric(program.Params()[t.Offset:][:t.Size()], math.Sqrt(2)*math.Sqrt(3)*t.Start.Bound, i)
	}
	for i, in := range g.Inputs {
		bound := 1.0
		if in.Name == "grad" { // the loss is a mean
			bound = float64(checked.Points)
		}
		symmetric(program.Input(in.Name)[:checked.Rows(in.Space)*in.Width], bound, 100+i)
	}
	results := map[string][]float32{}
	if err = program.Run(checked); err == nil {
		results["the result"] = append([]float32(nil), program.Output("out")...)
		for _, t := range g.Tensors {
			results["the gradient of "+t.Name] = append([]float32(nil), program.Grads()[t.Offset:][:t.Size()]...)
		}
	}
	return results, cmp.Or(err, program.Close())
}
