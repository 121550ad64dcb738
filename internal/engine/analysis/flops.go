package analysis

import "github.com/acqnp/acqnp/internal/models/ops"

// FLOPs counts the floating-point operations of one run at the extents: two for each multiply-add
// in the matrix products of layers, attentions and their gradients. Elementwise operations and sums
// do not count, nor does what an engine computes a second time.
func (a *Analysis) FLOPs(e ops.Extents) float64 {
	total := 0.0
	for _, u := range a.Units {
		if u.Op != nil {
			total += 2 * u.Op.MultiplyAdds(e, u.needs())
		}
	}
	return total
}

// needs says which parts the graph needs.
func (u *Unit) needs() (parts [3]bool) {
	for i, v := range u.Out {
		parts[i] = v != nil
	}
	return parts
}
