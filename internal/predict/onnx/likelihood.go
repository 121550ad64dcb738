package onnx

import (
	"math"

	"github.com/acqnp/acqnp/internal/models/ops"
)

// components are the parts of the predictive distribution of each channel of y, or of its
// logarithm, in raw units and float64. K is the number of parts.
type components struct {
	mu, sigma, logWeight value // [B, N, K, dy]
	logit                value // [B, N, K, 1]: of the level τ; "" for Gaussians
}

// read appends the nodes of the model's head, in float64, and returns the parts of the distributions.
func (n *network) read(head *ops.Graph, decoded map[string]value, p standardised) (components, error) {
	wide := map[string]value{}
	for _, in := range head.Inputs {
		wide[in.Name] = n.widen(decoded[in.Name])
	}
	out, err := ops.Lower(head, dialect{network: n, fed: wide, wide: true})
	if err != nil {
		return components{}, err
	}
	like := n.op("Shape", out["mu"])
	part := func(name string) value {
		v := n.op("Expand", out[name], like) // [B, N, N_τ, dy·parts]
		if n.parts == 1 {
			return v
		}
		v = n.transpose(n.op("Reshape", v, n.ints(0, 0, 0, n.dy, n.parts)), 0, 1, 2, 4, 3)
		return n.op("Reshape", v, n.ints(0, 0, -1, n.dy))
	}
	logit := wide["logit"]
	if stated, ok := out["logit"]; ok { // [B, N, 1, K]
		logit = n.transpose(stated, 0, 1, 3, 2)
	}
	return components{
		mu:        n.add(n.mul(p.factor, part("mu")), p.offset),
		sigma:     n.mul(p.factor, part("sigma")),
		logWeight: part("log_weight"),
		logit:     logit,
	}, nil
}

// logDensity returns log p(y) of each channel, [B, N, dy], for y [B, N, dy] in raw units. logs[c] is true
// if the components of channel c are those of log y.
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
