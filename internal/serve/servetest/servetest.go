// Package servetest makes small models with random weights, for tests of servers.
package servetest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/datasets/benchmark"
	"github.com/acqnp/acqnp/internal/engine/device"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/predict"
	"github.com/acqnp/acqnp/internal/run"
	"github.com/acqnp/acqnp/internal/serve"
	"github.com/acqnp/acqnp/internal/test/must"
)

// Curve is the configuration of a model of one input.
const Curve = "benchmark: lissajous\nmodel: {name: acqnp, representation: 8, encoder: [8], adaptor: [8], decoder: [8]}\n"

// Cars writes a CSV file and returns the configuration of a model of it. keys are entries of data, such as
// "x: [age]". The columns are car (the group), sold (a date), age, miles (some are 0), fuel (names),
// price and score.
func Cars(t testing.TB, keys ...string) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("car,sold,age,miles,fuel,price,score\n")
	for i := range 40 {
		fmt.Fprintf(&b, "c%d,2024-03-%02d,%d,%d,%s,%d,%g\n", i%8, 1+i%20, i%5*2, i%7*10, []string{"petrol", "diesel", "none"}[i%3], 100+i*i, float64(i%9)/4)
	}
	file := filepath.Join(t.TempDir(), "cars.csv")
	must.Do(t, os.WriteFile(file, []byte(b.String()), 0o600))
	return "benchmark: csv\nmodel: {name: acqnp, representation: 8, encoder: [8], adaptor: [8], decoder: [8]}\n" +
		"data: {file: " + file + ", group: car, " + strings.Join(keys, ", ") + "}\n"
}

// Trained returns the model of a configuration with random weights, as a server uses a trained one, and
// the ranges of its columns.
func Trained(t testing.TB, text string) (predict.Trained, datasets.Ranges) {
	t.Helper()
	e := must.Get(config.Parse("tiny.yaml", []byte(text), config.Overrides{}))(t)
	source := must.Get(benchmark.Open(e, ""))(t)
	dx, dy := source.Dims()
	m := must.Get(models.New(e.Model, dx, dy))(t)
	trained := predict.New(e, m, m.Initial(3), run.UnitsOf(e, source), device.CPU(1))
	trained.Levels = predict.GridLevels
	ranges := must.Get(benchmark.RangesOf(e, trained.Units.Scaling, ""))(t)
	return trained, ranges
}

// Model returns the model of a configuration with random weights and two predictors.
func Model(t testing.TB, name, text string) *serve.Model {
	t.Helper()
	trained, ranges := Trained(t, text)
	m := must.Get(serve.NewModel(name, trained, 2))(t)
	m.Ranges = ranges
	return m
}
