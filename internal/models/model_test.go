package models_test

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/models/ops"
	"github.com/acqnp/acqnp/internal/test/must"
)

func model(t *testing.T, name string, dx, dy int) *models.Model {
	t.Helper()
	c := config.Model{Name: name, Representation: 128, Encoder: []int{128, 128, 128}, Decoder: []int{128, 128, 128}}
	if name == "acqnp" {
		c.Adaptor = []int{128, 128, 128, 128, 128}
	}
	return must.Get(models.New(c, dx, dy))(t)
}

// TestTensorsAreTheAuthors checks names and shapes against the supplement's tables (with the input
// widths that the authors' code has) for one and two dimensions of x and for RGB.
func TestTensorsAreTheAuthors(t *testing.T) {
	mlp := func(name string, widths ...int) (want []string) {
		for i := range len(widths) - 1 {
			want = append(want, fmt.Sprintf("%s.%d.weight[%d %d]", name, 2*i, widths[i+1], widths[i]),
				fmt.Sprintf("%s.%d.bias[%d]", name, 2*i, widths[i+1]))
		}
		return want
	}
	const d = 128
	for _, c := range []struct {
		name   string
		dx, dy int
		want   [][]string
	}{
		{"cnp", 1, 1, [][]string{mlp("_encoder._mlp._net", 2, d, d, d, d), mlp("_decoder._mlp._net", 129, d, d, d, 2)}},
		{"cqnp", 1, 1, [][]string{mlp("_encoder._mlp._net", 2, d, d, d, d), mlp("_decoder._mlp._net", 130, d, d, d, 3)}},
		{"acqnp", 1, 1, [][]string{mlp("_encoder._mlp._net", 2, d, d, d, d), mlp("_adaptor._net", 130, d, d, d, d, d, 1), mlp("_decoder._mlp._net", 130, d, d, d, 3)}},
		{"acqnp", 2, 1, [][]string{mlp("_encoder._mlp._net", 3, d, d, d, d), mlp("_adaptor._net", 131, d, d, d, d, d, 1), mlp("_decoder._mlp._net", 131, d, d, d, 3)}},
		{"cqnp", 2, 3, [][]string{mlp("_encoder._mlp._net", 5, d, d, d, d), mlp("_decoder._mlp._net", 131, d, d, d, 9)}},
		{"cnp", 2, 3, [][]string{mlp("_encoder._mlp._net", 5, d, d, d, d), mlp("_decoder._mlp._net", 130, d, d, d, 6)}},
	} {
		m := model(t, c.name, c.dx, c.dy)
		var got []string
		offset := 0
		for _, tensor := range m.Tensors() {
			got = append(got, tensor.Name+fmt.Sprint(tensor.Shape))
			if tensor.Offset != offset {
				t.Errorf("%s: %s starts at %d, want %d", c.name, tensor.Name, tensor.Offset, offset)
			}
			offset += tensor.Size()
		}
		if want := slices.Concat(c.want...); !slices.Equal(got, want) {
			t.Errorf("%s dx=%d dy=%d:\ngot  %v\nwant %v", c.name, c.dx, c.dy, got, want)
		}
		if m.NumParams() != offset {
			t.Errorf("%s: %d parameters, want %d", c.name, m.NumParams(), offset)
		}
	}
}

// TestAggregationsHavePyTorchsNames checks the tensors of a residual ACQNP with attention and with
// a transformer: those of CANP's encoder and of PyTorch's TransformerEncoder.
func TestAggregationsHavePyTorchsNames(t *testing.T) {
	c := config.Model{Name: "acqnp", AdaptorForm: config.Residual, Representation: 8, Encoder: []int{6}, Adaptor: []int{5}, Decoder: []int{7}}
	tail := []string{"_adaptor._net.0.weight[5 11]", "_adaptor._net.0.bias[5]", "_adaptor._net.2.weight[1 5]", "_adaptor._net.2.bias[1]",
		"_decoder._mlp._net.0.weight[7 12]", "_decoder._mlp._net.0.bias[7]", "_decoder._mlp._net.2.weight[9 7]", "_decoder._mlp._net.2.bias[9]"}
	attention, transformer := c, c
	attention.Aggregation, attention.KeyEncoder, attention.QueryEncoder, attention.Heads = config.Attention, []int{4}, []int{3}, 2
	transformer.Aggregation, transformer.Heads, transformer.Layers, transformer.Feedforward = config.Transformer, 2, 2, 10
	heads := func(name string, shape string) []string {
		return []string{"_encoder._attention._attention._" + name + "_layers.0.weight" + shape, "_encoder._attention._attention._" + name + "_layers.1.weight" + shape}
	}
	layer := func(l string) (names []string) {
		for _, n := range []string{"self_attn.in_proj_weight[24 8]", "self_attn.in_proj_bias[24]", "self_attn.out_proj.weight[8 8]",
			"self_attn.out_proj.bias[8]", "linear1.weight[10 8]", "linear1.bias[10]", "linear2.weight[8 10]", "linear2.bias[8]",
			"norm1.weight[8]", "norm1.bias[8]", "norm2.weight[8]", "norm2.bias[8]"} {
			names = append(names, "_encoder._transformer.layers."+l+"."+n)
		}
		return names
	}
	for _, v := range []struct {
		model config.Model
		want  []string
	}{
		{attention, slices.Concat([]string{"_encoder._mlp._net.0.weight[6 5]", "_encoder._mlp._net.0.bias[6]", "_encoder._mlp._net.2.weight[8 6]", "_encoder._mlp._net.2.bias[8]",
			"_encoder._attention._query_mlp._net.0.weight[3 2]", "_encoder._attention._query_mlp._net.0.bias[3]", "_encoder._attention._query_mlp._net.2.weight[8 3]", "_encoder._attention._query_mlp._net.2.bias[8]",
			"_encoder._attention._key_mlp._net.0.weight[4 2]", "_encoder._attention._key_mlp._net.0.bias[4]", "_encoder._attention._key_mlp._net.2.weight[8 4]", "_encoder._attention._key_mlp._net.2.bias[8]"},
			heads("query", "[4 8 1]"), heads("key", "[4 8 1]"), heads("value", "[4 8 1]"), heads("output", "[8 4 1]"), tail)},
		{transformer, slices.Concat([]string{"_encoder._embedder._net.0.weight[6 6]", "_encoder._embedder._net.0.bias[6]",
			"_encoder._embedder._net.2.weight[8 6]", "_encoder._embedder._net.2.bias[8]"}, layer("0"), layer("1"), tail)},
	} {
		m := must.Get(models.New(v.model, 2, 3))(t)
		var got []string
		for _, tensor := range m.Tensors() {
			got = append(got, tensor.Name+fmt.Sprint(tensor.Shape))
		}
		must.Same(t, v.want, got, v.model.Aggregation)
	}
}

// TestInitial checks U(−1/√fan_in, 1/√fan_in): the bounds exactly, the spread within five standard
// errors.
func TestInitial(t *testing.T) {
	m := model(t, "acqnp", 1, 1)
	params := m.Initial(7)
	if !slices.Equal(params, m.Initial(7)) {
		t.Error("one seed gives two starts")
	}
	if slices.Equal(params, m.Initial(8)) {
		t.Error("two seeds give one start")
	}
	fanIn := 0
	for _, tensor := range m.Tensors() {
		if len(tensor.Shape) > 1 {
			fanIn = tensor.Shape[1] // a bias follows its weight
		}
		bound := 1 / math.Sqrt(float64(fanIn))
		sum, squares := 0.0, 0.0
		for _, v := range params[tensor.Offset : tensor.Offset+tensor.Size()] {
			u := float64(v) / bound
			if math.Abs(u) > 1 {
				t.Fatalf("%s: %v is outside ±%v", tensor.Name, v, bound)
			}
			sum += u
			squares += u * u
		}
		n := float64(tensor.Size())
		if d := math.Abs(sum / n); d > 5*math.Sqrt(1/3.0/n) {
			t.Errorf("%s: mean %v of the bound", tensor.Name, d)
		}
		if d := math.Abs(squares/n - 1/3.0); d > 5*math.Sqrt(4/45.0/n) {
			t.Errorf("%s: variance off by %v", tensor.Name, d)
		}
	}
}

// TestTransformersStartAsPyTorchs checks the starts that differ from those of a linear layer:
// Xavier's bound for in_proj, gains of 1, and zeros.
func TestTransformersStartAsPyTorchs(t *testing.T) {
	type bounds = [2]float64 // the least and the largest value
	attention := func(name string) map[string]bounds {
		return map[string]bounds{
			name + "in_proj_weight": {-math.Sqrt(6 / 64.0), math.Sqrt(6 / 64.0)}, name + "in_proj_bias": {0, 0},
			name + "out_proj.weight": {-0.25, 0.25}, name + "out_proj.bias": {0, 0},
		}
	}
	feed := func(name string) map[string]bounds {
		return map[string]bounds{
			name + "linear1.weight": {-0.25, 0.25}, name + "linear1.bias": {-0.25, 0.25}, name + "linear2.weight": {-1 / math.Sqrt(32), 1 / math.Sqrt(32)},
		}
	}
	norms := func(names ...string) map[string]bounds {
		all := map[string]bounds{}
		for _, n := range names {
			all[n+".weight"], all[n+".bias"] = bounds{1, 1}, bounds{0, 0}
		}
		return all
	}
	const one, other = "_encoder._transformer.layers.0.", "_encoder._groups.layers.0."
	checkStart(t, config.Transformer, attention(one+"self_attn."), feed(one), norms(one+"norm1", one+"norm2"))
	checkStart(t, config.Groups, attention(other+"within."), attention(other+"across."), feed(other),
		norms(other+"within.norm", other+"across.norm", other+"norm", "_encoder._groups.norm"))
}

// checkStart checks the least and the largest initial value of tensors.
func checkStart(t *testing.T, aggregation string, tensors ...map[string][2]float64) {
	t.Helper()
	m, err := models.New(config.Model{Name: "cnp", Aggregation: aggregation, Representation: 16, Encoder: []int{16}, Decoder: []int{16},
		Heads: 2, Layers: 1, Feedforward: 32}, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	params := m.Initial(1)
	all := map[string][2]float64{}
	for _, some := range tensors {
		maps.Copy(all, some)
	}
	for name, want := range all {
		i := slices.IndexFunc(m.Tensors(), func(n ops.Tensor) bool { return n.Name == name })
		if i < 0 {
			t.Errorf("no tensor %s", name)
			continue
		}
		values := params[m.Tensors()[i].Offset:][:m.Tensors()[i].Size()]
		low, high := float64(slices.Min(values)), float64(slices.Max(values))
		// An extreme of n uniform numbers is within 10/n of the width from its bound, except with
		// probability e⁻¹⁰.
		near := (want[1] - want[0]) * 10 / float64(len(values))
		if low < want[0] || high > want[1] || low > want[0]+near || high < want[1]-near {
			t.Errorf("%s starts in [%g, %g], want [%g, %g]", name, low, high, want[0], want[1])
		}
	}
}

func TestUnknownModel(t *testing.T) {
	_, err := models.New(config.Model{Name: "gp"}, 1, 1)
	var bad *invalid.Input
	if !errors.As(err, &bad) || bad.Key != "model.name" {
		t.Errorf("error %v", err)
	}
}

// TestConfigKnowsTheModels compares the names that configurations may have with the architectures.
func TestConfigKnowsTheModels(t *testing.T) {
	if names := models.Names(); !slices.Equal(names, config.Models()) {
		t.Errorf("architectures %v, but configurations name %v", names, config.Models())
	}
	for _, name := range models.Names() {
		e := must.Get(config.Parse("rbf.yaml", []byte("{benchmark: rbf, model: {name: "+name+"}}"), config.Overrides{}))(t)
		m := must.Get(models.New(e.Model, 1, 1))(t)
		if m.Quantile() != e.Model.HasLevels() {
			t.Errorf("%s: quantile levels %v, but %v in configurations", name, m.Quantile(), e.Model.HasLevels())
		}
	}
}
