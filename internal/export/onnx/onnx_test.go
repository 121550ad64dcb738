package onnx_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"

	"github.com/acqnp/acqnp/internal/export/onnx"
	"github.com/acqnp/acqnp/internal/export/onnx/onnxpb"
	"github.com/acqnp/acqnp/internal/export/onnx/onnxtest"
	"github.com/acqnp/acqnp/internal/invalid"
)

// Values are compared with predict's by tools/onnx/check.py, which needs onnxruntime.

// written writes a case and reads both files again.
func written(t *testing.T, c onnxtest.Case) (components, density *onnxpb.ModelProto) {
	t.Helper()
	trained, err := c.Trained()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "model.onnx")
	if err := onnx.Write(path, trained); err != nil {
		t.Fatal(err)
	}
	return parsed(t, path), parsed(t, onnx.DensityPath(path))
}

func parsed(t *testing.T, path string) *onnxpb.ModelProto {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var m onnxpb.ModelProto
	if err := proto.Unmarshal(content, &m); err != nil {
		t.Fatal(err)
	}
	return &m
}

// named returns the case of a name.
func named(t *testing.T, name string) onnxtest.Case {
	t.Helper()
	cases := onnxtest.Cases()
	i := slices.IndexFunc(cases, func(c onnxtest.Case) bool { return c.Name == name })
	if i < 0 {
		t.Fatalf("no case %s", name)
	}
	return cases[i]
}

// TestGraphsAreWhole checks that nodes come after what they read, that each name is defined once,
// that everything is read, that constants have their shapes, and that the parameters are all there.
func TestGraphsAreWhole(t *testing.T) {
	for _, c := range onnxtest.Cases() {
		components, density := written(t, c)
		trained, err := c.Trained()
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range []*onnxpb.ModelProto{components, density} {
			if m.IrVersion != 8 || len(m.OpsetImport) != 1 || m.OpsetImport[0].Domain != "" || m.OpsetImport[0].Version != 17 {
				t.Errorf("%s: versions %d, %v", c.Name, m.IrVersion, m.OpsetImport)
			}
			checkGraph(t, c.Name+", "+m.Graph.Name, m.Graph, trained.NumParams())
		}
	}
}

func checkGraph(t *testing.T, name string, g *onnxpb.GraphProto, params int) {
	t.Helper()
	read := map[string]bool{}
	define := func(v string) {
		if _, twice := read[v]; twice || v == "" {
			t.Errorf("%s: %q is defined again", name, v)
		}
		read[v] = false
	}
	for _, in := range g.Input {
		define(in.Name)
	}
	found := 0
	for _, w := range g.Initializer {
		define(w.Name)
		elements := 1
		for _, n := range w.Dims {
			elements *= int(n)
		}
		bytes := map[int32]int{1: 4, 7: 8, 9: 1, 11: 8}[w.DataType] // of float32, int64, bool, float64
		if len(w.RawData) != bytes*elements {
			t.Errorf("%s: %s of shape %v has %d bytes", name, w.Name, w.Dims, len(w.RawData))
		}
		if w.DataType == 1 && len(w.Dims) > 0 { // other float32 constants have no dimensions
			found += elements
		}
	}
	if found != params {
		t.Errorf("%s: %d parameters, want %d", name, found, params)
	}
	for _, n := range g.Node {
		for _, v := range n.Input {
			if _, ok := read[v]; !ok {
				t.Errorf("%s: %s reads %q before it is computed", name, n.Name, v)
			}
			read[v] = true
		}
		for _, v := range n.Output {
			define(v)
		}
	}
	for _, out := range g.Output {
		read[out.Name] = true
	}
	for v, used := range read {
		if !used {
			t.Errorf("%s: nothing reads %s", name, v)
		}
	}
}

// TestInputsAndOutputs checks names and shapes for a model with levels, one with bootstraps and one
// with tails.
func TestInputsAndOutputs(t *testing.T) {
	for _, c := range []struct {
		name                string
		inputs, outputs     []string
		toDensity, fromThat []string
	}{
		{"acqnp-forms",
			[]string{"context_x functions context 4", "context_y functions context 2", "target_x functions targets 4", "levels levels"},
			[]string{"mu functions targets levels 2", "sigma functions targets levels 2", "log_weight functions targets levels 2",
				"level_logit functions targets levels"},
			[]string{"target_y functions targets 2"}, []string{"log_density functions targets 2"}},
		{"bnp",
			[]string{"context_x functions context 2", "context_y functions context 2", "target_x functions targets 2",
				"resample 2 bootstraps functions context"},
			[]string{"mu functions targets bootstraps 2", "sigma functions targets bootstraps 2", "log_weight functions targets bootstraps 2"},
			[]string{"target_y functions targets 2"}, []string{"log_density functions targets 2"}},
		{"cnp-gaussian-mixture-pair",
			[]string{"context_x functions context 2", "context_y functions context 2", "target_x functions targets 2"},
			[]string{"mu functions targets 20 2", "sigma functions targets 20 2", "log_weight functions targets 20 2"},
			[]string{"target_y functions targets 2"}, []string{"log_density functions targets 2"}},
	} {
		components, density := written(t, named(t, c.name))
		for _, v := range []struct {
			what string
			got  []*onnxpb.ValueInfoProto
			want []string
		}{
			{"inputs", components.Graph.Input, c.inputs}, {"outputs", components.Graph.Output, c.outputs},
			{"inputs of the density", density.Graph.Input, append(c.inputs, c.toDensity...)},
			{"outputs of the density", density.Graph.Output, c.fromThat},
		} {
			if diff := cmp.Diff(v.want, shapes(v.got)); diff != "" {
				t.Errorf("%s: %s (-want +got):\n%s", c.name, v.what, diff)
			}
		}
	}
}

// shapes returns the names and the dimensions of values.
func shapes(values []*onnxpb.ValueInfoProto) (all []string) {
	for _, v := range values {
		text := v.Name
		for _, d := range v.Type.GetTensorType().Shape.Dim {
			if d.GetDimParam() != "" {
				text += " " + d.GetDimParam()
				continue
			}
			text += fmt.Sprintf(" %d", d.GetDimValue())
		}
		all = append(all, text)
	}
	return all
}

// TestMetadata checks what a file says of its columns, its levels and its bootstraps.
func TestMetadata(t *testing.T) {
	of := func(name string) map[string]string {
		components, _ := written(t, named(t, name))
		entries := map[string]string{}
		for _, e := range components.MetadataProps {
			entries[e.Key] = e.Value
		}
		return entries
	}
	m := of("acqnp-forms")
	if m["format"] != "acqnp.onnx/1" || m["model"] != "acqnp" || m["graph"] != "components" || m["benchmark"] != "csv" || m["version"] == "" {
		t.Errorf("%v", m)
	}
	var levels []float32
	if err := json.Unmarshal([]byte(m["levels"]), &levels); err != nil || len(levels) != 9 || levels[0] != 0.001 || levels[4] != 0.5 {
		t.Errorf("levels %s: %v", m["levels"], err)
	}
	const want = `{"x":[` +
		`{"name":"x1","offset":0.3,"scale":1.7,"log":true,"shift":0.25,"encoded":["x1"]},` +
		`{"name":"x2","categories":["a","b","c"],"encoded":["x2=a","x2=b","x2=c"]},` +
		`{"name":"x3","unit":"days since 2024-03-01","offset":0.3,"scale":1.7,"origin":"2024-03-01","encoded":["x3"]},` +
		`{"name":"x4","offset":0.3,"scale":1.7,"encoded":["x4"]}],` +
		`"y":[{"name":"y1","offset":-0.2,"scale":2.5,"encoded":["y1"]},{"name":"y2","offset":0.8,"scale":2.5,"log":true,"encoded":["y2"]}]}`
	if diff := cmp.Diff(want, m["columns"]); diff != "" {
		t.Errorf("columns (-want +got):\n%s", diff)
	}
	if m := of("bnp"); m["bootstraps"] != "4" || m["levels"] != "" {
		t.Errorf("%v", m)
	}
}

// TestSameBytes checks that a model is written in the same way each time.
func TestSameBytes(t *testing.T) {
	trained, err := named(t, "acqnp-transformer-residual").Trained()
	if err != nil {
		t.Fatal(err)
	}
	var files [2][]byte
	for i := range files {
		path := filepath.Join(t.TempDir(), "model.onnx")
		if err := onnx.Write(path, trained); err != nil {
			t.Fatal(err)
		}
		if files[i], err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(files[0], files[1]) {
		t.Error("two exports differ")
	}
}

// TestCheckKeepsOtherFiles checks that an export replaces its own second file, but no other.
func TestCheckKeepsOtherFiles(t *testing.T) {
	trained, err := named(t, "cnp-mean").Trained()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "model.onnx")
	for range 2 {
		if err := onnx.Check(path, onnx.DensityPath(path)); err != nil {
			t.Error(err)
		}
		if err := onnx.Write(path, trained); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(onnx.DensityPath(path), []byte("notes of a user"), 0o644); err != nil {
		t.Fatal(err)
	}
	var bad *invalid.Input
	if err := onnx.Check(path, onnx.DensityPath(path)); !errors.As(err, &bad) || !strings.Contains(bad.Found, "model-density.onnx") {
		t.Errorf("error %v", err)
	}
}
