package conformal_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acqnp/acqnp/internal/likelihood/score"
	"github.com/acqnp/acqnp/internal/predict/conformal"
	"github.com/acqnp/acqnp/internal/test/must"
)

// someCalibration returns a calibration of a number of groups, and the predictions that it is for.
func someCalibration(groups int) (conformal.Calibration, conformal.Predictions) {
	var outcomes [][]score.Outcome
	for i := range groups {
		v := (float64(i) + 0.5) / float64(groups)
		outcomes = append(outcomes, []score.Outcome{{PIT: (1 + v) / 2, Rank: v, Weight: 1}})
	}
	step := 30
	p := conformal.Predictions{Checkpoint: "best.safetensors", Step: &step, NumTau: 5, Levels: "grid"}
	return conformal.Calibration{Predictions: p, Source: conformal.FromRun, Exchangeable: "group", Targets: groups,
		Channels: []conformal.ChannelCalibration{{Channel: "y", Calibration: score.Calibrate(outcomes)}}}, p
}

func TestCalibrationIsReadAsItWasWritten(t *testing.T) {
	dir := t.TempDir()
	c, p := someCalibration(19)
	must.Do(t, c.Write(dir))
	read, err := conformal.Read(dir, []string{"y"}, p)
	if diff := cmp.Diff(&c, read); err != nil || diff != "" {
		t.Errorf("%v, %s", err, diff)
	}
	var b bytes.Buffer
	c.Summary(dir).Print(&b)
	few, _ := someCalibration(8)
	few.Source, few.Exchangeable = conformal.FromFiles, "point"
	few.Summary(dir).Print(&b)
	points, _ := someCalibration(11)
	points.Exchangeable = "point"
	points.Summary(dir).Print(&b)
	// The 18th of 19 scores is 17.5/19. The beta distribution of 18 and 2 has 5% below 0.774 and above 0.981.
	for _, want := range []string{"calibrated on 19 groups with 19 targets, which count 1/n in a group of n, used for nothing else: " + filepath.Join(dir, "calibration.json"),
		"y, 90% interval: the model's levels 0.039 to 0.961", "y of a new group lies in an interval or region of 90% with a probability of at least 90%",
		"and, without ties, at most 100%, on average", "hold about 77% to 98%", "takes 9 groups, one of 95% 19; beyond, the tail of the model goes on",
		"Hierarchical conformal prediction: Lee, Barber, Willett 2023.", "Split conformal prediction: Vovk, Gammerman, Shafer 2005.",
		"y of a new point", "and, without ties, at most 91.7%", "its context are the points for training and validation.", "takes 9 points, one of 95% 19", "calibrated on 8 points, of the files", "y, 90% interval: too few points, it takes 9"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not in\n%s", want, b.String())
		}
	}
}

func TestCalibrationsOfOthersAreRefused(t *testing.T) {
	c, p := someCalibration(19)
	other := p
	other.NumTau = 6
	path := filepath.Join(t.TempDir(), "calibration.json")
	must.Do(t, c.Write(filepath.Dir(path)))
	content := must.Get(os.ReadFile(path))(t)
	edit := func(old, new string) string { return strings.Replace(string(content), old, new, 1) }
	for name, bad := range map[string]struct {
		content  string
		channels string
		now      conformal.Predictions
		want     string
	}{
		"absent":      {"", "y", p, "calibration.json: found nothing"},
		"no JSON":     {"{", "y", p, "unexpected end"},
		"schema":      {edit("calibration/2", "calibration/1"), "y", p, "acqnp.calibration/2"},
		"channel":     {string(content), "z", p, `channels: found ["y"], expected ["z"]`},
		"predictions": {string(content), "y", other, "with 5 levels (grid), expected best.safetensors (step 30) with 6 levels (grid): run acqnp score --calibrate"},
		"short":       {edit(`"levels":[0,`, `"levels":[`), "y", p, "steps of 0.001"},
		"disordered":  {edit(`"levels":[0,`, `"levels":[0.9,`), "y", p, "steps of 0.001"},
		"no channels": {`{"schema": "acqnp.calibration/2"}`, "y", p, "channels"},
	} {
		dir := t.TempDir()
		if bad.content != "" {
			must.Do(t, os.WriteFile(filepath.Join(dir, "calibration.json"), []byte(bad.content), 0o644))
		}
		t.Run(name, func(t *testing.T) {
			must.Refuse(t, must.Err(conformal.Read(dir, []string{bad.channels}, bad.now)), bad.want)
		})
	}
}
