package cli_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/files/safetensors"
)

// otherModel writes the tiny configuration with another model.
func otherModel(t *testing.T, dir, model string) string {
	t.Helper()
	head, rest, ok := strings.Cut(tinyConfig, "model:\n")
	_, tail, ok2 := strings.Cut(rest, "data:")
	if !ok || !ok2 {
		t.Fatal("the tiny configuration has another form")
	}
	return write(t, dir, "other.yaml", strings.NewReplacer(", num_tau: 4", "", "num_tau: 5, ", "").Replace(head+"model: "+model+"\ndata:"+tail))
}

// Weights without columns and scaling get those of the configuration's data.
func TestWeightsWithoutUnits(t *testing.T) {
	s, dir := share(t), t.TempDir()
	f, err := safetensors.ReadFile(s.weights)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(f.Metadata["units"], `"name":"x"`) {
		t.Errorf("units %q", f.Metadata["units"])
	}
	plain := filepath.Join(dir, "plain.safetensors")
	w, err := os.Create(plain)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := safetensors.Write(io.Writer(w), nil, f.Tensors); err != nil {
		t.Fatal(err)
	}
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
