package main

import (
	"encoding/json"
	"os"
	"path/filepath"

	"gorgonia.org/tensor"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets/feed"
	"github.com/acqnp/acqnp/internal/device"
	"github.com/acqnp/acqnp/internal/export/onnx"
	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/models/ops"
	"github.com/acqnp/acqnp/internal/predict"
	"github.com/acqnp/acqnp/internal/random"
)

// A groupsCase is one data set and one more group of it, and what the engine returns.
type groupsCase struct {
	Siblings map[string]any `json:"siblings"` // inputs of the graph of the siblings
	Inputs   map[string]any `json:"inputs"`   // of the other graph, but keys and values
	Expected map[string]any `json:"expected"`
}

const groupsLevels = 5

// writeGroups writes groups.onnx, groups-siblings.onnx and groups.json.
func writeGroups(folder string) error {
	const dx = 3
	m, err := models.New(config.Model{Name: "acqnp", Aggregation: config.Groups, Representation: 12, Encoder: []int{9}, Layers: 2, Heads: 3,
		Feedforward: 10, Adaptor: []int{5}, AdaptorForm: config.Residual, ScaleForm: config.NaturalScale, Decoder: []int{7}, SigmaFloor: 0.003}, dx, 1)
	if err != nil {
		return err
	}
	params := m.Initial(3)
	for i := range params {
		params[i] *= 2
	}
	path := filepath.Join(folder, "groups.onnx")
	if err := onnx.WriteGroups(path, predict.Trained{Model: m, Params: params, NumTau: groupsLevels, Benchmark: "groups"}); err != nil {
		return err
	}
	var all []groupsCase
	for i, known := range []int{0, 1, 4} {
		c, err := groupsCaseOf(m, params, known, uint64(i))
		if err != nil {
			return err
		}
		all = append(all, c)
	}
	text, err := json.Marshal(all)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "groups.json"), text, 0o644)
}

// groupsCaseOf returns a case of groups of 5, 1 and 7 rows, and one more with so many known points and six
// that are asked for.
func groupsCaseOf(m *models.Model, params []float32, known int, seed uint64) (c groupsCase, err error) {
	dx, _ := m.Dims()
	draw, at := random.New(seed, random.Data), uint64(0)
	normals := func(n int) []float32 {
		v := make([]float32, n)
		for i := range v {
			at++
			v[i] = float32(draw.Normal(0, at))
		}
		return v
	}
	var ranges []float32
	first := 0
	for _, n := range []int{5, 1, 7} {
		for range n {
			ranges = append(ranges, float32(first), float32(first+n))
		}
		first += n
	}
	siblings := map[string][]float32{"context": normals(first * (dx + 1)), "context_group": ranges}
	own, levels := map[string][]float32{}, feed.Even(groupsLevels, m)
	points := known + 6
	own["x"], own["y"], own["asked"] = normals(points*dx), normals(points), make([]float32, points)
	for i := range points {
		own["group"] = append(own["group"], 0, float32(known))
		if i >= known {
			own["y"][i], own["asked"][i] = 0, 1
		}
		own["u"] = append(own["u"], levels...)
	}
	extents := ops.Extents{Functions: 1, Context: first, Points: points, Levels: groupsLevels}
	remembered, err := m.BuildSiblings(tensor.Float32, extents)
	if err != nil {
		return c, err
	}
	expected := map[string]any{}
	var names []string
	for l := range m.Config().Layers {
		keys, values := models.SiblingInputs(l)
		names = append(names, keys, values)
	}
	out, err := ran(remembered, params, extents, siblings, names)
	if err != nil {
		return c, err
	}
	for _, name := range names {
		own[name] = out[name]
		expected[name] = [][][]float64{rows(wide(out[name]), m.Config().Representation)}
	}
	graph, err := m.Build(tensor.Float32, extents, models.Prediction)
	if err != nil {
		return c, err
	}
	if out, err = ran(graph, params, extents, own, []string{"components", "logit"}); err != nil {
		return c, err
	}
	var mu, sigma, logWeight []any
	for i := range points {
		from := i * groupsLevels
		d := likelihood.NewMixture(out["components"][from*m.RowWidth():], out["logit"][from:][:groupsLevels], 1, 0, m.Scale())
		location, scale, weight, _ := parts([]predict.Distribution{{Distribution: d}})
		mu, sigma, logWeight = append(mu, location), append(sigma, scale), append(logWeight, weight)
	}
	expected["mu"], expected["sigma"], expected["log_weight"] = []any{mu}, []any{sigma}, []any{logWeight}
	nested := func(name string, columns int) any { return [][][]float64{rows(wide(own[name]), columns)} }
	return groupsCase{
		Siblings: map[string]any{"siblings": [][][]float64{rows(wide(siblings["context"]), dx+1)}, "sibling_groups": [][][]float64{rows(wide(ranges), 2)}},
		Inputs:   map[string]any{"x": nested("x", dx), "y": nested("y", 1), "asked": nested("asked", 1), "group": nested("group", 2), "levels": levels},
		Expected: expected,
	}, nil
}

// ran runs a graph on the CPU and returns some of its outputs.
func ran(graph *ops.Graph, params []float32, e ops.Extents, in map[string][]float32, names []string) (map[string][]float32, error) {
	p, err := device.CPU(1).Program(graph)
	if err != nil {
		return nil, err
	}
	copy(p.Params(), params)
	for name, v := range in {
		copy(p.Input(name), v)
	}
	if err := p.Run(e); err != nil {
		return nil, err
	}
	out := map[string][]float32{}
	for _, name := range names {
		out[name] = append([]float32(nil), p.Output(name)...)
	}
	return out, nil
}

func wide(v []float32) []float64 {
	all := make([]float64, len(v))
	for i, f := range v {
		all[i] = float64(f)
	}
	return all
}
