package cli_test

import (
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/cli"
	"github.com/acqnp/acqnp/internal/files"
	"github.com/acqnp/acqnp/internal/files/safetensors"
)

// badFiles writes files that every command must refuse, and returns their paths by name.
func badFiles(t *testing.T, s shared) map[string]string {
	t.Helper()
	dir := t.TempDir()
	weights, err := os.ReadFile(s.weights)
	if err != nil {
		t.Fatal(err)
	}
	tasks := filepath.Join(dir, "tasks.safetensors")
	err = files.Write(tasks, func(w io.Writer) error {
		return safetensors.Write(w, map[string]string{"num_context": "[2]"}, []safetensors.Tensor{
			safetensors.F32("0.x", []int{1, 4, 2}, make([]float32, 8)), safetensors.F32("0.y", []int{1, 4, 1}, make([]float32, 4)),
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	huge := binary.LittleEndian.AppendUint64(nil, 1<<62)
	return map[string]string{
		"EMPTY":     write(t, dir, "empty.csv", ""),
		"HEADER":    write(t, dir, "header.csv", "x,y\n"),
		"NAN":       write(t, dir, "nan.csv", "x,y\n0,1\n1,NaN\n"),
		"TEXT":      write(t, dir, "text.csv", "x,y\n0,one\n"),
		"RAGGED":    write(t, dir, "ragged.csv", "x,y\n0,1,2\n"),
		"COLUMN":    write(t, dir, "column.csv", "x,z\n0,1\n"),
		"HUGE":      write(t, dir, "huge.csv", "x,y\n0,1e300\n"),
		"TARGETNAN": write(t, dir, "targets.csv", "x\nnan\n"),
		"TASKS":     tasks,
		"TRUNCATED": write(t, dir, "truncated.safetensors", string(weights[:len(weights)-4])),
		"SHORT":     write(t, dir, "short.safetensors", "abc"),
		"HUGEHEAD":  write(t, dir, "hugehead.safetensors", string(huge)+"{}"),
		"NOJSON":    write(t, dir, "nojson.safetensors", "\x08\x00\x00\x00\x00\x00\x00\x00notjson!"),
		"UNKNOWN":   write(t, dir, "unknown.yaml", tinyConfig+"optimizer: adam\n"),
		"TYPE":      write(t, dir, "type.yaml", strings.Replace(tinyConfig, "steps: 30", "steps: many", 1)),
		"NEGATIVE":  write(t, dir, "negative.yaml", strings.Replace(tinyConfig, "learning_rate: 1e-2", "learning_rate: -1", 1)),
		"YAML":      write(t, dir, "yaml.yaml", "a: [b\n"),
		"WIDE":      write(t, dir, "wide.yaml", strings.Replace(tinyConfig, "encoder: [8]", "encoder: [9]", 1)),
		"OTHER":     write(t, dir, "other.yaml", strings.NewReplacer("name: acqnp", "name: cqnp", "  adaptor: [8]\n", "").Replace(tinyConfig)),
		"NORUN":     dir,
		"NONE":      filepath.Join(dir, "none"),
		"RUN":       s.run,
		"CONFIG":    s.config,
		"WEIGHTS":   s.weights,
		"CONTEXT":   s.context,
		"NODIR":     filepath.Join(dir, "none", "out"),
	}
}

func TestBadInputIsOneLineAndTwoAndLeavesNothing(t *testing.T) {
	s := share(t)
	files := badFiles(t, s)
	sample := "sample-quantiles --run RUN --context CONTEXT --out OUT "
	predict := "predict --run RUN --context CONTEXT --out OUT --grid 0:1:2 "
	for _, c := range []struct{ args, want string }{
		// Configurations.
		{"train --config NONE --run-dir OUT", "none"},
		{"train --config UNKNOWN --run-dir OUT", "unknown.yaml:12: optimizer"},
		{"train --config TYPE --run-dir OUT", "type.yaml:10: train.steps"},
		{"train --config NEGATIVE --run-dir OUT", "negative.yaml:10: train.learning_rate"},
		{"train --config YAML --run-dir OUT", "yaml.yaml"},
		{"train --config EMPTY --run-dir OUT", "empty.csv"},
		{"train --config NORUN --run-dir OUT", "directory"},
		{"train --config CONFIG --run-dir OUT --set train.steps=0", "train.steps"},
		{"train --config CONFIG --run-dir OUT --set train.stpes=1", "train.stpes"},
		{"train --config CONFIG --run-dir OUT --set train.steps", "--set"},
		{"train --config CONFIG --run-dir OUT --set train.num_tau=0", "num_tau"},
		{"train --config CONFIG --run-dir OUT --set model.encoder=[0]", "encoder"},
		{"train --config CONFIG --run-dir OUT --set train.learning_rate=.nan", "learning_rate"},
		{"train --config CONFIG --run-dir OUT --set data.points=[3,4]", "data."},
		{"train --config CONFIG --run-dir OUT --seed -1", "--seed"},
		{"train --config CONFIG --run-dir OUT --seed x", "--seed"},
		{"train --config CONFIG --run-dir OUT --threads -1", "--threads"},
		{"train --config CONFIG --run-dir OUT --device tpu", "--device"},
		{"train --config CONFIG --run-dir OUT --set benchmark=speed-flow --data-dir NONE", "data."},
		{"train --config CONFIG --run-dir OUT --set train.batch_size=65536 --set train.num_tau=1000000", "train.num_tau: found"},
		{"train --config CONFIG --run-dir OUT --set eval.num_points=65536 --set eval.batch_size=65536", "eval.batch_size: found"},
		{"train --config CONFIG --run-dir OUT --set model.encoder=[65536,65536]", "model.encoder: found"},
		// Weights.
		{"train --config CONFIG --run-dir OUT --weights TRUNCATED", "truncated.safetensors"},
		{"train --config CONFIG --run-dir OUT --weights NONE", "none"},
		{"eval --config CONFIG --weights TRUNCATED --out OUT", "truncated.safetensors"},
		{"eval --config CONFIG --weights SHORT --out OUT", "short.safetensors"},
		{"eval --config CONFIG --weights HUGEHEAD --out OUT", "hugehead.safetensors: found a file of another kind, expected a safetensors file"},
		{"eval --config CONFIG --weights NOJSON --out OUT", "nojson.safetensors"},
		{"eval --config CONFIG --weights NONE --out OUT", "none"},
		{"eval --config CONFIG --weights NORUN --out OUT", "NORUN"},
		{"eval --config WIDE --weights WEIGHTS --out OUT", "_encoder._mlp._net.0.weight"},
		{"eval --config OTHER --weights WEIGHTS --out OUT", "cqnp"},
		{sample + "--grid 0:1:2 --run NORUN", "config.yaml"},
		// Run directories and checkpoints.
		{"eval --run NORUN --out OUT", "config.yaml"},
		{"eval --run NONE --out OUT", "none"},
		{"train --config CONFIG --run-dir RUN", "--resume to continue it or --overwrite to start again"},
		{"train --config CONFIG --run-dir RUN --resume --set train.num_tau=9", "train.num_tau"},
		{"train --config WIDE --run-dir RUN --resume", "model.encoder"},
		{"train --config CONFIG --run-dir WEIGHTS", "weights.safetensors"},
		{"train --config CONFIG --run-dir WEIGHTS/run", "WEIGHTS"},
		{"eval --run RUN --checkpoint 7 --out OUT", "step 7, expected one of the steps 10, 20, 30"},
		{"eval --run RUN --checkpoint first --out OUT", "--checkpoint"},
		{"eval --run RUN --checkpoint -1 --out OUT", "--checkpoint"},
		{"export --run NORUN --out OUT --format torch", "config.yaml"},
		{"export --run RUN --format tflite --out OUT", "--format"},
		{"export --run RUN --out NODIR --format torch", "--out"},
		// Evaluation.
		{"eval --run RUN --batches 0 --out OUT", "--batches"},
		{"eval --run RUN --batches -1 --out OUT", "--batches"},
		{"eval --run RUN --num-quantiles 0 --out OUT", "--num-quantiles"},
		{"eval --run RUN --num-quantiles 99999999999 --out OUT", "--num-quantiles"},
		{"eval --run RUN --num-quantiles 1000000000 --out OUT", "--num-quantiles"},
		{"eval --run RUN --level-spacing some --out OUT", "--level-spacing"},
		{"eval --run RUN --out NODIR", "--out"},
		{"eval --run RUN --tasks NONE --out OUT", "none"},
		{"eval --run RUN --tasks TRUNCATED --out OUT", "truncated.safetensors"},
		{"eval --run RUN --tasks WEIGHTS --out OUT", "num_context"},
		{"eval --run RUN --tasks TASKS --out OUT", "tasks.safetensors: found x of 2"},
		{"eval --run RUN --tasks HUGEHEAD --out OUT", "hugehead.safetensors"},
		{"data generate --config CONFIG --out NODIR", "--out"},
		{"data generate --config CONFIG --out OUT --batches 0", "--batches"},
		{"data generate --config UNKNOWN --out OUT", "optimizer"},
		// Context and targets.
		{"sample-quantiles --run RUN --grid 0:1:2 --out OUT --context EMPTY", "empty.csv"},
		{"sample-quantiles --run RUN --out OUT --targets HEADER", "header.csv"},
		{"score --run RUN --context CONTEXT --out OUT --targets HEADER", "header.csv"},
		{"score --run RUN --context CONTEXT --out OUT --targets NAN", "nan.csv:3: y"},
		{"score --run RUN --context CONTEXT --out NODIR --targets CONTEXT", "--out"},
		{"sample-quantiles --run RUN --grid 0:1:2 --out OUT --context NAN", "nan.csv:3: y"},
		{"sample-quantiles --run RUN --grid 0:1:2 --out OUT --context TEXT", "text.csv:2: y"},
		{"sample-quantiles --run RUN --grid 0:1:2 --out OUT --context RAGGED", "ragged.csv:2"},
		{"sample-quantiles --run RUN --grid 0:1:2 --out OUT --context COLUMN", "column.csv:1"},
		{"sample-quantiles --run RUN --grid 0:1:2 --out OUT --context HUGE", "huge.csv:2: y"},
		{"sample-quantiles --run RUN --grid 0:1:2 --out OUT --context NONE", "none"},
		{"sample-quantiles --run RUN --grid 0:1:2 --out OUT --context NORUN", "directory"},
		{sample + "--targets TARGETNAN", "targets.csv:2: x"},
		{sample + "--targets EMPTY", "empty.csv"},
		// Grids, quantiles and the rest.
		{sample + "--grid 0:1", "--grid"},
		{sample + "--grid 1:0:5", "--grid"},
		{sample + "--grid 0:1:0", "--grid"},
		{sample + "--grid 0:1:1000001", "--grid"},
		{sample + "--grid 0:inf:3", "--grid"},
		{sample + "--grid nan:1:3", "--grid"},
		{sample + "--grid -1e308:1.7e308:3", "--grid"},
		{sample + "--grid 0:1:x", "--grid"},
		{sample + "--grid 0:1:2,0:1:2", "--grid"},
		{sample + "--grid 0:1:2 --quantiles 0", "--quantiles"},
		{sample + "--grid 0:1:2 --quantiles 0.5,1", "--quantiles"},
		{sample + "--grid 0:1:2 --quantiles nan", "--quantiles"},
		{sample + "--grid 0:1:2 --draws -1", "--draws"},
		{sample + "--grid 0:1:2 --num-quantiles 0", "--num-quantiles"},
		{sample + "--grid 0:1:2 --level-spacing even", "--level-spacing"},
		{sample + "--grid 0:1:2 --plot OUT.jpg", ".png"},
		{sample + "--grid 0:1:2 --plot NODIR.png", "--plot"},
		{"sample-quantiles --run RUN --context CONTEXT --grid 0:1:2 --out NODIR", "--out"},
		{predict + "--quantiles 0", "--quantiles: found 0, expected different numbers between 0 and 1"},
		{predict + "--quantiles nan", "--quantiles"},
		{predict + "--quantiles 0.5,0.50", "--quantiles: found 0.5, expected different"},
		{predict + "--hdr 1", "--hdr: found 1, expected different numbers between 0 and 1"},
		{predict + "--hdr 0.5,-1", "--hdr"},
		{predict + "--density 0:1:1000000000", "--density: found \"0:1:1000000000\", expected A:B:N with N from 1 to 100000"},
		{predict + "--density nan:1:3", "--density"},
		{predict + "--density 0:1", "--density"},
		{predict + "--draws -1", "--draws"},
		{predict + "--draws 100001", "--draws"},
		{"predict --run RUN --context CONTEXT --grid 0:1:1000000 --draws 2000 --out OUT", "--out: found 2.01e+09 numbers for 1000000 targets"},
		{"predict --run RUN --context CONTEXT --targets TARGETNAN --out OUT", "targets.csv:2: x"},
		{"predict --run RUN --context NAN --grid 0:1:2 --out OUT", "nan.csv:3: y"},
		{"predict --run RUN --context CONTEXT --grid 0:1:2 --out NODIR", "--out"},
	} {
		empty := t.TempDir()
		args := strings.Fields(c.args)
		for i, arg := range args {
			end := strings.IndexAny(arg+".", "./")
			switch file, ok := files[arg[:end]]; {
			case arg[:end] == "OUT":
				args[i] = filepath.Join(empty, "out") + arg[end:]
			case ok:
				args[i] = file + arg[end:]
			}
		}
		want := c.want
		if file, ok := files[want]; ok {
			want = file
		}
		checkRefusal(t, c.args, acqnp(args...), 2, want)
		if left, _ := filepath.Glob(filepath.Join(empty, "*")); len(left) > 0 {
			t.Errorf("%s: left %v", c.args, left)
		}
		if left, _ := filepath.Glob(filepath.Join(empty, ".*")); len(left) > 0 {
			t.Errorf("%s: left %v", c.args, left)
		}
	}
}

func TestDamagedCheckpoints(t *testing.T) {
	dir := t.TempDir()
	config := write(t, dir, "tiny.yaml", tinyConfig)
	run, out := filepath.Join(dir, "run"), filepath.Join(dir, "eval.json")
	succeed(t, "train", "--config", config, "--run-dir", run, "--quiet", "--no-eval")
	write(t, filepath.Join(run, "checkpoints"), "step-30.safetensors", "torn")
	o := succeed(t, "eval", "--run", run, "--out", out)
	if e := readEvaluation(t, out); *e.Checkpoint.Step != 20 {
		t.Errorf("evaluated step %d beside a torn step 30", *e.Checkpoint.Step)
	}
	if !strings.Contains(o.err, "step-30.safetensors") {
		t.Errorf("the torn checkpoint is not named: %q", o.err)
	}
	checkRefusal(t, "torn", acqnp("eval", "--run", run, "--checkpoint", "30", "--quiet"), 2, "step-30.safetensors")
}

func TestNumbersThatEndStopTheRunWithOne(t *testing.T) {
	s, run := share(t), filepath.Join(t.TempDir(), "run")
	o := acqnp("train", "--config", s.config, "--run-dir", run, "--set", "train.learning_rate=1e38", "--quiet")
	checkRefusal(t, "an absurd learning rate", o, 1, "step ")
}

// broken is a stream whose every call fails.
type broken struct{}

func (broken) Write([]byte) (int, error) { panic("broken stream") }

func TestAPanicIsOneLineAndOne(t *testing.T) {
	var errs strings.Builder
	code := cli.Main([]string{"data", "list"}, cli.Streams{In: strings.NewReader(""), Out: broken{}, Err: &errs})
	checkRefusal(t, "panic", outcome{code: code, err: errs.String()}, 1, "acqnp data list: internal error: broken stream")
}
