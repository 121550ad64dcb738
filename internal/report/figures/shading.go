package figures

import (
	"image"
	"image/color"
	"math"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"

	"github.com/acqnp/acqnp/internal/likelihood"
)

// Limits of the raster that shades a panel, which bound time and the size of files.
const (
	dotsPerPoint  = 96. / 72 // as in a PNG
	rasterColumns = 1200
	rasterRows    = 900
	// A prediction shades the panel on both sides up to half the way to the next, and no farther than
	// this share of the panel's width.
	strip = 1. / 80
)

// A shading draws the densities of a grid as one image: each place has the colour of the smallest
// highest-density region around it. The colours have edges at 50, 90 and 99%.
type shading struct {
	grid   []PredictedPoint // ascending in X, each with a Density
	masses [3]float64       // where the colours have edges
}

// newShading returns the shading of the points that have a finite X and a Density. The grid ascends
// in X. Zero masses stand for 50, 90 and 99%.
func newShading(grid []PredictedPoint, masses [3]float64) *shading {
	s := &shading{masses: masses}
	if masses == [3]float64{} {
		s.masses = [3]float64{halfMass, mostMass, shadedMass}
	}
	for _, q := range grid {
		if q.Density != nil && finite(q.X) {
			s.grid = append(s.grid, q)
		}
	}
	return s
}

// Plot implements plot.Plotter.
func (s *shading) Plot(c draw.Canvas, p *plot.Plot) {
	size := c.Size()
	columns := min(int(math.Round(float64(size.X)*dotsPerPoint)), rasterColumns)
	rows := min(int(math.Round(float64(size.Y)*dotsPerPoint)), rasterRows)
	if columns < 1 || rows < 1 || len(s.grid) == 0 {
		return
	}
	edges, shown := between(p.Y.Min, p.Y.Max, rows), s.nearest(columns, p.X.Norm)
	regions := s.regions(shown, edges)
	img := image.NewNRGBA(image.Rect(0, 0, columns, rows))
	for i, g := range shown {
		if g < 0 {
			continue
		}
		for j, mass := range regions[g] {
			img.SetNRGBA(i, rows-1-j, s.colour(mass))
		}
	}
	c.DrawImage(c.Rectangle, img)
}

// nearest returns the point of the grid that each column of the raster shows, or −1 for none. at
// converts X to a share of the width.
func (s *shading) nearest(columns int, at func(x float64) float64) []int {
	reach := max(float64(columns)*strip, 0.75)
	place := func(g int) float64 { return at(s.grid[g].X) * float64(columns) }
	shown, g := make([]int, columns), 0
	for i := range shown {
		centre := float64(i) + 0.5
		for g+1 < len(s.grid) && math.Abs(place(g+1)-centre) <= math.Abs(place(g)-centre) {
			g++
		}
		shown[i] = -1
		if math.Abs(place(g)-centre) <= reach {
			shown[i] = g
		}
	}
	return shown
}

// regions returns the masses of the points of the grid that are shown, by row. They take most of the time of a
// picture, so all cores share them.
func (s *shading) regions(shown []int, edges []float64) [][]float64 {
	all := make([][]float64, len(s.grid))
	var work errgroup.Group
	work.SetLimit(runtime.GOMAXPROCS(0))
	for _, g := range slices.Compact(slices.Clone(shown)) {
		if g >= 0 {
			work.Go(func() error {
				all[g] = regionMass(s.grid[g].Density, edges)
				return nil
			})
		}
	}
	_ = work.Wait() // no function returns an error
	return all
}

// oneCurve reports whether the medians are one curve: nearly all lie in the densest half of their
// prediction, and so does what is between neighbours. Between two branches there is a median, and no y. It
// looks at some of the points, with y from lo to hi.
func (s *shading) oneCurve(lo, hi float64) bool {
	const looked, rows, outliers = 40, 300, 0.05
	n := min(len(s.grid), looked)
	edges := between(lo, hi, rows)
	half := s.masses[0] + 0.05 // for the height of a row
	outside, before := 0, math.NaN()
	for i := range n {
		d := s.grid[i*len(s.grid)/n].Density
		region := regionMass(d, edges)
		median, most := d.Quantile(0.5), half
		if all, values := supported(d); values { // the densest half ends within a whole number
			most += likelihood.PIT(all, median, 1) - likelihood.PIT(all, median, 0)
		}
		densest := func(y float64) bool {
			share := (y - lo) / (hi - lo)
			return !(share >= 0 && share < 1) || region[int(share*rows)] < most
		}
		if !densest(median) {
			outside++
		} else if finite(before) && !densest((before+median)/2) {
			return false
		}
		before = median
	}
	return n > 0 && float64(outside) <= outliers*float64(n)
}

// addMedians adds the line of the medians to a plot, in pieces along names, between which there is nothing.
func (s *shading) addMedians(p *plot.Plot, x Axis) {
	var line plotter.XYs
	for _, q := range s.grid {
		line = append(line, x.piece(q.X, q.Density.Quantile(0.5))...)
	}
	p.Add(Curve{line, casingStyle}, Curve{line, medianStyle})
}

// quantile returns the line of a quantile.
func (s *shading) quantile(level float64) plotter.XYs {
	line := make(plotter.XYs, len(s.grid))
	for i, q := range s.grid {
		line[i] = plotter.XY{X: q.X, Y: q.Density.Quantile(level)}
	}
	return line
}

// densityRange returns the range of y of a panel: it covers the data, and the median and the central 90%
// of most predictions. A few context points may say little of where a group goes, so the medians can
// make the range of the data seven times as long. The 90% can make that two and a half times as long.
func densityRange(data []float64, grid []PredictedPoint) (lo, hi float64) {
	const looked = 40 // quantiles of mixtures take long
	var low, middle, high []float64
	for i := range min(len(grid), looked) {
		if d := grid[i*len(grid)/min(len(grid), looked)].Density; d != nil {
			low, middle, high = append(low, d.Quantile(0.05)), append(middle, d.Quantile(0.5)), append(high, d.Quantile(0.95))
		}
	}
	lo, hi = extremes(data)
	if lo < hi {
		lo, hi = widened(lo, hi, trimmed(middle, 0.04), trimmed(middle, 0.96), 3)
	}
	return widened(lo, hi, trimmed(low, 0.04), trimmed(high, 0.96), 0.75)
}

// The colours of the regions, from the densest place to the edge. They grow lighter outwards, in grey
// too.
var (
	halfColours   = []color.NRGBA{{0x24, 0x6b, 0xa8, 0xff}, {0x5c, 0x9b, 0xcc, 0xff}}
	mostColours   = []color.NRGBA{{0x96, 0xc1, 0xe0, 0xff}, {0xbd, 0xd8, 0xec, 0xff}}
	shadedColours = []color.NRGBA{{0xdf, 0xeb, 0xf5, 0xff}, {0xdf, 0xeb, 0xf5, 0x00}}

	medianStyle = draw.LineStyle{Color: ink, Width: 1.4}
	casingStyle = draw.LineStyle{Color: color.NRGBA{R: 0xff, G: 0xff, B: 0xff, A: 0x90}, Width: 3}
)

// colour returns the colour of a place that regionMass gives this mass, and no colour beyond the last
// region.
func (s *shading) colour(mass float64) color.NRGBA {
	half, most, shaded := s.masses[0], s.masses[1], s.masses[2]
	switch {
	case mass < half:
		return Gradient(halfColours, mass/half)
	case mass < most:
		return Gradient(mostColours, (mass-half)/(most-half))
	case mass < shaded:
		return Gradient(shadedColours, (mass-most)/(shaded-most))
	}
	return color.NRGBA{}
}

// whole reports whether more than 90% of the prediction is shaded.
func (s *shading) whole() bool { return s.masses[2] > s.masses[1] }

// regionEntries are the legend's entries for shadings, some of which may be whole or have a median.
func regionEntries(whole, median bool) []Entry {
	entries := []Entry{
		ScaleEntry("densest 50%", 4.5, halfColours),
		ScaleEntry("90%", 4.5, mostColours),
		ScaleEntry("99% of the prediction", 4.5, shadedColours),
	}
	if !whole {
		entries[1].Name = "90% of the prediction"
		entries = entries[:2]
	}
	if median {
		entries = append(entries, LineEntry("median", medianStyle))
	}
	return entries
}
