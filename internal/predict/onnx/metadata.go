package onnx

import (
	"encoding/json"
	"strconv"

	"github.com/acqnp/acqnp/internal/datasets/benchmark"
	"github.com/acqnp/acqnp/internal/datasets/feed"
	"github.com/acqnp/acqnp/internal/datasets/rows"
	"github.com/acqnp/acqnp/internal/predict"
	"github.com/acqnp/acqnp/internal/run/version"
)

// format is the version of the files: inputs, outputs and metadata.
const format = "acqnp.onnx/1"

// columns describe the inputs and the output of a model, in the order of x's and of y's last axis.
type columns struct {
	X []column `json:"x"`
	Y []column `json:"y"`
}

// A column describes the numbers of a column and what the network sees of them: (number − offset)/scale,
// (log(number + shift) − offset)/scale, or a one-hot column for each of the categories.
type column struct {
	Name       string   `json:"name"`
	Unit       string   `json:"unit,omitempty"`
	Offset     *float64 `json:"offset,omitempty"`
	Scale      *float64 `json:"scale,omitempty"`
	Log        bool     `json:"log,omitempty"`
	Shift      float64  `json:"shift,omitempty"`
	Categories []string `json:"categories,omitempty"` // number k is name k; other numbers are unknown names
	Origin     string   `json:"origin,omitempty"`     // for dates: their numbers are days since then
	Encoded    []string `json:"encoded"`              // the columns that the network sees
}

// metadata returns a description of the model, for readers of the file.
func metadata(t predict.Trained, graph string) ([]message, error) {
	s := t.Units.Scaling
	described, err := json.Marshal(columns{
		describe(t.Benchmark, t.Units.XNames, s.XOffset, s.XScale, s.XForms),
		describe(t.Benchmark, t.Units.YNames, s.YOffset, s.YScale, s.YForms),
	})
	if err != nil {
		return nil, err
	}
	entries := [][2]string{{"format", format}, {"version", version.String()}, {"graph", graph}, {"model", t.Model.Name()},
		{"variant", t.Variant}, {"benchmark", t.Benchmark}, {"data", t.Data}, {"columns", string(described)},
		{"parameters", strconv.Itoa(t.Model.NumParams())}}
	if t.Weights.Step != nil {
		entries = append(entries, [2]string{"step", strconv.Itoa(*t.Weights.Step)})
	}
	more, err := defaults(t)
	if err != nil {
		return nil, err
	}
	var list []message
	for _, e := range append(entries, more...) {
		if e[1] != "" {
			list = append(list, message{}.text(entryKey, e[0]).text(entryValue, e[1]))
		}
	}
	return list, nil
}

// defaults returns the levels, or the number of bootstraps, that predictions take by default.
func defaults(t predict.Trained) ([][2]string, error) {
	switch {
	case t.Model.Bootstrap():
		return [][2]string{{"bootstraps", strconv.Itoa(t.Bootstraps)}}, nil
	case t.Model.Quantile():
		text, err := json.Marshal(feed.Even(t.NumTau, t.Model))
		return [][2]string{{"levels", string(text)}}, err
	}
	return nil, nil
}

func describe(data string, names []string, offset, scale []float64, forms []rows.Form) []column {
	all := make([]column, len(names))
	for i, name := range names {
		f := rows.FormAt(forms, i)
		all[i] = column{Name: name, Unit: benchmark.UnitOf(data, name, f), Log: f.Log, Shift: f.Shift, Categories: f.Categories, Origin: f.Origin,
			Encoded: []string{name}}
		if f.Categories == nil {
			all[i].Offset, all[i].Scale = &offset[i], &scale[i]
			continue
		}
		all[i].Encoded = nil
		for _, category := range f.Categories {
			all[i].Encoded = append(all[i].Encoded, name+"="+category)
		}
	}
	return all
}
