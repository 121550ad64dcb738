package cli_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// An ensembleRun is a run of three networks on a CSV file, and the files to predict from.
type ensembleRun struct{ dir, config, run, context, targets string }

// trainEnsemble trains three networks for 30 steps, or as args say.
func trainEnsemble(t *testing.T, args ...string) ensembleRun {
	t.Helper()
	dir := t.TempDir()
	var rows strings.Builder
	rows.WriteString("x,y\n")
	for i := range 40 {
		x := float64(i%13) + float64(i)/40
		rows.WriteString(strconv.FormatFloat(x, 'g', -1, 64) + "," + strconv.FormatFloat(x*x/9-float64(i%4), 'g', -1, 64) + "\n")
	}
	r := ensembleRun{dir: dir, run: filepath.Join(dir, "run")}
	r.config = write(t, dir, "own.yaml", `benchmark: csv
model: {name: cnp, representation: 8, encoder: [8], decoder: [8]}
data: {file: `+write(t, dir, "own.csv", rows.String())+`, x: [x], y: [y], split: point, sizes: all}
train: {steps: 30, batch_size: 4, learning_rate: 1e-2, log_every: 10, checkpoint_every: 10, keep_checkpoints: 9, ensemble_size: 3}
eval: {batch_size: 1}
`)
	r.context, r.targets = write(t, dir, "context.csv", "x,y\n1,0\n5,2\n"), write(t, dir, "targets.csv", "x,y\n2,1\n9,7\n")
	r.train(t, args...)
	return r
}

func (r ensembleRun) args(more ...string) []string {
	return append([]string{"train", "--config", r.config, "--run-dir", r.run, "--quiet"}, more...)
}

func (r ensembleRun) train(t *testing.T, args ...string) { succeed(t, r.args(args...)...) }

func (r ensembleRun) member(k int) string { return filepath.Join(r.run, "members", strconv.Itoa(k)) }

// components returns the rows of components that sample-quantiles writes of a run.
func (r ensembleRun) components(t *testing.T, run string) (parts []string) {
	t.Helper()
	out := filepath.Join(r.dir, "quantiles.csv")
	succeed(t, "sample-quantiles", "--run", run, "--context", r.context, "--targets", r.targets, "--out", out, "--overwrite", "--quiet")
	for _, row := range readRows(t, out) {
		if row["kind"] == "component" {
			parts = append(parts, row["target"]+" "+row["mu"]+" "+row["sigma"])
		}
	}
	return parts
}

// Each network of an ensemble is the one that a run of its own makes, and a prediction has the components
// of all.
func TestTrainMembers(t *testing.T) {
	r := trainEnsemble(t)
	var alone []string
	for k := range 3 {
		one := filepath.Join(r.dir, "alone"+strconv.Itoa(k))
		succeed(t, "train", "--config", r.config, "--set", "train.ensemble_size=1", "--seed", strconv.Itoa(k), "--run-dir", one, "--no-eval", "--quiet")
		if k > 0 && !bytes.Equal(weightsOf(t, r.member(k)), weightsOf(t, one)) {
			t.Errorf("network %d has other weights than alone", k)
		}
		alone = append(alone, r.components(t, one)...)
	}
	together := r.components(t, r.run)
	slices.Sort(together)
	slices.Sort(alone)
	if len(together) != 6 || !slices.Equal(together, alone) {
		t.Errorf("components %q, expected %q", together, alone)
	}
	weights, again := filepath.Join(r.dir, "weights.safetensors"), filepath.Join(r.dir, "again.json")
	succeed(t, "export", "--run", r.run, "--out", weights)
	succeed(t, "eval", "--config", r.config, "--weights", weights, "--out", again, "--quiet")
	type evaluation struct {
		Target struct{ Mean float64 } `json:"target_ll"`
	}
	var first, second evaluation
	for path, e := range map[string]*evaluation{filepath.Join(r.run, "eval.json"): &first, again: &second} {
		if err := json.Unmarshal([]byte(read(t, path)), e); err != nil {
			t.Fatal(err)
		}
	}
	if first != second || first.Target.Mean == 0 {
		t.Errorf("the weights have a log-likelihood of %v, the run %v", second, first)
	}
	var eval struct {
		Variant string `json:"variant"`
	}
	if err := json.Unmarshal([]byte(read(t, filepath.Join(r.run, "eval.json"))), &eval); err != nil || eval.Variant != "ensemble of 3" {
		t.Errorf("eval.json: %v, variant %q", err, eval.Variant)
	}
}

// A stopped run continues without the file of weights that it began with, alone or as an ensemble.
func TestResumeWithoutTheWeights(t *testing.T) {
	r := trainEnsemble(t, "--no-eval")
	weights := filepath.Join(r.dir, "weights.safetensors")
	for _, members := range []string{"1", "2"} {
		succeed(t, "export", "--run", r.member(1), "--out", weights, "--overwrite")
		run := filepath.Join(r.dir, "started"+members)
		args := []string{"train", "--config", r.config, "--set", "train.ensemble_size=" + members, "--run-dir", run, "--weights", weights, "--no-eval", "--quiet"}
		succeed(t, append(args, "--until", "20")...)
		if err := os.Remove(weights); err != nil {
			t.Fatal(err)
		}
		succeed(t, append(args, "--resume")...)
	}
}

// Stopped and continued, or with another number of threads, an ensemble has the same bits.
func TestResumeMembers(t *testing.T) {
	r := trainEnsemble(t)
	want := r.components(t, r.run)
	r.run = filepath.Join(r.dir, "stopped")
	r.train(t, "--until", "20", "--threads", "1")
	checkRefusal(t, "a run is there", acqnp(r.args()...), 2, "--resume")
	if err := os.RemoveAll(r.member(2)); err != nil { // as if it had been killed before it began
		t.Fatal(err)
	}
	checkRefusal(t, "a network is missing", acqnp("predict", "--run", r.run, "--context", r.context, "--targets", r.targets,
		"--out", filepath.Join(r.dir, "p.csv")), 2, r.member(2))
	r.train(t, "--resume", "--threads", "2")
	if got := r.components(t, r.run); !slices.Equal(got, want) {
		t.Errorf("components %q, expected %q", got, want)
	}
	checkRefusal(t, "more networks", acqnp(r.args("--resume", "--set", "train.ensemble_size=4")...), 2, "train.ensemble_size")
	if _, err := os.Stat(r.member(3)); err == nil {
		t.Error("a refused run has trained a network")
	}
	r.train(t, "--overwrite")
	if got := r.components(t, r.run); !slices.Equal(got, want) {
		t.Errorf("trained again: components %q, expected %q", got, want)
	}
}

func TestMembersRefusals(t *testing.T) {
	r := trainEnsemble(t)
	weights := filepath.Join(r.dir, "weights.safetensors")
	succeed(t, "export", "--run", r.run, "--out", weights)
	checkRefusal(t, "start from an ensemble", acqnp("train", "--config", r.config, "--run-dir", filepath.Join(r.dir, "start"), "--weights", weights, "--quiet"), 2, "an ensemble of 3 networks")
	checkRefusal(t, "seeds", acqnp("train", "--config", r.config, "--seeds", "0..1", "--run-dir", filepath.Join(r.dir, "seeds")), 2, "train.ensemble_size")
	levels := write(t, r.dir, "levels.yaml", strings.Replace(read(t, r.config), "name: cnp", "name: acqnp, adaptor: [8]", 1))
	checkRefusal(t, "ablate", acqnp("ablate", "adaptor-depth", "--config", levels, "--out", filepath.Join(r.dir, "a")), 2, "train.ensemble_size")
	plan := write(t, r.dir, "plan.yaml", "configs: ["+r.config+"]\nruns: "+filepath.Join(r.dir, "sweep")+"\n")
	checkRefusal(t, "sweep", acqnp("sweep", "run", plan), 2, "train.ensemble_size")
	checkRefusal(t, "synthetic", acqnp("train", "--config", write(t, r.dir, "tiny.yaml", tinyConfig), "--set", "train.ensemble_size=3"), 2, "train.ensemble_size")
	checkRefusal(t, "too many", acqnp(r.args("--overwrite", "--set", "train.ensemble_size=65")...), 2, "train.ensemble_size")
	checkRefusal(t, "its own file", acqnp("predict", "--run", r.run, "--context", r.context, "--targets", r.targets,
		"--out", filepath.Join(r.member(1), "checkpoints", "step-30.safetensors")), 2, "--out")

	succeed(t, "train", "--config", r.config, "--set", "train.ensemble_size=1", "--set", "train.learning_rate=0.1", "--seed", "1",
		"--run-dir", r.member(1), "--overwrite", "--quiet", "--no-eval")
	checkRefusal(t, "another configuration", acqnp("score", "--run", r.run, "--context", r.context, "--targets", r.targets), 2, "train.learning_rate")
}
