package models

import (
	"fmt"
	"slices"

	G "gorgonia.org/gorgonia"

	"github.com/acqnp/acqnp/internal/models/ops"
)

// bnpNet holds the parameters of BNP. All paths of its graph share them.
type bnpNet struct {
	*construction
	encoders [2]poolingEncoder
	fc       affine    // the decoder's first layer, by columns: enc1, enc2, x
	fcCtx    []*G.Node // the weight of the bootstrap's encoding in that layer, by columns: enc1, enc2
	tail     []affine  // the decoder's other layers
}

// poolingEncoder is an MLP of each context point (pre), the mean over the points, and an MLP of the
// mean (post).
type poolingEncoder struct{ pre, post []affine }

// bnp builds BNP. Its graph has one path without a bootstrap, [B·N, 2·dy], and one for the
// bootstraps of the context, [B·N·k, 2·dy].
func bnp(c *construction) decoding {
	n := newBNPNet(c)
	xs, ys := c.Columns(c.context, 0, c.dx), c.Columns(c.context, c.dx, c.dx+c.dy)
	perPoint := n.join(n.fc, n.encode(xs, ys), false)
	bootstrapped := n.sum(n.fcCtx, n.encode(xs, n.bootstrap(xs, ys)))
	return decoding{
		plain: n.layers(n.tail, c.Linear(perPoint, c.x, n.fc.weight[2], true)),
		out:   n.layers(n.tail, c.EnsembleAdd(c.Linear(perPoint, c.x, n.fc.weight[2], false), bootstrapped, true)),
	}
}

// bootstrap returns ỹ [B·N_c·k, dy], the y of a bootstrap at the context's x:
//
//  1. resample the context and encode it;
//  2. decode at the context's x, without fc_ctx, to μ and σ;
//  3. resample the residuals (y−μ)/σ and centre them for each group and bootstrap;
//  4. ỹ = μ + σ·residual.
//
// No gradient passes through Gather, Residual and Perturb.
func (n *bnpNet) bootstrap(xs, ys *G.Node) *G.Node {
	again := n.Gather(n.context, n.Input("resample_context", ops.Resample, 1))
	enc := n.encode(n.Columns(again, 0, n.dx), n.Columns(again, n.dx, n.dx+n.dy))
	decoded := n.layers(n.tail, n.EnsembleAdd(n.Linear(n.fc.bias, xs, n.fc.weight[2], false), n.sum(n.fc.weight, enc), true))
	residual := n.Gather(n.Residual(decoded, ys, n.SigmaFloor()), n.Input("resample_residual", ops.Resample, 1))
	return n.Perturb(decoded, residual, n.SetMean(residual), n.SigmaFloor())
}

func newBNPNet(c *construction) *bnpNet {
	w := c.config.Width
	n := &bnpNet{construction: c}
	hidden := func(depth int) []int { return slices.Repeat([]int{w}, depth-1) }
	for i := range n.encoders {
		name := fmt.Sprintf("enc%d", i+1)
		n.encoders[i].pre = c.network(name+".net_pre", 0, []int{c.dx, c.dy}, hidden(c.config.PreDepth), w)
		n.encoders[i].post = c.network(name+".net_post", 0, []int{w}, hidden(c.config.PostDepth), w)
	}
	n.fc = affine{c.Weight("dec.fc.weight", w, w, w, c.dx), c.Bias("dec.fc.bias", w, 2*w+c.dx)}
	n.fcCtx = c.Weight("dec.fc_ctx.weight", w, w, w)
	n.tail = c.network("dec.mlp", 1, []int{w}, hidden(c.config.DecoderDepth-1), c.head.columns())
	return n
}

// encode applies both encoders to context points x and y. The results are [B, width] each, or [B·k,
// width] if y has a value for each of k bootstraps.
func (n *bnpNet) encode(x, y *G.Node) (enc []*G.Node) {
	for _, e := range n.encoders {
		enc = append(enc, n.layers(e.post, n.SetMean(n.layers(e.pre, x, y))))
	}
	return enc
}

// sum returns W·[enc1, enc2], without a bias.
func (n *bnpNet) sum(w []*G.Node, enc []*G.Node) *G.Node {
	return n.join(affine{w, n.Zeros(n.config.Width)}, enc, false)
}
