package likelihood

import "math"

// A Scale is what a part of a mixture is a distribution of: y itself, log y or √y. The root has the sign of y; what a
// part of √y has below 0 is for a [Support] to move to 0.
type Scale string

// The scales, by their names in files.
const (
	OfY   Scale = ""
	LogY  Scale = "log"
	RootY Scale = "sqrt"
)

// Place returns the number on the scale that stands for y. That of log y is −Inf for a y of 0 or less.
func (s Scale) Place(y float64) float64 {
	switch s {
	case LogY:
		if !(y > 0) {
			return math.Inf(-1)
		}
		return math.Log(y)
	case RootY:
		return math.Copysign(math.Sqrt(math.Abs(y)), y)
	}
	return y
}

// Value returns the y of a number on the scale.
func (s Scale) Value(z float64) float64 {
	switch s {
	case LogY:
		return math.Exp(z)
	case RootY:
		return z * math.Abs(z)
	}
	return z
}

// logSlope returns log(dy/dz) at a number z on the scale, and 0 where no y has it.
func (s Scale) logSlope(z float64) float64 {
	switch {
	case s == LogY && !math.IsInf(z, -1):
		return z
	case s == RootY:
		return math.Log(2 * math.Abs(z))
	}
	return 0
}

// units returns the units on the scale for those of y, which have no offset on another scale.
func (s Scale) units(u Units) Units {
	switch s {
	case LogY:
		return Units{Factor: 1, Offset: math.Log(u.Factor)}
	case RootY:
		return Units{Factor: math.Sqrt(u.Factor)}
	}
	return u
}
