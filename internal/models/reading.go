package models

import (
	"math"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/models/kde"
	"github.com/acqnp/acqnp/internal/models/ops"
)

// A Reading says how a predictive distribution is read from what the network computes. The loss of
// training knows nothing of it.
type Reading struct {
	Tails likelihood.Tails // the parts that stand for each predicted Gaussian; nil for the Gaussian alone
	Pool  float64          // the weight of the simple model beside the network; see Beside
}

// readingOf returns what a configuration says.
func readingOf(c config.Model) Reading {
	scale := c.SigmaScale
	if scale == 0 {
		scale = 1
	}
	return Reading{likelihood.StudentTails(c.TailDF, scale), c.PoolWeight}
}

// Reading returns how the model's predictions are read.
func (m *Model) Reading() Reading { return m.reading }

// Gaussians returns the mixture of one channel of y that the network predicts at a point. raw are the
// point's rows of the output components, for a model without levels.
func (m *Model) Gaussians(raw []float32, channel int) likelihood.GaussianMixture {
	return m.head.gaussians(raw, channel)
}

// Beside returns the parts of the simple model that predictions have beside those of the network at
// x [dx], in the model's units: of the mixed model by which y is standardised, so a standard normal,
// or of the kernel density of the context [N_c, dx+1]. Their weights add up to model.pool_weight or, of
// a kernel, to less. There are none without a weight, or if no point is near.
func (m *Model) Beside(context, x []float32) []likelihood.Part {
	return m.beside(context, x, m.reading.Pool)
}

// beside is Beside with another weight.
func (m *Model) beside(context, x []float32, pool float64) (parts []likelihood.Part) {
	w := m.config.PoolKernel
	switch {
	case pool == 0:
		return nil
	case len(w) == 0:
		return []likelihood.Part{{Deviation: 1, Weight: pool}}
	}
	for i, weight := range (kde.Widths{X: w[0], Y: w[1]}).Weights(nil, context, x) {
		if weight > 0 {
			parts = append(parts, likelihood.Part{Mean: float64(context[(i+1)*(m.dx+1)-1]), Deviation: w[1], Weight: pool * weight})
		}
	}
	return parts
}

// Ran is an engine's program after a run.
type Ran interface {
	Input(name string) []float32
	Output(name string) []float32
}

// LogLik returns log p(y) of each point, [B·N], after a run of a program in mode Evaluation. It is
// the output loglik, or the log density of the model's reading, with besides for the run. It is valid
// until the next run.
func (m *Model) LogLik(p Ran, besides Besides) []float32 {
	ll := p.Output("loglik")
	m.Tailed(p, m.reading.Tails, ll)
	besides.Pool(m.reading.Pool, ll, ll)
	return ll
}

// Tailed sets ll, [B·N], to log p(y) of each point under the network, after a run of a program in mode
// Evaluation: with these tails if the model has some itself.
func (m *Model) Tailed(p Ran, tails likelihood.Tails, ll []float32) {
	if m.reading.Tails == nil {
		copy(ll, p.Output("loglik"))
		return
	}
	raw, y, columns := p.Output("components"), p.Input("y"), m.RowWidth()
	for i := range ll {
		sum := 0.0
		for c := range m.dy {
			sum += tails.LogDensityOf(m.Gaussians(raw[columns*i:][:columns], c), float64(y[m.dy*i+c]))
		}
		ll[i] = float32(sum)
	}
}

// Besides are what the simple model says of the y of points: its weight there, 1 or what a kernel is
// worth, and the logarithm of its density times that weight. nil without a simple model.
type Besides []struct{ weight, log float64 }

// Besides returns what the simple model says of each point, [B·N], of the inputs of a program in mode
// Evaluation. It does not depend on the weights of the network.
func (m *Model) Besides(p Ran, e ops.Extents) Besides {
	if m.reading.Pool == 0 {
		return nil
	}
	density := likelihood.GaussianDensity
	if m.Quantile() {
		density = likelihood.LaplaceDensity
	}
	context, x, y := p.Input("context"), p.Input("x"), p.Input("y")
	all, of := make(Besides, e.Functions*e.Points), e.Context*(m.dx+m.dy)
	for i := range all {
		parts := m.beside(context[i/e.Points*of:][:of], x[i*m.dx:][:m.dx], 1)
		for _, part := range parts {
			all[i].weight += part.Weight
		}
		all[i].log = density(parts, float64(y[i]))
	}
	return all
}

// Pool sets pooled to the log density of each point if the simple model has this weight, from that of
// the network alone. Both may be the same slice.
func (b Besides) Pool(weight float64, network, pooled []float32) {
	if b == nil || weight == 0 {
		copy(pooled, network)
		return
	}
	for i, s := range b {
		if s.weight == 0 {
			pooled[i] = network[i]
			continue
		}
		own, other := float64(network[i])+math.Log1p(-weight*s.weight), math.Log(weight)+s.log
		pooled[i] = float32(max(own, other) + math.Log1p(math.Exp(-math.Abs(own-other))))
	}
}
