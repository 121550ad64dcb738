// Package models holds the conditional neural processes, one file each: their parameters and their Gorgonia graph of
// encoder, adaptor ψ, decoder and likelihood. There is no device code here; any engine runs the graphs.
package models

import (
	"fmt"
	"math"
	"strings"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/input"
	"github.com/acqnp/acqnp/internal/ops"
	"github.com/acqnp/acqnp/internal/random"
)

// Mode is what a graph is for: it decides inputs, outputs and whether there are gradients.
type Mode int

const (
	Training   Mode = iota // outputs "cost" and "loglik", with gradients
	Evaluation             // output "loglik"
	Prediction             // outputs "components" and, for quantile models, "logit"; no input "y"
)

// family is what a model's decoder means and what its levels are.
type family int

const (
	gaussian  family = iota // no levels
	quantile                // quantile levels, drawn into input "u"
	bootstrap               // bootstraps, drawn into inputs "resample_context" and "resample_residual"
)

// architecture is one model.
type architecture struct {
	family family
	build  func(c *construction) decoding
}

// decoding is what an architecture leaves: the decoder's output, for quantile models the levels' logits, and for
// bootstrapping ones the output of the path without a bootstrap.
type decoding struct{ out, logit, plain *G.Node }

var architectures = map[string]architecture{
	"cnp":   {gaussian, cnp},
	"canp":  {gaussian, canp},
	"bnp":   {bootstrap, bnp},
	"cqnp":  {quantile, cqnp},
	"acqnp": {quantile, acqnp},
}

// Names are the models that New knows, in the paper's order.
func Names() []string { return []string{"cnp", "canp", "bnp", "cqnp", "acqnp"} }

// Model is an architecture at given widths and dimensions.
type Model struct {
	config  config.Model
	dx, dy  int
	arch    architecture
	tensors []ops.Tensor
}

// New makes a model for inputs of dx and outputs of dy dimensions.
func New(c config.Model, dx, dy int) (*Model, error) {
	arch, ok := architectures[c.Name]
	if !ok {
		return nil, &input.Error{Key: "model.name", Found: fmt.Sprintf("%q", c.Name), Expected: "one of " + strings.Join(Names(), ", ")}
	}
	if dx < 1 || dy < 1 {
		return nil, fmt.Errorf("models: dx = %d, dy = %d", dx, dy)
	}
	m := &Model{config: c, dx: dx, dy: dy, arch: arch}
	g, err := m.Build(tensor.Float64, ops.Extents{Functions: 1, Context: 1, Points: 1, Levels: 1}, Prediction)
	if err != nil {
		return nil, err
	}
	m.tensors = g.Tensors
	return m, nil
}

// Name is the model's name in configurations.
func (m *Model) Name() string { return m.config.Name }

// Config is the architecture as New was given it.
func (m *Model) Config() config.Model { return m.config }

// Dims are the dimensions of x and y.
func (m *Model) Dims() (dx, dy int) { return m.dx, m.dy }

// Quantile reports whether the model has a quantile branch, and with it the input "u".
func (m *Model) Quantile() bool { return m.arch.family == quantile }

// Bootstrap reports whether the model's levels are bootstraps of the context, and with it the inputs
// "resample_context" and "resample_residual".
func (m *Model) Bootstrap() bool { return m.arch.family == bootstrap }

// Tensors are the parameters under their PyTorch names, in the order of the flat parameter vector.
func (m *Model) Tensors() []ops.Tensor { return m.tensors }

// NumParams is the length of the flat parameter vector.
func (m *Model) NumParams() int {
	n := 0
	for _, t := range m.tensors {
		n += t.Size()
	}
	return n
}

// Initial is a fresh parameter vector as PyTorch starts linear layers: weights and biases U(−1/√fan_in, 1/√fan_in).
func (m *Model) Initial(seed uint64) []float32 {
	params := make([]float32, m.NumParams())
	g := random.New(seed, random.Weights)
	for i, t := range m.tensors {
		bound := 1 / math.Sqrt(float64(t.FanIn))
		for j := range t.Size() {
			params[t.Offset+j] = float32(bound * (2*g.Float(uint64(i), uint64(j)) - 1))
		}
	}
	return params
}

// Build makes the graph of one mode at a capacity. Inputs: "context" [B·N_c, dx+dy], "x" [B·N, dx], "y" [B·N, dy]
// (not in Prediction); for quantile models "u" [B·N·N_τ, 1]; for bootstrapping ones, whose levels are the k bootstraps,
// "resample_context" and "resample_residual" [B·N_c·k, 1], whole numbers below N_c. Outputs: see Mode; "loglik" [B·N, 1]
// is summed over channels, "components" is the decoder's own output ([B·N·N_τ, 3·dy], [B·N·k, 2·dy] or [B·N, 2·dy]),
// "logit" is z with τ = sigmoid(z).
func (m *Model) Build(dtype tensor.Dtype, capacity ops.Extents, mode Mode) (*ops.Graph, error) {
	b := ops.NewBuilder(dtype, capacity)
	c := &construction{Builder: b, Model: m,
		context: b.Input("context", ops.Context, m.dx+m.dy),
		x:       b.Input("x", ops.Point, m.dx)}
	if m.Quantile() {
		c.u = b.Input("u", ops.Row, 1)
	}
	d := m.arch.build(c)
	if mode == Prediction {
		b.Output("components", d.out)
		if d.logit != nil {
			b.Output("logit", d.logit)
		}
		return b.Finish(nil)
	}
	ll, cost := c.loss(d, b.Input("y", ops.Point, m.dy))
	b.Output("loglik", ll)
	if mode == Evaluation {
		return b.Finish(nil)
	}
	b.Output("cost", cost)
	return b.Finish(cost)
}

// loss is the log-likelihood per point and what training makes smaller.
func (c *construction) loss(d decoding, y *G.Node) (ll, cost *G.Node) {
	switch c.arch.family {
	case quantile:
		ll = c.MixtureLogLik(d.out, d.logit, y)
	case bootstrap:
		ll = c.LogMeanExp(c.GaussianLogLik(d.out, y))
		return ll, c.Cost(c.GaussianLogLik(d.plain, y), ll)
	default:
		ll = c.GaussianLogLik(d.out, y)
	}
	return ll, c.Cost(ll)
}
