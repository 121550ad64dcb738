package cpu

import (
	"github.com/acqnp/acqnp/internal/engine/plan"
	"github.com/acqnp/acqnp/internal/ops"
)

// domain is what the tiles of a stage are runs of.
type domain uint8

const (
	whole     domain = iota // parameters and scalars: one tile
	functions               // runs of functions with all their levels
	contexts                // runs of context points with all their levels
	points                  // runs of points with all their levels
)

// unitDomain is what the tiles of a unit are runs of: the finest of its spaces. Of a gradient's parts, the inputs are common
// and no finer result exists.
func unitDomain(u *plan.Unit) domain {
	var spaces []ops.Space
	for _, v := range append(u.Outs(), u.In...) {
		spaces = append(spaces, v.Space)
	}
	return domainOf(spaces...)
}

func domainOf(spaces ...ops.Space) domain {
	d := whole
	for _, s := range spaces {
		switch s {
		case ops.Function, ops.Ensemble:
			d = max(d, functions)
		case ops.Context, ops.Resample:
			d = max(d, contexts)
		case ops.Point, ops.Row:
			d = max(d, points)
		}
	}
	return d
}

// unitSpace is the index space that a domain's tiles are runs of.
func (d domain) unitSpace() ops.Space {
	return [...]ops.Space{ops.Parameter, ops.Function, ops.Context, ops.Point}[d]
}
