package onnx

import (
	"math"
	"slices"

	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/models/mixed"
)

// baseline standardises p again by the mixed models, as datasets.Baseline does. With the mean m and the
// deviation s that a channel's model predicts, y becomes (y − m)/s, and x gains the columns m and log s.
func (g *graph) baseline(b datasets.Baseline, p *standardised, r presence) {
	contextX, contextY, x := g.widen(p.contextX), g.widen(p.contextY), g.widen(p.x)
	var means, logs [2][]value // of the context and of the targets, for each channel
	for c, m := range b {
		given := g.given(m, contextX, g.columns(contextY, c, c+1), r)
		for i, at := range []value{contextX, x} {
			mean, log := given.predict(at)
			means[i], logs[i] = append(means[i], mean), append(logs[i], log)
		}
	}
	columns := func(i int) value { return g.cast(g.concat(-1, slices.Concat(means[i], logs[i])...), float32s) }
	ofContext, ofTargets := columns(0), columns(1)
	p.contextX, p.x = g.concat(-1, p.contextX, ofContext), g.concat(-1, p.x, ofTargets)

	split := func(v value) (mean, deviation value) {
		v = g.widen(v)
		return g.columns(v, 0, len(b)), g.op("Exp", g.columns(v, len(b), 2*len(b)))
	}
	mean, deviation := split(ofContext)
	p.contextY = g.cast(g.div(g.sub(contextY, mean), deviation), float32s)
	mean, deviation = split(ofTargets)
	p.offset = g.unsqueeze(g.add(p.offset, g.mul(p.factor, mean)), 2)
	p.factor = g.unsqueeze(g.mul(p.factor, deviation), 2)
}

// A posterior is a mixed model conditioned on the context of each function, in float64. mean and
// covariance are those of the model's d standardised coefficients.
type posterior struct {
	*graph
	model      mixed.Model
	covariance value // [B, d, d]
	mean       value // [B, d, 1]
}

// given conditions the model on context points x [B, N_c, dx] and y [B, N_c, 1]. The covariance is (I +
// aᵀa/σ²)⁻¹, where a are the rows of the standardised design and σ is the deviation of the noise.
func (g *graph) given(m mixed.Model, x, y value, r presence) posterior {
	a, fixed := g.design(m, x)
	weighted := g.mul(g.transpose(a, 0, 2, 1), g.double(1/(m.Noise*m.Noise)))
	if r.mask != "" {
		weighted = g.op("Where", g.transpose(r.mask, 1, 0), weighted, g.double(0))
	}
	d := coefficients(m)
	identity := make([]float64, d*d)
	for i := range d {
		identity[i*d+i] = 1
	}
	precision := g.add(g.doubles(identity, d, d), g.matmul(weighted, a))
	p := posterior{graph: g, model: m, covariance: g.inverse(precision, d)}
	p.mean = g.matmul(p.covariance, g.matmul(weighted, g.sub(y, fixed)))
	return p
}

// predict returns the mean and the logarithm of the deviation of y, [B, ·, 1] each, at x [B, ·,
// dx].
func (p posterior) predict(x value) (mean, log value) {
	a, fixed := p.design(p.model, x)
	mean = p.add(fixed, p.matmul(a, p.mean))
	spread := p.sum(p.mul(p.matmul(a, p.covariance), a), -1)
	variance := p.add(spread, p.double(p.model.Noise*p.model.Noise))
	return mean, p.mul(p.double(0.5), p.op("Log", variance))
}

// design returns the rows [q(x), p(x)]·factor, [B, ·, d], and βᵀp(x), [B, ·, 1], for x [B, ·, dx].
func (g *graph) design(m mixed.Model, x value) (rows, fixed value) {
	p, d := g.powers(x, m.Form.Fixed), coefficients(m)
	row := g.concat(-1, g.powers(x, m.Form.Random), p)
	return g.matmul(row, g.doubles(lower(m.Factor, d), d, d)), g.matmul(p, g.doubles(m.Beta, len(m.Beta), 1))
}

// coefficients returns the number of coefficients d of a model.
func coefficients(m mixed.Model) int { return int(math.Sqrt(float64(len(m.Factor)))) }

// lower returns the lower triangle of a matrix [d, d].
func lower(m []float64, d int) []float64 {
	m = slices.Clone(m)
	for i := range d {
		clear(m[i*d+i+1 : (i+1)*d])
	}
	return m
}

// powers returns 1 and the powers of the columns of x [B, ·, dx] up to the highest of each.
func (g *graph) powers(x value, highest []int) value {
	one := g.op("Expand", g.doubles([]float64{1}, 1, 1, 1), g.op("Shape", g.columns(x, 0, 1)))
	all := []value{one}
	for c, n := range highest {
		if n == 0 {
			continue
		}
		column := g.columns(x, c, c+1)
		v := column
		for k := range n {
			if k > 0 {
				v = g.mul(v, column)
			}
			all = append(all, v)
		}
	}
	return g.concat(-1, all...)
}

// inverse returns the inverse of positive definite matrices a [B, d, d] by the sweep operator. A
// sweep over column k, with the pivot p = a_kk, is a − (a_k − e_k)(a_k − e_k)ᵀ/p − 2·e_k·e_kᵀ.
// After a sweep over each, a is −a⁻¹. All pivots are positive, so rows are not exchanged.
func (g *graph) inverse(a value, d int) value {
	for k := range d {
		unit, corner := make([]float64, d), make([]float64, d*d)
		unit[k], corner[k*d+k] = 1, 2
		column := g.slice(a, 2, k, k+1)
		pivot := g.slice(column, 1, k, k+1)
		rest := g.sub(column, g.doubles(unit, d, 1))
		outer := g.div(g.mul(rest, g.transpose(rest, 0, 2, 1)), pivot)
		a = g.sub(g.sub(a, outer), g.doubles(corner, d, d))
	}
	return g.op("Neg", a)
}
