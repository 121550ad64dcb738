// Package models defines the five conditional neural processes, one file each: cnp.go, canp.go,
// bnp.go, cqnp.go and acqnp.go. A file states the model's parameters and its graph of encoder,
// adaptor ψ (ACQNP) and decoder; head.go adds the likelihood. CNP, CQNP and ACQNP aggregate the
// context by a mean (layers.go), by attention (canp.go) or by a transformer (transformer.go). The
// graphs contain no device code: every engine runs them.
//
// [New] makes a [Model] from its configuration. [Model.Build] builds its graph for one of three
// uses, [Training], [Evaluation] or [Prediction], at a capacity: the largest number of groups,
// context points, points and levels that a run may have. Each run states its own extents, up to the
// capacity.
//
// # Spaces
//
// Each tensor of a graph is a matrix with one row for each element of a space of package ops. With
// B groups, N_c context points, N points (context points included) and N_τ levels:
//
//	groups       B rows        r of aggregation by a mean
//	context points  B·N_c rows    encoder; keys and values of attention; tokens of the context
//	points          B·N rows      r of the other aggregations; decoder of CNP and CANP;
//	                              log-likelihood
//	rows            B·N·N_τ rows  ψ and decoder of CQNP and ACQNP; bootstraps of BNP
//
// The first layer of ψ and of the decoder is linear in r, x and the level. So its weight is split
// by columns: the part for r is applied once for each group (or point, if r has a row for each),
// the part for x once for each point, and only the part for the level once for each row.
//
// # Parameters
//
// All parameters of a model lie in one vector. [Model.Tensors] lists the tensors in it under the
// names of the authors' PyTorch modules, and those of a transformer's layers under the names of
// PyTorch's TransformerEncoder. The five models are as the paper's supplement describes them; the
// aggregations of CNP, CQNP and ACQNP besides the mean, and the residual adaptor, are not in it.
package models

import (
	"fmt"
	"slices"
	"strings"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/config/catalogue"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/models/ops"
	"github.com/acqnp/acqnp/internal/random"
)

// Mode is the use of a graph. It decides the inputs, the outputs and whether there are gradients.
type Mode int

const (
	Training   Mode = iota // outputs "cost" and "loglik", with gradients
	Evaluation             // output "loglik"
	Prediction             // outputs "components" and, for quantile models, "logit"; no input "y"
)

// family is the form of a model's likelihood. It decides the inputs besides context, x and y.
type family int

const (
	gaussian  family = iota // what model.head names; no further input
	quantile                // a mixture over quantile levels; input "u"
	bootstrap               // a mixture over bootstraps; "resample_context", "resample_residual"
)

// architecture is a model's name in configurations, its family, and the function that builds its
// graph up to the decoder.
type architecture struct {
	name   string
	family family
	build  func(c *construction) decoding
}

// decoding is the end of an architecture's graph, which the likelihood reads.
type decoding struct {
	out   *G.Node // the decoder's output, shaped as "components" at Build
	logit *G.Node // quantile models: logits of the levels [B·N·N_τ, 1]
	plain *G.Node // bootstrapping models: the decoder's output without a bootstrap [B·N, 2·dy]
}

// architectures lists the models in the paper's order.
var architectures = []architecture{
	{catalogue.CNP, gaussian, cnp},
	{catalogue.CANP, gaussian, canp},
	{catalogue.BNP, bootstrap, bnp},
	{catalogue.CQNP, quantile, cqnp},
	{catalogue.ACQNP, quantile, acqnp},
}

// Names returns the names of the models, in the paper's order.
func Names() []string {
	names := make([]string, len(architectures))
	for i, a := range architectures {
		names[i] = a.name
	}
	return names
}

// Model is one of the architectures, with its widths and the dimensions of x and y.
type Model struct {
	config  config.Model
	dx, dy  int
	arch    architecture
	head    head
	parts   int
	states  *ops.Plain // the graph of the head
	tensors []ops.Tensor
}

// New makes a model for x with dx dimensions and y with dy dimensions. If c.SigmaFloor is 0, the
// model has the paper's. An unknown name is an *invalid.Input.
func New(c config.Model, dx, dy int) (*Model, error) {
	i := slices.Index(Names(), c.Name)
	if i < 0 {
		return nil, &invalid.Input{Key: "model.name", Found: fmt.Sprintf("%q", c.Name), Expected: "one of " + strings.Join(Names(), ", ")}
	}
	if dx < 1 || dy < 1 {
		return nil, fmt.Errorf("models: found dx = %d and dy = %d, expected at least 1", dx, dy)
	}
	if c.SigmaFloor == 0 {
		c.SigmaFloor = config.SigmaFloor(c.Name)
	}
	m := &Model{config: c, dx: dx, dy: dy, arch: architectures[i]}
	if m.head = newHead(m); m.head == nil {
		return nil, &invalid.Input{Key: "model.head", Found: fmt.Sprintf("%q", c.Head), Expected: "one of " + strings.Join(config.Heads(), ", ")}
	}
	one := ops.Extents{Groups: 1, Context: 1, Points: 1, Levels: 1}
	g, err := m.Build(tensor.Float64, one, Prediction)
	if err != nil {
		return nil, err
	}
	h, err := m.BuildHead(tensor.Float64, one)
	if err != nil {
		return nil, err
	}
	m.tensors, m.parts, m.states = g.Tensors, h.Outputs[0].Width/dy, ops.NewPlain(h)
	return m, nil
}

// Name returns the model's name, as configurations state it.
func (m *Model) Name() string { return m.config.Name }

// Config returns the configuration that New was given, with its SigmaFloor set.
func (m *Model) Config() config.Model { return m.config }

// SigmaFloor returns the lower bound of the decoder's scale, which is floor + (1−floor)·softplus(s).
func (m *Model) SigmaFloor() float64 { return m.config.SigmaFloor }

// Scale returns how the scale of a quantile model's components follows from the decoder's outputs.
func (m *Model) Scale() likelihood.SigmaForm {
	return likelihood.SigmaForm{Floor: m.config.SigmaFloor, Natural: m.Natural()}
}

// Natural reports whether model.scale_form is natural.
func (m *Model) Natural() bool { return m.config.ScaleForm == config.NaturalScale }

// RowWidth returns the width of the output components.
func (m *Model) RowWidth() int { return m.head.columns() }

// Parts returns the number of parts of the predictive distribution that a row of the output components
// states for a channel of y: one, or several by model.head.
func (m *Model) Parts() int { return m.parts }

// Dims returns the dimensions of x and y.
func (m *Model) Dims() (dx, dy int) { return m.dx, m.dy }

// Quantile reports whether the model has quantile levels, and with them the input "u".
func (m *Model) Quantile() bool { return m.arch.family == quantile }

// Bootstrap reports whether the model's levels are bootstraps of the context. It then has the
// inputs "resample_context" and "resample_residual".
func (m *Model) Bootstrap() bool { return m.arch.family == bootstrap }

// Groups reports whether the model aggregates by groups: a group of a batch is a data set, and the graph of
// Prediction needs what BuildSiblings returns.
func (m *Model) Groups() bool { return m.config.Aggregation == config.Groups }

// Tensors returns the parameters under their PyTorch names, in the order of the parameter vector.
func (m *Model) Tensors() []ops.Tensor { return m.tensors }

// NumParams returns the length of the parameter vector.
func (m *Model) NumParams() int { return ops.NumParams(m.tensors) }

// Initial returns an initial parameter vector of length NumParams, which starts as in PyTorch.
// Weights and biases of linear layers are uniform on (−1/√fan_in, 1/√fan_in). In a transformer,
// in_proj_weight is uniform as [ops.Xavier] says, the biases of attention are 0, and layer norms
// have gain 1 and shift 0. The parts of a head with several start apart: its decoder's last bias has
// offsets.
func (m *Model) Initial(seed uint64) []float32 {
	params := make([]float32, m.NumParams())
	g := random.New(seed, random.Weights)
	for i, t := range m.tensors {
		at, bound := t.Start.Centre, t.Start.Bound
		for j := range t.Size() {
			params[t.Offset+j] = float32(at + bound*(2*g.Float(uint64(i), uint64(j))-1))
		}
	}
	last := m.tensors[len(m.tensors)-1] // the decoder's bias
	for j, offset := range m.head.start() {
		params[last.Offset+j] += float32(offset)
	}
	return params
}

// Build builds the graph of a mode at a capacity. The inputs of a graph are
//
//	context            [B·N_c, dx+dy]
//	x                  [B·N, dx]
//	y                  [B·N, dy]     not in Prediction
//	u                  [B·N·N_τ, 1]  quantile models: numbers in [0, 1)
//	resample_context   [B·N_c·k, 1]  bootstrapping models, k bootstraps: whole numbers below N_c
//	resample_residual  [B·N_c·k, 1]  likewise
//
// Aggregation by groups has further inputs: ranges of context rows, as ops.AttentionWithin reads them,
//
//	context_group, context_siblings  [B·N_c, 2]  what each context row reads
//	group, siblings                  [B·N, 2]    what each point reads
//
// and in Prediction, where the rows of one group, context and targets, are the points of a group and
// the siblings are its context, instead of all of these and of context:
//
//	y            [B·N, dy]   of the group's context points; 0 for targets
//	asked        [B·N, 1]    1 for targets; 0 for context points
//	group        [B·N, 2]    the range of context points among the group's points
//	keys.l, values.l  [B·N_c, d]  for each layer l, the outputs of BuildSiblings
//
// The outputs, which depend on the mode, are
//
//	cost        one number       −(mean of loglik over points and groups); BNP adds the same
//	                             mean for the path without a bootstrap
//	loglik      [B·N, 1]         log p(y), summed over the channels of y
//	components  in Prediction
//	            [B·N·N_τ, 3·dy]  quantile models: rows as likelihood.NewMixture reads them
//	            [B·N·k, 2·dy]    bootstrapping models: rows as likelihood.NewGaussian reads them
//	            [B·N, RowWidth]  other models: rows as States reads them
//	logit       [B·N·N_τ, 1]     quantile models: z, with τ = sigmoid(z)
func (m *Model) Build(dtype tensor.Dtype, capacity ops.Extents, mode Mode) (*ops.Graph, error) {
	b := ops.NewBuilder(dtype, capacity)
	c := &construction{Builder: b, Model: m, mode: mode}
	if !m.Groups() || mode != Prediction {
		c.context = b.Input("context", ops.Context, m.dx+m.dy)
	}
	c.x = b.Input("x", ops.Point, m.dx)
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
	if mode == Training {
		b.Output("cost", cost)
		return b.Finish(cost)
	}
	return b.Finish(nil)
}

// loss returns the log-likelihood of each point and the cost that training minimises.
func (c *construction) loss(d decoding, y *G.Node) (ll, cost *G.Node) {
	ll = c.head.logLik(c, d, y)
	if d.plain != nil {
		return ll, c.Cost(c.GaussianLogLik(d.plain, y, c.SigmaFloor()), ll)
	}
	return ll, c.Cost(ll)
}
