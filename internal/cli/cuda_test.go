//go:build simt && !gpu

package cli_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/test/must"
)

// TestCUDACommands runs the commands that compute on the emulated GPU, and moves a run from there
// to the CPU and back.
func TestCUDACommands(t *testing.T) {
	dir := t.TempDir()
	config, run := must.Write(t, tinyConfig, dir, "tiny.yaml"), filepath.Join(dir, "run")
	train := func(device string, steps string, more ...string) outcome {
		t.Helper()
		return succeed(t, append([]string{"train", "--config", config, "--run-dir", run, "--resume", "--device", device,
			"--set", "train.steps=" + steps}, more...)...)
	}
	if o := train("cuda", "10", "--no-eval"); !strings.Contains(o.err, "cuda:0 (simt, training fp32 unfused in place of fp16, evaluation fp32), chosen for compute capability 9.0") {
		t.Errorf("the device is not said: %s", o.err)
	}
	train("cpu", "20", "--no-eval")
	if o := train("cuda:0", "30", "--precision", "fp32"); !strings.Contains(o.err, "cuda:0 (simt, training fp32 unfused, evaluation fp32)") || !strings.Contains(o.err, "after step 20") {
		t.Errorf("the device is not said: %s", o.err)
	}

	here, there := filepath.Join(dir, "cpu.json"), filepath.Join(dir, "cuda.json")
	succeed(t, "eval", "--run", run, "--out", here, "--device", "cpu")
	succeed(t, "eval", "--run", run, "--out", there, "--device", "cuda")
	a, b := readEvaluation(t, here), readEvaluation(t, there)
	// Means of some hundred log-likelihoods of about 1 in float32, summed in different orders.
	if d := math.Abs(a.Target.Mean - b.Target.Mean); !(d <= 1e-5) || a.Device != "cpu" || !strings.HasPrefix(b.Device, "cuda:0 (simt") {
		t.Errorf("target log-likelihood %v on %s, %v on %s", a.Target.Mean, a.Device, b.Target.Mean, b.Device)
	}

	context := must.Write(t, "x,y\n-1,0.5\n0,0.25\n1,-0.5\n", dir, "context.csv")
	out := filepath.Join(dir, "quantiles.csv")
	succeed(t, "sample-quantiles", "--run", run, "--context", context, "--grid=-1:1:5", "--out", out, "--device", "cuda")
	if info, err := os.Stat(out); err != nil || info.Size() == 0 {
		t.Errorf("no quantiles: %v", err)
	}
	if o := succeed(t, "bench", "--config", config, "--steps", "2", "--device", "cuda"); !strings.Contains(o.out, "cuda:0 (simt") ||
		!strings.Contains(o.out, " ms (mean of 2)") {
		t.Errorf("bench: %s", o.out)
	}
	succeed(t, "plot", "fit", "--run", run, "--out", filepath.Join(dir, "fit.png"), "--device", "cuda")
	succeed(t, "export", "--run", run, "--out", filepath.Join(dir, "weights.safetensors"))
}

func TestCUDARefusals(t *testing.T) {
	s := share(t)
	for device, code := range map[string]int{"auto": 0, "cpu": 0, "cuda": 0, "cuda:1": 1, "gpu": 2} {
		o := acqnp("eval", "--run", s.run, "--device", device, "--out", filepath.Join(t.TempDir(), "eval.json"), "--quiet")
		if o.code != code {
			t.Errorf("--device %q: exit code %d, want %d: %s", device, o.code, code, o.err)
		}
		if code != 0 {
			checkRefusal(t, "--device "+device, o, code, "--device")
		}
	}
}

// evaluation is the part of eval.json that the tests read.
type evaluation struct {
	Target struct{ Mean float64 } `json:"target_ll"`
	Device string
}

func readEvaluation(t *testing.T, path string) (e evaluation) {
	t.Helper()
	b := must.Get(os.ReadFile(path))(t)
	must.Do(t, json.Unmarshal(b, &e))
	return e
}
