package main

import (
	"math"
	"slices"

	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/random"
)

// The sizes of a data set. The last targetsOf points of a new group are targets.
const (
	groups    = 24
	newGroups = 40
	perGroup  = 14
	fitted    = 8 // points of each group that are fitted to
	targetsOf = 4
	clinics   = 3
)

// A world draws the groups of one data set: y = a + b·x + noise, with a and b of each group.
type world struct {
	g            random.Generator
	level, slope float64 // deviations of a and b between groups, whose means are 0 and trend
	trend, noise float64
}

func newWorld(set int) world {
	w := world{g: random.New(uint64(set), random.Data)}
	w.level, w.slope = 0.5+w.g.Float(0, 0), 0.3*w.g.Float(0, 1)
	w.trend, w.noise = 0.4*w.g.Float(0, 2)-0.2, 0.3+0.7*w.g.Float(0, 3)
	return w
}

type point struct{ x, y float64 }

// group returns the points of group k.
func (w world) group(k int) []point {
	step := uint64(k + 1)
	a, b := w.level*w.g.Normal(step, 0), w.trend+w.slope*w.g.Normal(step, 1)
	points := make([]point, perGroup)
	for i := range points {
		x := 2 + math.Round(600*w.g.Float(step, uint64(100+i)))/100
		y := a + b*(x-5) + w.noise*w.g.Normal(step, uint64(20+i))
		points[i] = point{x, math.Round(1e4*y) / 1e4}
	}
	return points
}

// limits returns the limit of each clinic, below which a share of the values of all groups lies: half of it in the first,
// and one and a half in the last.
func (w world) limits(share float64) []float64 {
	var all []float64
	for g := range groups {
		for _, p := range w.group(g)[:fitted] {
			all = append(all, p.y)
		}
	}
	slices.Sort(all)
	limits := make([]float64, clinics)
	for c := range limits {
		limits[c] = math.Round(1e4*all[int(float64(len(all))*share*(0.5+0.5*float64(c)))]) / 1e4
	}
	return limits
}

// nodes are those of the quadrature over a and b, in deviations.
const nodes = 81

// exact returns the log density of each target of new group g, given its first n points, by the model that drew them: of a
// point below its limit, the side is known.
func (w world) exact(g, n int, limits []float64) []float64 {
	points, limit := w.group(groups+g), limits[(groups+g)%clinics]
	var logs []float64
	var means [][targetsOf]float64
	for i := range nodes {
		for j := range nodes {
			u, v := 9*float64(i)/(nodes-1)-4.5, 9*float64(j)/(nodes-1)-4.5
			log := -(u*u + v*v) / 2
			mean := func(p point) float64 { return w.level*u + (w.trend+w.slope*v)*(p.x-5) }
			for _, p := range points[:n] {
				z := (p.y - mean(p)) / w.noise
				if p.y < limit {
					log += likelihood.LogNormalCDF((limit - mean(p)) / w.noise)
				} else {
					log -= z * z / 2
				}
			}
			var at [targetsOf]float64
			for t, p := range points[perGroup-targetsOf:] {
				at[t] = mean(p)
			}
			logs, means = append(logs, log), append(means, at)
		}
	}
	total, out := likelihood.LogSumExp(logs), make([]float64, targetsOf)
	for t, p := range points[perGroup-targetsOf:] {
		terms := make([]float64, len(logs))
		for k, log := range logs {
			z := (p.y - means[k][t]) / w.noise
			terms[k] = log - total - z*z/2 - math.Log(w.noise*math.Sqrt(2*math.Pi))
		}
		out[t] = likelihood.LogSumExp(terms)
	}
	return out
}
