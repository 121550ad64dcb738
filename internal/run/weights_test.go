package run_test

import (
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/files/safetensors"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/run"
	"github.com/acqnp/acqnp/internal/test/must"
)

// edited writes the tiny model's initial weights, after a change to their tensors, and returns the
// path.
func edited(t *testing.T, meta map[string]string, change func(ts []safetensors.Tensor) []safetensors.Tensor) string {
	t.Helper()
	m, plain := modelOf(t, experiment(t)), filepath.Join(t.TempDir(), "plain.safetensors")
	must.Do(t, run.WriteWeights(plain, m, m.Initial(1), nil))
	return rewritten(t, plain, func(f *contents) { f.meta, f.tensors = meta, change(f.tensors) })
}

// PyTorch's files may have float64, any order of tensors and no metadata.
func TestWeightsInDoubleAndAnyOrder(t *testing.T) {
	m := modelOf(t, experiment(t))
	path := edited(t, nil, func(ts []safetensors.Tensor) []safetensors.Tensor {
		for i, tensor := range ts {
			v := must.Get(tensor.Float32s())(t)
			wide := make([]float64, len(v))
			for j, x := range v {
				wide[j] = float64(x)
			}
			ts[i] = safetensors.F64(tensor.Name, tensor.Shape, wide)
		}
		slices.Reverse(ts)
		return ts
	})
	got, err := run.ReadWeights(path, m)
	if err != nil || !slices.Equal(got, m.Initial(1)) {
		t.Errorf("read %v, %v", err, got)
	}
}

func TestBadWeightsAreNamed(t *testing.T) {
	m := modelOf(t, experiment(t))
	type tensorList = []safetensors.Tensor
	const name = "_adaptor._net.0.bias" // [8]
	replace := func(with safetensors.Tensor) func(tensorList) tensorList {
		return func(ts tensorList) tensorList {
			i := slices.IndexFunc(ts, func(x safetensors.Tensor) bool { return x.Name == name })
			ts[i] = with
			return ts
		}
	}
	bias := func(x float32) []float32 { return []float32{0, 0, x, 0, 0, 0, 0, 0} }
	for _, c := range []struct {
		what   string
		meta   map[string]string
		change func(tensorList) tensorList
		words  []string
	}{
		{"missing", nil, func(ts tensorList) tensorList {
			return slices.DeleteFunc(ts, func(x safetensors.Tensor) bool { return x.Name == name })
		}, []string{name, "no such tensor", "[8]"}},
		{"extra", nil, func(ts tensorList) tensorList {
			return append(ts, safetensors.F32("_latent.0.weight", []int{2, 3}, make([]float32, 6)))
		}, []string{"_latent.0.weight", "[2 3]", "acqnp"}},
		{"shape", nil, replace(safetensors.F32(name, []int{2, 4}, bias(0))), []string{name, "[2 4]", "[8]"}},
		{"type", nil, replace(safetensors.I32(name, []int{8}, make([]int32, 8))), []string{name, "I32", "F32"}},
		{"NaN", nil, replace(safetensors.F32(name, []int{8}, bias(float32(math.NaN())))), []string{name, "NaN", "element 2"}},
		{"infinity", nil, replace(safetensors.F32(name, []int{8}, bias(float32(math.Inf(-1))))), []string{name, "-Inf"}},
		{"overflow", nil, replace(safetensors.F64(name, []int{8}, []float64{1e300, 0, 0, 0, 0, 0, 0, 0})), []string{name, "+Inf"}},
		{"other model", map[string]string{"model": "cqnp"}, func(ts tensorList) tensorList { return ts }, []string{"cqnp", "acqnp"}},
	} {
		t.Run(c.what, func(t *testing.T) {
			path := edited(t, c.meta, c.change)
			must.Refuse(t, must.Err(run.ReadWeights(path, m)), append(c.words, path)...)
		})
	}
}

// Weights of another variant of the same model are refused, and the error names the variant that is
// expected. No shape depends on the number of a transformer's heads or on the form of the scale, so
// these are recorded.
func TestWeightsOfAnotherFormAreNamed(t *testing.T) {
	form := func(aggregation, adaptor string, heads int) *models.Model {
		return modelOf(t, experiment(t, func(e *config.Experiment) {
			e.Model.Aggregation, e.Model.AdaptorForm, e.Model.Heads = aggregation, adaptor, heads
			if aggregation == config.Transformer {
				e.Model.Layers, e.Model.Feedforward = 1, 4
			}
		}))
	}
	residual := form(config.Transformer, config.Residual, 2)
	natural := modelOf(t, experiment(t, func(e *config.Experiment) {
		e.Model.AdaptorForm, e.Model.Aggregation, e.Model.ScaleForm = config.Residual, config.Transformer, config.NaturalScale
		e.Model.Heads, e.Model.Layers, e.Model.Feedforward = 2, 1, 4
	}))
	for _, c := range []struct {
		what  string
		m     *models.Model
		words []string
	}{
		{"scale", natural, []string{"model.scale_form", "trained with paper", "with natural"}},
		{"plain", form(config.Transformer, config.Plain, 2), []string{"_decoder._mlp._net.0.weight", "acqnp (transformer)"}},
		{"mean", form(config.Mean, config.Residual, 0), []string{"no such tensor", "acqnp (residual)"}},
		{"heads", form(config.Transformer, config.Residual, 4), []string{"2 heads", "4 heads", "model.heads"}},
	} {
		path := filepath.Join(t.TempDir(), "weights.safetensors")
		must.Do(t, run.WriteWeights(path, residual, residual.Initial(1), nil))
		must.Do(t, must.Err(run.ReadWeights(path, residual)))
		t.Run(c.what, func(t *testing.T) {
			must.Refuse(t, must.Err(run.ReadWeights(path, c.m)), append(c.words, path)...)
		})
	}
}

// Exported weights of the paper's scale state no form. Those of PyTorch state none either, and may have
// any.
func TestWeightsStateTheFormOfTheScale(t *testing.T) {
	form := func(scale string) *models.Model {
		return modelOf(t, experiment(t, func(e *config.Experiment) { e.Model.ScaleForm = scale }))
	}
	natural, paper := form(config.NaturalScale), form(config.PaperScale)
	path := filepath.Join(t.TempDir(), "weights.safetensors")
	must.Do(t, run.WriteWeights(path, natural, natural.Initial(1), nil))
	must.Do(t, must.Err(run.ReadWeights(path, natural)))
	must.Refuse(t, must.Err(run.ReadWeights(path, paper)), path, "model.scale_form", "trained with natural", "with paper")
	foreign := edited(t, nil, func(ts []safetensors.Tensor) []safetensors.Tensor { return ts })
	for _, m := range []*models.Model{natural, paper} {
		if _, err := run.ReadWeights(foreign, m); err != nil {
			t.Errorf("weights without metadata: %v", err)
		}
	}
}

// An encoder is read beside any likelihood, and refused under another encoder.
func TestEncodersOfOtherModels(t *testing.T) {
	form := func(name, aggregation string, width, heads int) *models.Model {
		return modelOf(t, experiment(t, func(e *config.Experiment) {
			e.Model.Name, e.Model.Aggregation, e.Model.Representation = name, aggregation, width
			if name != "acqnp" {
				e.Model.Adaptor = nil
			}
			if aggregation == config.Transformer {
				e.Model.Heads, e.Model.Layers, e.Model.Feedforward = heads, 1, 4
			}
		}))
	}
	acqnp := form("acqnp", config.Transformer, 8, 2)
	path := filepath.Join(t.TempDir(), "weights.safetensors")
	must.Do(t, run.WriteWeights(path, acqnp, acqnp.Initial(1), nil))
	for _, name := range []string{"cnp", "cqnp"} {
		if _, err := (run.Start{Encoder: path}).Params(form(name, config.Transformer, 8, 2), 5); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for what, c := range map[string]struct {
		m     *models.Model
		words []string
	}{
		"heads": {form("cnp", config.Transformer, 8, 4), []string{"2 heads", "4 heads"}},
		"width": {form("cnp", config.Transformer, 16, 2), []string{"_encoder.", "shape"}},
		"mean":  {form("cnp", config.Mean, 8, 0), []string{"_encoder."}},
	} {
		t.Run(what, func(t *testing.T) {
			must.Refuse(t, must.Err((run.Start{Encoder: path}).Params(c.m, 5)), append(c.words, path)...)
		})
	}
}
