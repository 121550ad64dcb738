package train_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/engine/device"
	"github.com/acqnp/acqnp/internal/run"
	"github.com/acqnp/acqnp/internal/test/must"
	"github.com/acqnp/acqnp/internal/train"
)

func TestRunDirectory(t *testing.T) {
	e := experiment(t)
	dir := filepath.Join(t.TempDir(), "runs", "tiny")
	var updates []train.Update
	r := mustTrain(t, train.Options{Experiment: e, Dir: dir, OnStep: func(u train.Update) { updates = append(updates, u) }})
	if r.Step != 12 || r.Resumed != 0 || r.Finished || r.Checkpoint != checkpoint(dir, "step-12") {
		t.Errorf("result %+v", r)
	}
	wantFiles(t, dir, "config.yaml", "metrics.jsonl", "checkpoints/step-8.safetensors", "checkpoints/step-12.safetensors")
	written, err := config.Parse("config.yaml", must.Read(t, filepath.Join(dir, "config.yaml")), config.Overrides{})
	if err != nil || len(config.Differences(written, e)) > 0 {
		t.Errorf("config.yaml: %v, %v", config.Differences(written, e), err)
	}
	must.Same(t, []int{3, 6, 9, 12}, metricSteps(t, dir), "logged steps")
	if len(updates) != 12 {
		t.Fatalf("%d updates", len(updates))
	}
	for i, u := range updates {
		if u.Step != i+1 || u.Steps != 12 || u.LearningRate != e.Train.LearningRate || u.RowsPerSecond <= 0 || u.Elapsed <= 0 {
			t.Errorf("update %+v", u)
		}
	}
	last := metrics(t, dir)[3]
	if float64(last.Loss) != updates[11].Loss() || r.Loss != updates[11].Loss() || last.LearningRate != 0.01 ||
		last.RowsPerSecond <= 0 || last.Elapsed <= 0 {
		t.Errorf("last line %+v, last update %+v", last, updates[11])
	}
}

func TestTrainingLowersTheLoss(t *testing.T) {
	var losses []float64
	mustTrain(t, train.Options{Dir: t.TempDir(), Experiment: experiment(t, steps(200)),
		OnStep: func(u train.Update) { losses = append(losses, u.Loss()) }})
	mean := func(v []float64) (sum float64) {
		for _, x := range v {
			sum += x / float64(len(v))
		}
		return sum
	}
	// Losses of single batches scatter by some tenths. The loss falls by several tenths in the
	// first 200 steps.
	first, final := mean(losses[:20]), mean(losses[180:])
	if final > first-0.1 {
		t.Errorf("mean loss of the first 20 steps %.3f, of the last 20 %.3f", first, final)
	}
}

func TestResumeGivesTheSameBits(t *testing.T) {
	for _, schedule := range []string{"constant", "cosine"} {
		for _, model := range []string{"acqnp", "cnp"} {
			t.Run(schedule+"/"+model, func(t *testing.T) {
				e := experiment(t, func(e *config.Experiment) {
					e.Train.Schedule, e.Train.WeightDecay = schedule, 1e-4
					if model == "cnp" {
						e.Model.Name, e.Model.Adaptor, e.Model.AdaptorForm, e.Model.ScaleForm, e.Train.NumTau, e.Train.Levels, e.Eval.NumTau = "cnp", nil, "", "", 0, "", 0
					}
				})
				want := mustTrain(t, train.Options{Experiment: e, Dir: t.TempDir(), Device: device.CPU(1)})
				for _, stop := range []int{1, 4, 7, 11} {
					dir := t.TempDir()
					o := train.Options{Experiment: e, Dir: dir, Resume: true, Device: device.CPU(2)}
					if r := interruptAfter(t, o, stop); r.Step != stop || r.Checkpoint == "" {
						t.Errorf("interrupted after %d: %+v", stop, r)
					}
					o.Device = device.CPU(3)
					got := mustTrain(t, o)
					if got.Resumed != stop || got.Step != 12 {
						t.Errorf("resumed: %+v", got)
					}
					sameTensors(t, got.Checkpoint, want.Checkpoint)
					if s := metricSteps(t, dir); !slices.Equal(s, []int{3, 6, 9, 12}) {
						t.Errorf("stopped after %d: logged steps %v", stop, s)
					}
				}
			})
		}
	}
}

// TestResumeInBF16GivesTheSameBits trains a model wide enough for bf16 with several numbers of threads.
func TestResumeInBF16GivesTheSameBits(t *testing.T) {
	on := func(threads int) device.Device {
		return must.Get(device.Request{Choice: "cpu", Precision: device.BF16, Threads: threads}.Open())(t)
	}
	e := experiment(t, func(e *config.Experiment) {
		e.Model.Representation, e.Model.Encoder, e.Model.Adaptor, e.Model.Decoder = 40, []int{40, 40}, []int{40, 40}, []int{40, 40}
	})
	want := mustTrain(t, train.Options{Experiment: e, Dir: t.TempDir(), Device: on(1)})
	o := train.Options{Experiment: e, Dir: t.TempDir(), Resume: true, Device: on(2)}
	interruptAfter(t, o, 7)
	o.Device, o.Warn = on(3), func(s string) { t.Error(s) }
	got := mustTrain(t, o)
	sameTensors(t, got.Checkpoint, want.Checkpoint)
	float32s := mustTrain(t, train.Options{Experiment: e, Dir: t.TempDir(), Device: device.CPU(1)})
	if string(tensors(t, float32s.Checkpoint)) == string(tensors(t, want.Checkpoint)) {
		t.Error("nothing was rounded to bf16")
	}
}

// A resume skips checkpoints that are torn or of another run, with a warning, and ends with the same bits. If none is
// left, it is refused.
func TestResumeSkipsBadCheckpoints(t *testing.T) {
	other := t.TempDir()
	mustTrain(t, train.Options{Dir: other, Experiment: experiment(t, func(e *config.Experiment) { e.Train.Seed++ })})
	dir, e := finished(t)
	want := tensors(t, checkpoint(dir, "step-12"))
	torn := must.Read(t, checkpoint(dir, "step-12"))[:1000]
	for what, c := range map[string]struct {
		content []byte
		words   string
	}{"torn": {torn, "step-12.safetensors"}, "of another run": {must.Read(t, checkpoint(other, "step-12")), "train.seed"}} {
		must.Write(t, c.content, checkpoint(dir, "step-12"))
		must.Write(t, torn[:9], filepath.Join(dir, "checkpoints", ".tmp-1"))
		var warnings []string
		r := mustTrain(t, train.Options{Experiment: e, Dir: dir, Resume: true, Warn: func(s string) { warnings = append(warnings, s) }})
		if r.Resumed != 8 || len(warnings) != 1 || !strings.Contains(warnings[0], c.words) {
			t.Errorf("%s: resumed from %d with warnings %q", what, r.Resumed, warnings)
		}
		if string(tensors(t, r.Checkpoint)) != string(want) {
			t.Errorf("%s: the run ended with other tensors", what)
		}
		wantFiles(t, dir, "config.yaml", "metrics.jsonl", "checkpoints/step-8.safetensors", "checkpoints/step-12.safetensors")
	}
	for _, name := range []string{"step-8", "step-12"} {
		must.Write(t, []byte("torn"), checkpoint(dir, name))
	}
	must.Refuse(t, must.Err(train.Run(t.Context(), train.Options{Experiment: e, Dir: dir, Resume: true})), dir, "no usable checkpoint")
}

// withKernels is the CPU under another name of its kernels.
type withKernels struct {
	device.Device
	kernels string
}

func (d withKernels) Kernels() string { return d.kernels }

// A resume on kernels that compute other bits warns. AVX-512 and AVX2 give the same bits.
func TestResumeOnOtherKernels(t *testing.T) {
	for _, c := range []struct {
		before, now string
		warning     string // without the checkpoint's path
	}{
		{"avx512", "amx", "the checkpoint was written with AVX-512 kernels; this run uses AMX, so its last bits will differ. " +
			"Set ACQNP_SIMD=avx512 to reproduce them."},
		{"avx2", "portable", "the checkpoint was written with AVX2 kernels; this run uses portable, so its last bits will differ. " +
			"Set ACQNP_SIMD=avx2 to reproduce them."},
		{"avx512+bf16", "avx2", "the checkpoint was written with AVX-512 bf16 kernels; this run uses AVX2, so its numbers will differ. " +
			"Set --precision bf16 to reproduce them."},
		{"avx2", "amx+bf16", "the checkpoint was written with AVX2 kernels; this run uses AMX bf16, so its numbers will differ. " +
			"Set ACQNP_SIMD=avx2 and --precision fp32 to reproduce them."},
		{"avx512", "avx2", ""}, {"avx512+bf16", "avx2+bf16", ""}, {"amx", "amx", ""}, {"amx", "", ""}, {"", "amx", ""},
	} {
		o := train.Options{Experiment: experiment(t), Dir: t.TempDir(), Resume: true, Device: withKernels{device.CPU(1), c.before}}
		interruptAfter(t, o, 6)
		warnings, want := []string(nil), []string(nil)
		if c.warning != "" {
			want = []string{checkpoint(o.Dir, "step-6") + ": " + c.warning}
		}
		o.Device, o.Warn = withKernels{device.CPU(1), c.now}, func(s string) { warnings = append(warnings, s) }
		last := must.Get(run.ReadCheckpoint(mustTrain(t, o).Checkpoint, modelOf(t, o.Experiment)))(t)
		if !slices.Equal(warnings, want) {
			t.Errorf("%q after %q: warnings %q, want %q", c.now, c.before, warnings, want)
		}
		if known := slices.Contains(last.Earlier, c.before); known != (c.warning != "") {
			t.Errorf("%q after %q: the checkpoint names %q before its last kernels", c.now, c.before, last.Earlier)
		}
	}
}

func TestWhatMayChangeOnResume(t *testing.T) {
	dir, _ := finished(t)
	before := files(t, dir)
	refused := map[string]func(*config.Experiment){
		"train.seed":          func(e *config.Experiment) { e.Train.Seed = 6 },
		"train.learning_rate": func(e *config.Experiment) { e.Train.LearningRate = 0.02 },
		"model.decoder":       func(e *config.Experiment) { e.Model.Decoder = []int{8, 8} },
		"data.points":         func(e *config.Experiment) { e.Data.Points = []int{6, 13} },
		"eval.batches":        func(e *config.Experiment) { e.Eval.Batches = 3 },
		"train.schedule":      func(e *config.Experiment) { e.Train.Schedule = "cosine" },
	}
	for key, change := range refused {
		must.Refuse(t, must.Err(train.Run(t.Context(), train.Options{Experiment: experiment(t, change), Dir: dir, Resume: true})), "config.yaml", key)
	}
	if after := files(t, dir); !slices.Equal(after, before) {
		t.Errorf("a refused run left %v", after)
	}
	mustTrain(t, train.Options{Dir: dir, Resume: true, Device: device.CPU(1), Experiment: experiment(t, steps(13),
		func(e *config.Experiment) {
			e.Train.LogEvery, e.Train.CheckpointEvery, e.Train.KeepCheckpoints = 1, 1, 5
		})})
	if e, err := config.Parse("config.yaml", must.Read(t, filepath.Join(dir, "config.yaml")), config.Overrides{}); err != nil || e.Train.Steps != 13 {
		t.Errorf("config.yaml says %d steps, %v", e.Train.Steps, err)
	}
	must.Refuse(t, must.Err(train.Run(t.Context(), train.Options{Experiment: experiment(t, steps(10)), Dir: dir, Resume: true})), "train.steps", "10", "13")
}

func TestDirectoryWithARunIsRefused(t *testing.T) {
	for _, name := range []string{"config.yaml", "metrics.jsonl", "checkpoints/step-3.safetensors"} {
		dir := t.TempDir()
		must.Write(t, []byte("theirs"), filepath.Join(dir, name))
		_, err := train.Run(t.Context(), train.Options{Experiment: experiment(t), Dir: dir})
		must.Refuse(t, err, dir, filepath.Base(name), "--resume", "--overwrite")
		wantFiles(t, dir, name)
	}
	file := filepath.Join(t.TempDir(), "file")
	must.Write(t, "", file)
	must.Refuse(t, must.Err(train.Run(t.Context(), train.Options{Experiment: experiment(t), Dir: file})), file, "directory")
}

func TestOverwriteRemovesTheRunAlone(t *testing.T) {
	dir := t.TempDir()
	mustTrain(t, train.Options{Experiment: validated(t), Dir: dir}) // which has a best checkpoint too
	for _, name := range []string{"notes.txt", "eval.json", "fit.png", "checkpoints/mine.safetensors", "checkpoints/step-1.bak"} {
		must.Write(t, []byte("mine"), filepath.Join(dir, name))
	}
	e := experiment(t, steps(5), func(e *config.Experiment) { e.Train.Seed = 9 })
	mustTrain(t, train.Options{Experiment: e, Dir: dir, Overwrite: true})
	wantFiles(t, dir, "config.yaml", "metrics.jsonl", "notes.txt", "checkpoints/mine.safetensors", "checkpoints/step-1.bak",
		"checkpoints/step-4.safetensors", "checkpoints/step-5.safetensors")
	must.Same(t, []int{3, 5}, metricSteps(t, dir), "logged steps")
}

func TestOptionsThatCannotBe(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	for word, o := range map[string]train.Options{
		"--overwrite": {Dir: dir, Resume: true, Overwrite: true},
		"--run-dir":   {},
	} {
		o.Experiment = experiment(t)
		must.Refuse(t, must.Err(train.Run(t.Context(), o)), word)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("the run directory was made: %v", err)
	}
}

func TestStartIsToldBeforeTheFirstStep(t *testing.T) {
	e := experiment(t)
	dir := filepath.Join(t.TempDir(), "deep", "down", "run")
	var started []train.Start
	o := train.Options{Experiment: e, Dir: dir, Resume: true, OnStart: func(s train.Start) { started = append(started, s) }}
	o.OnStep = func(u train.Update) {
		if len(started) == 0 {
			t.Fatalf("step %d before the start", u.Step)
		}
	}
	mustTrain(t, o)
	mustTrain(t, o) // nothing to do, nothing to start
	o.Experiment = experiment(t, steps(15))
	mustTrain(t, o)
	n := modelOf(t, e).NumParams()
	longer := train.Start{Step: 12, Steps: 15, Parameters: n, Replanned: "the run goes on to step 15 instead of 12: the learning rate stays at 0.01"}
	if want := []train.Start{{Step: 0, Steps: 12, Parameters: n}, longer}; !slices.Equal(started, want) {
		t.Errorf("%v, want %v", started, want)
	}
}
