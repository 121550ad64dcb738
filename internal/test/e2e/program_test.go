package e2e

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/cli"
	"github.com/acqnp/acqnp/internal/config/catalogue"
)

// TestMain removes the program's settings from the environment.
func TestMain(m *testing.M) {
	for _, v := range os.Environ() {
		if name, _, _ := strings.Cut(v, "="); strings.HasPrefix(name, "ACQNP_") && name != "ACQNP_SHARED" {
			os.Unsetenv(name)
		}
	}
	os.Exit(m.Run())
}

// succeed runs the program and returns its standard output. The program must exit with 0.
func succeed(t *testing.T, args ...string) string {
	t.Helper()
	var out, err bytes.Buffer
	if code := cli.Main(args, cli.Streams{In: strings.NewReader(""), Out: &out, Err: &err}); code != 0 {
		t.Fatalf("acqnp %s: exit code %d\n%s", strings.Join(args, " "), code, err.String())
	}
	return out.String()
}

// benchmarks lists the paper's benchmarks.
var benchmarks = catalogue.Names(func(b catalogue.Benchmark) bool { return b.Table != "" })

// configFile returns the path of a shipped configuration.
func configFile(benchmark, name string) string {
	return filepath.Join(root, "configs", benchmark, name+".yaml")
}

// root is the repository's root, also after a change of the working directory.
var root, _ = filepath.Abs(filepath.Join("..", "..", ".."))

// set returns an option --set for each setting.
func set(values ...string) []string {
	var args []string
	for _, v := range values {
		args = append(args, "--set", v)
	}
	return args
}

// quantile reports whether a model reads quantile levels.
func quantile(model string) bool { return model == "cqnp" || model == "acqnp" }
