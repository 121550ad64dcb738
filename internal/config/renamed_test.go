package config_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acqnp/acqnp/internal/config"
)

// Keys set their values by their former names, wherever they stand, with a line that names the new key unless
// a run wrote them.
func TestKeysByTheirFormerNames(t *testing.T) {
	const plain = "benchmark: csv\nmodel: {name: cnp}\ndata:\n  file: a.csv\n"
	const old = "  function: item\ntrain:\n  steps: 5\n  average: 100\n"
	const now = "  group: item\ntrain: {steps: 5, ema: 100}\n"
	want, err := config.Parse("new.yaml", []byte(plain+now), config.Overrides{})
	if err != nil {
		t.Fatal(err)
	}
	if want.Data.Group != "item" || want.Train.EMA != 100 {
		t.Fatalf("%+v", want)
	}
	environment := func() []string { return []string{"ACQNP_DATA_FUNCTION=item", "ACQNP_TRAIN_EMA=100"} }
	for _, c := range []struct {
		text  string
		o     config.Overrides
		lines []string
	}{
		{plain + old, config.Overrides{}, []string{"old.yaml:5: data.function has a new name, data.group", "old.yaml:8: train.average has a new name, train.ema"}},
		{plain + "  function: thing\ntrain: {steps: 5}\n", config.Overrides{Set: []string{"data.function=item", "train.ema=100"}}, []string{
			"old.yaml:5: data.function has a new name, data.group", "--set data.function: data.function has a new name, data.group"}},
		{plain + "train: {steps: 5}\n", config.Overrides{Env: environment}, []string{
			"environment ACQNP_DATA_FUNCTION: data.function has a new name, data.group"}},
		{plain + now, config.Overrides{}, nil},
	} {
		var lines []string
		c.o.Warn = func(line string) { lines = append(lines, line) }
		e, err := config.Parse("old.yaml", []byte(c.text), c.o)
		if diff := cmp.Diff(want, e); err != nil || diff != "" {
			t.Errorf("%s: %v, %s", c.text, err, diff)
		}
		if !slices.Equal(lines, c.lines) {
			t.Errorf("%s: lines %q, want %q", c.text, lines, c.lines)
		}
	}
}

// A configuration with data.file and without a benchmark is one of csv.
func TestBenchmarkOfOwnFiles(t *testing.T) {
	const own = "model: {name: cnp}\ntrain: {steps: 5}\n"
	want, err := config.Parse("own.yaml", []byte("benchmark: csv\ndata: {file: a.csv}\n"+own), config.Overrides{})
	if err != nil {
		t.Fatal(err)
	}
	file := func() []string { return []string{"ACQNP_DATA_FILE=a.csv"} }
	for text, o := range map[string]config.Overrides{"data: {file: a.csv}\n" + own: {}, own: {Set: []string{"data.file=a.csv"}}, "data: {}\n" + own: {Env: file}} {
		got, err := config.Parse("own.yaml", []byte(text), o)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: %v, %s", text, err, diff)
		}
	}
	if _, err := config.Parse("own.yaml", []byte(own), config.Overrides{Set: []string{"benchmark=circle", "data.file=a.csv"}}); err == nil {
		t.Error("a file for circle is taken")
	}
	if _, err := config.Parse("own.yaml", []byte(own), config.Overrides{}); err == nil {
		t.Error("a configuration without benchmark and file is taken")
	}
}
