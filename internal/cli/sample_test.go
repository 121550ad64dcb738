package cli_test

import (
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// quantileRow is a row of quantiles.csv by column name.
type quantileRow map[string]string

func (r quantileRow) number(t *testing.T, column string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(r[column], 64)
	if err != nil {
		t.Fatalf("%s: %v in %v", column, err, r)
	}
	return v
}

func readRows(t *testing.T, path string) (rows []quantileRow) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, fields := range all[1:] {
		r := quantileRow{}
		for i, name := range all[0] {
			r[name] = fields[i]
		}
		rows = append(rows, r)
	}
	return rows
}

func TestSampleQuantiles(t *testing.T) {
	s, dir := share(t), t.TempDir()
	out, plot := filepath.Join(dir, "quantiles.csv"), filepath.Join(dir, "quantiles.svg")
	succeed(t, "sample-quantiles", "--run", s.run, "--context", s.context, "--grid=-2:2:5", "--num-quantiles", "6",
		"--quantiles", "0.05,0.5,0.95", "--draws", "3", "--out", out, "--plot", plot)
	kinds, xs := map[string]int{}, map[string]bool{}
	weight, last := map[string]float64{}, math.Inf(-1)
	for _, r := range readRows(t, out) {
		kinds[r["kind"]]++
		xs[r["x"]] = true
		switch r["kind"] {
		case "component":
			weight[r["target"]] += r.number(t, "weight")
			if tau := r.number(t, "tau"); tau <= 0 || tau >= 1 || r.number(t, "sigma") < 0.01 {
				t.Errorf("%v", r)
			}
		case "quantile":
			v := r.number(t, "value")
			if r["level"] != "0.05" && v <= last {
				t.Errorf("quantiles cross: %v", r)
			}
			last = v
		}
	}
	if diff := cmp.Diff(map[string]int{"component": 30, "mean": 5, "quantile": 15, "draw": 15}, kinds); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]bool{"-2": true, "-1": true, "0": true, "1": true, "2": true}, xs); diff != "" {
		t.Error(diff)
	}
	for target, w := range weight {
		if math.Abs(w-1) > 1e-6 { // a sum of six numbers of float32 precision, written in full
			t.Errorf("weights of target %s sum to %g", target, w)
		}
	}
	if b, err := os.ReadFile(plot); err != nil || !strings.Contains(string(b), "<svg") {
		t.Errorf("no plot: %v", err)
	}
	again := filepath.Join(dir, "again.csv")
	succeed(t, "sample-quantiles", "--config", s.config, "--weights", s.weights, "--context", s.context, "--grid=-2:2:5",
		"--num-quantiles", "6", "--quantiles", "0.05,0.5,0.95", "--draws", "3", "--out", again, "--quiet")
	if a, b := readRows(t, out), readRows(t, again); !cmp.Equal(a, b) {
		t.Error("the run and its exported weights predict differently")
	}
}

// Without flags, the levels are those of the run's configuration, 5, on the grid.
func TestSampleLevelsByDefault(t *testing.T) {
	s, out := share(t), filepath.Join(t.TempDir(), "quantiles.csv")
	sample := func(flags ...string) (u []string) {
		succeed(t, append([]string{"sample-quantiles", "--run", s.run, "--context", s.context, "--grid=0:1:1", "--out", out, "--overwrite", "--quiet"}, flags...)...)
		for _, r := range readRows(t, out) {
			if r["kind"] == "component" {
				u = append(u, r["u"])
			}
		}
		return u
	}
	if diff := cmp.Diff([]string{"0.001", "0.2505", "0.5", "0.7495", "0.999"}, sample()); diff != "" {
		t.Error(diff)
	}
	if u := sample("--level-spacing", "random", "--num-quantiles", "3"); len(u) != 3 || u[0] == "0.001" {
		t.Errorf("random levels %v", u)
	}
}

func TestSampleManyFunctions(t *testing.T) {
	s, dir := share(t), t.TempDir()
	context := write(t, dir, "context.csv", "function,x,y\na,0,0\nb,1,1\na,0.5,0.5\nb,-1,1\n")
	out := filepath.Join(dir, "quantiles.csv")
	common := []string{"sample-quantiles", "--run", s.run, "--context", context, "--out", out, "--overwrite", "--quiet", "--num-quantiles", "1"}
	count := func() map[string]int {
		n := map[string]int{}
		for _, r := range readRows(t, out) {
			if r["kind"] == "mean" {
				n[r["function"]+" "+r["x"]]++
			}
		}
		return n
	}
	targets := write(t, dir, "targets.csv", "x,function\n0,a\n1,b\n2,b\n")
	succeed(t, append(common, "--targets", targets)...)
	if diff := cmp.Diff(map[string]int{"a 0": 1, "b 1": 1, "b 2": 1}, count()); diff != "" {
		t.Error(diff)
	}
	targets = write(t, dir, "targets.csv", "x\n0\n1\n")
	succeed(t, append(common, "--targets", targets)...)
	if diff := cmp.Diff(map[string]int{"a 0": 1, "a 1": 1, "b 0": 1, "b 1": 1}, count()); diff != "" {
		t.Error(diff)
	}
	targets = write(t, dir, "targets.csv", "x,function\n0,c\n")
	succeed(t, append(common, "--targets", targets)...)
	if diff := cmp.Diff(map[string]int{"c 0": 1}, count()); diff != "" {
		t.Error(diff)
	}
}

// TestSampleWithoutContext: no context and one without rows predict the same for one function without a
// name, or for the functions that the targets name.
func TestSampleWithoutContext(t *testing.T) {
	s, dir := share(t), t.TempDir()
	out, plot := filepath.Join(dir, "quantiles.csv"), filepath.Join(dir, "plot.svg")
	sample := func(args ...string) []quantileRow {
		succeed(t, append([]string{"sample-quantiles", "--run", s.run, "--out", out, "--plot", plot, "--overwrite", "--quiet", "--num-quantiles", "10"}, args...)...)
		return readRows(t, out)
	}
	absent := sample("--grid=-1:1:3")
	if len(absent) != 33 || absent[0]["function"] != "" { // 10 components and a mean at 3 targets
		t.Errorf("%d rows, first %v", len(absent), absent[0])
	}
	empty := write(t, dir, "empty.csv", "function,x,y\n")
	if diff := cmp.Diff(absent, sample("--grid=-1:1:3", "--context", empty)); diff != "" {
		t.Error(diff)
	}
	named := sample("--context", empty, "--targets", write(t, dir, "targets.csv", "function,x\na,-1\nb,1\n"))
	for i, function := range []string{"a", "b"} {
		for k, row := range named[11*i : 11*i+11] {
			like := absent[22*i+k]
			if row["function"] != function || row["mu"] != like["mu"] || row["value"] != like["value"] {
				t.Errorf("row %v, want the values of %v", row, like)
			}
		}
	}
}
