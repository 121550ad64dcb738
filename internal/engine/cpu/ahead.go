package cpu

import (
	"github.com/acqnp/acqnp/internal/models/ops"
	"github.com/acqnp/acqnp/internal/simd"
)

// cold is the memory of a wide layer that is not in the core's cache when the layer starts: the
// layers of a deep network evict one another's weights and gradients, and a product would wait for
// them line by line. So a layer's products fetch what the next layer needs while they multiply. The
// wide layers of a stage form a ring, because the last layer of a tile is followed by the first of
// the next tile. A narrow layer has a nil cold and fetches nothing.
type cold struct {
	forward, back []float32 // the packed weight: of a layer in forward, of a gradient in back
	in, dw        *operand  // of a gradient: the layer's input, the result for its weight's gradient
	next          *cold
}

// linkLayers joins the wide layers of a stage in a ring.
func (c *compiler) linkLayers(s *stage) {
	var ring []*cold
	for _, u := range s.units {
		w := c.weights[weightOf(u)]
		if w == nil || w.in < narrow || w.out < narrow {
			continue
		}
		l, forward, back := &cold{}, w.forward.Memory, w.back.Memory
		if c.inHalves(u) {
			forward, back = w.halves.forward.Memory, w.halves.back.Memory
		}
		if u.Op.Kind == ops.LinearGrad {
			l.back, l.in, l.dw = back(), c.reads(u.In[2]), c.writes(u.Out[ops.WeightGrad])
		} else {
			l.forward = forward()
		}
		c.cold[u] = l
		ring = append(ring, l)
	}
	for i, l := range ring {
		l.next = ring[(i+1)%len(ring)]
	}
}

// duringFirst returns what the first of a gradient's two products fetches: the weight that the
// second reads, and the sum to which the next layer's first product adds.
func (l *cold) duringFirst(wk *worker, t *tile) *simd.Ahead {
	if l == nil {
		return nil
	}
	wk.ahead.Set(l.back, l.next.sum(wk, t))
	return &wk.ahead
}

// duringLast returns what a layer's last product fetches.
func (l *cold) duringLast(wk *worker, t *tile) *simd.Ahead {
	switch {
	case l == nil:
		return nil
	case l.next.forward != nil:
		wk.ahead.Set(l.next.forward, nil)
	case l.forward != nil:
		wk.ahead.Set(l.next.in.slice(wk, t), l.next.sum(wk, t))
	default:
		wk.ahead.Set(l.next.in.slice(wk, t), nil)
	}
	return &wk.ahead
}

func (l *cold) sum(wk *worker, t *tile) []float32 {
	if l.dw == nil {
		return nil
	}
	return l.dw.slice(wk, t)
}
