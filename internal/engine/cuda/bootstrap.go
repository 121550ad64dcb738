package cuda

import (
	"github.com/acqnp/acqnp/internal/engine/analysis"
	"github.com/acqnp/acqnp/internal/models/ops"
)

func (c *compiler) ensembleAdd(u *analysis.Unit) {
	a, e, out := u.In[0], u.In[1], u.Out[0]
	c.put(byPiece, task{op: opEnsembleAdd, s: int(out.Space), other: int(a.Space), d: out.Width, relu: u.Op.ReLU, a: c.at(a), b: c.at(e), out: c.at(out)})
}

func (c *compiler) ensembleAddGrad(u *analysis.Unit) {
	grad, result := u.In[0], u.In[1]
	above := map[ops.Space]ops.Space{ops.Row: ops.Point, ops.Resample: ops.Context}[grad.Space]
	for part, op := range [...]operation{ops.PointGrad: opEnsembleAddGradPoint, ops.EnsembleGrad: opEnsembleAddGradLevel} {
		if out := u.Out[part]; out != nil {
			c.put(byPiece, task{op: op, s: int(out.Space), other: int(above), d: out.Width, relu: u.Op.ReLU, a: c.at(grad), b: c.at(result), out: c.at(out)})
		}
	}
}

func (c *compiler) gather(u *analysis.Unit) {
	values, index, out := u.In[0], u.In[1], u.Out[0]
	c.put(byPiece, task{op: opGather, s: int(out.Space), other: int(values.Space), d: out.Width, a: c.at(values), b: c.at(index), out: c.at(out)})
}

func (c *compiler) residual(u *analysis.Unit) {
	decoded, y, out := u.In[0], u.In[1], u.Out[0]
	t := task{op: opResidual, s: int(out.Space), d: out.Width, number: u.Op.Floor, a: c.at(decoded), b: c.at(y), out: c.at(out)}
	t.local = present(t.a)
	c.put(byPiece, t)
}

func (c *compiler) perturb(u *analysis.Unit) {
	decoded, residuals, means, out := u.In[0], u.In[1], u.In[2], u.Out[0]
	t := task{op: opPerturb, s: int(out.Space), d: out.Width, number: u.Op.Floor, a: c.at(decoded), b: c.at(residuals), c: c.at(means), out: c.at(out)}
	t.local = present(t.a, t.b)
	c.put(byPiece, t)
}
