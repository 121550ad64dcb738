package onnx

import "math"

// beside appends the parts of the simple model to the components, as post.Predictive.Beside does: one
// standard normal in the network's units, or one part for each context point. A point that is not near has
// weight 0.
func (n *network) beside(c components, p standardised) components {
	pool, widths := n.post.PoolWeight, n.post.PoolKernel
	if pool == 0 {
		return c
	}
	of := func(v, shape value) value { return n.op("Expand", v, n.op("Shape", shape)) }
	var mean, share value // [B, 1, N_c, 1] and [B, N, N_c, 1]; without a kernel, 1 takes the place of N_c
	deviation := 1.0
	if len(widths) > 0 {
		mean, deviation = n.unsqueeze(n.widen(n.contextY), 1), widths[1]
		share = n.mul(n.double(pool), n.near(widths[0]))
	} else {
		mean, share = n.double(0), of(n.double(pool), n.slice(c.mu, 2, 0, 1))
	}
	if c.logit != "" {
		deviation /= math.Sqrt(8) // σ of the symmetric Laplace distribution, whose variance is 8σ²
		c.logit = n.concat(2, c.logit, of(n.double(0), share))
	}
	rest := n.op("Log", n.sub(n.double(1), n.sum(share, 2)))
	return components{
		mu:        n.concat(2, c.mu, of(n.add(n.mul(p.factor, mean), p.offset), share)),
		sigma:     n.concat(2, c.sigma, of(n.mul(p.factor, n.double(deviation)), share)),
		logWeight: n.concat(2, n.add(c.logWeight, rest), n.op("Log", share)),
		logit:     c.logit,
	}
}

// near returns the weights of the context points at each target, [B, N, N_c, 1], as kde.Widths does.
func (n *network) near(width float64) value {
	e := n.sub(n.unsqueeze(n.widen(n.x), 2), n.unsqueeze(n.widen(n.contextX), 1))
	k := n.sub(n.double(1), n.mul(n.double(1/(width*width)), n.sum(n.mul(e, e), -1)))
	k = n.op("Where", n.present.mask, n.op("Max", k, n.double(0)), n.double(0))
	return n.div(k, n.add(n.sum(k, 2), n.double(1)))
}
