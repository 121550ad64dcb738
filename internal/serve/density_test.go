package serve_test

import (
	"encoding/json"
	"math"
	"slices"
	"testing"

	"github.com/acqnp/acqnp/internal/test/must"
)

// densities returns the density of the first channel of all targets.
func densities(t *testing.T, body []byte) (y, values [][]float64) {
	t.Helper()
	for _, f := range decoded[prediction](t, string(body)).Groups {
		for _, target := range f.Targets {
			d := target.Channels[0].Density
			y, values = append(y, d.Y), append(values, d.Values)
		}
	}
	return y, values
}

// density.points chooses y for each group, the same for all its targets. They cover nearly all of the
// distributions, and the density there is that which density.y asks for.
func TestDensityPoints(t *testing.T) {
	server, _ := start(t)
	_, a := asked(3, 4, false)
	_, b := asked(0, 1, false)
	_, body := post(t, server.URL+"/v1/predict", `{"density": {"points": 400}, "groups": [`+a+`,`+b+`]}`)
	y, values := densities(t, body)
	if len(y) != 5 || !slices.Equal(y[0], y[3]) || slices.Equal(y[0], y[4]) || len(y[0]) != 400 {
		t.Fatalf("%d densities, at %v and %v", len(y), y[0], y[4])
	}
	for i, v := range values {
		sum := 0.0
		for _, d := range v {
			sum += d * (y[i][1] - y[i][0])
		}
		// At most 0.02 of the distribution lies outside. The sum over 400 points misses little more.
		if math.Abs(sum-1) > 0.025 {
			t.Errorf("target %d: the densities add up to %v", i, sum)
		}
	}
	text := must.Get(json.Marshal(y[0]))(t)
	_, body = post(t, server.URL+"/v1/predict", `{"density": {"y": `+string(text)+`}, "groups": [`+a+`]}`)
	if _, same := densities(t, body); !slices.EqualFunc(same, values[:4], slices.Equal[[]float64]) {
		t.Error("density.y gives other values")
	}
}

// The y of a channel whose logarithm the model takes are not below 0, and finite whatever the tails of
// random weights.
func TestDensityPointsOfALogarithm(t *testing.T) {
	s, _ := described(t, "x: [age], y: [price], log: [price]")
	body := within(t, s, "POST", "/v1/predict", `{"density": {"points": 50}, "groups": [{"targets": {"x": [[1], [9]]}}]}`)
	y, values := densities(t, []byte(body))
	if len(y) != 2 || y[0][0] < 0 || y[0][0] == y[0][1] || !slices.IsSorted(y[0]) || values[0][1] < 0 {
		t.Errorf("%.500s", body)
	}
}
