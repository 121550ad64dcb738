package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/acqnp/acqnp/internal/test/must"
)

// A file's name may move the cursor, or change a terminal's title.
func TestControlBytesAreEscaped(t *testing.T) {
	s, dir := share(t), t.TempDir()
	const name = "a\x1b[2J\x07\u009b\x9b\x7f\u202eb"
	odd := filepath.Join(dir, name)
	if err := os.Mkdir(odd, 0o755); err != nil {
		t.Skip(err)
	}
	run := filepath.Join(odd, "run")
	config := must.Write(t, tinyConfig, odd, "tiny.yaml")
	succeed(t, "train", "--config", config, "--run-dir", run, "--quiet", "--no-eval")
	must.Write(t, "torn", filepath.Join(run, "checkpoints"), "step-30.safetensors")
	for _, args := range [][]string{
		{"eval", "--run", run},
		{"eval", "--run", filepath.Join(odd, "none")},
		{"train", "--config", config, "--run-dir", run, "--resume", "--no-eval"},
		{"train", "--config", config, "--run-dir", run},
		{"export", "--run", run, "--out", filepath.Join(odd, "w.safetensors")},
		{"export", "--run", run, "--out", filepath.Join(odd, "none", "w.safetensors")},
		{"data", "example", "--out", filepath.Join(odd, "d.csv")},
		{"sample-quantiles", "--run", s.run, "--context", name, "--grid=0:1:2", "--out", filepath.Join(dir, "o")},
		{"eval", "--" + name},
		{name},
	} {
		o := acqnp(args...)
		if !strings.Contains(o.err+o.out, `\x1b`) {
			t.Errorf("%q: the name is not shown: %q %q", args, o.err, o.out)
		}
		for _, r := range strings.ToValidUTF8(o.err+o.out, "\x00") {
			if r != '\n' && !unicode.IsGraphic(r) {
				t.Errorf("%q: %q in %q %q", args, r, o.err, o.out)
				break
			}
		}
	}
}
