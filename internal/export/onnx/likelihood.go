package onnx

import (
	"math"

	"github.com/acqnp/acqnp/internal/config"
)

// components are the parts of the predictive distribution of each channel of y, or of its
// logarithm, in raw units and float64. K is the number of parts.
type components struct {
	mu, sigma, logWeight value // [B, N, K, dy]
	logit                value // [B, N, K, 1]: of the level τ; quantile models
}

// quantileComponents reads the asymmetric Laplace distributions of a quantile model.
func (n *network) quantileComponents(d decoding, p standardised) components {
	c := n.weighted(n.widen(d.out), p)
	z := n.widen(d.logit)
	if n.config.ScaleForm == config.NaturalScale {
		spread := n.mul(n.op("Sigmoid", z), n.op("Sigmoid", n.op("Neg", z))) // τ(1−τ)
		c.sigma = n.mul(n.mul(n.double(4), spread), c.sigma)
	}
	c.logit = z
	return c
}

// mixtureComponents reads the Gaussians of config.MixtureHead, whose row has those of each number and
// channel side by side.
func (n *network) mixtureComponents(d decoding, p standardised) components {
	out := n.op("Reshape", n.widen(d.out), n.ints(0, 0, 3*n.dy, n.parts))
	return n.weighted(n.transpose(out, 0, 1, 3, 2), p)
}

// weighted reads μ, σ and the weights from rows [B, N, K, 3·dy] with the blocks [μ…, s…, a…].
func (n *network) weighted(out value, p standardised) components {
	c := components{logWeight: n.node("LogSoftmax", with(whole("axis", 2)), n.columns(out, 2*n.dy, 3*n.dy))}
	c.mu, c.sigma = n.inUnits(out, p)
	return c
}

// gaussianComponents reads the Gaussians of a model without levels. With tails, each becomes
// several of the same mean.
func (n *network) gaussianComponents(d decoding, p standardised) components {
	var c components
	c.mu, c.sigma = n.inUnits(n.widen(d.out), p)
	if tails := n.post.Tails(); len(tails) > 0 {
		scales, logWeights := make([]float64, len(tails)), make([]float64, len(tails))
		for j, t := range tails {
			scales[j], logWeights[j] = t.Scale, math.Log(t.Weight)
		}
		c.sigma = n.mul(c.sigma, n.doubles(scales, len(scales), 1))
		c.mu = n.op("Expand", c.mu, n.op("Shape", c.sigma))
		c.logWeight = n.op("Expand", n.doubles(logWeights, len(logWeights), 1), n.op("Shape", c.sigma))
		return c
	}
	equal := n.op("Neg", n.op("Log", n.widen(n.size(c.mu, 2))))
	c.logWeight = n.op("Expand", equal, n.op("Shape", c.mu))
	return c
}

// pooled returns the components of several networks, whose distributions have the same weight.
func (n *network) pooled(all []components) components {
	if len(all) == 1 {
		return all[0]
	}
	join := func(of func(components) value) value {
		var parts []value
		for _, c := range all {
			parts = append(parts, of(c))
		}
		return n.concat(2, parts...)
	}
	c := components{mu: join(func(c components) value { return c.mu }), sigma: join(func(c components) value { return c.sigma })}
	c.logWeight = n.sub(join(func(c components) value { return c.logWeight }), n.double(math.Log(float64(len(all)))))
	if all[0].logit != "" {
		c.logit = join(func(c components) value { return c.logit })
	}
	return c
}

// inUnits returns μ and σ in raw units for a decoder's output [B, N, K, ·] with the blocks [μ…,
// s…].
func (n *network) inUnits(out value, p standardised) (mu, sigma value) {
	floor := n.config.SigmaFloor
	s := n.softplus(n.columns(out, n.dy, 2*n.dy))
	sigma = n.add(n.double(floor), n.mul(n.double(1-floor), s))
	mu = n.add(n.mul(p.factor, n.columns(out, 0, n.dy)), p.offset)
	return mu, n.mul(p.factor, sigma)
}

// logDensity returns log p(y) of each channel, [B, N, dy], for y [B, N, dy] in raw units. logs says
// of which channels the components are those of log y.
func (n *network) logDensity(c components, y value, logs []bool) value {
	z := y
	var isLog, logY value
	for _, log := range logs {
		if log && isLog == "" {
			isLog, logY = n.bools(logs), n.op("Log", y)
			z = n.op("Where", isLog, logY, y)
		}
	}
	z = n.unsqueeze(z, 2)
	part := n.gaussian
	if c.logit != "" {
		part = n.laplace
	}
	density := n.squeeze(n.logSumExp(n.add(part(c, n.sub(z, c.mu)), c.logWeight), 2), 2)
	if isLog == "" {
		return density
	}
	density = n.op("Where", isLog, n.sub(density, logY), density)
	impossible := n.op("And", isLog, n.op("Not", n.op("Greater", y, n.double(0))))
	return n.op("Where", impossible, n.double(math.Inf(-1)), density)
}

// gaussian returns the log density of each Gaussian at the distance e from its mean.
func (n *network) gaussian(c components, e value) value {
	e = n.div(e, c.sigma)
	density := n.mul(n.double(-0.5), n.mul(e, e))
	return n.sub(n.sub(density, n.op("Log", c.sigma)), n.double(0.5*math.Log(2*math.Pi)))
}

// laplace returns log τ + log(1−τ) − log σ − ρ_τ(e)/σ, with ρ_τ(e) = max(τe, −(1−τ)e) and e = y −
// μ.
func (n *network) laplace(c components, e value) value {
	negative := n.op("Neg", c.logit)
	pinball := n.op("Max", n.mul(n.op("Sigmoid", c.logit), e), n.op("Neg", n.mul(n.op("Sigmoid", negative), e)))
	logs := n.add(n.softplus(negative), n.softplus(c.logit)) // −log τ − log(1−τ)
	return n.op("Neg", n.add(n.add(logs, n.op("Log", c.sigma)), n.div(pinball, c.sigma)))
}
