package cli_test

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
)

// The joint log density of one target is its log density. With more, the order of the file counts.
func TestScoreJointly(t *testing.T) {
	s, dir := share(t), t.TempDir()
	joint := func(targets string) (mean, alone float64) {
		path := write(t, dir, "targets.csv", targets)
		o := succeed(t, "score", "--run", s.run, "--context", s.context, "--targets", path, "--joint", "--json", "--quiet")
		var got struct {
			Joint      struct{ Mean float64 } `json:"joint_log_density"`
			LogDensity struct{ Mean float64 } `json:"log_density"`
		}
		if err := json.Unmarshal([]byte(o.out), &got); err != nil {
			t.Fatal(err)
		}
		return got.Joint.Mean, got.LogDensity.Mean
	}
	if mean, alone := joint("x,y\n0.1,0.2\n"); math.Abs(mean-alone) > 1e-6 {
		t.Errorf("joint %v, alone %v", mean, alone)
	}
	there, alone := joint("x,y\n0.1,0.2\n0.5,0\n-0.7,1\n")
	back, _ := joint("x,y\n-0.7,1\n0.5,0\n0.1,0.2\n")
	if there == alone || there == back || math.IsNaN(there) {
		t.Errorf("joint %v and %v, alone %v", there, back, alone)
	}
	if o := succeed(t, "score", "--run", s.run, "--context", s.context, "--targets", write(t, dir, "t.csv", "x,y\n0.1,0.2\n"), "--joint", "--quiet"); !strings.Contains(o.out, "joint log density") {
		t.Error(o.out)
	}
}

// Several channels, Gaussians and bootstraps have the same table. Without a context, the targets name
// the functions.
func TestScoreSeveralChannelsOfGaussians(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	text := "id,t,left,right\n"
	for i := range 12 {
		for k := range 8 {
			text += fmt.Sprintf("f%d,%d,%g,%g\n", i, k, math.Sin(float64(i+k)), 10*math.Cos(float64(i*k)))
		}
	}
	write(t, dir, "two.csv", text)
	write(t, dir, "targets.csv", "id,t,left,right\na,2.5,0.1,3\nb,3.5,0.5,2\na,1,0,0\n")
	for name, model := range map[string]string{"cnp": "{name: cnp, representation: 8, encoder: [8], decoder: [8]}",
		"bnp": "{name: bnp, width: 8, pre_depth: 2, post_depth: 2, decoder_depth: 3, eval_bootstraps: 4}"} {
		config := write(t, dir, name+".yaml", "benchmark: csv\nmodel: "+model+"\ndata: {file: two.csv, group: id, x: [t], y: [left, right]}\n"+
			"train: {steps: 2, batch_size: 2}\n")
		succeed(t, "train", "--config", config, "--run-dir", name, "--no-eval", "--quiet")
		args := []string{"score", "--run", name, "--targets", "targets.csv", "--quiet"}
		if name == "bnp" {
			checkRefusal(t, "score", acqnp(args...), 2, "bnp resamples the context")
			args = append(args, "--context", write(t, dir, "context.csv", "id,t,left,right\na,1,0.4,1\nb,1,0.4,1\nc,1,0.4,1\n"))
		}
		o := succeed(t, args...)
		for _, want := range []string{"3 targets of 2 groups,", "all outputs", "left", "right", "in the units of its output", "worst groups"} {
			if !strings.Contains(o.out, want) {
				t.Errorf("%s: %q is not in\n%s", name, want, o.out)
			}
		}
	}
}
