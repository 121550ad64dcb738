package config_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acqnp/acqnp/internal/config"
)

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
