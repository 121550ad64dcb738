package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// editedRun returns a copy of the shared run with an edited configuration.
func editedRun(t *testing.T, old, new string) string {
	t.Helper()
	run := filepath.Join(t.TempDir(), "run")
	if err := os.CopyFS(run, os.DirFS(share(t).run)); err != nil {
		t.Fatal(err)
	}
	content := read(t, filepath.Join(run, "config.yaml"))
	if !strings.Contains(content, old) {
		t.Fatalf("%q is not in\n%s", old, content)
	}
	write(t, run, "config.yaml", strings.Replace(content, old, new, 1))
	return run
}

// Data with another scaling than in training would silently give wrong log-likelihoods.
func TestOtherDataThanTheRuns(t *testing.T) {
	f := newOutputFiles(t)
	succeed(t, f.args("eval --run RUN --quiet")...)
	table := f.data["TABLE"]
	write(t, f.dir, "prices.csv", strings.ReplaceAll(read(t, table), ",3,", ",30,"))
	checkRefusal(t, "eval", acqnp(f.args("eval --run RUN --out DIR/eval.json")...), 2, "data")
	checkRefusal(t, "plot fit", acqnp(f.args("plot fit --run RUN --out DIR/fit.png")...), 2, "data")
}
