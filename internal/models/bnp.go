package models

import (
	"fmt"

	G "gorgonia.org/gorgonia"

	"github.com/acqnp/acqnp/internal/models/ops"
)

// bnpNet holds the parameters of BNP. All paths of its graph share them.
type bnpNet struct {
	*construction
	encoders [2]poolingEncoder
	fc       []*G.Node // the decoder's first layer, by columns: enc1, enc2, x
	fcBias   *G.Node
	fcCtx    []*G.Node // the weight of the bootstrap's encoding in that layer, by columns: enc1, enc2
	mlp      []affine  // the decoder's other layers
}

// affine is the weight and the bias of a linear layer. The weight of a first layer is split into
// blocks of columns.
type affine struct {
	weight []*G.Node
	bias   *G.Node
}

// poolingEncoder is an MLP of each context point (pre), the mean over the points, and an MLP of the
// mean (post).
type poolingEncoder struct{ pre, post []affine }

// bnp builds BNP. Its graph has one path without a bootstrap, [B·N, 2·dy], and one for the
// bootstraps of the context, [B·N·k, 2·dy].
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

// bootstrap returns ỹ [B·N_c·k, dy], the y of a bootstrap at the context's x:
//
//  1. resample the context and encode it;
//  2. decode at the context's x, without fc_ctx, to μ and σ;
//  3. resample the residuals (y−μ)/σ and centre them for each function and bootstrap;
//  4. ỹ = μ + σ·residual.
//
// No gradient passes through Gather, Residual and Perturb.
func (n *bnpNet) bootstrap(xs, ys *G.Node) *G.Node {
	again := n.Gather(n.context, n.Input("resample_context", ops.Resample, 1))
	enc := n.encode(n.Columns(again, 0, n.dx), n.Columns(again, n.dx, n.dx+n.dy))
	decoded := n.tail(n.EnsembleAdd(n.Linear(n.fcBias, xs, n.fc[2], false), n.sum(n.fc, enc), true))
	residual := n.Gather(n.Residual(decoded, ys, n.SigmaFloor()), n.Input("resample_residual", ops.Resample, 1))
	return n.Perturb(decoded, residual, n.SetMean(residual), n.SigmaFloor())
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
	n.mlp = c.mlpParams("dec.mlp.%d", 1, c.config.DecoderDepth-1, []int{w}, w, c.head.columns())
	return n
}

// mlpParams makes the parameters of depth linear layers. Their PyTorch numbers are from, from+2,
// and so on. The first layer reads blocks of columns with the widths in.
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

// encode applies both encoders to context points x and y. The results are [B, width] each, or [B·k,
// width] if y has a value for each of k bootstraps.
func (n *bnpNet) encode(x, y *G.Node) (enc [2]*G.Node) {
	for i, e := range n.encoders {
		first := e.pre[0]
		h := n.Linear(n.Linear(first.bias, x, first.weight[0], false), y, first.weight[1], len(e.pre) > 1)
		enc[i] = n.layers(n.SetMean(n.layers(h, e.pre[1:])), e.post)
	}
	return enc
}

// layers applies linear layers with a ReLU between each two.
func (c *construction) layers(h *G.Node, ls []affine) *G.Node {
	for i, l := range ls {
		h = c.Linear(l.bias, h, l.weight[0], i < len(ls)-1)
	}
	return h
}

// tail applies the decoder's layers after the first.
func (n *bnpNet) tail(h *G.Node) *G.Node { return n.layers(h, n.mlp) }

// decodeEncoding applies the decoder's first layer to [enc1, enc2], with the bias and without the
// part for x.
func (n *bnpNet) decodeEncoding(enc [2]*G.Node) *G.Node {
	return n.Linear(n.Linear(n.fcBias, enc[0], n.fc[0], false), enc[1], n.fc[1], false)
}

// sum returns W·[enc1, enc2], without a bias.
func (n *bnpNet) sum(w []*G.Node, enc [2]*G.Node) *G.Node {
	return n.Linear(n.Linear(n.Zeros(n.config.Width), enc[0], w[0], false), enc[1], w[1], false)
}
