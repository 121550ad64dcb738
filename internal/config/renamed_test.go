package config_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acqnp/acqnp/internal/config"
)

// Keys of model.tail_df and its like set those of postprocessing, wherever they stand, with a line that
// names the new key unless a run wrote them.
func TestKeysByTheirFormerNames(t *testing.T) {
	const plain, old = "benchmark: circle\nmodel:\n  name: cnp\n", "  tail_df: 5\n  sigma_scale: 1.2\n"
	want, err := config.Parse("new.yaml", []byte(plain+"postprocessing: {tail_df: 5, sigma_scale: 1.2}\n"), config.Overrides{})
	if err != nil {
		t.Fatal(err)
	}
	if want.Postprocessing.TailDF != 5 || want.Postprocessing.SigmaScale != 1.2 {
		t.Fatalf("%+v", want.Postprocessing)
	}
	environment := func() []string { return []string{"ACQNP_MODEL_TAIL_DF=5", "ACQNP_POSTPROCESSING_SIGMA_SCALE=1.2"} }
	for _, c := range []struct {
		text  string
		o     config.Overrides
		lines []string
	}{
		{plain + old, config.Overrides{}, []string{"old.yaml:4: model.tail_df has a new name, postprocessing.tail_df",
			"old.yaml:5: model.sigma_scale has a new name, postprocessing.sigma_scale"}},
		{plain + "  tail_df: 4\n", config.Overrides{Set: []string{"model.tail_df=5", "postprocessing.sigma_scale=1.2"}}, []string{
			"old.yaml:4: model.tail_df has a new name, postprocessing.tail_df",
			"--set model.tail_df: model.tail_df has a new name, postprocessing.tail_df"}},
		{plain, config.Overrides{Env: environment}, []string{
			"environment ACQNP_MODEL_TAIL_DF: model.tail_df has a new name, postprocessing.tail_df"}},
		{plain + "postprocessing: {tail_df: 5, sigma_scale: 1.2}\n", config.Overrides{}, nil},
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

// Keys of your own data have the same meaning by their former names.
func TestFormerNamesOfKeysOfOwnData(t *testing.T) {
	const format = "benchmark: csv\nmodel: {name: cnp}\ndata: {file: a.csv, %s: item}\ntrain: {steps: 5, %s: 3, %s: 100}\n"
	parse := func(text string) (config.Experiment, int) {
		t.Helper()
		lines := 0
		e, err := config.Parse("own.yaml", []byte(text), config.Overrides{Warn: func(string) { lines++ }})
		if err != nil {
			t.Fatal(err)
		}
		return e, lines
	}
	want, none := parse(fmt.Sprintf(format, "group", "ensemble_size", "ema"))
	got, three := parse(fmt.Sprintf(format, "function", "members", "average"))
	if diff := cmp.Diff(want, got); diff != "" || none != 0 || three != 3 {
		t.Errorf("%d and %d lines; %s", none, three, diff)
	}
	if want.Data.Group != "item" || want.Train.EnsembleSize != 3 || want.Train.EMA != 100 {
		t.Errorf("%+v", want)
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
