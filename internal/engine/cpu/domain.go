package cpu

import (
	"github.com/acqnp/acqnp/internal/engine/analysis"
	"github.com/acqnp/acqnp/internal/models/ops"
)

// domain says what a stage is divided by into tiles: functions, context points or points.
type domain uint8

const (
	whole     domain = iota // not divided: parameters and scalars
	functions               // runs of functions with all their levels
	contexts                // runs of context points with all their levels
	points                  // runs of points with all their levels
)

// domainOfUnit returns the domain of a unit: the finest among those of its values' spaces. If tiles
// hold whole functions, it is functions for units without levels.
func domainOfUnit(u *analysis.Unit, wholeFunctions bool) domain {
	d := whole
	for _, v := range append(u.Outs(), u.In...) {
		switch v.Space {
		case ops.Function, ops.Ensemble:
			d = max(d, functions)
		case ops.Context, ops.Resample:
			d = max(d, contexts)
		case ops.Point, ops.Row:
			d = max(d, points)
		}
		wholeFunctions = wholeFunctions && !leveled(v.Space)
	}
	if wholeFunctions {
		return min(d, functions)
	}
	return d
}

// leveled reports whether a space has a row for every level.
func leveled(s ops.Space) bool { return s == ops.Ensemble || s == ops.Resample || s == ops.Row }

// space returns the index space of a domain. A tile is a run of its rows.
func (d domain) space() ops.Space {
	return [...]ops.Space{ops.Parameter, ops.Function, ops.Context, ops.Point}[d]
}
