package cli_test

import (
	"math"
	"os"
	"strings"
	"testing"
)

// A configuration with keys of earlier names trains, with a line for each, as one with the new names does.
// The run's postprocessing.json then says what is done to its predictions; a run without it, of an earlier
// version, predicts the same.
func TestPostprocessingOfARun(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	succeed(t, "data", "example", "--out", "prices.csv", "--quiet")
	text := strings.Replace(strings.Replace(ownConfig, "acqnp, ", "cnp, ", 1), "adaptor: [8], decoder: [8]", "decoder: [8], KEYS", 1)
	text = strings.NewReplacer("steps: 80", "steps: 5", "num_tau: 4, ", "", "num_tau: 5, ", "").Replace(text)
	old := write(t, dir, "old.yaml", strings.Replace(text, "KEYS", "tail_df: 5, pool_weight: 0.3, pool_kernel: [1, 0.5]", 1))
	now := write(t, dir, "now.yaml", strings.Replace(text, ", KEYS", "", 1)+"postprocessing: {tail_df: 5, pool_weight: 0.3, pool_kernel: [1, 0.5]}\n")
	train := func(config, run string) outcome {
		return succeed(t, "train", "--config", config, "--run-dir", run, "--no-eval")
	}
	const line = "old.yaml:2: model.tail_df has a new name, postprocessing.tail_df"
	if o := train(old, "old"); strings.Count(o.err, line) != 1 {
		t.Errorf("%q is not in\n%s", line, o.err)
	}
	if o := train(now, "now"); strings.Contains(o.err, "new name") {
		t.Error(o.err)
	}
	for _, file := range []string{"config.yaml", "postprocessing.json"} {
		if read(t, "old/"+file) != read(t, "now/"+file) {
			t.Errorf("%s differs", file)
		}
	}
	context := write(t, dir, "context.csv", "product,age,price\na,1,300\na,2,200\na,3,150\n")
	predict := func(out string) string {
		t.Helper()
		succeed(t, "predict", "--run", "old", "--context", context, "--grid=1:5:3", "--hdr", "0.9", "--out", out, "--overwrite", "--quiet")
		return read(t, out)
	}
	content, want := read(t, "old/postprocessing.json"), predict("p.csv")

	// A run of an earlier version.
	if err := os.Remove("old/postprocessing.json"); err != nil {
		t.Fatal(err)
	}
	config := read(t, "old/config.yaml")
	before, _, _ := strings.Cut(config, "postprocessing:")
	write(t, dir, "old/config.yaml", strings.Replace(before, "  name: cnp\n", "  name: cnp\n  tail_df: 5\n  pool_weight: 0.3\n  pool_kernel: [1, 0.5]\n", 1))
	if got := predict("p.csv"); got != want {
		t.Errorf("without postprocessing.json\n%s\nwant\n%s", got, want)
	}
	succeed(t, "train", "--config", old, "--run-dir", "old", "--resume", "--no-eval", "--quiet", "--set", "train.steps=6")
	if got := read(t, "old/postprocessing.json"); got != content {
		t.Errorf("a resumed run has %s", got)
	}
	predict("p.csv")

	// The file decides: a σ of twice the size widens quantiles.
	write(t, dir, "old/postprocessing.json", `{"schema": "acqnp.postprocessing/1", "sigma_scale": 2}`)
	predict("wide.csv")
	write(t, dir, "old/postprocessing.json", `{"schema": "acqnp.postprocessing/1"}`)
	predict("plain.csv")
	wide, plain := readRows(t, "wide.csv"), readRows(t, "plain.csv")
	for i, r := range plain {
		if got, want := wide[i].number(t, "sd"), 2*r.number(t, "sd"); math.Abs(got-want) > 1e-9*want {
			t.Errorf("a deviation of %v, want %v", got, want)
		}
	}
	write(t, dir, "old/postprocessing.json", `{"schema": "acqnp.postprocessing/1", "sigma_scale": 20}`)
	for _, words := range []string{"predict --context context.csv --grid=1:5:3 --out p.csv --overwrite", "eval --out e.json",
		"score --targets context.csv", "export --out w.safetensors", "export --format onnx --out m.onnx", "plot fit --out f.png"} {
		checkRefusal(t, words, acqnp(append(strings.Fields(words), "--run", "old", "--quiet")...), 2, "postprocessing.json: sigma_scale: found 20")
	}
	checkRefusal(t, "out", acqnp("predict", "--run", "now", "--context", context, "--grid=1:5:3", "--out", "now/postprocessing.json", "--overwrite"), 2, "--out")
}
