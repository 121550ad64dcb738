package post_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/predict/post"
)

// some is a postprocessing of experiment.
var some = config.Postprocessing{TailDF: 5, SigmaScale: 1.1, PoolWeight: 0.2, PoolKernel: []float64{0.8, 0.25}}

func TestAFileIsReadAsItWasWritten(t *testing.T) {
	dir := t.TempDir()
	want := post.Postprocessing{Postprocessing: some}
	for range 2 { // without and with a calibration
		if err := want.Write(dir); err != nil {
			t.Fatal(err)
		}
		got, found, err := post.Read(dir, experiment)
		if diff := cmp.Diff(want, got); err != nil || !found || diff != "" {
			t.Errorf("%v, %v, %s", found, err, diff)
		}
		content, err := os.ReadFile(filepath.Join(dir, "postprocessing.json"))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(string(content), "{\n  \"schema\": \"acqnp.postprocessing/1\",\n  \"tail_df\": 5,\n  \"sigma_scale\": 1.1,\n"+
			"  \"pool_weight\": 0.2,\n  \"pool_kernel\": [0.8,0.25]") || strings.Count(string(content), "\n") > 8 {
			t.Errorf("the file is\n%s", content)
		}
		c, _ := someCalibration(19)
		want.Calibration = &c
	}
}

// Without a file, a run does what its configuration says.
func TestARunWithoutAFileGoesByItsConfiguration(t *testing.T) {
	e := experiment
	e.Postprocessing = some
	got, found, err := post.Read(t.TempDir(), e)
	if diff := cmp.Diff(post.Postprocessing{Postprocessing: some}, got); err != nil || found || diff != "" {
		t.Errorf("%v, %v, %s", found, err, diff)
	}
}

func TestFilesThatAModelCannotUseAreRefused(t *testing.T) {
	mixed, levels := experiment, experiment
	mixed.Data.Baseline = []int{1, 1}
	levels.Model.Name = "acqnp"
	for content, c := range map[string]struct {
		e    config.Experiment
		want string
	}{
		`{"tail_df": 0.5`:                           {experiment, "unexpected EOF"},
		`"tail_df": 0.5`:                            {experiment, "tail_df: found 0.5, expected a number from 1 to 1000"},
		`"sigma_scale": 20`:                         {experiment, "sigma_scale: found 20, expected a number from 0.1 to 10"},
		`"sigma_scal": 2`:                           {experiment, `unknown field "sigma_scal"`},
		`"sigma_scale": "2"`:                        {experiment, "sigma_scale"},
		`"tail_df": 5`:                              {levels, "tail_df: found a key that acqnp does not use, expected no such key: only cnp or canp can use it"},
		`"pool_weight": 0.2`:                        {experiment, "pool_weight: found a weight of 0.2 and no simple model"},
		`"pool_kernel": [1]`:                        {experiment, "[WIDTH OF X, WIDTH OF Y]"},
		`"pool_weight": 0.2, "pool_kernel": [1, 1]`: {mixed, "pool_weight: found a weight of 0.2 and both simple models"},
	} {
		dir := t.TempDir()
		if !strings.HasPrefix(content, "{") {
			content = `{"schema": "acqnp.postprocessing/1", ` + content + "}"
		}
		if err := os.WriteFile(filepath.Join(dir, "postprocessing.json"), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		_, _, err := post.Read(dir, c.e)
		var refused *invalid.Input
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "postprocessing.json: ") ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %q", content, err, c.want)
		}
	}
}

// A run that begins writes what its configuration says, and nothing if that is nothing. A calibration stays
// in a run that goes on.
func TestRunsBeginWithTheirConfiguration(t *testing.T) {
	dir, e := t.TempDir(), experiment
	begun := func() string {
		t.Helper()
		content, err := post.Begun(dir, e)
		if err != nil {
			t.Fatal(err)
		}
		if content != nil {
			if err := os.WriteFile(filepath.Join(dir, "postprocessing.json"), content, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		return string(content)
	}
	if content := begun(); content != "" {
		t.Errorf("nothing to do: %s", content)
	}
	e.Postprocessing = some
	if content := begun(); !strings.Contains(content, `"pool_weight": 0.2`) {
		t.Errorf("wrote %q", content)
	}
	if content := begun(); content != "" {
		t.Errorf("wrote the same again: %s", content)
	}
	c, _ := someCalibration(19)
	writeFile(t, dir, c) // of another postprocessing
	if content := begun(); !strings.Contains(content, `"tail_df": 5`) || !strings.Contains(content, `"calibration"`) {
		t.Errorf("wrote %q", content)
	}
}
