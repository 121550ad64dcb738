package cli_test

import (
	"encoding/json"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestPredict compares the tidy file with that of sample-quantiles: the same levels, so the same means,
// quantiles and draws.
func TestPredict(t *testing.T) {
	s, dir := share(t), t.TempDir()
	out, long := filepath.Join(dir, "predictions.csv"), filepath.Join(dir, "quantiles.csv")
	model := []string{"--run", s.run, "--context", s.context, "--grid=-2:2:5"}
	o := succeed(t, append([]string{"predict", "--quantiles", "0.05,0.5", "--hdr", "0.5,0.9", "--density=-400:400:16001", "--draws", "2",
		"--out", out, "--json", "--quiet"}, model...)...)
	var summary struct{ Groups, Targets int }
	if err := json.Unmarshal([]byte(o.out), &summary); err != nil || summary.Groups != 1 || summary.Targets != 5 {
		t.Errorf("%v: %s", err, o.out)
	}
	succeed(t, append([]string{"sample-quantiles", "--num-quantiles", "5", "--level-spacing", "grid", "--quantiles", "0.05,0.5", "--draws", "2", "--out", long, "--quiet"}, model...)...)
	want := map[string][]string{}
	for _, r := range readRows(t, long) {
		if r["kind"] != "component" {
			want[r["target"]] = append(want[r["target"]], r["value"])
		}
	}
	rows := readRows(t, out)
	if len(rows) != 5 {
		t.Fatalf("%d rows", len(rows))
	}
	for _, r := range rows {
		for i, column := range []string{"mean", "q0.05", "q0.5", "draw1", "draw2"} {
			value, err := strconv.ParseFloat(want[r["target"]][i], 64)
			// Quantiles are approximate to 1e-9 of a σ, and σ is below 1.
			if got := r.number(t, column); err != nil || math.Abs(got-value) > 1e-8 {
				t.Errorf("target %s: %s is %v, want %v", r["target"], column, got, value)
			}
		}
		if r.number(t, "sd") < 0.01 || !strings.Contains(r["hdr0.5"], ":") || r["channel"] != "y" || r["group"] != "" {
			t.Errorf("%v", r)
		}
		// What lies beyond ±400, and what the sum misses at kinks, is less than 0.01.
		mass := 0.0
		for i := range 16001 {
			mass += 0.05 * r.number(t, "density"+strconv.FormatFloat(-400+0.05*float64(i), 'g', 12, 64))
		}
		if math.Abs(mass-1) > 0.01 {
			t.Errorf("the density at x = %s integrates to %g", r["x"], mass)
		}
	}
	again := filepath.Join(dir, "again.csv")
	succeed(t, "predict", "--config", s.config, "--weights", s.weights, "--context", s.context, "--grid=-2:2:5", "--out", again, "--quiet")
	for i, r := range readRows(t, again) { // with the default columns
		if r["q0.05"] != rows[i]["q0.05"] || r["hdr0.9"] != rows[i]["hdr0.9"] || r["q0.25"] == "" || r["q0.75"] == "" || r["q0.95"] == "" || len(r) != 12 {
			t.Errorf("%v, want as in %v", r, rows[i])
		}
	}
}
