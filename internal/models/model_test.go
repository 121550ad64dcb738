package models_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/input"
	"github.com/acqnp/acqnp/internal/models"
)

func model(t *testing.T, name string, dx, dy int) *models.Model {
	t.Helper()
	c := config.Model{Name: name, Representation: 128, Encoder: []int{128, 128, 128}, Decoder: []int{128, 128, 128}}
	if name == "acqnp" {
		c.Adaptor = []int{128, 128, 128, 128, 128}
	}
	m, err := models.New(c, dx, dy)
	if err != nil {
		t.Fatal(err)
	}
	return m
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
	for _, tensor := range m.Tensors() {
		bound := 1 / math.Sqrt(float64(tensor.FanIn))
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

func TestUnknownModel(t *testing.T) {
	_, err := models.New(config.Model{Name: "gp"}, 1, 1)
	var bad *input.Error
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
		e, err := config.Parse("rbf.yaml", []byte("{benchmark: rbf, model: {name: "+name+"}}"), config.Overrides{})
		if err != nil {
			t.Fatal(err)
		}
		m, err := models.New(e.Model, 1, 1)
		if err != nil {
			t.Fatal(err)
		}
		if m.Quantile() != e.Model.HasLevels() {
			t.Errorf("%s: quantile levels %v, but %v in configurations", name, m.Quantile(), e.Model.HasLevels())
		}
	}
}
