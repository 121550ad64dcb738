package torch_test

import (
	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/run"
)

// variants returns a small model of each kind: every aggregation of every model, both forms of the
// adaptor, and every head.
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
		all["cnp "+head] = c
	}
	return all
}

// units returns columns of every form: plain numbers; two columns each way with logarithms and
// names; and dates.
func units() map[string]run.Units {
	return map[string]run.Units{
		"numbers": {XNames: []string{"x"}, YNames: []string{`y"""`}, Scaling: datasets.Scaling{
			XOffset: []float64{2}, XScale: []float64{3}, YOffset: []float64{-40}, YScale: []float64{25}}},
		"forms": {XNames: []string{"age", "dose", "diet"}, YNames: []string{"height", "weight"}, Scaling: datasets.Scaling{
			XOffset: []float64{30, 1, 0}, XScale: []float64{12, 0.8, 1}, YOffset: []float64{170, 4.2}, YScale: []float64{8, 0.3},
			XForms: []datasets.Form{{}, {Log: true, Shift: 0.5}, {Categories: []string{"none", `a "b"`, "vegan"}}},
			YForms: []datasets.Form{{}, {Log: true}}}},
		"dates": {XNames: []string{"day", "dose"}, YNames: []string{"y", "z"}, Scaling: datasets.Scaling{
			XOffset: []float64{20, 1}, XScale: []float64{11, 0.7}, YOffset: []float64{5, 1}, YScale: []float64{2, 0.5},
			XForms: []datasets.Form{{Origin: "2024-02-27"}, {Log: true}}, YForms: []datasets.Form{{}, {Log: true}}}},
	}
}

// A kind is a model on columns of a form.
type kind struct {
	name, form string
	config     config.Model
	units      run.Units
}

// kinds returns all variants on columns of all forms with two columns of y or a plain one.
func kinds() (all []kind) {
	forms := units()
	for name, c := range variants() {
		for form, u := range forms {
			all = append(all, kind{name + ", " + form, form, c, u})
		}
	}
	return all
}
