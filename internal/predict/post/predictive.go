package post

import (
	"fmt"
	"math"

	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/models/kde"
	"github.com/acqnp/acqnp/internal/models/ops"
)

// A Predictive makes predictive distributions of what the networks of a model compute.
type Predictive struct {
	model  *models.Model
	dx, dy int
	tails  likelihood.Tails // the parts that stand for each predicted Gaussian; nil for the Gaussian alone
	pool   float64          // the weight of the simple model beside the networks; see Beside
	kernel []float64        // its widths; nil for the mixed model
}

// Predictive returns the Predictive of a model. It returns an *invalid.Input if the model has
// several columns of y and p a simple model.
func (p Postprocessing) Predictive(m *models.Model) (*Predictive, error) {
	r := &Predictive{model: m, tails: p.Tails(), pool: p.PoolWeight, kernel: p.PoolKernel}
	if r.dx, r.dy = m.Dims(); r.pool > 0 && r.dy > 1 {
		return nil, &invalid.Input{Key: "postprocessing.pool_weight", Found: fmt.Sprintf("%g and y of %d dimensions", r.pool, r.dy),
			Expected: "one dimension of y beside a weight"}
	}
	return r, nil
}

// Tails returns the parts of the distribution that stands for each Gaussian of a network, nil for the
// Gaussian alone.
func (p Postprocessing) Tails() likelihood.Tails {
	scale := p.SigmaScale
	if scale == 0 {
		scale = 1
	}
	return likelihood.StudentTails(p.TailDF, scale)
}

// Mode returns the mode of the graph that LogLik reads.
func (r *Predictive) Mode() models.Mode {
	if r.tails != nil {
		return models.EvaluationParts
	}
	return models.Evaluation
}

// Components returns the largest number of components of a distribution: of some networks with a number
// of levels, or of bootstraps, and a context.
func (r *Predictive) Components(networks, levels, context int) int {
	each := r.model.Parts() * max(1, len(r.tails))
	if r.model.Quantile() || r.model.Bootstrap() {
		each *= levels
	}
	all := networks * each
	switch {
	case r.pool > 0 && len(r.kernel) > 0:
		all += context
	case r.pool > 0:
		all++
	}
	return all
}

// Raw is what a network computes at one point: the rows of its components, and the logits of their
// levels if it has some.
type Raw struct{ Components, Logit []float32 }

// Distribution returns the predictive distribution of one channel of y, in the units that u converts
// to: the mean of those of the networks, with the parts beside them, which Beside returned.
func (r *Predictive) Distribution(networks []Raw, channel int, beside []likelihood.Part, u likelihood.Units) likelihood.Distribution {
	parts := make([]likelihood.Part, len(beside))
	for i, p := range beside {
		parts[i] = p.In(u)
	}
	if r.model.Quantile() {
		all := make([]likelihood.Mixture, len(networks))
		for i, n := range networks {
			all[i] = likelihood.NewMixtureIn(u, n.Components, n.Logit, r.dy, channel, r.model.Scale())
		}
		return likelihood.Pooled(all).Beside(parts)
	}
	all := make([]likelihood.GaussianMixture, len(networks))
	for i, n := range networks {
		all[i] = r.model.Gaussians(n.Components, 1)[channel].Tailed(r.tails).In(u)
	}
	return likelihood.PooledGaussians(all).Beside(parts)
}

// Beside returns the parts of the simple model that predictions have beside those of the networks at
// x [dx], in the model's units: of the mixed model by which y is standardised, so a standard normal,
// or of the kernel density of the context [N_c, dx+1]. Their weights add up to pool_weight or, of a
// kernel, to less. There are none without a weight, or if no point is near.
func (r *Predictive) Beside(context, x []float32) []likelihood.Part {
	return r.beside(context, x, r.pool)
}

// beside is Beside with another weight.
func (r *Predictive) beside(context, x []float32, pool float64) (parts []likelihood.Part) {
	w := r.kernel
	switch {
	case pool == 0:
		return nil
	case len(w) == 0:
		return []likelihood.Part{{Deviation: 1, Weight: pool}}
	}
	for i, weight := range (kde.Widths{X: w[0], Y: w[1]}).Weights(nil, context, x) {
		if weight > 0 {
			parts = append(parts, likelihood.Part{Mean: float64(context[(i+1)*(r.dx+1)-1]), Deviation: w[1], Weight: pool * weight})
		}
	}
	return parts
}

// Ran is an engine's program after a run.
type Ran interface {
	Input(name string) []float32
	Output(name string) []float32
}

// LogLik returns log p(y) of each point, [B·N], after a run of a program in the Predictive's Mode, with
// besides for the run. It is valid until the next run.
func (r *Predictive) LogLik(p Ran, besides Besides) []float32 {
	ll := p.Output("loglik")
	r.network(p, r.tails, ll)
	besides.pool(r.pool, ll, ll)
	return ll
}

// pointsAtOnce bounds the memory of the distributions of a run.
const pointsAtOnce = 256

// network sets ll, [B·N], to log p(y) of each point under the network alone: with these tails if the
// Predictive has some itself.
func (r *Predictive) network(p Ran, tails likelihood.Tails, ll []float32) {
	if r.tails == nil {
		copy(ll, p.Output("loglik"))
		return
	}
	raw, y, columns := p.Output("components"), p.Input("y"), r.model.RowWidth()
	for from := 0; from < len(ll); from += pointsAtOnce {
		n := min(pointsAtOnce, len(ll)-from)
		each := r.model.Gaussians(raw[columns*from:][:columns*n], n)
		for i := range n {
			sum := 0.0
			for c, m := range each[r.dy*i:][:r.dy] {
				sum += tails.LogDensityOf(m, float64(y[r.dy*(from+i)+c]))
			}
			ll[from+i] = float32(sum)
		}
	}
}

// MeanLogLik returns the log of the mean density of each point, given its log density under each
// network.
func MeanLogLik(networks [][]float32) []float32 {
	if len(networks) == 1 {
		return networks[0]
	}
	mean, each := make([]float32, len(networks[0])), make([]float64, len(networks))
	for n := range mean {
		for i, loglik := range networks {
			each[i] = float64(loglik[n])
		}
		mean[n] = float32(likelihood.LogSumExp(each) - math.Log(float64(len(networks))))
	}
	return mean
}

// Besides hold, for each point, the density of the simple model at its y and the weight there, 1 or that of a
// kernel, and the logarithm of the density times the weight. They are nil without a simple model.
type Besides []struct{ weight, log float64 }

// Besides returns what the simple model says of each point, [B·N], of the inputs of a program. It does
// not depend on the weights of the network.
func (r *Predictive) Besides(p Ran, e ops.Extents) Besides {
	if r.pool == 0 {
		return nil
	}
	density := likelihood.GaussianDensity
	if r.model.Quantile() {
		density = likelihood.LaplaceDensity
	}
	context, x, y := p.Input("context"), p.Input("x"), p.Input("y")
	all, of := make(Besides, e.Functions*e.Points), e.Context*(r.dx+r.dy)
	for i := range all {
		parts := r.beside(context[i/e.Points*of:][:of], x[i*r.dx:][:r.dx], 1)
		for _, part := range parts {
			all[i].weight += part.Weight
		}
		all[i].log = density(parts, float64(y[i]))
	}
	return all
}

// pool sets pooled to the log density of each point if the simple model has this weight, from that of
// the network alone. Both may be the same slice.
func (b Besides) pool(weight float64, network, pooled []float32) {
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
