package cpu

import (
	"github.com/acqnp/acqnp/internal/ops"
	"github.com/acqnp/acqnp/internal/simd"
)

// cold is what a layer reads that the units before it leave outside the core's cache: the layers of a deep network push one
// another's weights and gradients out, and a product would wait for them line by line. So while a layer's products multiply,
// they fetch what is cold to the next. The layers of a stage form a ring, since its last is followed by the next tile's
// first. nil stands for layers too narrow to have part in that.
type cold struct {
	forward, back *simd.Packed
	in, dw        *operand // of a gradient
	next          *cold
}

// linkLayers joins the wide layers of a stage to a ring.
func (c *compiler) linkLayers(s *stage) {
	var ring []*cold
	for _, u := range s.units {
		w := c.weights[weightOf(u)]
		if w == nil || w.in < narrow || w.out < narrow {
			continue
		}
		l := &cold{forward: w.forward}
		if u.Op.Kind == ops.LinearGrad {
			l = &cold{back: w.back, in: c.in(u.In[2]), dw: c.out(u.Out[ops.WeightGrad])}
		}
		c.cold[u] = l
		ring = append(ring, l)
	}
	for i, l := range ring {
		l.next = ring[(i+1)%len(ring)]
	}
}

// duringFirst is what a gradient's first product of two fetches: the weights of its second and where the next layer's
// first adds to.
func (l *cold) duringFirst(wk *worker, t *tile) *simd.Ahead {
	if l == nil {
		return nil
	}
	wk.ahead.Set(l.back.Memory(), l.next.sum(wk, t))
	return &wk.ahead
}

// duringLast is what a layer's last product fetches.
func (l *cold) duringLast(wk *worker, t *tile) *simd.Ahead {
	switch {
	case l == nil:
		return nil
	case l.next.forward != nil:
		wk.ahead.Set(l.next.forward.Memory(), nil)
	case l.forward != nil:
		wk.ahead.Set(l.next.in.at(wk, t), l.next.sum(wk, t))
	default:
		wk.ahead.Set(l.next.in.at(wk, t), nil)
	}
	return &wk.ahead
}

func (l *cold) sum(wk *worker, t *tile) []float32 {
	if l.dw == nil {
		return nil
	}
	return l.dw.at(wk, t)
}
