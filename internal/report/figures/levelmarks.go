package figures

import (
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// levelMarks draws μ of every level: as curves if all points have the same u, otherwise as dots.
type levelMarks struct{ grid []PredictedPoint }

// Plot implements plot.Plotter. It draws the marks of one shade as one path, which keeps files
// small, and the faint shades first, so that heavy levels lie on top.
func (m levelMarks) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	var shades [opacities][tauColours]vg.Path
	at := func(i, k int) vg.Point { return vg.Point{X: x(m.grid[i].X), Y: y(m.grid[i].Components[k].Mu)} }
	joined, dot := m.joined(), levelDot
	if len(m.grid) < sparseGrid {
		dot = sparseDot
	}
	for i, q := range m.grid {
		for k, comp := range q.Components {
			share := comp.Weight / q.heaviest()
			if !joined {
				if pt := at(i, k); finite(comp.Mu) && c.Contains(pt) {
					addDot(&shades[opacityOf(share)][colourOf(comp.Tau)], pt, dot)
				}
				continue
			}
			if i+1 == len(m.grid) || !finite(comp.Mu) || !finite(m.grid[i+1].Components[k].Mu) {
				continue
			}
			next := m.grid[i+1]
			share = math.Min(share, next.Components[k].Weight/next.heaviest())
			for _, line := range c.ClipLinesXY([]vg.Point{at(i, k), at(i+1, k)}) {
				shade := &shades[opacityOf(share)][colourOf(comp.Tau)]
				shade.Move(line[0])
				shade.Line(line[1])
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

// joined reports whether every point of the grid has the same levels.
func (m levelMarks) joined() bool {
	for i := 1; i < len(m.grid); i++ {
		same := slices.EqualFunc(m.grid[0].Components, m.grid[i].Components,
			func(a, b Component) bool { return a.U == b.U })
		if !same {
			return false
		}
	}
	return len(m.grid) > 1
}
