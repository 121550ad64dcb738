package cli_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// ownConfig returns tinyConfig on the file that data example writes.
const ownConfig = `benchmark: csv
model: {name: acqnp, representation: 8, encoder: [8], adaptor: [8], decoder: [8]}
data: {file: prices.csv, group: product, x: [age], y: [price], points: [20, 40], context: [3, 19]}
train: {steps: 80, batch_size: 8, num_tau: 4, log_every: 40, checkpoint_every: 40, learning_rate: 1e-2}
eval: {num_tau: 5, batch_size: 1}
`

func TestDataExampleIsTheSameEveryTime(t *testing.T) {
	dir := t.TempDir()
	var files [2][]byte
	path := filepath.Join(dir, "prices.csv")
	for i := range files {
		if o := succeed(t, "data", "example", "--out", path, "--overwrite"); !strings.Contains(o.out, "4800 rows") {
			t.Error(o.out)
		}
		var err error
		if files[i], err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(files[0], files[1]) {
		t.Error("the file is not the same every time")
	}
	rows := readRows(t, path)
	products := map[string]int{}
	for _, r := range rows {
		products[r["product"]]++
		age, err := strconv.ParseFloat(r["age"], 64)
		price, err2 := strconv.ParseFloat(r["price"], 64)
		// The exponential factor of a price is above 2 once in e^(ln 2/0.04) = 3·10⁷ rows.
		if err != nil || err2 != nil || age < 0.2 || age > 6 || price < 10 || price > 1800 {
			t.Fatalf("%v", r)
		}
	}
	if len(rows) != 4800 || len(products) != 60 || products["p07"] != 80 {
		t.Errorf("%d rows of %d products, %d of p07", len(rows), len(products), products["p07"])
	}
	checkRefusal(t, "data example", acqnp("data", "example", "--out", filepath.Join(dir, "none", "a.csv")), 2, "--out")
}

// The shipped configurations are those of the file that data example writes.
func TestShippedConfigurationsOfOwnData(t *testing.T) {
	configs, err := filepath.Abs(filepath.Join("..", "..", "configs", "csv"))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	succeed(t, "data", "example", "--out", "prices.csv", "--quiet")
	smaller := map[string]string{"bnp": "model.eval_bootstraps=4", "cqnp": "eval.num_tau=5", "acqnp": "eval.num_tau=5"} // of the figure
	for _, model := range []string{"cnp", "canp", "bnp", "cqnp", "acqnp"} {
		o := succeed(t, "train", "--config", filepath.Join(configs, model+".yaml"), "--set", "train.steps=2", "--set", "train.batch_size=2", "--set", "eval.batches=1", "--set", "eval.batch_size=1",
			"--set", cmp.Or(smaller[model], "train.steps=2"), "--quiet")
		if !strings.Contains(o.out, "run runs/csv/"+model+"/seed-0: 2 steps") {
			t.Error(o.out)
		}
	}
}

// From a user's file to predictions in its units: the configuration names the columns and the
// function column.
func TestOwnDataInRawUnits(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	succeed(t, "data", "example", "--out", "prices.csv", "--quiet")
	config := write(t, dir, "own.yaml", ownConfig)
	o := succeed(t, "train", "--config", config, "--run-dir", "run", "--quiet")
	if !strings.Contains(o.out, "in raw units context") || !strings.Contains(o.out, "(15 batches") { // a quarter of 60 functions
		t.Error(o.out)
	}
	var s struct {
		Raw struct {
			Target struct{ Mean float64 } `json:"target_ll"`
		}
		Target struct{ Mean float64 } `json:"target_ll"`
	}
	eval := func() float64 {
		content, err := os.ReadFile(filepath.Join("run", "eval.json"))
		if err == nil {
			err = json.Unmarshal(content, &s)
		}
		if err != nil {
			t.Fatal(err)
		}
		return s.Raw.Target.Mean - s.Target.Mean
	}
	shift := eval()
	// The standard deviation of prices is somewhat more than 100, so log-likelihoods in their units
	// are lower by log 100 to log 300.
	if shift > -math.Log(100) || shift < -math.Log(300) {
		t.Errorf("raw log-likelihoods are the model's %+v", shift)
	}
	if o := succeed(t, "eval", "--run", "run", "--quiet"); !strings.Contains(o.out, "in raw units") || eval() != shift {
		t.Error(o.out)
	}
	parts := map[string]int{}
	for _, r := range readRows(t, filepath.Join("run", "split.csv")) {
		parts[r["part"]]++
	}
	if len(parts) != 2 || parts["train"] != 45 || parts["test"] != 15 {
		t.Errorf("split.csv has %v", parts)
	}
	succeed(t, "data", "generate", "--config", config, "--out", "tasks.safetensors", "--quiet")
	if succeed(t, "eval", "--run", "run", "--tasks", "tasks.safetensors", "--quiet"); eval() != shift {
		t.Errorf("from a tasks file, raw log-likelihoods are the model's %+v, want %+v", eval(), shift)
	}

	// Another order of columns, with the function column that the configuration names.
	text := "price,product,age,function\n"
	for _, product := range []struct {
		name  string
		price float64
	}{{"dear", 800}, {"cheap", 400}} {
		for age := 1; age <= 5; age++ {
			text += fmt.Sprintf("%.0f,%s,%d,not this\n", product.price*math.Exp(-0.1*float64(age)), product.name, age)
		}
	}
	if err := os.Rename("prices.csv", "elsewhere.csv"); err != nil { // predicting needs no data
		t.Fatal(err)
	}
	write(t, dir, "context.csv", text)
	write(t, dir, "targets.csv", "product,age\ncheap,2\ndear,2\ndear,3\n")
	succeed(t, "sample-quantiles", "--run", "run", "--context", "context.csv", "--targets", "targets.csv", "--quantiles", "0.5",
		"--out", "quantiles.csv", "--plot", "quantiles.png", "--quiet")
	targets := map[string]int{}
	for _, r := range readRows(t, "quantiles.csv") {
		if r["kind"] != "quantile" {
			continue
		}
		targets[r["product"]]++
		// After so little training a median is right to some hundreds. In the model's units it
		// would be below 4.
		if v, err := strconv.ParseFloat(r["value"], 64); err != nil || v < 20 || v > 1500 || r["age"] == "" || r["channel"] != "price" {
			t.Errorf("%v", r)
		}
	}
	if targets["dear"] != 2 || targets["cheap"] != 1 || len(targets) != 2 {
		t.Errorf("predicted targets by function: %v", targets)
	}
}

// A run on a user's data that is stopped and resumed ends with the same weights.
func TestOwnDataResumeToTheSameBits(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	succeed(t, "data", "example", "--out", "prices.csv", "--quiet")
	config := write(t, dir, "own.yaml", ownConfig)
	train := func(run, steps string, more ...string) {
		succeed(t, append([]string{"train", "--config", config, "--run-dir", run, "--set", "train.steps=" + steps, "--quiet", "--no-eval"}, more...)...)
	}
	train("whole", "40")
	train("parts", "17")
	train("parts", "40", "--resume")
	for _, run := range []string{"whole", "parts"} {
		succeed(t, "export", "--run", run, "--out", run+".safetensors")
	}
	if read(t, "whole.safetensors") != read(t, "parts.safetensors") {
		t.Error("the weights differ from those of an uninterrupted run")
	}
	// A run does not resume on other data.
	other := strings.Replace(read(t, "prices.csv"), "p05,", "p05,1", 1)
	write(t, dir, "prices.csv", strings.ReplaceAll(other, ",4", ",9"))
	checkRefusal(t, "train", acqnp("train", "--config", config, "--run-dir", "parts", "--set", "train.steps=50", "--resume"), 2, "another scaling")
}

// data check says how the data are split, and which functions bnp cannot use.
func TestDataCheckSaysTheSplit(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	text := "name,x,y\n"
	for f := range 12 {
		for i := range 1 + f%3 {
			text += fmt.Sprintf("f%d,%d,%d\n", f, i, i*f)
		}
	}
	write(t, dir, "mine.csv", text)
	config := write(t, dir, "own.yaml", "benchmark: csv\nmodel: {name: cnp}\ndata: {file: mine.csv, group: name}\n")
	if o := succeed(t, "data", "check", "csv", "--config", config); !strings.Contains(o.out, "train 9, test 3\n") {
		t.Error(o.out)
	}
	write(t, dir, "own.yaml", "benchmark: csv\nmodel: {name: bnp}\ndata: {file: mine.csv, group: name}\n")
	if o := succeed(t, "data", "check", "csv", "--config", config); !strings.Contains(o.out, "unused 4; 4 groups left out: bnp needs a context point") {
		t.Error(o.out)
	}
}
