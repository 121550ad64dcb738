package draft_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets/own/draft"
	"github.com/acqnp/acqnp/internal/engine/device"
	"github.com/acqnp/acqnp/internal/test/must"
	"github.com/acqnp/acqnp/internal/train"
)

// options returns the options for a file in a directory of its own.
func (f file) options(t *testing.T) draft.Options {
	t.Helper()
	path := filepath.Join(t.TempDir(), "my data.csv")
	must.Do(t, os.WriteFile(path, []byte(f.text), 0o600))
	o := draft.Options{File: path, Group: f.group, X: f.x, Y: f.y, DataDir: "data"}
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
			r, err := draft.Run(o)
			if f.refuses != "" {
				must.Refuse(t, err, f.refuses, "expected")
				return
			}
			must.Do(t, err)
			trains(t, r, f.holds)
			var found strings.Builder
			if err := r.Found.Print(&found); err != nil || !strings.Contains(found.String(), f.says) {
				t.Errorf("error %v, want %q in\n%s", err, f.says, found.String())
			}
		})
	}
}

// trains fails unless the result's file holds a text, loads and trains for three steps.
func trains(t *testing.T, r draft.Result, holds string) {
	t.Helper()
	content := must.Get(r.YAML([]string{"mine\n\u2028second"}))(t)
	if !strings.Contains(string(content), holds) || !strings.HasPrefix(string(content), "# mine  second\n") {
		t.Errorf("the configuration does not hold %q:\n%s", holds, content)
	}
	e := must.Get(config.Parse("written", content, config.Overrides{Set: []string{"train.steps=3"}}))(t)
	result, err := train.Run(context.Background(), train.Options{Experiment: e, Dir: filepath.Join(t.TempDir(), "run"), Device: device.CPU(1)})
	if err != nil || result.Step != 3 {
		t.Errorf("%d steps: %v", result.Step, err)
	}
}

func waves() file { return file{text: table("g,x,y", ",", repeat(5, 100), curve), group: "g"} }

func TestOneModelAlone(t *testing.T) {
	for _, model := range config.Models() {
		o := waves().options(t)
		o.Model = model
		r := must.Get(draft.Run(o))(t)
		if got := r.Experiment.Model.Name; got != model {
			t.Errorf("%s instead of %s", got, model)
		}
		trains(t, r, "name: "+model)
	}
}

// Unless a model is named, few data get an ACQNP, and others a mixture of Gaussians in one pass. The file
// says so where it is not ACQNP.
func TestHeadWithoutAModel(t *testing.T) {
	for _, c := range []struct {
		name    string
		file    file
		mixture bool
	}{
		{"29 groups", file{text: table("g,x,y", ",", repeat(6, 29), curve), group: "g"}, false},
		{"30 groups", file{text: table("g,x,y", ",", repeat(6, 30), curve), group: "g"}, true},
		{"599 points", file{text: table("g,x,y", ",", repeat(599, 1), curve)}, false},
		{"600 points", file{text: table("g,x,y", ",", repeat(600, 1), curve)}, true},
	} {
		r := must.Get(draft.Run(c.file.options(t)))(t)
		content := string(must.Get(r.YAML(nil))(t))
		m := r.Experiment.Model
		if (m.Name == "acqnp") == c.mixture || (m.Head == config.MixtureHead) != c.mixture || strings.Contains(content, "# This is not the paper's ACQNP") != c.mixture {
			t.Errorf("%s: found %s with head %q, expected a mixture: %v\n%s", c.name, m.Name, m.Head, c.mixture, content)
		}
		if c.mixture {
			trains(t, r, "head: gaussian-mixture")
		}
	}
}

// With HoldBack, groups or rows are held back, and nothing that is found follows from them. Of too few
// there is a remedy.
func TestCalibrationHoldsGroupsBack(t *testing.T) {
	for groups, want := range map[int]int{14: 0, 15: 9, 39: 9, 40: 19, 200: 49} {
		o := file{text: table("g,x,y", ",", repeat(4, groups), curve), group: "g"}.options(t)
		o.HoldBack = true
		r, err := draft.Run(o)
		if want == 0 {
			must.Refuse(t, err, "at least 15")
			continue
		}
		must.Do(t, err)
		if got := r.Experiment.Data.Calibration; got != want || r.Found.Groups+want != groups || r.Found.Rows != 4*(groups-want) {
			t.Errorf("%d of %d groups held back, %d groups and %d rows found", got, groups, r.Found.Groups, r.Found.Rows)
		}
		trains(t, r, "")
	}
	o := file{text: table("g,x,y", ",", repeat(400, 1), curve)}.options(t)
	o.HoldBack = true
	if r, err := draft.Run(o); err != nil || r.Experiment.Data.Calibration != 99 || r.Found.Rows != 301 {
		t.Errorf("%d of 400 rows held back, %d found: %v", r.Experiment.Data.Calibration, r.Found.Rows, err)
	}
}

// A Gaussian of few groups has a large lower bound of σ. Of few points of one group it has a small
// one, so that it can be sure where y hardly varies, and trains on parts of them.
func TestFewGroupsAndFewPoints(t *testing.T) {
	for _, c := range []struct {
		name   string
		file   file
		floor  float64
		points []int
	}{
		{"few groups", file{text: table("g,x,y", ",", repeat(8, 12), curve), group: "g"}, 0.2, nil},
		{"few points", file{text: table("g,x,y", ",", repeat(90, 1), curve)}, 0.01, []int{64, 64}},
		{"many points", file{text: table("g,x,y", ",", repeat(900, 1), curve)}, 0.01, nil},
	} {
		o := c.file.options(t)
		o.Model = "cnp"
		r := must.Get(draft.Run(o))(t)
		if e := r.Experiment; e.Model.SigmaFloor != c.floor || !slices.Equal(e.Data.Points, c.points) {
			t.Errorf("%s: floor %v and points %v, expected %v and %v", c.name, e.Model.SigmaFloor, e.Data.Points, c.floor, c.points)
		}
	}
}

// The model sees the logarithm of a column if that is asked for.
func TestLogarithmsThatAreAskedFor(t *testing.T) {
	o := waves().options(t)
	if r, err := draft.Run(o); err != nil || len(r.Experiment.Data.Log) > 0 {
		t.Errorf("%q without asking: %v", r.Experiment.Data.Log, err)
	}
	o = file{text: table("g,x,y", ",", repeat(9, 9), with(2, func(f, i int) string { return fmt.Sprint(20 + (7*i+f)%11) })), group: "g"}.options(t)
	o.Log = []string{"y"}
	r := must.Get(draft.Run(o))(t)
	trains(t, r, `log: ["y"]`)
}
