package engine_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"testing"

	"github.com/acqnp/acqnp/internal/engine"
	"github.com/acqnp/acqnp/internal/test/must"
)

// recording is testdata/adam.json, written by testdata/adam.py with PyTorch.
type recording struct {
	Cases []adamCase `json:"cases"`
}

type adamCase struct {
	DType       string      `json:"dtype"`
	WeightDecay float64     `json:"weight_decay"`
	Rates       []float64   `json:"rates"`
	Start       []float64   `json:"start"`
	Grads       [][]float64 `json:"grads"`
	Path        [][]float64 `json:"path"`
	M           []float64   `json:"m"`
	V           []float64   `json:"v"`
}

func readRecording(t *testing.T) recording {
	t.Helper()
	raw := must.Get(os.ReadFile("testdata/adam.json"))(t)
	var r recording
	must.Do(t, json.Unmarshal(raw, &r))
	return r
}

func TestAdamFollowsPyTorch(t *testing.T) {
	r := readRecording(t)
	if len(r.Cases) != 6 {
		t.Fatalf("%d recorded cases", len(r.Cases))
	}
	for _, c := range r.Cases {
		t.Run(fmt.Sprintf("%s/%g", c.DType, c.WeightDecay), func(t *testing.T) {
			// Some 20 steps of about 10 roundings each; the tolerances allow 20 units in the last
			// place.
			if c.DType == "float32" {
				followAdam[float32](t, c, 20*math.Pow(2, -24))
			} else {
				followAdam[float64](t, c, 20*math.Pow(2, -53))
			}
		})
	}
}

func followAdam[T engine.Float](t *testing.T, c adamCase, tolerance float64) {
	params := convert[T](c.Start)
	adam := engine.NewAdam[T](len(params), c.WeightDecay)
	for step, rate := range c.Rates {
		adam.Update(params, convert[T](c.Grads[step]), rate)
		// Updates of up to 0.03 add up: a parameter near 0 keeps the rounding errors of larger
		// values.
		near(t, fmt.Sprintf("step %d: parameter", step), params, c.Path[step], tolerance, func(int) float64 { return 0.5 })
	}
	// The first moment is a sum of gradients of both signs, which may cancel.
	near(t, "m", adam.M, c.M, tolerance, func(i int) float64 { return 0.1 * largest(c.Grads, i) })
	near(t, "v", adam.V, c.V, tolerance, func(int) float64 { return 0 })
}

// near compares values. The error is relative to the value, or to scale if scale is larger.
func near[T engine.Float](t *testing.T, what string, got []T, want []float64, tolerance float64, scale func(i int) float64) {
	t.Helper()
	for i, w := range want {
		if diff := math.Abs(float64(got[i]) - w); !(diff <= tolerance*math.Max(math.Abs(w), scale(i))) {
			t.Errorf("%s %d: %v, PyTorch has %v (off by %.3g)", what, i, got[i], w, diff)
		}
	}
}

func largest(grads [][]float64, i int) float64 {
	most := 0.0
	for _, g := range grads {
		most = math.Max(most, math.Abs(g[i]))
	}
	return most
}

func convert[T engine.Float](v []float64) []T {
	out := make([]T, len(v))
	for i, x := range v {
		out[i] = T(x)
	}
	return out
}

func TestAdamDoesNotAllocate(t *testing.T) {
	adam := engine.NewAdam[float32](100, 1e-5)
	params, grads := make([]float32, 100), make([]float32, 100)
	must.NotAllocate(t, "an update", 10, func() { adam.Update(params, grads, 1e-3) })
}
