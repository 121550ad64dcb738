package cli_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
)

// A run calibrates itself on the functions that it held back. predict --use-calibration then reads the
// quantiles of the calibrated levels, and score --use-calibration the shares inside them.
func TestCalibrateAndPredict(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	succeed(t, "data", "example", "--out", "prices.csv", "--quiet")
	config := write(t, dir, "own.yaml", strings.Replace(ownConfig, "steps: 80", "validate_every: 10, steps: 40", 1))
	train := []string{"train", "--config", config, "--run-dir", "run", "--set", "data.calibration=22", "--no-eval", "--quiet"}
	succeed(t, train...)
	text := "product,age,price\n"
	for i := range 25 {
		text += fmt.Sprintf("p%d,%d,%d\n", i%5, 1+i/5, 200+40*i)
	}
	write(t, dir, "context.csv", text)
	common := []string{"--run", "run", "--context", "context.csv", "--targets", "context.csv", "--quiet"}
	predict := func(out string, more ...string) []string {
		return append(append([]string{"predict", "--out", out}, common...), more...)
	}
	checkRefusal(t, "predict", acqnp(predict("none.csv", "--use-calibration")...), 2, "calibration.json")
	checkRefusal(t, "score", acqnp(append([]string{"score", "--use-calibration"}, common...)...), 2, "calibration.json")

	o := succeed(t, "score", "--run", "run", "--calibrate", "--quiet")
	for _, want := range []string{"of 22 groups", "calibrated on 22 groups, one target of each, used for nothing else",
		"price, 90% interval: the model's levels 0.", "promise: y of a new group"} {
		if !strings.Contains(o.out, want) {
			t.Fatalf("%q is not in\n%s", want, o.out)
		}
	}
	var s struct {
		Calibration struct {
			File     string
			Channels []struct {
				Channel string
				Most    []float64 `json:"0.9"`
			}
		}
	}
	if err := json.Unmarshal([]byte(succeed(t, "score", "--run", "run", "--calibrate", "--json", "--quiet").out), &s); err != nil {
		t.Fatal(err)
	}
	low, high := s.Calibration.Channels[0].Most[0], s.Calibration.Channels[0].Most[1]
	succeed(t, predict("calibrated.csv", "--use-calibration", "--plot", "calibrated.png")...)
	succeed(t, predict("plain.csv", "--quantiles", fmt.Sprintf("%v,%v", low, high), "--plot", "plain.png")...)
	picture := func(path string) string {
		decode(t, path)
		content, _ := os.ReadFile(path)
		return string(content)
	}
	if picture("calibrated.png") == picture("plain.png") {
		t.Error("the picture is not calibrated")
	}
	calibrated, plain := readRows(t, "calibrated.csv"), readRows(t, "plain.csv")
	for i, r := range calibrated {
		for column, level := range map[string]float64{"q0.05": low, "q0.95": high} {
			if got, want := r.number(t, column), plain[i].number(t, fmt.Sprint("q", level)); math.Abs(got-want) > 1e-6*math.Abs(want) {
				t.Errorf("%s is %v, the model's quantile of level %v is %v", column, got, level, want)
			}
		}
		if r["mean"] != plain[i]["mean"] || r["hdr0.9"] == plain[i]["hdr0.9"] {
			t.Errorf("mean %s and %s, region %s and %s", r["mean"], plain[i]["mean"], r["hdr0.9"], plain[i]["hdr0.9"])
		}
	}
	inside := 0.0
	for i, r := range readRows(t, "context.csv") {
		if y := r.number(t, "price"); calibrated[i].number(t, "q0.05") <= y && y <= calibrated[i].number(t, "q0.95") {
			inside++
		}
	}
	var scored scores
	if err := json.Unmarshal([]byte(succeed(t, append([]string{"score", "--use-calibration", "--json"}, common...)...).out), &scored); err != nil {
		t.Fatal(err)
	}
	if share := scored.Coverage["0.9"]; math.Abs(share-inside/25) > 1e-9 {
		t.Errorf("%v inside the calibrated interval of 90%%, want %v", share, inside/25)
	}

	checkRefusal(t, "predict", acqnp(predict("none.csv", "--use-calibration", "--quantiles", "0.01")...), 2,
		"--quantiles: found 0.01, expected levels between 0.022 and 0.978: price is calibrated on 22 groups")
	checkRefusal(t, "predict", acqnp(predict("none.csv", "--use-calibration", "--hdr", "0.99")...), 2, "--hdr: found 0.99, expected probabilities up to 0.956")
	checkRefusal(t, "predict", acqnp(predict("none.csv", "--use-calibration", "--num-quantiles", "7")...), 2, "with 7 levels (midpoints): run acqnp score --calibrate again")
	if _, err := os.Stat("none.csv"); err == nil {
		t.Error("a refused call has left a file")
	}
	// One function: its points count. Files with functions of their own replace those held back.
	o = succeed(t, append([]string{"score", "--calibrate"}, common...)...)
	if !strings.Contains(o.out, "calibrated on 5 groups, one target of each, of the files") || !strings.Contains(o.out, "90% interval: too few groups, it takes 9") {
		t.Error(o.out)
	}
	write(t, dir, "one.csv", "product,age,price\na,1,300\na,2,200\na,3,150\n")
	o = succeed(t, "score", "--run", "run", "--calibrate", "--targets", "one.csv", "--quiet")
	if !strings.Contains(o.out, "calibrated on 3 points, of the files") {
		t.Error(o.out)
	}
	succeed(t, append(train, "--overwrite", "--set", "data.calibration=0")...)
	if _, err := os.Stat("run/calibration.json"); err == nil {
		t.Error("--overwrite keeps the calibration of the run before")
	}
	checkRefusal(t, "score", acqnp("score", "--run", "run", "--calibrate", "--quiet"), 2, "held back no data for calibration")
	checkRefusal(t, "score", acqnp("score", "--config", "c.yaml", "--weights", "w.safetensors", "--calibrate", "--quiet"), 2, "[calibrate config] were all set")
}
