package cli_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

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

// From an awkward file to predictions: the run records what the columns are, so that a context with
// another delimiter, an unknown name and dates needs no training file.
func TestOwnColumnsFromCheckToPrediction(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	write(t, dir, "growth.csv", growth())
	config := write(t, dir, "growth.yaml", growthConfig)
	o := succeed(t, "data", "check", "csv", "--config", config)
	for _, want := range []string{
		"columns separated by semicolons, decimal commas", "4 left out", "least 5, median 8, most 10", "model   5 x, 1 y",
		"dates, 2024-02-20 to 2024-02-29, as days since 2024-02-20", "3 names in the training part, one-hot: f0, f1, f2; the same in all rows of a group",
		"4 missing", "the model sees the logarithm", "notiz    not used  1 name: a; b",
	} {
		if !strings.Contains(o.out, want) {
			t.Errorf("%q is not in\n%s", want, o.out)
		}
	}
	var found struct {
		Rows    int
		Dropped int
		DX      int
	}
	if err := json.Unmarshal([]byte(succeed(t, "data", "check", "csv", "--config", config, "--json").out), &found); err != nil || found.Dropped != 4 || found.DX != 5 {
		t.Errorf("%v, %+v", err, found)
	}
	if o := succeed(t, "train", "--config", config, "--run-dir", "run", "--quiet"); !strings.Contains(o.err, "growth.csv: left out 4 of 190 rows, without a value of gewicht (4") {
		t.Errorf("train does not say which rows are left out: %s", o.err)
	}
	if err := os.Remove("growth.csv"); err != nil {
		t.Fatal(err)
	}
	write(t, dir, "context.csv", "alter,futter,tier,tag,gewicht\n1.5,f1,a,2024-02-21,50\n2.5,f1,a,2024-02-22T00:00Z,\n2.5,rye,b,2024-02-22,60\n")
	write(t, dir, "targets.csv", "tag\talter\tfutter\n2024-02-25\t5.5\tf2\n2024-02-26 12:00\t7\trye\n")
	sample := func(more ...string) []string {
		return append([]string{"sample-quantiles", "--run", "run", "--context", "context.csv", "--quantiles", "0.5", "--draws", "3", "--out", "q.csv", "--overwrite", "--quiet"}, more...)
	}
	succeed(t, sample("--targets", "targets.csv")...)
	var x []string
	for _, r := range readRows(t, "q.csv") {
		v, err := strconv.ParseFloat(r["value"], 64)
		if r["kind"] == "component" {
			v, err = strconv.ParseFloat(r["mu"], 64)
			v = math.Exp(v) // those of the logarithm
		}
		// The weights are 30 to 250. Components after 60 steps are far from the tails.
		if err != nil || !(v > 0) || (r["kind"] == "quantile" || r["kind"] == "component") && (v < 3 || v > 3000) {
			t.Errorf("%v", r)
		}
		if r["kind"] == "mean" {
			x = append(x, r["tier"]+" "+r["tag"]+" "+r["futter"]+" "+r["alter"])
		}
	}
	want := "a 2024-02-25 f2 5.5;a 2024-02-26T12:00:00Z rye 7;b 2024-02-25 f2 5.5;b 2024-02-26T12:00:00Z rye 7"
	if got := strings.Join(x, ";"); got != want {
		t.Errorf("targets %s, want %s", got, want)
	}
	succeed(t, "predict", "--run", "run", "--context", "context.csv", "--targets", "targets.csv", "--density", "0:100:3", "--draws", "3", "--out", "p.csv", "--quiet")
	x = nil
	for _, r := range readRows(t, "p.csv") {
		low, _, _ := strings.Cut(r["hdr0.9"], ":")
		if v, err := strconv.ParseFloat(low, 64); err != nil || v < 0 || r.number(t, "density0") != 0 || r.number(t, "density50") <= 0 || r.number(t, "draw3") <= 0 ||
			r.number(t, "q0.5") < 3 || r.number(t, "q0.5") > 3000 {
			t.Errorf("%v", r)
		}
		x = append(x, r["tier"]+" "+r["tag"]+" "+r["futter"]+" "+r["alter"])
	}
	if got := strings.Join(x, ";"); got != want {
		t.Errorf("targets %s, want %s", got, want)
	}
	checkRefusal(t, "sample-quantiles", acqnp(sample("--grid=0:1:2,0:1:2,1:2:2")...), 2, "--targets FILE")
	write(t, dir, "targets.csv", "tag,alter,futter\n2024-02-25,0,f2\n")
	checkRefusal(t, "sample-quantiles", acqnp(sample("--targets", "targets.csv")...), 2, "targets.csv:2: alter: found \"0\", expected a number above 0")
	write(t, dir, "targets.csv", "tag,alter,futter\n2024-02-25,NA,f2\n")
	checkRefusal(t, "sample-quantiles", acqnp(sample("--targets", "targets.csv")...), 2, "targets.csv: found a missing cell in each of 1 rows: of alter (1: NA)")
	checkRefusal(t, "data check", acqnp("data", "check", "csv", "--config", config), 2, "growth.csv")
	lissajous := filepath.Join(dir, "other.yaml")
	write(t, dir, "other.yaml", "benchmark: circle\nmodel: {name: cnp}\n")
	checkRefusal(t, "data check", acqnp("data", "check", "--config", lissajous), 2, "circle")
}
