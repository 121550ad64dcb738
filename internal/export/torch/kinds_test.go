package torch_test

import (
	"strings"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/models/mixed"
	"github.com/acqnp/acqnp/internal/predict/post"
	"github.com/acqnp/acqnp/internal/run"
)

// Suffixes of the names of variants whose predictions are postprocessed.
const (
	withTails = " with tails"
	wider     = " with a wider sigma"
)

// done returns the postprocessing of a variant.
func done(name string) (p post.Postprocessing) {
	switch {
	case strings.HasSuffix(name, withTails):
		p.TailDF, p.SigmaScale = 4, 1.1
	case strings.HasSuffix(name, wider):
		p.SigmaScale = 1.5
	}
	return p
}

// variants returns a small model of each kind: every aggregation of every model, both forms of the
// adaptor, every head, and those of done.
func variants() map[string]config.Model {
	all := map[string]config.Model{
		"bnp": {Name: "bnp", Width: 6, PreDepth: 2, PostDepth: 2, DecoderDepth: 3},
	}
	for _, name := range []string{"cnp", "canp", "cqnp", "acqnp"} {
		for _, aggregation := range []string{config.Mean, config.Attention, config.Transformer} {
			if name == "canp" && aggregation != config.Mean {
				continue
			}
			c := config.Model{Name: name, Representation: 6, Encoder: []int{7}, Decoder: []int{9, 5}, SigmaFloor: 0.002}
			key := name
			if name != "canp" {
				c.Aggregation, key = aggregation, name+" "+aggregation
			}
			if name == "canp" || aggregation == config.Attention {
				c.KeyEncoder, c.QueryEncoder, c.Heads = []int{5}, []int{4}, 2
			}
			if name == "cqnp" && aggregation == config.Attention {
				c.Heads = 1
			}
			if aggregation == config.Transformer {
				c.Heads, c.Layers, c.Feedforward = 3, 2, 8
			}
			if name == "acqnp" {
				c.Adaptor = []int{5, 4}
				plain := c
				plain.AdaptorForm = config.Plain
				all[key+" plain"] = plain
				c.AdaptorForm = config.Residual
			}
			all[key] = c
			if c.HasLevels() && aggregation == config.Mean {
				c.ScaleForm = config.NaturalScale
				all[key+" natural"] = c
			}
		}
	}
	for _, head := range config.Heads() {
		c := all["cnp mean"]
		c.Head = head
		all["cnp "+head], all["cnp "+head+withTails] = c, c
	}
	all["canp"+wider] = all["canp"]
	return all
}

// units returns columns of every form: plain numbers; two columns each way with logarithms and
// names; dates above a linear mixed model.
func units() map[string]run.Units {
	return map[string]run.Units{
		"numbers": {XNames: []string{"x"}, YNames: []string{`y"""`}, Scaling: datasets.Scaling{
			XOffset: []float64{2}, XScale: []float64{3}, YOffset: []float64{-40}, YScale: []float64{25}}},
		"forms": {XNames: []string{"age", "dose", "diet"}, YNames: []string{"height", "weight"}, Scaling: datasets.Scaling{
			XOffset: []float64{30, 1, 0}, XScale: []float64{12, 0.8, 1}, YOffset: []float64{170, 4.2}, YScale: []float64{8, 0.3},
			XForms: []datasets.Form{{}, {Log: true, Shift: 0.5}, {Categories: []string{"none", `a "b"`, "vegan"}}},
			YForms: []datasets.Form{{}, {Log: true}}}},
		"baseline": {XNames: []string{"day", "dose"}, YNames: []string{"y", "z"}, Scaling: datasets.Scaling{
			XOffset: []float64{20, 1}, XScale: []float64{11, 0.7}, YOffset: []float64{5, 1}, YScale: []float64{2, 0.5},
			XForms: []datasets.Form{{Origin: "2024-02-27"}, {Log: true}}, YForms: []datasets.Form{{}, {Log: true}},
			Baseline: baselines}},
		"one baseline": {XNames: []string{"day", "dose"}, YNames: []string{"z"}, Scaling: datasets.Scaling{
			XOffset: []float64{20, 1}, XScale: []float64{11, 0.7}, YOffset: []float64{1}, YScale: []float64{0.5},
			YForms: []datasets.Form{{Log: true}}, Baseline: baselines[1:]}},
	}
}

// baselines are mixed models.
var baselines = datasets.Baseline{
	{Form: mixed.Form{Fixed: []int{2, 1}, Random: []int{1, 0}}, Beta: []float64{0.1, -0.3, 0.2, 0.4}, Factor: triangle(6), Noise: 0.6},
	{Form: mixed.Form{Fixed: []int{1, 1}, Random: []int{0, 0}}, Beta: []float64{-0.2, 0.3, 0.1}, Factor: triangle(4), Noise: 0.4},
}

// triangle returns a lower triangular matrix [n, n].
func triangle(n int) []float64 {
	m := make([]float64, n*n)
	for i := range n {
		for j := range i + 1 {
			m[i*n+j] = 0.3 / float64(1+i+2*j)
		}
	}
	return m
}

// A kind is a model on columns of a form.
type kind struct {
	name, form string
	config     config.Model
	post       post.Postprocessing
	units      run.Units
	networks   int
}

// kinds returns all variants on columns of all forms with two columns of y or a plain one, and models
// with a simple one beside the network.
func kinds() (all []kind) {
	forms, of := units(), variants()
	for name, c := range of {
		for _, form := range []string{"numbers", "forms", "baseline"} {
			k := kind{name + ", " + form, form, c, done(name), forms[form], 1}
			if form == "baseline" {
				k.name, k.networks = k.name+", ensemble", 3
			}
			all = append(all, k)
		}
	}
	for _, name := range []string{"cnp " + config.GaussianHead + withTails, "canp", "cqnp mean", "acqnp attention"} {
		for form, kernel := range map[string][]float64{"numbers": {0.9, 0.2}, "one baseline": nil} {
			p := done(name)
			p.PoolWeight, p.PoolKernel = 0.3, kernel
			all = append(all, kind{name + ", pooled, " + form, form, of[name], p, forms[form], 2})
		}
	}
	return all
}
