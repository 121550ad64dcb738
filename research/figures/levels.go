package main

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/acqnp/acqnp/internal/report/figures"
)

// Levels are drawn in few shades, which keeps vector files small.
const (
	opacities  = 17
	tauColours = 16
	levelDot   = vg.Length(1.3)
	sparseDot  = vg.Length(2.4) // of fewer than sparseGrid points
	levelLine  = vg.Length(1.6)
	sparseGrid = 80
)

// A level is the part of a mixture that belongs to one quantile level.
type level struct{ u, tau, y, weight float64 }

// levelsAt are the levels at one x.
type levelsAt struct {
	x      float64
	levels []level
}

// levelMarks draws y of every level: as curves if all points have the same u, otherwise as dots. The colour
// stands for τ, the opacity for the weight.
type levelMarks []levelsAt

// Plot implements plot.Plotter. It draws the marks of one shade as one path, which keeps files
// small, and the faint shades first, so that heavy levels lie on top.
func (m levelMarks) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	var shades [opacities][tauColours]vg.Path
	at := func(i, k int) vg.Point { return vg.Point{X: x(m[i].x), Y: y(m[i].levels[k].y)} }
	joined, radius := m.joined(), levelDot
	if len(m) < sparseGrid {
		radius = sparseDot
	}
	for i, q := range m {
		for k, l := range q.levels {
			share := l.weight / q.heaviest()
			if !joined {
				if pt := at(i, k); finite(l.y) && c.Contains(pt) {
					path := &shades[opacityOf(share)][colourOf(l.tau)]
					path.Move(vg.Point{X: pt.X + radius, Y: pt.Y})
					path.Arc(pt, radius, 0, 2*math.Pi)
					path.Close()
				}
				continue
			}
			if i+1 == len(m) || !finite(l.y) || !finite(m[i+1].levels[k].y) {
				continue
			}
			share = math.Min(share, m[i+1].levels[k].weight/m[i+1].heaviest())
			for _, line := range c.ClipLinesXY([]vg.Point{at(i, k), at(i+1, k)}) {
				path := &shades[opacityOf(share)][colourOf(l.tau)]
				path.Move(line[0])
				path.Line(line[1])
			}
		}
	}
	c.SetLineWidth(levelLine)
	c.SetLineDash(nil, 0)
	for o := 1; o < opacities; o++ { // opacity 0 is invisible
		for t, path := range shades[o] {
			c.SetColor(levelColour(t, o))
			switch {
			case len(path) == 0:
			case joined:
				c.Stroke(path)
			default:
				c.Fill(path)
			}
		}
	}
}

// joined reports whether every point has the same levels.
func (m levelMarks) joined() bool {
	for i := 1; i < len(m); i++ {
		if !slices.EqualFunc(m[0].levels, m[i].levels, func(a, b level) bool { return a.u == b.u }) {
			return false
		}
	}
	return len(m) > 1
}

// visible returns the points of the levels that have at least a tenth of the largest weight.
func (q levelsAt) visible() (points plotter.XYs) {
	for _, l := range q.levels {
		if l.weight >= 0.1*q.heaviest() {
			points = append(points, plotter.XY{X: q.x, Y: l.y})
		}
	}
	return points
}

// heaviest returns the largest weight.
func (q levelsAt) heaviest() float64 {
	heaviest := 0.0
	for _, l := range q.levels {
		heaviest = math.Max(heaviest, l.weight)
	}
	return heaviest
}

// levelColour returns the t-th of tauColours colours at the o-th of opacities opacities.
func levelColour(t, o int) color.NRGBA {
	c := figures.Gradient(figures.Viridis, float64(t)/(tauColours-1))
	c.A = uint8(0xff * o / (opacities - 1))
	return c
}

// colourOf returns the index of a level's colour, below tauColours.
func colourOf(tau float64) int { return min(max(int(tau*tauColours), 0), tauColours-1) }

// opacityOf returns the index of the opacity for a share of the heaviest weight, 0 for NaN.
func opacityOf(share float64) int {
	if !(share > 0) {
		return 0
	}
	return min(int(math.Round(share*(opacities-1))), opacities-1)
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
