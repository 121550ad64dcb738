package cpu

import (
	"fmt"

	"github.com/acqnp/acqnp/internal/engine/plan"
	"github.com/acqnp/acqnp/internal/ops"
	"github.com/acqnp/acqnp/internal/simd"
)

// kernel makes the kernel of a unit.
func (c *compiler) kernel(u *plan.Unit) (kernel, error) {
	if u.Op == nil {
		return c.addition(u), nil
	}
	switch u.Op.Kind {
	case ops.Linear:
		return c.linear(u), nil
	case ops.LinearGrad:
		return c.linearGrad(u), nil
	case ops.SetMean:
		return c.setMean(u), nil
	case ops.SetMeanGrad:
		return c.setMeanGrad(u), nil
	case ops.Columns:
		return c.columns(u), nil
	case ops.Sigmoid:
		return c.slicewise(u, sigmoid), nil
	case ops.SigmoidGrad:
		return c.sigmoidGrad(u), nil
	case ops.UniformLevel:
		return c.elementwise(u, func(u float32) float32 { return ops.LevelFloor + (1-2*ops.LevelFloor)*u }), nil
	case ops.UniformLogit:
		return c.slicewise(u, uniformLogit), nil
	case ops.Attention:
		return c.attention(u), nil
	case ops.AttentionGrad:
		return c.attentionGrad(u), nil
	case ops.EnsembleAdd:
		return c.ensembleAdd(u), nil
	case ops.EnsembleAddGrad:
		return c.ensembleAddGrad(u), nil
	case ops.Gather:
		return c.gather(u), nil
	case ops.Residual:
		return c.residual(u), nil
	case ops.Perturb:
		return c.perturb(u), nil
	}
	return c.likelihoodKernel(u)
}

func (c *compiler) likelihoodKernel(u *plan.Unit) (kernel, error) {
	switch u.Op.Kind {
	case ops.GaussianLik:
		return c.gaussian(u), nil
	case ops.GaussianLikGrad:
		return c.gaussianGrad(u), nil
	case ops.MixtureLik:
		return c.mixture(u), nil
	case ops.MixtureLikGrad:
		return c.mixtureGrad(u), nil
	case ops.LogMeanExp:
		return c.logMeanExp(u), nil
	case ops.LogMeanExpGrad:
		return c.logMeanExpGrad(u), nil
	case ops.NegMean:
		return c.negMean(u), nil
	case ops.NegMeanGrad:
		return c.negMeanGrad(u), nil
	}
	return nil, fmt.Errorf("cpu: no kernel for %v", u.Op)
}

func (c *compiler) elementwise(u *plan.Unit, f func(float32) float32) kernel {
	in, out := c.in(u.In[0]), c.out(u.Out[0])
	return func(w *worker, t *tile) {
		y := out.at(w, t)
		for i, x := range in.at(w, t) {
			y[i] = f(x)
		}
	}
}

func (c *compiler) columns(u *plan.Unit) kernel {
	in, out := c.in(u.In[0]), c.out(u.Out[0])
	from := u.Op.From
	return func(w *worker, t *tile) {
		x, y := in.at(w, t), out.at(w, t)
		for i := range len(y) / out.width {
			copy(y[i*out.width:(i+1)*out.width], x[i*in.width+from:])
		}
	}
}

func (c *compiler) slicewise(u *plan.Unit, f func(dst, x []float32)) kernel {
	in, out := c.in(u.In[0]), c.out(u.Out[0])
	return func(w *worker, t *tile) { f(out.at(w, t), in.at(w, t)) }
}

func sigmoid(dst, z []float32) {
	var softplus [256]float32 // of no use
	for len(z) > 0 {
		n := min(len(z), len(softplus))
		simd.SoftplusSigmoid(softplus[:n], dst[:n], z[:n])
		dst, z = dst[n:], z[n:]
	}
}

// uniformLogit is log(τ/(1−τ)) for τ = 0.001 + 0.998·u; 1−u is exact, so nothing is lost near 1.
func uniformLogit(dst, u []float32) {
	const span = 1 - 2*ops.LevelFloor
	for i, v := range u {
		dst[i] = (ops.LevelFloor + span*v) / (ops.LevelFloor + span*(1-v))
	}
	simd.Log(dst, dst)
}

func (c *compiler) sigmoidGrad(u *plan.Unit) kernel {
	grad, result, out := c.in(u.In[0]), c.in(u.In[1]), c.out(u.Out[0])
	return func(w *worker, t *tile) {
		y, s := out.at(w, t), result.at(w, t)
		for i, g := range grad.at(w, t) {
			y[i] = flush(g * s[i] * (1 - s[i]))
		}
	}
}

func (c *compiler) addition(u *plan.Unit) kernel {
	a, b, out := c.in(u.In[0]), c.in(u.In[1]), c.out(u.Out[0])
	if a.space == ops.Parameter { // packed [rows, width] where span would give one row
		return func(*worker, *tile) {
			copy(out.data, a.data)
			add(out.data, b.data)
		}
	}
	return func(w *worker, t *tile) {
		y, right := out.at(w, t), b.at(w, t)
		for i, v := range a.at(w, t) {
			y[i] = v + right[i]
		}
	}
}

// setMean adds a tile's share of the means over context points; rows are context points, or their bootstraps, whose
// means lie side by side.
func (c *compiler) setMean(u *plan.Unit) kernel {
	in, out := c.in(u.In[0]), c.out(u.Out[0])
	d := in.width
	return func(w *worker, t *tile) {
		x, sums, share := in.at(w, t), out.at(w, t), 1/float32(t.e.Context)
		perPoint := t.e.Ratio(in.space, ops.Context) * d
		groups(t, ops.Context, ops.Function, func(k, i, j int) {
			for ; i < j; i++ {
				axpy(share, x[i*perPoint:(i+1)*perPoint], sums[k*perPoint:(k+1)*perPoint])
			}
		})
	}
}

func (c *compiler) setMeanGrad(u *plan.Unit) kernel {
	grad, out := c.in(u.In[0]), c.out(u.Out[0])
	d := out.width
	return func(w *worker, t *tile) {
		g, y, share := grad.at(w, t), out.at(w, t), 1/float32(t.e.Context)
		spread(t, y, ops.Context, g, ops.Function, t.e.Ratio(out.space, ops.Context)*d)
		for i := range y {
			y[i] *= share
		}
	}
}

func (c *compiler) negMean(u *plan.Unit) kernel {
	out := c.out(u.Out[0])
	var in []*operand
	for _, v := range u.In {
		in = append(in, c.in(v))
	}
	return func(w *worker, t *tile) {
		for _, o := range in {
			sum := float32(0)
			for _, v := range o.at(w, t) {
				sum += v
			}
			out.at(w, t)[0] -= sum / float32(t.e.Rows(ops.Point))
		}
	}
}

func (c *compiler) negMeanGrad(u *plan.Unit) kernel {
	grad, out := c.in(u.In[0]), c.out(u.Out[0])
	return func(w *worker, t *tile) {
		g := -grad.data[0] / float32(t.e.Rows(ops.Point))
		y := out.at(w, t)
		for i := range y {
			y[i] = g
		}
	}
}
