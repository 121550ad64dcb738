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
	var shades [opacities][tauColours][]segment
	at := func(i, k int) vg.Point {
		return vg.Point{X: x(m.grid[i].X), Y: y(m.grid[i].Components[k].Mu)}
	}
	joined, dot := m.joined(), levelDot
	if len(m.grid) < sparseGrid {
		dot = sparseDot
	}
	for i, q := range m.grid {
		heaviest := q.heaviest()
		for k, comp := range q.Components {
			if !finite(comp.Mu) {
				continue
			}
			share := comp.Weight / heaviest
			if !joined {
				if pt := at(i, k); c.Contains(pt) {
					shade := &shades[opacityOf(share)][colourOf(comp.Tau)]
					*shade = append(*shade, segment{pt, pt})
				}
				continue
			}
			if i+1 == len(m.grid) || !finite(m.grid[i+1].Components[k].Mu) {
				continue
			}
			next := m.grid[i+1]
			share = math.Min(share, next.Components[k].Weight/next.heaviest())
			for _, line := range c.ClipLinesXY([]vg.Point{at(i, k), at(i+1, k)}) {
				shade := &shades[opacityOf(share)][colourOf(comp.Tau)]
				*shade = append(*shade, segment{line[0], line[1]})
			}
		}
	}
	var path vg.Path
	for o := 1; o < opacities; o++ { // opacity 0 is invisible
		for t, marks := range shades[o] {
			if len(marks) == 0 {
				continue
			}
			path = path[:0]
			c.SetColor(levelColour(t, o))
			if !joined {
				for _, m := range marks {
					addDot(&path, m.from, dot)
				}
				c.Fill(path)
				continue
			}
			for _, m := range marks {
				path.Move(m.from)
				path.Line(m.to)
			}
			c.SetLineWidth(levelLine)
			c.SetLineDash(nil, 0)
			c.Stroke(path)
		}
	}
}

// A segment is a piece of a level's curve, or a dot at its from.
type segment struct{ from, to vg.Point }

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
