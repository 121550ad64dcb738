package simple

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/points"
)

// A scaling standardises a column: (v − centre)/width.
type scaling struct {
	Centre float64 `json:"centre"`
	Width  float64 `json:"width"`
}

func (s scaling) standardise(v float64) float64 { return (v - s.Centre) / s.Width }
func (s scaling) restore(z float64) float64     { return s.Centre + s.Width*z }

// scalingOf returns the scaling to mean 0 and deviation 1, little changed by outliers: values beyond twice
// the distance of the tenth and the ninetieth percentile count as if they lay there. Otherwise a few
// outliers would squeeze all others together. A column without a width keeps its units. A value counts as often as
// times says; nil for once.
func scalingOf(values, times []float64) scaling {
	most := 0.0
	for _, v := range values {
		most = max(most, math.Abs(v))
	}
	if most == 0 {
		return scaling{0, 1}
	}
	z := make([]float64, len(values)) // in units in which squares neither overflow nor vanish
	for i, v := range values {
		z[i] = v / most
	}
	low, high := tenths(z, times)
	if reach := 2 * (high - low); reach > 0 {
		for i, v := range z {
			z[i] = min(max(v, low-reach), high+reach)
		}
	}
	n, mean, squares := float64(len(z)), 0.0, 0.0
	if times != nil {
		n = floats.Sum(times)
	}
	weigh := func(i int, v float64) float64 {
		if times == nil {
			return v
		}
		return times[i] * v
	}
	for i, v := range z {
		mean += weigh(i, v) / n
	}
	for i, v := range z {
		squares += weigh(i, (v-mean)*(v-mean)) / n
	}
	// Below, the deviation is rounding.
	if width := math.Sqrt(squares); width > 1e-13 {
		return scaling{mean * most, width * most}
	}
	return scaling{mean * most, max(most*1e-9, math.SmallestNonzeroFloat64*1e20)}
}

// tenths returns the tenth and the ninetieth percentile. Values without times are sorted.
func tenths(z, times []float64) (low, high float64) {
	if times == nil {
		slices.Sort(z)
		return z[len(z)/10], z[len(z)-1-len(z)/10]
	}
	order := points.Spread(len(z), len(z))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(z[a], z[b]) })
	at := func(rank float64) float64 { // of the rows, if each stood there as often as it counts
		for _, i := range order {
			if rank -= times[i]; rank < 0 {
				return z[i]
			}
		}
		return z[order[len(order)-1]]
	}
	n := floats.Sum(times)
	tenth := math.Floor(n / 10)
	return at(tenth), at(n - 1 - tenth)
}

// Units are the scalings of the columns of x and of y. A model that embeds them has what all models have in common.
type Units struct {
	X []scaling `json:"x"` // [DX]
	Y scaling   `json:"y"`

	Far bool `json:"far,omitempty"` // predictions have far tails
}

// Columns implements [Model].
func (u Units) Columns() int { return len(u.X) }

// AddFarTails implements [Model].
func (u *Units) AddFarTails() { u.Far = true }

// Work implements [Model].
func (Units) Work(known, targets int) float64 { return 0 }

// check returns an error unless all widths are above 0.
func (u Units) check() error {
	for _, s := range append([]scaling{u.Y}, u.X...) {
		if !(s.Width > 0) || sound(lengthOf{[]float64{s.Centre, s.Width}, 2}) != nil {
			return errDamaged
		}
	}
	if len(u.X) == 0 {
		return errDamaged
	}
	return nil
}

// unitsOf returns the units in which most points of the groups have mean 0 and deviation 1. A column of
// x with two values is scaled to a distance of 2 between these, however rare one is.
func unitsOf(groups []points.Group) Units {
	u := Units{X: make([]scaling, groups[0].DX)}
	var y, times []float64
	for _, g := range groups {
		y, times = append(y, g.Y...), append(times, g.Weights...)
	}
	column := make([]float64, 0, len(y))
	for c := range u.X {
		column = column[:0]
		for _, g := range groups {
			column = append(column, g.Column(c)...)
		}
		u.X[c] = scalingOf(column, times)
		if low, high, two := twoValues(column); two {
			u.X[c].Width = high/2 - low/2
		}
	}
	u.Y = scalingOf(y, times)
	return u
}

// twoValues returns the two values of a column, and reports whether it has no others.
func twoValues(column []float64) (low, high float64, two bool) {
	low, high = slices.Min(column), slices.Max(column)
	return low, high, low < high && !slices.ContainsFunc(column, func(v float64) bool { return v != low && v != high })
}

// pressed returns z up to 6 in absolute value. Beyond, it grows only with the logarithm of z, which limits
// the leverage of outliers.
func pressed(z float64) float64 {
	if a := math.Abs(z); a > 6 {
		return math.Copysign(6+math.Log1p(a-6), z)
	}
	return z
}

// group returns the points of a group standardised.
func (u Units) group(g points.Points) points.Points {
	z := g
	z.X, z.Y, z.Beyond = make([]float64, len(g.X)), make([]float64, len(g.Y)), nil
	for i, v := range g.X {
		z.X[i] = pressed(u.X[i%g.DX].standardise(v))
	}
	for i, v := range g.Y {
		z.Y[i] = u.Y.standardise(v)
	}
	for _, v := range g.Beyond {
		z.Beyond = append(z.Beyond, v/u.Y.Width)
	}
	return z
}

// groups returns the groups that have points standardised, each of at most per points.
func (u Units) groups(all []points.Group, per int) (some []points.Group) {
	for _, g := range all {
		if g.Len() > 0 {
			g.Points = u.group(g.Points).Thin(per)
			some = append(some, g)
		}
	}
	return some
}

// mixture returns the mixture of Gaussians of standardised y with logits, in the units of the data, with
// far tails if the units have them.
func (u Units) mixture(parts []likelihood.Gaussian, logs []float64) likelihood.GaussianMixture {
	if u.Far {
		parts, logs = withFarTails(parts, logs)
	}
	for i, g := range parts {
		parts[i] = likelihood.Gaussian{Mean: u.Y.restore(g.Mean), Scale: u.Y.Width * g.Scale}
	}
	return likelihood.WeightedGaussians(parts, logs)
}

// farTails are the deviations of the far tails, in those of a mixture.
var farTails = []float64{10, 1e3, 1e5, 1e7, 1e9}

// withFarTails adds the far tails to a mixture of Gaussians with these logits.
func withFarTails(parts []likelihood.Gaussian, logs []float64) ([]likelihood.Gaussian, []float64) {
	total := likelihood.LogSumExp(logs)
	mean, variance := 0.0, 0.0
	for i, g := range parts {
		mean += math.Exp(logs[i]-total) * g.Mean
	}
	for i, g := range parts {
		variance += math.Exp(logs[i]-total) * (g.Scale*g.Scale + (g.Mean-mean)*(g.Mean-mean))
	}
	for _, far := range farTails {
		parts = append(parts, likelihood.Gaussian{Mean: mean, Scale: far * math.Sqrt(variance)})
		logs = append(logs, total+math.Log(0.01/(far*far)))
	}
	return parts, logs
}
