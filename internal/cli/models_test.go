package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/files/safetensors"
	"github.com/acqnp/acqnp/internal/files/safetensors/safetensorstest"
	"github.com/acqnp/acqnp/internal/test/must"
)

// otherModel writes the tiny configuration with another model.
func otherModel(t *testing.T, dir, model string) string {
	t.Helper()
	head, rest, ok := strings.Cut(tinyConfig, "model:\n")
	_, tail, ok2 := strings.Cut(rest, "data:")
	if !ok || !ok2 {
		t.Fatal("the tiny configuration has another form")
	}
	return must.Write(t, strings.NewReplacer(", num_tau: 4", "", "num_tau: 5, ", "").Replace(head+"model: "+model+"\ndata:"+tail), dir, "other.yaml")
}

// Weights without columns and scaling get those of the configuration's data.
func TestWeightsWithoutUnits(t *testing.T) {
	s, dir := share(t), t.TempDir()
	meta, tensors := safetensorstest.Read(t, s.weights)
	if !strings.Contains(meta["units"], `"name":"x"`) {
		t.Errorf("units %q", meta["units"])
	}
	plain := filepath.Join(dir, "plain.safetensors")
	w := must.Get(os.Create(plain))(t)
	defer w.Close()
	must.Do(t, safetensors.Write(w, nil, tensors))
	var tables []string
	for _, weights := range []string{s.weights, plain} {
		out := filepath.Join(dir, "quantiles.csv")
		succeed(t, "sample-quantiles", "--config", s.config, "--weights", weights, "--context", s.context, "--grid=-2:2:3", "--out", out, "--overwrite", "--quiet")
		tables = append(tables, read(t, out))
	}
	if tables[0] != tables[1] {
		t.Error("other predictions without units")
	}
}
