package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/invalid"
)

// FuzzLoad loads arbitrary text as a file and as a --set. The result must be an *invalid.Input, or an
// experiment whose YAML gives the same experiment again.
func FuzzLoad(f *testing.F) {
	for _, c := range refusals {
		f.Add([]byte(c.yaml), "train.steps=3")
	}
	files, err := filepath.Glob(filepath.Join(shipped, "*", "*.yaml"))
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(content, "data.points=[1, 2]")
	}
	f.Add([]byte("a: &a [*a, *a]\n"), "train={steps: &a [*a]}")
	f.Add([]byte("benchmark: !!binary aGk=\nmodel: !<x> {name: !!str cnp}\n"), "model.name=!!null")
	path := filepath.Join(f.TempDir(), "fuzz.yaml")
	f.Fuzz(func(t *testing.T, content []byte, set string) {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		e, err := config.Load(path, config.Overrides{Set: []string{set}})
		check := func(err error) {
			var bad *invalid.Input
			if err != nil && !errors.As(err, &bad) {
				t.Fatalf("found error %v, expected an invalid.Input", err)
			}
		}
		check(err)
		if err == nil {
			if diff := cmp.Diff(e, roundTrip(t, e)); diff != "" {
				t.Fatal(diff)
			}
		}
		_, err = config.Parse("fuzz", content, config.Overrides{})
		check(err)
	})
}
