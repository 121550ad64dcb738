package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/device"
)

// wideConfig is an experiment whose layers are wide enough for bf16.
var wideConfig = strings.NewReplacer("representation: 8", "representation: 32", "[8]", "[32, 32]", "steps: 30", "steps: 10").Replace(tinyConfig)

// deviceIn returns the device that a file of eval names.
func deviceIn(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var e struct{ Device string }
	if err := json.Unmarshal(content, &e); err != nil {
		t.Fatal(err)
	}
	return e.Device
}

// TestBF16OnTheCPU trains, resumes, evaluates and times in bf16, as the flag or the variable says.
func TestBF16OnTheCPU(t *testing.T) {
	dir := t.TempDir()
	config, run := write(t, dir, "wide.yaml", wideConfig), filepath.Join(dir, "run")
	half := []string{"--device", "cpu", "--precision", "bf16"}
	o := succeed(t, append([]string{"train", "--config", config, "--run-dir", run, "--threads", "2"}, half...)...)
	if !strings.Contains(o.err, "cpu with 2 threads in bf16") {
		t.Errorf("bf16 is not named: %s", o.err)
	}
	succeed(t, "eval", "--run", run, "--quiet")
	if o := succeed(t, "report", run); !strings.Contains(o.out, "Trained in bf16.") {
		t.Errorf("the report does not say bf16: %s", o.out)
	}
	one := filepath.Join(dir, "one")
	succeed(t, append([]string{"train", "--config", config, "--run-dir", one, "--threads", "1", "--no-eval"}, half...)...)
	if string(weightsOf(t, run)) != string(weightsOf(t, one)) {
		t.Error("one thread has other weights than two")
	}
	more := []string{"train", "--config", config, "--run-dir", run, "--resume", "--no-eval", "--set", "train.steps=12"}
	if o := succeed(t, append(more, "--precision", "bf16")...); strings.Contains(o.err, "will differ") {
		t.Errorf("a resume in bf16: %s", o.err)
	}
	if o := succeed(t, append(more, "--device", "cpu", "--set", "train.steps=14")...); !strings.Contains(o.err, "Set --precision bf16 to reproduce") {
		t.Errorf("a resume in fp32 has no warning: %s", o.err)
	}

	t.Setenv("ACQNP_PRECISION", "bf16")
	out := filepath.Join(dir, "eval.json")
	succeed(t, "eval", "--run", run, "--out", out)
	if d := deviceIn(t, out); d != "cpu (bf16)" {
		t.Errorf("eval on %s", d)
	}
	if b := bench(t, "--config", config, "--steps", "1"); b.Device != "cpu (bf16)" {
		t.Errorf("%+v", b)
	}
	o = succeed(t, "bench", "--config", config, "--steps", "1", "--threads", "2")
	if !strings.Contains(o.out, "cpu (bf16), 2 threads, ") {
		t.Error(o.out)
	}
	checkRefusal(t, "the variable", acqnp("eval", "--run", run, "--device", "cuda", "--out", out), 2,
		`ACQNP_PRECISION: found "bf16", expected auto, fp32 or fp16 with --device cuda:0; --device cpu has bf16`)
}

func TestPrecisionsOfADevice(t *testing.T) {
	config := share(t).config
	for _, c := range []struct{ device, precision, want string }{
		{"cuda", "bf16", "--device cpu has bf16"}, {"cpu", "fp16", "auto, fp32 or bf16 with --device cpu"},
		{"cpu", "fp8", "auto, fp32, fp16 or bf16"},
	} {
		o := acqnp("bench", "--config", config, "--device", c.device, "--precision", c.precision)
		checkRefusal(t, c.precision, o, 2, `--precision: found "`+c.precision+`"`)
		checkRefusal(t, c.precision, o, 2, c.want)
	}
	if machine := device.ThisMachine(); !machine.GPU() { // auto takes the CPU, which has no fp16
		checkRefusal(t, "auto", acqnp("bench", "--config", config, "--precision", "fp16"), 2, "expected auto, fp32 or bf16 on a CPU")
	}
	if o := acqnp("__complete", "train", "--precision", ""); !strings.Contains(o.out, "bf16\n") {
		t.Error(o.out)
	}
}

// weightsOf returns the file that export writes of a run.
func weightsOf(t *testing.T, run string) []byte {
	t.Helper()
	out := filepath.Join(t.TempDir(), "weights.safetensors")
	succeed(t, "export", "--run", run, "--format", "torch", "--out", out)
	content, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return content
}
