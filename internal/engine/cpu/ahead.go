package cpu

import "github.com/acqnp/acqnp/internal/simd"

// cold is what a layer reads that the units before it leave outside the core's cache: the layers of a deep network push one
// another's weights and gradients out, and a product would wait for them line by line. So while a layer's products multiply,
// they fetch what is cold to the next. The layers of a stage form a ring, since its last is followed by the next tile's
// first. nil stands for layers too narrow to have part in that.
type cold struct {
	forward, back *simd.Packed
	in, dw        *operand // of a gradient
	next          *cold
}

// join puts a layer behind the others of its stage.
func (c *compiler) join(w *weight, reads cold) *cold {
	if w.in < narrow || w.out < narrow {
		return nil
	}
	l := &reads
	if n := len(c.ring); n > 0 {
		c.ring[n-1].next = l
	}
	c.ring = append(c.ring, l)
	l.next = c.ring[0]
	return l
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
