package cli_test

import (
	"encoding/json"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPredict compares the tidy file with that of sample-quantiles: the same levels, so the same means,
// quantiles and draws.
func TestPredict(t *testing.T) {
	s, dir := share(t), t.TempDir()
	out, long := filepath.Join(dir, "predictions.csv"), filepath.Join(dir, "quantiles.csv")
	model := []string{"--run", s.run, "--context", s.context, "--grid=-2:2:5"}
	o := succeed(t, append([]string{"predict", "--quantiles", "0.05,0.5", "--hdr", "0.5,0.9", "--density=-400:400:16001", "--draws", "2",
		"--out", out, "--json", "--quiet"}, model...)...)
	var summary struct{ Functions, Targets int }
	if err := json.Unmarshal([]byte(o.out), &summary); err != nil || summary.Functions != 1 || summary.Targets != 5 {
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
		if r.number(t, "sd") < 0.01 || !strings.Contains(r["hdr0.5"], ":") || r["channel"] != "y" || r["function"] != "" {
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

// TestPredictSeveralFunctions predicts functions of a column, in the order of the targets and each as it is
// alone. One without known points is predicted as without a context.
func TestPredictSeveralFunctions(t *testing.T) {
	s, dir := share(t), t.TempDir()
	context := write(t, dir, "context.csv", "function,x,y\na,0,0.5\na,1,1\nb,0,-0.5\nb,1,-1\n")
	targets := write(t, dir, "targets.csv", "function,x\nb,0.5\na,0.25\na,0.75\n")
	out := filepath.Join(dir, "p.csv")
	predict := []string{"predict", "--run", s.run, "--out", out, "--overwrite", "--quiet"}
	succeed(t, append(predict, "--context", write(t, dir, "b.csv", "x,y\n0,-0.5\n1,-1\n"), "--grid=0.5:1:2")...)
	alone := readRows(t, out)[0].number(t, "mean")
	predict = append(predict, "--context", context)
	succeed(t, append(predict, "--targets", targets)...)
	var got []string
	for _, r := range readRows(t, out) {
		got = append(got, r["function"]+r["target"]+" "+r["x"])
		// 1e-5: float32 sums in another order, where a batch has other sizes.
		if mean := r.number(t, "mean"); r["function"] == "b" && math.Abs(mean-alone) > 1e-5 {
			t.Errorf("b: the mean is %v, alone it is %v", mean, alone)
		}
	}
	if diff := cmp.Diff([]string{"b0 0.5", "a0 0.25", "a1 0.75"}, got); diff != "" {
		t.Error(diff)
	}
	mixed := write(t, dir, "mixed.csv", "function,x,note\nc,0.5,of none\nb,0.5,of two\n")
	o := succeed(t, append(predict, "--targets", mixed)...)
	rows := readRows(t, out)
	if want := "no known point of 1 group (c); of a there are points and no targets"; !strings.Contains(o.err, want) {
		t.Errorf("standard error is %q, expected %s", o.err, want)
	}
	succeed(t, "predict", "--run", s.run, "--out", out, "--overwrite", "--quiet", "--targets", write(t, dir, "lone.csv", "x\n0.5\n"))
	none := readRows(t, out)[0].number(t, "mean")
	for i, want := range []struct {
		function, note string
		mean           float64
	}{{"c", "of none", none}, {"b", "of two", alone}} {
		r := rows[i]
		if mean := r.number(t, "mean"); r["function"] != want.function || r["note"] != want.note || math.Abs(mean-want.mean) > 1e-5 {
			t.Errorf("found %v, expected %+v", r, want)
		}
	}
}

// --format, the ending of --out or --json choose JSON.
func TestPredictionsAsJSON(t *testing.T) {
	s, dir := share(t), t.TempDir()
	model := []string{"predict", "--run", s.run, "--context", s.context, "--grid=-2:2:3", "--quiet"}
	file := func(name string, flags ...string) string {
		t.Helper()
		succeed(t, append(append(model, "--out", filepath.Join(dir, name)), flags...)...)
		return read(t, filepath.Join(dir, name))
	}
	want := file("a.jsonl")
	if strings.Count(want, "\n") != 3 || !strings.HasPrefix(want, `{"function":"","target":0,"x":-2,"channel":"y","mean":`) || !strings.Contains(want, `"hdr0.9":[[`) {
		t.Errorf("a.jsonl is %s", want)
	}
	if file("b.json") != want || file("c", "--format", "json") != want || file("d.csv", "--format", "json") != want {
		t.Error("the files differ")
	}
	if table := file("e.csv", "--json"); !strings.HasPrefix(table, "function,target,x,") {
		t.Errorf("with --json and a CSV file: %.80s", table)
	}
	cmd, errs := command(append(model, "--json")...)
	if out, err := cmd.Output(); err != nil || string(out) != want || !strings.Contains(errs.String(), `"targets":3`) {
		t.Errorf("%v, standard output %s, standard error %s", err, out, errs)
	}
	cmd, _ = command(model...)
	if out, err := cmd.Output(); err != nil || !strings.HasPrefix(string(out), "function,target,x,") {
		t.Errorf("%v, standard output %.80s", err, out)
	}
	checkRefusal(t, "a format", acqnp(append(model, "--format", "xml")...), 2, `--format: found "xml", expected one of csv, json, `)
}

// An empty list leaves the columns out.
func TestPredictWithoutQuantiles(t *testing.T) {
	s, out := share(t), filepath.Join(t.TempDir(), "predictions.csv")
	succeed(t, "predict", "--run", s.run, "--context", s.context, "--grid=-2:2:3", "--quantiles=", "--hdr", "", "--out", out, "--quiet")
	if header, _, _ := strings.Cut(read(t, out), "\n"); header != "function,target,x,channel,mean,sd" {
		t.Errorf("the header is %s", header)
	}
}

// --components writes what sample-quantiles writes.
func TestPredictComponents(t *testing.T) {
	s, dir := share(t), t.TempDir()
	file := func(words ...string) string {
		t.Helper()
		out := filepath.Join(dir, words[0]+".csv")
		succeed(t, append(words, "--run", s.run, "--context", s.context, "--grid=-2:2:3", "--out", out, "--quiet")...)
		return read(t, out)
	}
	more := []string{"--quantiles", "0.1,0.5", "--draws", "2", "--plot"}
	for _, flags := range [][]string{nil, more[:4], append(more, filepath.Join(dir, "a.png"), "--components")} {
		want := file(append([]string{"sample-quantiles", "--overwrite"}, flags...)...)
		if got := file(append([]string{"predict", "--components", "--overwrite"}, flags...)...); got != want {
			t.Errorf("%v: another file", flags)
		}
	}
	checkRefusal(t, "both", acqnp("predict", "--run", s.run, "--context", s.context, "--grid=-2:2:3", "--components", "--hdr", "0.5"), 2, "--components and --hdr")
}
