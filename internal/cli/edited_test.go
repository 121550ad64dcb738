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

func TestAnEditedConfigurationIsNotTheCheckpoints(t *testing.T) {
	s := share(t)
	for _, c := range []struct{ old, new, key string }{
		{"adaptor: [8]", "adaptor: [9]", "model.adaptor: [8] and [9]"},
		{"harmonics: [10, 19]", "harmonics: [10, 18]", "data.harmonics: [10, 19] and [10, 18]"},
		{"zero_mean: true", "zero_mean: false", "data.zero_mean: true and false"},
	} {
		run := editedRun(t, c.old, c.new)
		out := filepath.Join(t.TempDir(), "out.png")
		for _, args := range []string{
			"eval --run RUN --out OUT",
			"eval --run RUN --out OUT --checkpoint 20",
			"sample-quantiles --run RUN --out OUT.csv --grid 0:1:2 --context " + s.context,
			"export --run RUN --out OUT --format torch",
			"plot fit --run RUN --out OUT",
		} {
			line := strings.NewReplacer("RUN", run, "OUT", out).Replace(args)
			checkRefusal(t, c.key+": "+args, acqnp(strings.Fields(line)...), 2, c.key)
		}
	}
}

// The keys of evaluation may be edited or set by flags.
func TestAnEditedEvaluation(t *testing.T) {
	run := editedRun(t, "num_tau: 5", "num_tau: 6")
	out := filepath.Join(t.TempDir(), "eval.json")
	succeed(t, "eval", "--run", run, "--out", out, "--quiet")
	if e := readEvaluation(t, out); e.NumTau != 6 {
		t.Errorf("%d levels", e.NumTau)
	}
	succeed(t, "eval", "--run", run, "--out", out, "--overwrite", "--quiet", "--num-quantiles", "3", "--seed", "7", "--batches", "1")
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
