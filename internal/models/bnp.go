package models

import (
	"fmt"

	G "gorgonia.org/gorgonia"

	"github.com/acqnp/acqnp/internal/ops"
)

// bnpNet holds the parameters of a bootstrapping neural process, which every path of its graph shares.
type bnpNet struct {
	*construction
	encoders [2]poolingEncoder
	fc       []*G.Node // decoder's first layer by columns: enc1, enc2, x
	fcBias   *G.Node
	fcCtx    []*G.Node // of the bootstrap's encoding: enc1, enc2
	mlp      []affine
}

// affine is a linear layer's weight (by columns, for a first layer) and bias.
type affine struct {
	weight []*G.Node
	bias   *G.Node
}

// poolingEncoder is an MLP per context point, their mean, and an MLP of it.
type poolingEncoder struct{ pre, post []affine }

// bnp is the bootstrapping neural process: beside the plain path, one per bootstrap of the context. Its levels are the
// bootstraps.
func bnp(c *construction) decoding {
	n := newBNPNet(c)
	xs, ys := c.Columns(c.context, 0, c.dx), c.Columns(c.context, c.dx, c.dx+c.dy)
	perPoint := n.decodeEncoding(n.encode(xs, ys))
	bootstrapped := n.sum(n.fcCtx, n.encode(xs, n.bootstrap(xs, ys)))
	return decoding{
		plain: n.tail(c.Linear(perPoint, c.x, n.fc[2], true)),
		out:   n.tail(c.EnsembleAdd(c.Linear(perPoint, c.x, n.fc[2], false), bootstrapped, true)),
	}
}

// bootstrap makes ỹ at the context inputs: encode a resampled context, decode it there without fc_ctx, and put
// resampled residuals on top, centred per bootstrap. Gather, Residual and Perturb let no gradient through.
func (n *bnpNet) bootstrap(xs, ys *G.Node) *G.Node {
	again := n.Gather(n.context, n.Input("resample_context", ops.Resample, 1))
	enc := n.encode(n.Columns(again, 0, n.dx), n.Columns(again, n.dx, n.dx+n.dy))
	decoded := n.tail(n.EnsembleAdd(n.Linear(n.fcBias, xs, n.fc[2], false), n.sum(n.fc, enc), true))
	residual := n.Gather(n.Residual(decoded, ys), n.Input("resample_residual", ops.Resample, 1))
	return n.Perturb(decoded, residual, n.SetMean(residual))
}

func newBNPNet(c *construction) *bnpNet {
	w := c.config.Width
	n := &bnpNet{construction: c}
	for i := range n.encoders {
		name := fmt.Sprintf("enc%d", i+1)
		n.encoders[i].pre = c.mlpParams(name+".net_pre.%d", 0, c.config.PreDepth, []int{c.dx, c.dy}, w, w)
		n.encoders[i].post = c.mlpParams(name+".net_post.%d", 0, c.config.PostDepth, []int{w}, w, w)
	}
	n.fc = c.Weight("dec.fc.weight", w, w, w, c.dx)
	n.fcBias = c.Bias("dec.fc.bias", w, 2*w+c.dx)
	n.fcCtx = c.Weight("dec.fc_ctx.weight", w, w, w)
	n.mlp = c.mlpParams("dec.mlp.%d", 1, c.config.DecoderDepth-1, []int{w}, w, 2*c.dy)
	return n
}

// mlpParams makes depth linear layers whose PyTorch numbers start at from and go up by two; the first reads inputs of
// the widths in.
func (c *construction) mlpParams(name string, from, depth int, in []int, hidden, out int) []affine {
	var layers []affine
	for i := range depth {
		to, cols, fanIn := hidden, []int{hidden}, 0
		if i == 0 {
			cols = in
		}
		if i == depth-1 {
			to = out
		}
		for _, k := range cols {
			fanIn += k
		}
		layer := fmt.Sprintf(name, from+2*i)
		layers = append(layers, affine{c.Weight(layer+".weight", to, cols...), c.Bias(layer+".bias", to, fanIn)})
	}
	return layers
}

// encode is both encoders' outputs, means over the context points of x and y.
func (n *bnpNet) encode(x, y *G.Node) (enc [2]*G.Node) {
	for i, e := range n.encoders {
		first := e.pre[0]
		h := n.Linear(n.Linear(first.bias, x, first.weight[0], false), y, first.weight[1], len(e.pre) > 1)
		enc[i] = n.layers(n.SetMean(n.layers(h, e.pre[1:])), e.post)
	}
	return enc
}

// layers applies linear layers with a ReLU between any two.
func (n *bnpNet) layers(h *G.Node, ls []affine) *G.Node {
	for i, l := range ls {
		h = n.Linear(l.bias, h, l.weight[0], i < len(ls)-1)
	}
	return h
}

// tail is the decoder after its first layer and ReLU.
func (n *bnpNet) tail(h *G.Node) *G.Node { return n.layers(h, n.mlp) }

// decodeEncoding is the decoder's first layer over [enc1, enc2], with its bias.
func (n *bnpNet) decodeEncoding(enc [2]*G.Node) *G.Node {
	return n.Linear(n.Linear(n.fcBias, enc[0], n.fc[0], false), enc[1], n.fc[1], false)
}

// sum is W[:, enc]·[enc1, enc2] without a bias.
func (n *bnpNet) sum(w []*G.Node, enc [2]*G.Node) *G.Node {
	return n.Linear(n.Linear(n.Zeros(n.config.Width), enc[0], w[0], false), enc[1], w[1], false)
}
