package likelihood

import (
	"math"

	"github.com/acqnp/acqnp/internal/points"
)

// leastKnown bounds the probability of a side of a limit from below: of a smaller one, float64 does not tell how small.
const leastKnown = 1e-300

// LogKnown returns the log density of an outcome y if side is 0. Otherwise y is a limit, and of the outcome the side is known,
// as points.Points has it: LogKnown returns the logarithm of its probability, −∞ if no value of the outcome is there.
func LogKnown(d Distribution, y float64, side int8) float64 {
	if side == 0 {
		return d.LogDensity(y)
	}
	p, least := sideOf(d, y, side), leastKnown
	if low, high := d.Support().Bounds(); side < 0 && y <= low || side > 0 && y >= high {
		least = 0
	}
	return math.Log(max(p, least))
}

// PITKnown returns the PIT of an outcome y if side is 0, see [PIT], and otherwise that of an outcome drawn from what the
// distribution says of the known side: the quantile of the level u, uniform, among the outcomes on it.
func PITKnown(d Distribution, y float64, side int8, u float64) float64 {
	switch p := sideOf(d, y, side); {
	case side < 0:
		return u * p
	case side > 0:
		return 1 - (1-u)*p
	}
	return PIT(d, y, u)
}

// QuantileKnown returns the outcome of level u among those on the known side of a limit.
func QuantileKnown(d Distribution, limit float64, side int8, u float64) float64 {
	v := d.Quantile(PITKnown(d, limit, side, u))
	if side < 0 {
		return min(v, limit)
	}
	return max(v, limit)
}

// sideOf returns the probability of a side of a limit.
func sideOf(d Distribution, limit float64, side int8) float64 {
	switch side {
	case points.Below:
		return d.CDF(math.Nextafter(limit, math.Inf(-1)))
	case points.AtMost:
		return d.CDF(limit)
	case points.AtLeast:
		return d.Survival(math.Nextafter(limit, math.Inf(-1)))
	}
	return d.Survival(limit)
}
