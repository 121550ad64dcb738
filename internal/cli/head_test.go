package cli_test

import (
	"encoding/json"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/test/must"
)

// TestEveryHead trains a model of each head with validations and an evaluation, exports it and predicts.
// The density that score states is that of the components that sample-quantiles writes, and a server answers with the
// same components.
func TestEveryHead(t *testing.T) {
	t.Chdir(t.TempDir())
	succeed(t, "data", "example", "--out", "prices.csv", "--quiet")
	must.Write(t, "age,price\n0.4,376\n4.9,185\n", ".", "context.csv")
	must.Write(t, "age,price\n2,300\n", ".", "targets.csv")
	for _, head := range config.Heads() {
		config := strings.NewReplacer("acqnp", "cnp, head: "+head, "adaptor: [8], ", "", "num_tau: 4, ", "validate_every: 40, ", "num_tau: 5, ", "").Replace(ownConfig)
		succeed(t, "train", "--config", must.Write(t, config, ".", head+".yaml"), "--run-dir", head, "--quiet")
		for _, format := range []string{"safetensors", "onnx"} {
			succeed(t, "export", "--run", head, "--out", head+"."+format, "--quiet")
		}
		parts := componentsOf(t, head)
		weight, density := 0.0, 0.0
		for k, w := range parts.Weight {
			z := (300 - parts.Mu[k]) / parts.Sigma[k]
			own := math.Exp(-z*z/2) / math.Sqrt(2*math.Pi)
			if len(parts.Tau) > 0 {
				own = parts.Tau[k] * (1 - parts.Tau[k]) * math.Exp(-max(parts.Tau[k]*z, (parts.Tau[k]-1)*z))
			}
			weight, density = weight+w, density+w*own/parts.Sigma[k]
		}
		succeed(t, "score", "--run", head, "--context", "context.csv", "--targets", "targets.csv", "--out", head+"-scores.csv", "--quiet")
		if got := readRows(t, head+"-scores.csv")[0].number(t, "log_density"); math.Abs(weight-1) > 1e-9 || !(math.Abs(got-math.Log(density)) <= 1e-9) {
			t.Errorf("%s: log density %g and weights that add up to %g, want %g and 1", head, got, weight, math.Log(density))
		}
		_, url, _, _ := served(t, "--run", head)
		answer := fetch(t, url+"/v1/predict", `{"groups": [{"context": {"x": [[0.4], [4.9]], "y": [[376], [185]]},
			"targets": {"x": [[2]]}}], "quantiles": [0.5], "density": {"points": 5}, "draws": 3, "modes": true, "components": true}`)
		var a struct {
			Groups []struct {
				Targets []struct {
					Channels []struct{ Components components }
				}
			}
		}
		err := json.Unmarshal([]byte(answer), &a)
		if err != nil || len(a.Groups) == 0 || !a.Groups[0].Targets[0].Channels[0].Components.near(parts) {
			t.Errorf("%s: a server answers with %v, %v, want %v", head, a, err, parts)
		}
	}
}

// components are those of a prediction of one target.
type components struct{ Tau, Mu, Sigma, Weight []float64 }

// componentsOf returns what sample-quantiles writes for a target at 2.
func componentsOf(t *testing.T, run string) (parts components) {
	t.Helper()
	out := filepath.Join(run, "quantiles.csv")
	succeed(t, "sample-quantiles", "--run", run, "--context", "context.csv", "--grid=2:2:1", "--quantiles", "0.5", "--draws", "3", "--out", out)
	for _, r := range readRows(t, out) {
		if r["kind"] == "component" {
			if r["tau"] != "" {
				parts.Tau = append(parts.Tau, r.number(t, "tau"))
			}
			parts.Mu, parts.Sigma, parts.Weight = append(parts.Mu, r.number(t, "mu")), append(parts.Sigma, r.number(t, "sigma")), append(parts.Weight, r.number(t, "weight"))
		}
	}
	return parts
}

func (c components) near(want components) bool {
	same := func(a, b []float64) bool {
		for i := range b {
			if len(a) != len(b) || !(math.Abs(a[i]-b[i]) <= 1e-9*math.Abs(b[i])) {
				return false
			}
		}
		return len(a) == len(b)
	}
	return len(c.Mu) > 0 && same(c.Tau, want.Tau) && same(c.Mu, want.Mu) && same(c.Sigma, want.Sigma) && same(c.Weight, want.Weight)
}
