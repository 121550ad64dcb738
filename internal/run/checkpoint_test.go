package run_test

import (
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/files/safetensors"
	"github.com/acqnp/acqnp/internal/run"
	"github.com/acqnp/acqnp/internal/test/must"
)

func TestCheckpointHoldsTheRun(t *testing.T) {
	dir, e := finished(t)
	m := modelOf(t, e)
	path := checkpoint(dir, "step-12")
	c := must.Get(run.ReadCheckpoint(path, m))(t)
	if c.Path != path || c.Step != 12 || c.Benchmark != "lissajous" || c.Model != "acqnp" || c.Version != "test" || c.Elapsed <= 0 {
		t.Errorf("checkpoint %+v", c)
	}
	if again, err := config.Parse("checkpoint", []byte(c.Config), config.Overrides{}); err != nil || len(config.Differences(again, e)) > 0 {
		t.Errorf("its configuration: %v, %v", config.Differences(again, e), err)
	}
	for name, v := range map[string][]float32{"weights": c.Params, "m": c.M, "v": c.V} {
		if len(v) != m.NumParams() {
			t.Errorf("%d %s, want %d", len(v), name, m.NumParams())
		}
	}
	if want := state(m, 12); !slices.Equal(c.Params, want.Params) || !slices.Equal(c.M, want.M) || !slices.Equal(c.V, want.V) || c.Updates != 12 {
		t.Error("other weights or moments than were saved")
	}
	r := must.Get(safetensors.Open(path))(t)
	defer r.Close()
	meta := r.Metadata()
	for _, name := range []string{"_decoder._mlp._net.0.weight", "adam.m._decoder._mlp._net.0.weight", "adam.v._adaptor._net.0.bias"} {
		if _, ok := r.Spec(name); !ok {
			t.Errorf("no tensor %s", name)
		}
	}
	if s := meta["streams"]; !strings.Contains(s, `"levels":{"seed":5,"step":12}`) {
		t.Errorf("streams: %s", s)
	}
	if meta["format"] != "acqnp.checkpoint/1" || meta["step"] != "12" {
		t.Errorf("metadata: %v", meta)
	}
}

func TestTornCheckpointsAreNoticed(t *testing.T) {
	dir, e := finished(t)
	m := modelOf(t, e)
	whole := must.Read(t, checkpoint(dir, "step-12"))
	path := filepath.Join(t.TempDir(), "torn.safetensors")
	lengths := []int{0, 1, 7, 8, 9, 100, len(whole) / 2, len(whole) - 4, len(whole) - 1}
	r := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		lengths = append(lengths, r.IntN(len(whole)))
	}
	for _, n := range lengths {
		must.Write(t, whole[:n], path)
		must.Refuse(t, must.Err(run.ReadCheckpoint(path, m)), path)
	}
	must.Write(t, append(slices.Clone(whole), 0), path)
	must.Refuse(t, must.Err(run.ReadCheckpoint(path, m)), path)
}

// A flipped bit is noticed, unless it is in the header's padding and changes nothing.
func TestFlippedBitsAreNoticed(t *testing.T) {
	dir, e := finished(t)
	m := modelOf(t, e)
	whole := must.Read(t, checkpoint(dir, "step-12"))
	good := must.Get(run.ReadCheckpoint(checkpoint(dir, "step-12"), m))(t)
	path := filepath.Join(t.TempDir(), "rotten.safetensors")
	r := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		at, bit := r.IntN(len(whole)), r.IntN(8)
		rotten := slices.Clone(whole)
		rotten[at] ^= 1 << bit
		must.Write(t, rotten, path)
		c, err := run.ReadCheckpoint(path, m)
		if err != nil {
			must.Refuse(t, err, path)
			continue
		}
		if c.Step != good.Step || c.Config != good.Config || !slices.Equal(c.Params, good.Params) ||
			!slices.Equal(c.M, good.M) || !slices.Equal(c.V, good.V) {
			t.Errorf("bit %d of byte %d was not noticed", bit, at)
		}
	}
}

func TestForeignCheckpointsAreRefused(t *testing.T) {
	dir, e := finished(t)
	good := checkpoint(dir, "step-12")
	other := func(change func(*config.Experiment)) error {
		_, err := run.ReadCheckpoint(good, modelOf(t, experiment(t, change)))
		return err
	}
	must.Refuse(t, other(func(e *config.Experiment) { e.Model.Name, e.Model.Adaptor = "cqnp", nil }), good, "model acqnp", "cqnp")
	must.Refuse(t, other(func(e *config.Experiment) { e.Model.Decoder = []int{9} }), good, "_decoder._mlp._net.0.weight", "[8 10]", "[9 10]")
	must.Refuse(t, other(func(e *config.Experiment) { e.Model.Decoder = []int{8, 8} }), good, "_decoder._mlp._net.")

	plain := filepath.Join(t.TempDir(), "weights.safetensors")
	m := modelOf(t, e)
	must.Do(t, run.WriteWeights(plain, m, m.Initial(0), nil))
	must.Refuse(t, must.Err(run.ReadCheckpoint(plain, m)), plain, "acqnp.checkpoint/1")
	must.Refuse(t, must.Err(run.ReadWeights(good, m)), good, "a checkpoint", "acqnp export")
	must.Refuse(t, must.Err(run.ReadCheckpoint(filepath.Join(dir, "config.yaml"), m)), "config.yaml")
	must.Refuse(t, must.Err(run.ReadCheckpoint(filepath.Join(dir, "absent"), m)), "absent")
}

func TestLatestSkipsAndNamesBadCheckpoints(t *testing.T) {
	dir, e := finished(t)
	m := modelOf(t, e)
	whole := must.Read(t, checkpoint(dir, "step-12"))
	must.Write(t, whole[:len(whole)-10], checkpoint(dir, "step-16"))        // torn
	must.Write(t, []byte("not a checkpoint"), checkpoint(dir, "step-20"))   // foreign
	must.Write(t, whole, checkpoint(dir, "step-100"))                       // renamed
	must.Write(t, whole, checkpoint(dir, "step-0200"))                      // not a checkpoint's name
	must.Write(t, whole[3:], filepath.Join(dir, "checkpoints", ".tmp-123")) // left by a killed program
	var warnings []string
	c, err := load(dir, run.Newest, m, func(line string) { warnings = append(warnings, line) })
	if err != nil || c.Step != 12 {
		t.Fatalf("latest is step %d, %v", c.Step, err)
	}
	if len(warnings) != 3 {
		t.Fatalf("warnings: %q", warnings)
	}
	for i, name := range []string{"step-100.", "step-20.", "step-16."} {
		if !strings.Contains(warnings[i], name) {
			t.Errorf("warning %q does not name %s", warnings[i], name)
		}
	}
	for _, good := range []string{"step-8", "step-12"} {
		must.Do(t, os.Remove(checkpoint(dir, good)))
	}
	must.Refuse(t, must.Err(load(dir, run.Newest, m, nil)), dir, "no usable checkpoint")
}

func TestByStep(t *testing.T) {
	dir, e := finished(t)
	m := modelOf(t, e)
	if c, err := load(dir, "8", m, nil); err != nil || c.Step != 8 {
		t.Errorf("step %d, %v", c.Step, err)
	}
	must.Refuse(t, must.Err(load(dir, "9", m, nil)), "no checkpoint of step 9", "8, 12")
	must.Refuse(t, must.Err((&run.Run{Dir: t.TempDir()}).Load("9", m, nil)), "no checkpoint", "saved one")
	must.Do(t, os.Truncate(checkpoint(dir, "step-8"), 50))
	must.Refuse(t, must.Err(load(dir, "8", m, nil)), "step-8")
}

func TestCountersThatCannotBe(t *testing.T) {
	dir, e := finished(t)
	for _, wrong := range []map[string]string{
		{"adam_updates": "13"}, {"adam_updates": "-1"}, {"adam_updates": "many"}, {"adam_updates": ""},
		{"loss_scale": "0"}, {"loss_scale": "-2"}, {"loss_scale": "NaN"}, {"loss_scale": "Inf"}, {"loss_scale": "1e60"}, {"loss_scale": ""},
		{"validation": "{}"}, {"validation": "0.5"}, {"validation": `{"valid_ll": 1, "step": 13}`}, {"validation": `{"valid_ll": 1, "step": 3, "out": 13}`},
		{"validation": `{"valid_ll": 1, "step": 3, "worse": -1}`},
		{"loss_scale": "1024"}, {"loss_scale": "1024", "loss_scale_steps": "13"}, {"loss_scale": "1024", "loss_scale_steps": "x"},
	} {
		path := rewritten(t, checkpoint(dir, "step-12"), func(f *contents) { maps.Copy(f.meta, wrong) })
		_, err := run.ReadCheckpoint(path, modelOf(t, e))
		key := slices.Min(slices.Collect(maps.Keys(wrong))) // of loss_scale and loss_scale_steps the former
		must.Refuse(t, err, path, key)
		if strings.Contains(err.Error(), "checksum") {
			t.Errorf("%v: %v", wrong, err)
		}
	}
}
