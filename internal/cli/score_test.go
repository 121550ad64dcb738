package cli_test

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
)

// scores is what the tests read of score's JSON.
type scores struct {
	Targets    int `json:"scored_targets"`
	LogDensity struct {
		Mean     float64
		StdError float64 `json:"std_error"`
	} `json:"log_density"`
	CRPS        float64
	Coverage    map[string]float64
	Pinball     map[string]float64
	PIT         []float64
	PerFunction []struct {
		Function string
		Points   int
	} `json:"per_function"`
}

// The log density of a logarithm in raw units is that of the components at log y, less log y. The
// means are those of the rows of points.csv, which has the names of the columns and the dates.
func TestScoreOwnDataInRawUnits(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	write(t, dir, "growth.csv", growth())
	succeed(t, "train", "--config", write(t, dir, "growth.yaml", growthConfig), "--run-dir", "run", "--no-eval", "--quiet")
	write(t, dir, "context.csv", "alter,futter,tier,tag,gewicht\n1.5,f1,a,2024-02-21,50\n2.5,f1,a,2024-02-22,\n2.5,rye,b,2024-02-22,60\n")
	write(t, dir, "targets.csv", "tag\talter\tfutter\ttier\tgewicht\n2024-02-25\t5.5\tf2\tb\t90\n2024-02-26\t7\trye\ta\t140\n2024-02-27\t7\trye\ta\t20\n")
	common := []string{"--run", "run", "--context", "context.csv", "--targets", "targets.csv", "--num-quantiles", "5", "--quiet"}
	succeed(t, append([]string{"sample-quantiles", "--out", "q.csv"}, common...)...)
	o := succeed(t, append([]string{"score", "--json", "--out", "points.csv"}, common...)...)
	var s scores
	if err := json.Unmarshal([]byte(o.out), &s); err != nil {
		t.Fatal(err)
	}
	density := map[string]float64{} // by function and target
	components := readRows(t, "q.csv")
	rows := readRows(t, "points.csv")
	truth := map[string]float64{}
	for _, r := range rows {
		truth[r["tier"]+r["target"]] = r.number(t, "y")
	}
	for _, r := range components {
		if r["kind"] != "component" {
			continue
		}
		key := r["tier"] + r["target"]
		tau, sigma, e := r.number(t, "tau"), r.number(t, "sigma"), math.Log(truth[key])-r.number(t, "mu")
		density[key] += r.number(t, "weight") * tau * (1 - tau) / sigma * math.Exp(-math.Max(tau*e, (tau-1)*e)/sigma) / truth[key]
	}
	mean, crps := 0.0, 0.0
	for _, r := range rows {
		got, want := r.number(t, "log_density"), math.Log(density[r["tier"]+r["target"]])
		if math.Abs(got-want) > 1e-9 || !(r.number(t, "crps") > 0) || !(r.number(t, "pit") > 0) || !(r.number(t, "sd") > 0) {
			t.Errorf("%v, want log density %v", r, want)
		}
		mean, crps = mean+got/3, crps+r.number(t, "crps")/3
	}
	if len(rows) != 3 || rows[0]["tier"]+rows[0]["tag"]+rows[0]["futter"]+rows[0]["channel"]+rows[0]["y"] != "b2024-02-25f2gewicht90" {
		t.Errorf("%v", rows)
	}
	if math.Abs(s.LogDensity.Mean-mean) > 1e-12 || math.Abs(s.CRPS-crps) > 1e-12 || s.Targets != 3 || len(s.PIT) != 20 || len(s.Pinball) != 5 ||
		len(s.Coverage) != 2 || len(s.PerFunction) != 2 || s.PerFunction[0].Points != 2 || !(s.LogDensity.StdError > 0) {
		t.Errorf("%s: mean %v, CRPS %v", o.out, mean, crps)
	}
}

// growth is a file as a European spreadsheet writes it: weights of animals by day, diet and age.
func growth() string {
	text := "\ufefftier;tag;futter;alter;gewicht;notiz\r\n"
	comma := func(v float64) string { return strings.Replace(strconv.FormatFloat(v, 'f', 3, 64), ".", ",", 1) }
	for i := range 24 {
		for day := range 6 + i%5 {
			weight := comma(40 * math.Exp(0.2*float64(day)+0.3*math.Sin(float64(7*i+3*day))))
			if day == 5 && i%6 == 0 {
				weight = "NA"
			}
			text += fmt.Sprintf("t%d;2024-02-%02d;f%d;%s;%s;\"a; b\"\r\n", i, 20+day, i%3, comma(float64(day)+0.5), weight)
		}
	}
	return text
}

const growthConfig = `benchmark: csv
model: {name: acqnp, representation: 8, encoder: [8], adaptor: [8], decoder: [8]}
data: {file: growth.csv, group: tier, x: [tag, futter, alter], y: [gewicht], categories: [futter], log: [gewicht, alter], missing: drop}
train: {steps: 60, batch_size: 8, num_tau: 4, log_every: 50, learning_rate: 1e-2}
eval: {num_tau: 5}
`

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
