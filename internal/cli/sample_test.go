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
