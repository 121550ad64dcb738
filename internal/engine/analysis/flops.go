package analysis

import "github.com/acqnp/acqnp/internal/models/ops"

// FLOPs counts the floating-point operations of one run at the extents: two for each multiply-add
// in the matrix products of layers, attentions and their gradients. Elementwise operations and sums
// do not count, nor does what an engine computes a second time.
func (a *Analysis) FLOPs(e ops.Extents) float64 {
	total := 0.0
	for _, u := range a.Units {
		if u.Op != nil {
			total += 2 * u.multiplyAdds(e)
		}
	}
	return total
}

// multiplyAdds counts the multiply-adds of a unit's matrix products.
func (u *Unit) multiplyAdds(e ops.Extents) float64 {
	n := 0.0
	switch u.Op.Kind {
	case ops.Linear: // in·Wᵀ; inputs base, in, W
		n = rows(u.In[1], e) * columns(u.In[1]) * columns(u.Out[0])
	case ops.LinearGrad: // g·W and gᵀ·in; inputs g, the result, in, W. The base's gradient is a sum.
		product := rows(u.In[2], e) * columns(u.In[2]) * columns(u.In[0])
		n = product * float64(u.asked(ops.InGrad)+u.asked(ops.WeightGrad))
	case ops.Attention: // q·kᵀ, and the weights by v
		n = 2 * pairs(u.In[0], e)
	case ops.AttentionGrad: // the weights' gradient g·vᵀ, and a product of it for each part; inputs g, the result, q, k, v
		n = pairs(u.In[0], e) * float64(max(u.asked(ops.QueryGrad), u.asked(ops.KeyGrad))+
			u.asked(ops.QueryGrad)+u.asked(ops.KeyGrad)+u.asked(ops.ValueGrad))
	}
	return n
}

// pairs counts the multiply-adds of every point with every context point of its function, in all
// heads together.
func pairs(perPoint *Value, e ops.Extents) float64 {
	return rows(perPoint, e) * float64(e.Context) * columns(perPoint)
}

// asked returns 1 if the graph needs a part, otherwise 0.
func (u *Unit) asked(part int) int {
	if u.Out[part] == nil {
		return 0
	}
	return 1
}

func rows(v *Value, e ops.Extents) float64 { return float64(e.Rows(v.Space)) }

func columns(v *Value) float64 { return float64(v.Width) }
