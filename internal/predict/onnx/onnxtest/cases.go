// Package onnxtest makes models with random weights for tests of package onnx: every model,
// aggregation, form of the adaptor and conversion of columns.
package onnxtest

import (
	"fmt"
	"math"
	"strings"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets/rows"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/predict"
	"github.com/acqnp/acqnp/internal/random"
	"github.com/acqnp/acqnp/internal/run"
)

// A Case is a configuration and the units of its data.
type Case struct {
	Name   string
	config config.Model
	units  run.Units
}

// Cases returns every model, aggregation and form of the adaptor, in units of each kind.
func Cases() []Case {
	var all []Case
	named := map[string]config.Model{}
	for _, c := range configurations() {
		named[c.name] = c.config
		all = append(all, Case{Name: c.name, config: c.config, units: plain(2, 2)})
		if !strings.Contains(c.name, "-") || strings.HasSuffix(c.name, "-mean-residual") {
			all = append(all, Case{Name: c.name + "-single", config: c.config, units: plain(1, 1)})
		}
	}
	for _, head := range config.Heads() {
		c := named["cnp-mean"]
		c.Head = head
		all = append(all, Case{Name: "cnp-" + head + "-pair", config: c, units: plain(2, 2)})
		if head == config.QuantileMixtureHead { // with the paper's scale, exp of a tail may have no finite mean
			c.ScaleForm = config.NaturalScale
		}
		all = append(all, Case{Name: "cnp-" + head, config: c, units: forms()})
	}
	return append(all, Case{Name: "cnp-forms", config: named["cnp-mean"], units: forms()}, Case{Name: "bnp-forms", config: named["bnp"], units: forms()},
		Case{Name: "acqnp-forms", config: named["acqnp-transformer-plain"], units: forms()})
}

type configuration struct {
	name   string
	config config.Model
}

// configurations returns the networks, of small odd widths.
func configurations() []configuration {
	base := config.Model{Representation: 12, Encoder: []int{9, 11}, Decoder: []int{13, 7}, Heads: 3,
		KeyEncoder: []int{6}, QueryEncoder: []int{8, 7}, Layers: 2, Feedforward: 10}
	var all []configuration
	add := func(name string, m config.Model, model string) {
		m.Name = model
		all = append(all, configuration{name, m})
	}
	for _, aggregation := range []string{"mean", config.Attention, config.Transformer} {
		m := base
		m.Aggregation = aggregation
		add("cnp-"+aggregation, m, "cnp")
		add("cqnp-"+aggregation, m, "cqnp")
		m.Adaptor, m.SigmaFloor = []int{5, 10}, 0.003
		add("acqnp-"+aggregation+"-plain", m, "acqnp")
		m.AdaptorForm = config.Residual
		add("acqnp-"+aggregation+"-residual", m, "acqnp")
		if aggregation == config.Mean {
			m.ScaleForm = config.NaturalScale
			add("acqnp-mean-natural", m, "acqnp")
			m.Adaptor, m.AdaptorForm = nil, ""
			add("cqnp-mean-natural", m, "cqnp")
		}
	}
	add("canp", base, "canp")
	base.Encoder, base.KeyEncoder, base.Heads = nil, nil, 1
	add("canp-shallow", base, "canp")
	add("bnp", config.Model{Width: 9, PreDepth: 3, PostDepth: 2, DecoderDepth: 4}, "bnp")
	add("bnp-shallow", config.Model{Width: 9, PreDepth: 1, PostDepth: 1, DecoderDepth: 2}, "bnp")
	return all
}

// Trained returns the model with random weights, larger than those that a training starts from.
func (m Case) Trained() (predict.Trained, error) {
	dx, dy := m.units.Dims()
	built, err := models.New(m.config, dx, dy)
	if err != nil {
		return predict.Trained{}, err
	}
	params := built.Initial(3)
	for i := range params {
		params[i] *= 2
	}
	return predict.Trained{Model: built, Params: params, Units: m.units, NumTau: 9, Bootstraps: 4,
		Benchmark: "csv", Data: "data"}.Evenly(), nil
}

// plain returns the units of plain numbers.
func plain(dx, dy int) run.Units {
	var u run.Units
	for c := range dx {
		u.XNames = append(u.XNames, fmt.Sprintf("x%d", c+1))
		u.Scaling.XOffset, u.Scaling.XScale = append(u.Scaling.XOffset, 0.3), append(u.Scaling.XScale, 1.7)
	}
	for c := range dy {
		u.YNames = append(u.YNames, fmt.Sprintf("y%d", c+1))
		u.Scaling.YOffset, u.Scaling.YScale = append(u.Scaling.YOffset, -0.2+float64(c)), append(u.Scaling.YScale, 2.5)
	}
	return u
}

// forms returns the units of columns of every form: a logarithm with a shift, names, dates; y and
// log y.
func forms() run.Units {
	u := plain(4, 2)
	u.Scaling.XForms = []rows.Form{{Log: true, Shift: 0.25}, {Categories: []string{"a", "b", "c"}}, {Origin: "2024-03-01"}, {}}
	u.Scaling.YForms = []rows.Form{{}, {Log: true}}
	return u
}

// A Size is the numbers of context points, targets, and levels or bootstraps of a run.
type Size struct{ Context, Targets, Levels int }

// Sizes returns the sizes to run. BNP needs a context.
func (m Case) Sizes() []Size {
	all := []Size{{1, 1, 1}, {7, 13, 9}, {1, 13, 9}, {7, 1, 1}}
	if m.config.Name != "bnp" {
		all = append(all, Size{0, 1, 9}, Size{0, 13, 1})
	}
	return all
}

// Questions returns three questions of a size.
func (m Case) Questions(s Size, seed int) []points.Question {
	g := random.New(uint64(seed), random.Data)
	at := uint64(0)
	draw := func(n int, names []string, forms []rows.Form) []float64 {
		v := make([]float64, 0, n*len(names))
		for range n {
			for c := range names {
				v = append(v, number(rows.FormAt(forms, c), g.Float(1, at)))
				at++
			}
		}
		return v
	}
	u, all := m.units, make([]points.Question, 3)
	some := func(n int) points.Points {
		return points.New(len(u.XNames), len(u.YNames), draw(n, u.XNames, u.Scaling.XForms), draw(n, u.YNames, u.Scaling.YForms))
	}
	for i := range all {
		all[i] = points.Question{Known: some(s.Context), Targets: some(s.Targets)}
	}
	return all
}

// number turns a uniform number into one of a column: an index, one beyond the last for unknown
// names; a positive number for logarithms; or a number around 0.
func number(f rows.Form, uniform float64) float64 {
	switch {
	case f.Categories != nil:
		return math.Floor(uniform * float64(len(f.Categories)+1))
	case f.Log:
		return math.Exp(4*uniform - 2)
	}
	return 6*uniform - 3
}
