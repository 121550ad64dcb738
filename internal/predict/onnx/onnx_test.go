package onnx_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/acqnp/acqnp/internal/predict/onnx"
	"github.com/acqnp/acqnp/internal/predict/onnx/onnxtest"
	"github.com/acqnp/acqnp/internal/test/must"
)

// Values are compared with predict's by tools/onnx/check.py, which needs onnxruntime.

// A message is one of ONNX's, by the numbers of its fields: the numbers, texts or messages of each.
type message map[protowire.Number][]field

type field struct {
	number uint64
	bytes  []byte
}

// parse reads a message.
func parse(t *testing.T, b []byte) message {
	t.Helper()
	m := message{}
	for len(b) > 0 {
		number, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			t.Fatal(protowire.ParseError(n))
		}
		b = b[n:]
		var f field
		switch kind {
		case protowire.VarintType:
			f.number, n = protowire.ConsumeVarint(b)
		case protowire.BytesType:
			f.bytes, n = protowire.ConsumeBytes(b)
		case protowire.Fixed32Type:
			_, n = protowire.ConsumeFixed32(b)
		}
		if n < 0 {
			t.Fatalf("field %d: %v", number, protowire.ParseError(n))
		}
		b = b[n:]
		m[number] = append(m[number], f)
	}
	return m
}

// within returns the messages of a field.
func (m message) within(t *testing.T, number protowire.Number) (all []message) {
	t.Helper()
	for _, f := range m[number] {
		all = append(all, parse(t, f.bytes))
	}
	return all
}

// text returns a field that stands once, or "" if it does not stand there.
func (m message) text(number protowire.Number) string {
	if len(m[number]) != 1 {
		return ""
	}
	return string(m[number][0].bytes)
}

func (m message) int(number protowire.Number) int {
	if len(m[number]) != 1 {
		return 0
	}
	return int(m[number][0].number)
}

// graph returns the graph of a model.
func (m message) graph(t *testing.T) message { return m.within(t, 7)[0] }

// written writes a case and reads both files again.
func written(t *testing.T, c onnxtest.Case) (components, density message) {
	t.Helper()
	trained := must.Get(c.Trained())(t)
	path := filepath.Join(t.TempDir(), "model.onnx")
	must.Do(t, onnx.Write(path, trained))
	return parsed(t, path), parsed(t, onnx.DensityPath(path))
}

func parsed(t *testing.T, path string) message {
	t.Helper()
	content := must.Get(os.ReadFile(path))(t)
	return parse(t, content)
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
		trained := must.Get(c.Trained())(t)
		for _, m := range []message{components, density} {
			if opset := m.within(t, 8); m.int(1) != 8 || len(opset) != 1 || opset[0].text(1) != "" || opset[0].int(2) != 17 {
				t.Errorf("%s: versions %d, %v", c.Name, m.int(1), opset)
			}
			g := m.graph(t)
			checkGraph(t, c.Name+", "+g.text(2), g, trained.Model.NumParams())
		}
	}
}

func checkGraph(t *testing.T, name string, g message, params int) {
	t.Helper()
	read := map[string]bool{}
	define := func(v string) {
		if _, twice := read[v]; twice || v == "" {
			t.Errorf("%s: %q is defined again", name, v)
		}
		read[v] = false
	}
	for _, in := range g.within(t, 11) {
		define(in.text(1))
	}
	found := 0
	for _, w := range g.within(t, 5) {
		define(w.text(8))
		elements, dims := 1, w.text(1)
		for rest := []byte(dims); len(rest) > 0; {
			size, n := protowire.ConsumeVarint(rest)
			elements, rest = elements*int(size), rest[n:]
		}
		bytes := map[int]int{1: 4, 7: 8, 9: 1, 11: 8}[w.int(2)] // of float32, int64, bool, float64
		if len(w.text(9)) != bytes*elements {
			t.Errorf("%s: %s of %d elements has %d bytes", name, w.text(8), elements, len(w.text(9)))
		}
		if w.int(2) == 1 && dims != "" { // other float32 constants have no dimensions
			found += elements
		}
	}
	if found != params {
		t.Errorf("%s: %d parameters, want %d", name, found, params)
	}
	for _, n := range g.within(t, 1) {
		for _, f := range n[1] {
			v := string(f.bytes)
			if _, ok := read[v]; !ok {
				t.Errorf("%s: %s reads %q before it is computed", name, n.text(3), v)
			}
			read[v] = true
		}
		define(n.text(2))
	}
	for _, out := range g.within(t, 12) {
		read[out.text(1)] = true
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
			[]string{"context_x groups context 4", "context_y groups context 2", "target_x groups targets 4", "levels levels"},
			[]string{"mu groups targets levels 2", "sigma groups targets levels 2", "log_weight groups targets levels 2",
				"level_logit groups targets levels"},
			[]string{"target_y groups targets 2"}, []string{"log_density groups targets 2"}},
		{"bnp",
			[]string{"context_x groups context 2", "context_y groups context 2", "target_x groups targets 2",
				"resample 2 bootstraps groups context"},
			[]string{"mu groups targets bootstraps 2", "sigma groups targets bootstraps 2", "log_weight groups targets bootstraps 2"},
			[]string{"target_y groups targets 2"}, []string{"log_density groups targets 2"}},
		{"cnp-gaussian-mixture-pair",
			[]string{"context_x groups context 2", "context_y groups context 2", "target_x groups targets 2"},
			[]string{"mu groups targets 20 2", "sigma groups targets 20 2", "log_weight groups targets 20 2"},
			[]string{"target_y groups targets 2"}, []string{"log_density groups targets 2"}},
	} {
		components, density := written(t, named(t, c.name))
		for _, v := range []struct {
			what string
			got  []message
			want []string
		}{
			{"inputs", components.graph(t).within(t, 11), c.inputs}, {"outputs", components.graph(t).within(t, 12), c.outputs},
			{"inputs of the density", density.graph(t).within(t, 11), append(c.inputs, c.toDensity...)},
			{"outputs of the density", density.graph(t).within(t, 12), c.fromThat},
		} {
			if diff := cmp.Diff(v.want, shapes(t, v.got)); diff != "" {
				t.Errorf("%s: %s (-want +got):\n%s", c.name, v.what, diff)
			}
		}
	}
}

// shapes returns the names and the dimensions of values.
func shapes(t *testing.T, values []message) (all []string) {
	t.Helper()
	for _, v := range values {
		text := v.text(1)
		for _, d := range v.within(t, 2)[0].within(t, 1)[0].within(t, 2)[0].within(t, 1) {
			if name := d.text(2); name != "" {
				text += " " + name
				continue
			}
			text += fmt.Sprintf(" %d", d.int(1))
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
		for _, e := range components.within(t, 14) {
			entries[e.text(1)] = e.text(2)
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
	trained := must.Get(named(t, "acqnp-transformer-residual").Trained())(t)
	var files [2][]byte
	for i := range files {
		path := filepath.Join(t.TempDir(), "model.onnx")
		must.Do(t, onnx.Write(path, trained))
		files[i] = must.Get(os.ReadFile(path))(t)
	}
	if !slices.Equal(files[0], files[1]) {
		t.Error("two exports differ")
	}
}

// TestCheckKeepsOtherFiles checks that an export replaces its own second file, but no other.
func TestCheckKeepsOtherFiles(t *testing.T) {
	trained := must.Get(named(t, "cnp-mean").Trained())(t)
	path := filepath.Join(t.TempDir(), "model.onnx")
	for range 2 {
		if err := onnx.Check(path, onnx.DensityPath(path)); err != nil {
			t.Error(err)
		}
		must.Do(t, onnx.Write(path, trained))
	}
	must.Do(t, os.WriteFile(onnx.DensityPath(path), []byte("notes of a user"), 0o644))
	must.Refuse(t, onnx.Check(path, onnx.DensityPath(path)), "model-density.onnx")
}
