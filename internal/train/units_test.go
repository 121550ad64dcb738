package train_test

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/engine/cpu"
	"github.com/acqnp/acqnp/internal/safetensors"
	"github.com/acqnp/acqnp/internal/train"
)

// scaled gives a benchmark's batches a scaling.
type scaled struct {
	datasets.Source
	scaling datasets.Scaling
}

func (s scaled) Scaling() datasets.Scaling { return s.scaling }

// thirds have no short decimal form.
func thirds() datasets.Scaling {
	return datasets.Scaling{XOffset: []float64{1.0 / 3}, XScale: []float64{2.0 / 3}, YOffset: []float64{-1e5 / 3}, YScale: []float64{1e-5 / 3}}
}

// scaledRun is a finished run on data of that scaling.
func scaledRun(t *testing.T, dir string, s datasets.Scaling, resume bool) (train.Result, error) {
	t.Helper()
	e := experiment(t)
	return runWith(context.Background(), train.Options{Experiment: e, Dir: dir, Resume: resume},
		scaled{hooked(t, e, nothing), s}, cpu.New)
}

func TestUnitsTravelWithTheWeights(t *testing.T) {
	dir := t.TempDir()
	r, err := scaledRun(t, dir, thirds(), false)
	if err != nil {
		t.Fatal(err)
	}
	want := train.Units{XNames: []string{"x"}, YNames: []string{"y"}, Scaling: thirds()}
	m := modelOf(t, experiment(t))
	c, err := train.LoadCheckpoint(r.Checkpoint, m)
	if err != nil {
		t.Fatal(err)
	}
	weights := filepath.Join(dir, "weights.safetensors")
	if err := train.WriteWeights(weights, m, c.Params, c.Units); err != nil {
		t.Fatal(err)
	}
	exported, err := train.FileUnits(weights)
	if err != nil {
		t.Fatal(err)
	}
	for name, got := range map[string]*train.Units{"checkpoint": c.Units, "run": train.RunUnits(dir), "weights": exported} {
		if diff := cmp.Diff(&want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	if err := train.WriteWeights(weights, m, c.Params, nil); err != nil {
		t.Fatal(err)
	}
	if u, err := train.FileUnits(weights); u != nil || err != nil {
		t.Errorf("weights without units: %v, %v", u, err)
	}
	if u := train.RunUnits(t.TempDir()); u != nil {
		t.Errorf("no run: %v", u)
	}
}

func TestResumeRefusesOtherData(t *testing.T) {
	dir := t.TempDir()
	if _, err := scaledRun(t, dir, thirds(), false); err != nil {
		t.Fatal(err)
	}
	rounded := thirds()
	rounded.YScale[0] *= 1 + 1e-12
	if _, err := scaledRun(t, dir, rounded, true); err != nil {
		t.Errorf("rounded otherwise: %v", err)
	}
	other := thirds()
	other.YScale[0] *= 1.001
	_, err := scaledRun(t, dir, other, true)
	wantInputError(t, err, dir, "another scaling")
}

// withMeta writes a copy of a file with one metadata entry changed, "" meaning none.
func withMeta(t *testing.T, path, key, value string) string {
	t.Helper()
	f, err := safetensors.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if f.Metadata[key] = value; value == "" {
		delete(f.Metadata, key)
	}
	to := filepath.Join(t.TempDir(), "changed.safetensors")
	out, err := os.Create(to)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	if err := safetensors.Write(io.Writer(out), f.Metadata, f.Tensors); err != nil {
		t.Fatal(err)
	}
	return to
}

func TestBadUnitsAreNamed(t *testing.T) {
	dir, e := finished(t)
	good := checkpoint(dir, "step-12")
	for name, text := range map[string]string{
		"no JSON":       "scaled",
		"no columns":    "{}",
		"no y":          `{"x":[{"name":"x","offset":0,"scale":1}]}`,
		"no name":       `{"x":[{"offset":0,"scale":1}],"y":[{"name":"y","offset":0,"scale":1}]}`,
		"zero scale":    `{"x":[{"name":"x","offset":0,"scale":0}],"y":[{"name":"y","offset":0,"scale":1}]}`,
		"beyond number": `{"x":[{"name":"x","offset":0,"scale":1e999}],"y":[{"name":"y","offset":0,"scale":1}]}`,
	} {
		path := withMeta(t, good, "units", text)
		_, err := train.FileUnits(path)
		if err == nil {
			t.Errorf("%s: accepted", name)
			continue
		}
		wantInputError(t, err, path, "units")
	}
	two := withMeta(t, good, "units", `{"x":[{"name":"a","scale":1},{"name":"b","scale":1}],"y":[{"name":"y","scale":1}]}`)
	_, err := train.LoadCheckpoint(two, modelOf(t, e))
	wantInputError(t, err, two, "units", "2 columns of x")
	if s := readFile(t, good); !strings.Contains(string(s[:4096]), "units") {
		t.Error("no units in the checkpoint's header")
	}
}
