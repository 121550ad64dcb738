package config

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/acqnp/acqnp/internal/config/catalogue"
)

// The settings of the catalogue are keys with values that a file may set too.
func TestSettingsOfTheCatalogueAreValid(t *testing.T) {
	for _, b := range catalogue.All() {
		for key, value := range b.Settings {
			e, known := entries[key]
			if !known || e.typ != reflect.TypeOf(value) || !e.accepts.ok(value) {
				t.Errorf("%s: %s: found %v (%T), expected %s (%v)", b.Name, key, value, value, e.accepts.expected, e.typ)
			}
		}
	}
}

// Every benchmark of the paper has a folder of shipped configurations, one for each model, and every
// folder has a benchmark. Those of csv are examples.
func TestEveryBenchmarkHasConfigurations(t *testing.T) {
	const shipped = "../../configs"
	for _, b := range catalogue.All() {
		if b.Table == "" {
			continue
		}
		for _, model := range models {
			path := filepath.Join(shipped, b.Name, model+".yaml")
			e, err := Load(path, Overrides{})
			if err != nil {
				t.Error(err)
			} else if e.Benchmark != b.Name || e.Model.Name != model {
				t.Errorf("%s is of %s on %s", path, e.Model.Name, e.Benchmark)
			}
		}
	}
	entries, err := os.ReadDir(shipped)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if entry.IsDir() && !slices.Contains(catalogue.Names(nil), entry.Name()) {
			t.Errorf("%s has configurations and is not in the catalogue", entry.Name())
		}
	}
}
