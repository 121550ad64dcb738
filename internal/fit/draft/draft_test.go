package draft_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/device"
	"github.com/acqnp/acqnp/internal/fit/draft"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/progress"
	"github.com/acqnp/acqnp/internal/train"
)

// options returns the options for a file in a directory of its own. Nothing is tried.
func (f file) options(t *testing.T) draft.Options {
	t.Helper()
	path := filepath.Join(t.TempDir(), "my data.csv")
	if err := os.WriteFile(path, []byte(f.text), 0o600); err != nil {
		t.Fatal(err)
	}
	o := draft.Options{File: path, Function: f.function, X: f.x, Y: f.y, DataDir: "data", Threads: 1,
		Progress: progress.Quiet(progress.New(io.Discard, progress.Auto))}
	if o.X == nil {
		o.X = []string{"x"}
	}
	if o.Y == nil {
		o.Y = []string{"y"}
	}
	return o
}

// Each file is refused in one line with the remedy, or the configuration of it trains.
func TestAwkwardFiles(t *testing.T) {
	for _, f := range awkward {
		t.Run(f.name, func(t *testing.T) {
			o := f.options(t)
			r, err := draft.Run(t.Context(), o)
			if f.refuses != "" {
				var bad *invalid.Input
				if !errors.As(err, &bad) || !strings.Contains(err.Error(), f.refuses) || strings.Contains(err.Error(), "\n") || bad.Expected == "" {
					t.Errorf("error %v, want one line with %q", err, f.refuses)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			trains(t, r, f.holds)
			var found strings.Builder
			if err := r.Print(&found); err != nil || !strings.Contains(found.String(), f.says) {
				t.Errorf("error %v, want %q in\n%s", err, f.says, found.String())
			}
		})
	}
}

// trains fails unless the result's file holds a text, loads and trains for three steps.
func trains(t *testing.T, r draft.Result, holds string) {
	t.Helper()
	content, err := r.YAML([]string{"mine\n\u2028second"})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(content), holds) || !strings.HasPrefix(string(content), "# mine  second\n") {
		t.Errorf("the configuration does not hold %q:\n%s", holds, content)
	}
	e, err := config.Parse("written", content, config.Overrides{Set: []string{"train.steps=3"}})
	if err != nil {
		t.Fatal(err)
	}
	result, err := train.Run(context.Background(), train.Options{Experiment: e, Dir: filepath.Join(t.TempDir(), "run"), Device: device.CPU(1)})
	if err != nil || result.Step != 3 {
		t.Errorf("%d steps: %v", result.Step, err)
	}
}

func waves() file { return file{text: table("g,x,y", ",", repeat(5, 100), curve), function: "g"} }

// many returns enough functions for trials to take only one split of them.
func many() file { return file{text: table("g,x,y", ",", repeat(5, 180), curve), function: "g"} }

// Trials give the same choice with any number of threads, and the file names them all.
func TestTrialsAreTheSameOnAnyThreads(t *testing.T) {
	draft.LeastSteps(t, 4)
	var files []string
	o := waves().options(t)
	o.Budget = 0.001
	for _, o.Threads = range []int{1, 3} {
		r, err := draft.Run(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		content, err := r.YAML(nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, trial := range r.Trials {
			if !strings.Contains(string(content), trial.Name) {
				t.Errorf("the configuration does not tell of %s", trial.Name)
			}
			if trial.LogLik > r.Trials[0].LogLik && r.Chosen == r.Trials[0].Name {
				t.Errorf("%s is better than %s, which is chosen", trial.Name, r.Chosen)
			}
		}
		if len(r.Trials) < 4 {
			t.Errorf("%d trials", len(r.Trials))
		}
		files = append(files, string(content))
		trains(t, r, "# Chosen by validation")
	}
	if files[0] != files[1] {
		t.Errorf("two configurations:\n%s\n%s", files[0], files[1])
	}
}

func TestOneModelAlone(t *testing.T) {
	draft.LeastSteps(t, 4)
	for _, model := range config.Models() {
		o := many().options(t)
		o.Budget, o.Model = 0.002, model
		r, err := draft.Run(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Experiment.Model.Name; got != model {
			t.Errorf("%s instead of %s", got, model)
		}
		trains(t, r, "name: "+model)
	}
}

// A trial's log densities are in the data's units: in other units of y they differ by the Jacobian,
// and the choice is the same.
func TestLogDensitiesAreInTheUnitsOfTheData(t *testing.T) {
	draft.LeastSteps(t, 10)
	skewed := awkward[len(awkward)-3]
	if skewed.name != "a skewed y" {
		t.Fatal(skewed.name)
	}
	o := skewed.options(t)
	o.Budget, o.Model = 0.005, "cnp"
	r, err := draft.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	plain, logs := r.Trials[0], r.Trials[1]
	// y is log-normal in shape, so its logarithm is much easier to predict.
	if !strings.Contains(logs.Name, ", log of y,") || logs.LogLik < plain.LogLik+0.1 || r.Experiment.Data.Log[0] != "y" {
		t.Errorf("%s: %.3f, %s: %.3f, chosen %s", plain.Name, plain.LogLik, logs.Name, logs.LogLik, r.Chosen)
	}
}

// The program's weights are for one column of x and one of y.
func TestThePriorIsTriedWhereItFits(t *testing.T) {
	draft.LeastSteps(t, 4)
	for _, x := range [][]string{{"x"}, {"x", "sex"}} {
		f := file{text: table("g,x,y,sex", ",", repeat(5, 180), also(func(f, i int) string { return []string{"f", "m"}[f%2] })), function: "g", x: x}
		o := f.options(t)
		o.Budget, o.Model = 0.002, "acqnp"
		r, err := draft.Run(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		tried := false
		for _, trial := range r.Trials {
			tried = tried || strings.Contains(trial.Name, "from the prior")
		}
		if tried != (len(x) == 1) {
			t.Errorf("x %v: the prior was tried: %v", x, tried)
		}
	}
}

func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	o := waves().options(t)
	o.Budget = 60
	if _, err := draft.Run(ctx, o); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// With Calibrate, functions or rows are held back, and nothing that is found follows from them. Of too few
// there is a remedy.
func TestCalibrationHoldsFunctionsBack(t *testing.T) {
	for functions, want := range map[int]int{14: 0, 15: 9, 39: 9, 40: 19, 200: 49} {
		o := file{text: table("g,x,y", ",", repeat(4, functions), curve), function: "g"}.options(t)
		o.Calibrate = true
		r, err := draft.Run(t.Context(), o)
		if want == 0 {
			var bad *invalid.Input
			if !errors.As(err, &bad) || !strings.Contains(err.Error(), "at least 15") {
				t.Errorf("found %v, expected the least number of functions", err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Experiment.Data.Calibration; got != want || r.Found.Functions+want != functions || r.Found.Rows != 4*(functions-want) {
			t.Errorf("%d of %d functions held back, %d functions and %d rows found", got, functions, r.Found.Functions, r.Found.Rows)
		}
		trains(t, r, "")
	}
	o := file{text: table("g,x,y", ",", repeat(400, 1), curve)}.options(t)
	o.Calibrate = true
	if r, err := draft.Run(t.Context(), o); err != nil || r.Experiment.Data.Calibration != 99 || r.Found.Rows != 301 {
		t.Errorf("%d of 400 rows held back, %d found: %v", r.Experiment.Data.Calibration, r.Found.Rows, err)
	}
}

// A Gaussian of few functions has a large lower bound of σ. Of few points of one function it has a small
// one, so that it can be sure where y hardly varies, and trains on parts of them.
func TestFewFunctionsAndFewPoints(t *testing.T) {
	for _, c := range []struct {
		name   string
		file   file
		floor  float64
		points []int
	}{
		{"few functions", file{text: table("g,x,y", ",", repeat(8, 12), curve), function: "g"}, 0.2, nil},
		{"few points", file{text: table("g,x,y", ",", repeat(90, 1), curve)}, 0.01, []int{64, 64}},
		{"many points", file{text: table("g,x,y", ",", repeat(900, 1), curve)}, 0.01, nil},
	} {
		o := c.file.options(t)
		o.Model = "cnp"
		r, err := draft.Run(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		if e := r.Experiment; e.Model.SigmaFloor != c.floor || !slices.Equal(e.Data.Points, c.points) {
			t.Errorf("%s: floor %v and points %v, expected %v and %v", c.name, e.Model.SigmaFloor, e.Data.Points, c.floor, c.points)
		}
	}
}

// Few data train an ensemble, as many networks as there is time for, with a calibration too.
func TestMembersOfFewData(t *testing.T) {
	draft.LeastSteps(t, 4)
	o := file{text: table("g,x,y", ",", repeat(90, 1), curve)}.options(t)
	o.Model, o.Budget = "cnp", 0.01
	for _, calibrated := range []bool{false, true} {
		o.Calibrate = calibrated
		r, err := draft.Run(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		if r.Ends != draft.EndsBySteps || r.Experiment.Train.EnsembleSize != 5 {
			t.Errorf("calibrated %v: ends by %s with %d networks, expected 5", calibrated, r.Ends, r.Experiment.Train.EnsembleSize)
		}
		if tr := r.Experiment.Train; tr.EMA == 0 || tr.Schedule != config.Constant {
			t.Errorf("an average over %d steps, %s: expected a training like the trials'", tr.EMA, tr.Schedule)
		}
		trains(t, r, "")
	}
}

func TestOutcomesAsJSON(t *testing.T) {
	for ll, want := range map[float64]string{-1.5: `"log_density":-1.5`, math.Inf(-1): `"log_density":null`} {
		got, err := json.Marshal(draft.Outcome{Name: "CNP", LogLik: ll, Folds: []float64{1}})
		if err != nil || !strings.Contains(string(got), want) || !strings.Contains(string(got), `"name":"CNP"`) {
			t.Errorf("%s, %v; expected %s", got, err, want)
		}
	}
}
