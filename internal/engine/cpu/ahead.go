package cpu

import (
	"github.com/acqnp/acqnp/internal/ops"
	"github.com/acqnp/acqnp/internal/simd"
)

// cold is what a wide layer reads that the units before it have pushed out of the core's cache: the
// layers of a deep network push out one another's weights and gradients, and a product would wait
// for them line by line. So a layer's products fetch what the next layer needs while they multiply.
// The wide layers of a stage form a ring, since the next tile's first layer follows the last. nil
// stands for a narrow layer, which takes no part.
type cold struct {
	forward, back *simd.Packed // the packed weight: of a layer, of a gradient
	in, dw        *operand     // of a gradient: the layer's input, where its weight's gradient goes
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

// duringFirst returns what the first of a gradient's two products fetches: the weight of the
// second, and the sum that the next layer's first product adds to.
func (l *cold) duringFirst(wk *worker, t *tile) *simd.Ahead {
	if l == nil {
		return nil
	}
	wk.ahead.Set(l.back.Memory(), l.next.sum(wk, t))
	return &wk.ahead
}

// duringLast returns what a layer's last product fetches.
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
