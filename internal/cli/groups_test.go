package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A network that reads groups trains, evaluates and gives its weights away. What needs predictions of
// groups without their siblings is refused.
func TestGroups(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	write := func(name, content string) string {
		if err := os.WriteFile(at(name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return at(name)
	}
	config := write("groups.yaml", `benchmark: groups
model: {name: acqnp, representation: 8, encoder: [8], decoder: [8], adaptor: [8], heads: 2, layers: 2, feedforward: 8}
data: {points: [32, 48]}
train: {steps: 2, batch_size: 2, num_tau: 2}
eval: {batches: 2, batch_size: 2, num_points: 48, num_tau: 4}
`)
	points := write("points.csv", "function,x1,x2,x3,x4,x5,x6,x7,x8,y\na,1,1,1,1,0,0,0,0,1\n")
	run := at("run")
	succeed(t, "train", "--config", config, "--run-dir", run)
	succeed(t, "eval", "--run", run)
	succeed(t, "bench", "--config", config, "--points", "32")
	succeed(t, "export", "--run", run, "--out", at("weights.safetensors"))
	if o := succeed(t, "export", "--run", run, "--out", at("model.onnx")); !strings.Contains(o.out, "model-siblings.onnx: reads the other groups") {
		t.Errorf("export to ONNX says %q", o.out)
	}
	succeed(t, "eval", "--config", config, "--weights", at("weights.safetensors"))
	succeed(t, "train", "--config", config, "--weights", at("weights.safetensors"), "--run-dir", at("more"))
	for _, name := range []string{"run/fit.png", "weights.py"} {
		if _, err := os.Stat(at(name)); err == nil {
			t.Errorf("found %s", name)
		}
	}
	for _, c := range []struct {
		text string
		args []string
	}{
		{"needs the other groups", []string{"predict", run, "--context", points, "--targets", points}},
		{"needs the other groups", []string{"score", run, "--context", points, "--targets", points}},
		{"needs the other groups", []string{"serve", "--run", run}},
		{"needs the other groups", []string{"eval", "--quiet", "--run", run, "--joint", "2"}},
		{"another benchmark (acqnp fit draws groups)", []string{"plot", "fit", "--run", run, "--out", at("fit.png")}},
		{"which rows are of one group", []string{"data", "generate", "--quiet", "--config", config, "--out", at("tasks.safetensors")}},
		{"which rows are of one group", []string{"eval", "--run", run, "--tasks", at("tasks.safetensors")}},
		{"weights of attention with 2 heads", []string{"eval", "--config", write("heads.yaml", `benchmark: groups
model: {name: acqnp, representation: 8, encoder: [8], decoder: [8], adaptor: [8], heads: 4, layers: 2, feedforward: 8}
`), "--weights", at("weights.safetensors")}},
		{"a whole number from 32 to 2048", []string{"bench", "--config", config, "--points", "31"}},
	} {
		checkRefusal(t, c.args[0], acqnp(c.args...), 2, c.text)
	}
}
