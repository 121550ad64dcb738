package pretrained

import (
	"slices"

	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/models/ops"
	"github.com/acqnp/acqnp/internal/points"
)

// A memory is what the network remembers of siblings: the keys and values of each layer.
type memory struct {
	view
	single bool // there was one group: its rows are siblings of one row each
	rows   int
	layers [][2][]float32 // keys and values [rows, d]
}

// newMemory reads the siblings, of which it sees x times a sign.
func newMemory(groups []points.Group, sign float64) *memory {
	m := &memory{single: len(groups) == 1}
	if m.single {
		groups = apart(groups[0].Points)
	}
	m.view = viewOf(groups, sign)
	net := network()
	var rows, ranges []float32
	for _, g := range groups {
		first := m.rows
		for i, y := range g.Y {
			rows = append(m.appendX(rows, g.Row(i)), m.y.Y(y))
			ranges = append(ranges, float32(first), float32(first+g.Len()))
		}
		m.rows += g.Len()
	}
	net.use(net.readers, m.rows, 1, func(p program) {
		copy(p.Input("context"), rows)
		copy(p.Input("context_group"), ranges)
		run(p, ops.Extents{Groups: 1, Context: m.rows, Points: 1, Levels: levels})
		for l := range net.model.Config().Layers {
			keys, values := models.SiblingInputs(l)
			m.layers = append(m.layers, [2][]float32{slices.Clone(p.Output(keys)), slices.Clone(p.Output(values))})
		}
	})
	return m
}

// apart returns the rows of a group as groups of one row.
func apart(g points.Points) (all []points.Group) {
	for i := range g.Len() {
		all = append(all, points.Group{Points: g.Cut(i, i+1)})
	}
	return all
}

// levels is the number of quantile levels of a target: the midpoints of so many equal parts of (0, 1).
// mostParts bounds the Gaussians of its distribution.
const (
	levels    = 12
	mostParts = 16
)

// predict returns the distributions of standardised y at each target of a group with this context.
func (m *memory) predict(context, asked points.Points) (out []likelihood.GaussianMixture) {
	net := network()
	n, targets := context.Len(), asked.Len()
	net.use(net.predictors, m.rows, n+targets, func(p program) {
		u := p.Input("u")
		for i := range (n + targets) * levels {
			u[i] = (float32(i%levels) + 0.5) / levels
		}
		for l, layer := range m.layers {
			keys, values := models.SiblingInputs(l)
			copy(p.Input(keys), layer[0])
			copy(p.Input(values), layer[1])
		}
		var rows []float32
		y, isAsked, ranges := p.Input("y"), p.Input("asked"), p.Input("group")
		for i := range n + targets {
			y[i], isAsked[i] = 0, 1
			ranges[2*i], ranges[2*i+1] = 0, float32(n)
			if i < n {
				rows = m.appendX(rows, context.Row(i))
				y[i], isAsked[i] = m.y.Y(context.Y[i]), 0
			} else {
				rows = m.appendX(rows, asked.Row(i-n))
			}
		}
		copy(p.Input("x"), rows)
		run(p, ops.Extents{Groups: 1, Context: m.rows, Points: n + targets, Levels: levels})
		components, logits := p.Output("components"), p.Output("logit")
		for first := n * levels; first < (n+targets)*levels; first += levels {
			d := likelihood.NewMixture(components[first*net.model.RowWidth():], logits[first:][:levels], 1, 0, net.model.Scale())
			out = append(out, d.Gaussians().Merged(mostParts))
		}
	})
	return out
}

// run runs a program within its capacity, which cannot fail.
func run(p program, e ops.Extents) {
	if err := p.Run(e); err != nil {
		panic("pretrained: " + err.Error())
	}
}
