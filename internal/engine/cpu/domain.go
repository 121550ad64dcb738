package cpu

import (
	"github.com/acqnp/acqnp/internal/engine/analysis"
	"github.com/acqnp/acqnp/internal/models/ops"
)

// The domain of a stage is the space whose rows are divided into tiles: groups, context points or
// points, with all their levels. A stage of parameters and scalars is not divided; its domain is whole.
const whole = ops.Parameter

// domainOf returns the domain of a unit: the finest space among those of its values. If tiles hold whole
// groups, a unit without levels has the domain of groups.
func domainOf(u *analysis.Unit, wholeGroups bool) ops.Space {
	d := whole
	for _, v := range append(u.Outs(), u.In...) {
		switch v.Space {
		case ops.Group, ops.Ensemble:
			d = max(d, ops.Group)
		case ops.Context, ops.Resample:
			d = max(d, ops.Context)
		case ops.Point, ops.Row:
			d = max(d, ops.Point)
		}
		wholeGroups = wholeGroups && !leveled(v.Space)
	}
	if wholeGroups {
		return min(d, ops.Group)
	}
	return d
}

// leveled reports whether a space has a row for every level.
func leveled(s ops.Space) bool { return s == ops.Ensemble || s == ops.Resample || s == ops.Row }
