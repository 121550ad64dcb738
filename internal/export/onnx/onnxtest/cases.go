// Package onnxtest makes models with random weights for tests of package onnx: every model,
// aggregation, form of the adaptor and conversion of columns.
package onnxtest

import (
	"fmt"
	"math"
	"strings"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/models/mixed"
	"github.com/acqnp/acqnp/internal/predict"
	"github.com/acqnp/acqnp/internal/predict/post"
	"github.com/acqnp/acqnp/internal/random"
	"github.com/acqnp/acqnp/internal/run"
)

// A Case is a configuration and the units of its data.
type Case struct {
	Name     string
	config   config.Model
	post     config.Postprocessing
	units    run.Units
	networks int // of an ensemble; 0 and 1 mean one network
}

// Cases returns every model, aggregation and form of the adaptor, in units of each kind.
func Cases() []Case {
	var all []Case
	of := map[string]config.Model{}
	for _, c := range configurations() {
		of[c.name] = c.config
		all = append(all, Case{Name: c.name, config: c.config, units: plain(2, 2)})
		if !strings.Contains(c.name, "-") || strings.HasSuffix(c.name, "-mean-residual") {
			all = append(all, Case{Name: c.name + "-single", config: c.config, units: plain(1, 1)})
		}
	}
	tails, wider := config.Postprocessing{TailDF: 4, SigmaScale: 1.3}, config.Postprocessing{SigmaScale: 1.5}
	near, mix := []float64{0.8, 0.3}, baseline(1)
	pooled := func(p config.Postprocessing, kernel []float64) config.Postprocessing {
		p.PoolWeight, p.PoolKernel = 0.3, kernel
		return p
	}
	none := config.Postprocessing{}
	all = append(all, Case{Name: "cnp-kernel", config: of["cnp-mean"], post: pooled(tails, near), units: plain(2, 1)},
		Case{Name: "acqnp-kernel", config: of["acqnp-attention-residual"], post: pooled(none, near), units: plain(1, 1), networks: 2},
		Case{Name: "cnp-mixed", config: of["cnp-mean"], post: pooled(tails, nil), units: mix, networks: 2},
		Case{Name: "cqnp-mixed", config: of["cqnp-mean"], post: pooled(none, nil), units: mix})
	for _, head := range config.Heads() {
		c := of["cnp-mean"]
		c.Head = head
		all = append(all, Case{Name: "cnp-" + head, config: c, units: forms()}, Case{Name: "cnp-" + head + "-tails", config: c, post: tails, units: plain(2, 2), networks: 2})
	}
	return append(all, Case{Name: "canp-wider", config: of["canp"], post: wider, units: plain(1, 1)},
		Case{Name: "cnp-tails", config: of["cnp-mean"], post: tails, units: plain(1, 2)},
		Case{Name: "cnp-forms", config: of["cnp-mean"], units: forms()}, Case{Name: "cnp-baseline", config: of["cnp-mean"], units: baseline(2)},
		Case{Name: "bnp-forms", config: of["bnp"], units: forms()}, Case{Name: "bnp-baseline", config: of["bnp"], units: baseline(2)},
		Case{Name: "acqnp-forms", config: of["acqnp-transformer-plain"], units: forms()}, Case{Name: "acqnp-baseline", config: of["acqnp-attention-residual"], units: baseline(2)},
		Case{Name: "cnp-ensemble", config: of["cnp-mean"], post: tails, units: forms(), networks: 3}, Case{Name: "bnp-ensemble", config: of["bnp"], units: plain(1, 2), networks: 2},
		Case{Name: "acqnp-ensemble", config: of["acqnp-attention-residual"], units: baseline(2), networks: 2},
		Case{Name: "acqnp-transformer-ensemble", config: of["acqnp-transformer-plain"], units: plain(1, 1), networks: 2},
	)
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
	var others [][]float32
	for i := 1; i < m.networks; i++ {
		others = append(others, built.Initial(uint64(3+i)))
	}
	return predict.Trained{Model: built, Params: params, Others: others, Units: m.units,
		Post: post.Postprocessing{Postprocessing: m.post}, NumTau: 9, Bootstraps: 4,
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
	u.Scaling.XForms = []datasets.Form{{Log: true, Shift: 0.25}, {Categories: []string{"a", "b", "c"}}, {Origin: "2024-03-01"}, {}}
	u.Scaling.YForms = []datasets.Form{{}, {Log: true}}
	return u
}

// baseline returns the units of y that is standardised by mixed models.
func baseline(dy int) run.Units {
	u := plain(2, dy)
	for c := range dy {
		m := mixed.Model{Form: mixed.Form{Fixed: []int{2, 1}, Random: []int{1, 0}}, Beta: []float64{0.1, 0.4, -0.2, 0.3}, Noise: 0.2 + 0.1*float64(c)}
		const d = 6
		m.Factor = make([]float64, d*d)
		for i := range d {
			for j := range i + 1 {
				m.Factor[i*d+j] = 0.5/float64(1+i-j) - 0.1*float64(c)
			}
		}
		u.Scaling.Baseline = append(u.Scaling.Baseline, m)
	}
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

// Functions returns three functions of a size.
func (m Case) Functions(s Size, seed int) []predict.Function {
	g := random.New(uint64(seed), random.Data)
	at := uint64(0)
	draw := func(n int, names []string, forms []datasets.Form) []float64 {
		v := make([]float64, 0, n*len(names))
		for range n {
			for c := range names {
				var f datasets.Form
				if forms != nil {
					f = forms[c]
				}
				v = append(v, number(f, g.Float(1, at)))
				at++
			}
		}
		return v
	}
	all := make([]predict.Function, 3)
	for i := range all {
		u := m.units
		all[i] = predict.Function{
			ContextX: draw(s.Context, u.XNames, u.Scaling.XForms), ContextY: draw(s.Context, u.YNames, u.Scaling.YForms),
			TargetX: draw(s.Targets, u.XNames, u.Scaling.XForms), TargetY: draw(s.Targets, u.YNames, u.Scaling.YForms),
		}
	}
	return all
}

// number turns a uniform number into one of a column: an index, one beyond the last for unknown
// names; a positive number for logarithms; or a number around 0.
func number(f datasets.Form, uniform float64) float64 {
	switch {
	case f.Categories != nil:
		return math.Floor(uniform * float64(len(f.Categories)+1))
	case f.Log:
		return math.Exp(4*uniform - 2)
	}
	return 6*uniform - 3
}
