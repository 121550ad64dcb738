package figures

import (
	"cmp"
	"math"
	"slices"

	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/predict"
)

// A Density is a predictive distribution of y that a figure shades.
type Density interface {
	CDF(y float64) float64      // P(Y ≤ y)
	Quantile(p float64) float64 // for p in (0, 1)
}

// The masses at which the shading of a density has visible edges. Beyond the last, nothing is
// shaded.
const (
	halfMass   = 0.5
	mostMass   = 0.9
	shadedMass = 0.99
)

// regionMass returns a number for each cell of y between neighbouring edges [n+1], which ascend: the
// probability of all cells that are denser than it. A cell with less than m thus belongs to the
// highest-density region of mass m. Beyond the edges, cells double in width until they hold all but a
// thousandth. If the distribution is not a number, all cells have 1.
//
// A mixture of asymmetric Laplace distributions has a cusp at each location. Regions of it have gaps
// and islands as narrow as the locations are apart, which say nothing about y. So the cells are
// smoothed over a small part of the width that holds half of the probability, unless a value has a probability of
// its own.
func regionMass(d Density, edges []float64) []float64 {
	s, values := supported(d)
	if values {
		d = filled{s}
	}
	n := len(edges) - 1
	all := make([]cell, 0, n+40)
	add := func(row int, mass, width float64) { all = append(all, cell{row, mass, mass / width}) }
	cdf := cdfAt(d, edges)
	lower, at := cdf[0], cdf[n]
	below := lower
	for j := range n {
		add(j, cdf[j+1]-cdf[j], edges[j+1]-edges[j])
	}
	const rest, doublings = 0.0005, 60
	width := edges[1] - edges[0]
	for y, i := edges[0], 0; below > rest && i < doublings; i++ {
		y -= width
		next := d.CDF(y)
		add(-1, below-next, width)
		below, width = next, 2*width
	}
	width = edges[n] - edges[n-1]
	for y, i := edges[n], 0; 1-at > rest && i < doublings; i++ {
		y += width
		next := d.CDF(y)
		add(-1, next-at, width)
		at, width = next, 2*width
	}
	if math.IsNaN(lower) || math.IsNaN(at) {
		return slices.Repeat([]float64{1}, n)
	}
	if values {
		for i := range all { // so that rounding does not divide the cells of a whole number
			all[i].density = math.Exp2(math.Round(math.Log2(all[i].density)*1000) / 1000)
		}
		return denser(all, n)
	}
	half := 0 // rows of the densest half
	for _, mass := range denser(all, n) {
		if mass < halfMass {
			half++
		}
	}
	smoothCells(all[:n], int(math.Round(smoothing*float64(half))))
	return denser(all, n)
}

// supported returns the distribution of an outcome of which values have probabilities of their own.
func supported(d Density) (likelihood.Distribution, bool) {
	if c, ok := d.(corrected); ok {
		d = c.Density
	}
	if p, ok := d.(predict.Distribution); ok {
		d = p.Distribution
	}
	s, ok := d.(likelihood.Distribution)
	return s, ok && !s.Support().Real()
}

// filled is a distribution whose whole numbers fill the space between them.
type filled struct{ likelihood.Distribution }

func (d filled) CDF(y float64) float64 { return likelihood.EvenCDF(d.Distribution, y) }

// cdfAt returns the CDF at the edges: at every second one, and between two the mean of both. Where a block
// of cells holds next to nothing, which is most of a panel, its edges share that.
func cdfAt(d Density, edges []float64) []float64 {
	const block, nothing = 16, 1e-4
	all, last := make([]float64, len(edges)), len(edges)-1
	all[0] = d.CDF(edges[0])
	for from := 0; from < last; from += block {
		to := min(from+block, last)
		all[to] = d.CDF(edges[to])
		step := 2
		if all[to]-all[from] < nothing {
			step = block
		}
		for at := from; at < to; at += step {
			next := min(at+step, to)
			if next < to {
				all[next] = d.CDF(edges[next])
			}
			for i := at + 1; i < next; i++ {
				all[i] = all[at] + (all[next]-all[at])*float64(i-at)/float64(next-at)
			}
		}
	}
	return all
}

// A cell is a range of y.
type cell struct {
	row           int // −1 beyond the edges
	mass, density float64
}

// denser returns, for each of n rows, the probability of all cells that are denser than its cell.
func denser(all []cell, n int) []float64 {
	region := make([]float64, n)
	sum, before, last := 0.0, 0.0, math.Inf(1) // before all cells as dense as the last
	for _, c := range slices.SortedStableFunc(slices.Values(all), func(a, b cell) int { return cmp.Compare(b.density, a.density) }) {
		if c.density < last {
			before, last = sum, c.density
		}
		if c.row >= 0 {
			region[c.row] = before
		}
		sum += c.mass
	}
	return region
}

// smoothing is the width of a moving average, as a share of the width of the densest half. Three of
// them have a standard deviation of half that width, and widen a normal distribution by 0.5%.
const smoothing = 0.3

// smoothCells replaces the densities of neighbouring cells of equal width by three moving averages of them.
func smoothCells(cells []cell, width int) {
	reach := width / 2
	if reach == 0 {
		return
	}
	n := len(cells)
	sums := make([]float64, n+1)
	for range 3 {
		for i, c := range cells {
			sums[i+1] = sums[i] + c.density
		}
		for i := range cells {
			near := min(reach, i, n-1-i)
			cells[i].density = (sums[i+near+1] - sums[i-near]) / float64(2*near+1)
		}
	}
}

// between returns n+1 evenly spaced edges from lo to hi. It does not overflow.
func between(lo, hi float64, n int) []float64 {
	edges := make([]float64, n+1)
	for j := range edges {
		share := float64(j) / float64(n)
		edges[j] = lo*(1-share) + hi*share
	}
	return edges
}
