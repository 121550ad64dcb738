package post_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/likelihood/score"
	"github.com/acqnp/acqnp/internal/predict/post"
)

// someCalibration returns a calibration of a number of functions, and the predictions that it is for.
func someCalibration(functions int) (post.Calibration, post.Predictions) {
	var outcomes []score.Outcome
	for i := range functions {
		v := (float64(i) + 0.5) / float64(functions)
		outcomes = append(outcomes, score.Outcome{PIT: (1 + v) / 2, Rank: v})
	}
	step := 30
	p := post.Predictions{Checkpoint: "best.safetensors", Step: &step, NumTau: 5, Levels: "grid"}
	return post.Calibration{Predictions: p, Source: post.FromRun, Exchangeable: "function", Targets: functions,
		Channels: []post.ChannelCalibration{{Channel: "y", Calibration: score.Calibrate(outcomes)}}}, p
}

// experiment is the configuration of the runs.
var experiment = config.Experiment{Benchmark: "csv", Model: config.Model{Name: "cnp"}}

// writeFile writes a postprocessing.json with a calibration.
func writeFile(t *testing.T, dir string, c post.Calibration) {
	t.Helper()
	if err := (post.Postprocessing{Calibration: &c}).Write(dir); err != nil {
		t.Fatal(err)
	}
}

// calibrated returns the calibration of the run in dir.
func calibrated(dir string, channels []string, now post.Predictions) (*post.Calibration, error) {
	p, _, err := post.Read(dir, experiment)
	if err != nil {
		return nil, err
	}
	return p.Calibrated(dir, channels, now)
}

func TestCalibrationIsReadAsItWasWritten(t *testing.T) {
	dir := t.TempDir()
	c, p := someCalibration(19)
	writeFile(t, dir, c)
	read, err := calibrated(dir, []string{"y"}, p)
	if diff := cmp.Diff(&c, read); err != nil || diff != "" {
		t.Errorf("%v, %s", err, diff)
	}
	var b bytes.Buffer
	c.Summary(dir).Print(&b)
	few, _ := someCalibration(8)
	few.Source, few.Exchangeable = post.FromFiles, "point"
	few.Summary(dir).Print(&b)
	points, _ := someCalibration(11)
	points.Exchangeable = "point"
	points.Summary(dir).Print(&b)
	// The 18th of 19 scores is 17.5/19. The beta distribution of 18 and 2 has 5% below 0.774 and above 0.981.
	for _, want := range []string{"calibrated on 19 groups, one target of each, used for nothing else: " + filepath.Join(dir, "postprocessing.json"),
		"y, 90% interval: the model's levels 0.039 to 0.961", "y of a new group lies in an interval or region of 90% with a probability of at least 90%",
		"and, without ties, at most 90%, on average", "hold 77% to 98%", "takes 9 groups, one of 95% 19",
		"Vovk, Gammerman, Shafer 2005; one target of each group: Dunn, Wasserman, Ramdas 2023.",
		"y of a new point", "and, without ties, at most 91.7%", "its context are the points for training and validation.", "takes 9 points, one of 95% 19", "calibrated on 8 points, of the files", "y, 90% interval: too few points, it takes 9"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not in\n%s", want, b.String())
		}
	}
}

// A file of a version before 0.3, which has no source, is read, and promises nothing.
func TestOldCalibrationsPromiseNothing(t *testing.T) {
	dir := t.TempDir()
	c, p := someCalibration(19)
	for source, want := range map[string]bool{"": false, post.FromRun: true, post.FromFiles: true} {
		c.Source = source
		writeFile(t, dir, c)
		if read, err := calibrated(dir, []string{"y"}, p); err != nil || read.Promises() != want {
			t.Errorf("source %q: %v, %v", source, read.Promises(), err)
		}
	}
}

func TestCalibrationsOfOthersAreRefused(t *testing.T) {
	c, p := someCalibration(19)
	other := p
	other.NumTau = 6
	c.Postprocessing = &config.Postprocessing{SigmaScale: 1.5}
	path := filepath.Join(t.TempDir(), "postprocessing.json")
	if err := (post.Postprocessing{Postprocessing: *c.Postprocessing, Calibration: &c}).Write(filepath.Dir(path)); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	edit := func(old, new string) string { return strings.Replace(string(content), old, new, 1) }
	for name, bad := range map[string]struct {
		content  string
		channels string
		now      post.Predictions
		want     string
	}{
		"absent":      {"", "y", p, "postprocessing.json: calibration: found nothing"},
		"no JSON":     {"{", "y", p, "unexpected E"},
		"schema":      {edit("postprocessing/1", "postprocessing/2"), "y", p, "acqnp.postprocessing/1"},
		"key":         {edit(`"calibration"`, `"calibrations"`), "y", p, "calibrations"},
		"channel":     {string(content), "z", p, `channels: found ["y"], expected ["z"]`},
		"predictions": {string(content), "y", other, "with 5 levels (grid), expected best.safetensors (step 30) with 6 levels (grid): run acqnp score --calibrate"},
		"tails":       {edit(`"sigma_scale": 1.5`, `"sigma_scale": 1.4`), "y", p, "other tails or weights"},
		"short":       {edit(`"levels":[0,`, `"levels":[`), "y", p, "steps of 0.001"},
		"disordered":  {edit(`"levels":[0,`, `"levels":[0.9,`), "y", p, "steps of 0.001"},
		"no channels": {`{"schema": "acqnp.postprocessing/1", "calibration": {}}`, "y", p, "channels"},
	} {
		dir := t.TempDir()
		if bad.content != "" {
			if err := os.WriteFile(filepath.Join(dir, "postprocessing.json"), []byte(bad.content), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		_, err := calibrated(dir, []string{bad.channels}, bad.now)
		var refused *invalid.Input
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), bad.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %q", name, err, bad.want)
		}
	}
}

// A calibration.json of an earlier version is read, and refused for the same reasons. That in
// postprocessing.json wins.
func TestOldCalibrationFilesAreRead(t *testing.T) {
	dir := t.TempDir()
	c, p := someCalibration(19)
	text, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	content := strings.Replace(string(text), "{", `{"schema":"acqnp.calibration/1",`, 1)
	old := func(content string) {
		if err := os.WriteFile(filepath.Join(dir, "calibration.json"), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	old(content)
	read, err := calibrated(dir, []string{"y"}, p)
	if diff := cmp.Diff(&c, read); err != nil || diff != "" {
		t.Errorf("%v, %s", err, diff)
	}
	for edited, want := range map[string]string{
		strings.Replace(content, "calibration/1", "calibration/2", 1): "acqnp.calibration/1",
		strings.Replace(content, `"levels":[0,`, `"levels":[`, 1):     "steps of 0.001",
		strings.Replace(content, `"channel":"y"`, `"channel":"z"`, 1): `channels: found ["z"]`,
		strings.Replace(content, `"num_tau":5`, `"num_tau":7`, 1):     "run acqnp score --calibrate again",
		strings.TrimSuffix(content, "}"):                              "unexpected end",
	} {
		old(edited)
		var refused *invalid.Input
		if _, err := calibrated(dir, []string{"y"}, p); !errors.As(err, &refused) || !strings.Contains(err.Error(), want) ||
			!strings.Contains(err.Error(), "calibration.json") {
			t.Errorf("%v, want %q", err, want)
		}
	}
	c.Targets = 20
	writeFile(t, dir, c)
	if read, err := calibrated(dir, []string{"y"}, p); err != nil || read.Targets != 20 {
		t.Errorf("%v, %v", read, err)
	}
}
