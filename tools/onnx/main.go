// Command onnx writes models with random weights as ONNX files, and what predict returns for them:
//
//	go run ./tools/onnx FOLDER
//
// check.py runs the files in onnxruntime and compares the two. Every model, aggregation, form of
// the adaptor and conversion of columns has a case.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"github.com/acqnp/acqnp/internal/datasets/feed"
	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/predict"
	"github.com/acqnp/acqnp/internal/predict/onnx"
	"github.com/acqnp/acqnp/internal/predict/onnx/onnxtest"
)

// A runCase is one run of a model: functions of the same size, and what predict returns. The slices
// are nested as the arrays of package onnx are.
type runCase struct {
	Inputs   map[string]any `json:"inputs"`
	Expected map[string]any `json:"expected"`
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: go run ./tools/onnx FOLDER")
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// write writes NAME.onnx, NAME-density.onnx and NAME.json for each model.
func write(folder string) error {
	for _, m := range onnxtest.Cases() {
		t, err := m.Trained()
		if err != nil {
			return fmt.Errorf("%s: %w", m.Name, err)
		}
		if err := onnx.Write(filepath.Join(folder, m.Name+".onnx"), t); err != nil {
			return fmt.Errorf("%s: %w", m.Name, err)
		}
		var runs []runCase
		for i, s := range m.Sizes() {
			r, err := predicted(t, m, s, i)
			if err != nil {
				return fmt.Errorf("%s, %+v: %w", m.Name, s, err)
			}
			runs = append(runs, r)
		}
		text, err := json.Marshal(runs)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(folder, m.Name+".json"), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// predicted predicts three functions of a size.
func predicted(t predict.Trained, m onnxtest.Case, s onnxtest.Size, seed int) (runCase, error) {
	t = t.Evenly()
	t.NumTau, t.Bootstraps, t.Seed = s.Levels, s.Levels, uint64(seed)
	questions := m.Questions(s, seed)
	r := runCase{map[string]any{}, map[string]any{}}
	for _, q := range questions {
		for name, p := range map[string]points.Points{"context": q.Known, "target": q.Targets} {
			add(r.Inputs, name+"_x", rows(p.X, p.DX))
			add(r.Inputs, name+"_y", rows(p.Y, p.DY))
		}
	}
	switch {
	case t.Model.Quantile():
		r.Inputs["levels"] = feed.Even(s.Levels, t.Model)
	case t.Model.Bootstrap():
		resample, err := resample(t, questions)
		if err != nil {
			return r, err
		}
		r.Inputs["resample"] = resample
	}
	return r, r.expect(t, questions)
}

// expect fills in what predict returns.
func (r *runCase) expect(t predict.Trained, questions []points.Question) error {
	of := make([]map[string]any, len(questions))
	for i := range of {
		of[i] = map[string]any{}
	}
	for target, err := range t.Predict(context.Background(), questions) {
		if err != nil {
			return err
		}
		y := questions[target.Group].Targets.RowY(target.Target)
		into := of[target.Group]
		mu, sigma, logWeight, logit := parts(target.Channels)
		add(into, "mu", mu)
		add(into, "sigma", sigma)
		add(into, "log_weight", logWeight)
		if target.Channels[0].HasLevels() {
			add(into, "level_logit", logit)
		}
		density := make([]float64, len(target.Channels))
		for c, d := range target.Channels {
			density[c] = d.LogDensity(y[c])
		}
		add(into, "log_density", density)
	}
	for _, one := range of {
		for name, v := range one {
			add(r.Expected, name, v)
		}
	}
	return nil
}

// parts returns μ, σ and log weight [K, dy] of the components, and the logits of their levels [K].
func parts(channels []predict.Distribution) (mu, sigma, logWeight [][]float64, logit []float64) {
	for k, first := range channels[0].Components() {
		row := [3][]float64{}
		for _, d := range channels {
			c := d.Components()[k]
			for i, v := range []float64{c.Mu, c.Sigma, math.Log(c.Weight)} {
				row[i] = append(row[i], v)
			}
		}
		mu, sigma, logWeight = append(mu, row[0]), append(sigma, row[1]), append(logWeight, row[2])
		logit = append(logit, math.Log(first.Tau/(1-first.Tau)))
	}
	return mu, sigma, logWeight, logit
}

// add appends v to the list of a name.
func add(to map[string]any, name string, v any) {
	list, _ := to[name].([]any)
	to[name] = append(list, v)
}

// rows cuts v into rows of a width.
func rows(v []float64, width int) [][]float64 {
	r := make([][]float64, 0, len(v)/width)
	for i := 0; i < len(v); i += width {
		r = append(r, v[i:i+width])
	}
	return r
}

// resample returns the bootstraps that predict draws for the questions, [2, k, B, N_c].
func resample(t predict.Trained, questions []points.Question) (all [2][][][]int, err error) {
	d, err := feed.New(t.Model, feed.Choice{Bootstraps: t.Bootstraps, Seed: t.Seed, Evaluation: true})
	if err != nil {
		return all, err
	}
	dx, dy := t.Model.Dims()
	for part := range all {
		all[part] = make([][][]int, t.Bootstraps)
	}
	for i, q := range questions {
		cx, cy, x := t.Units.Scaling.Model(q.Known, q.Targets.X)
		var of feed.Feed
		of.Targets(d, i, 0, cx, cy, x, dx, dy)
		drawn := inputs{}
		of.Write(drawn)
		for part, name := range []string{"resample_context", "resample_residual"} {
			for k := range t.Bootstraps {
				var picks []int
				for p := range len(cx) / dx {
					picks = append(picks, int(drawn[name][p*t.Bootstraps+k]))
				}
				all[part][k] = append(all[part][k], picks)
			}
		}
	}
	return all, nil
}

// inputs takes the inputs of a feed.
type inputs map[string][]float32

// Input returns room for an input, more than any case needs.
func (in inputs) Input(name string) []float32 {
	in[name] = make([]float32, 1<<12)
	return in[name]
}
