package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/test/must"
)

// FuzzLoad loads arbitrary text as a file and as a --set. The result must be an *invalid.Input, or an
// experiment whose YAML gives the same experiment again.
func FuzzLoad(f *testing.F) {
	for _, c := range refusals {
		f.Add([]byte(c.yaml), "train.steps=3")
	}
	for _, file := range must.Get(filepath.Glob(filepath.Join(shipped, "*", "*.yaml")))(f) {
		f.Add(must.Get(os.ReadFile(file))(f), "data.points=[1, 2]")
	}
	f.Add([]byte("a: &a [*a, *a]\n"), "train={steps: &a [*a]}")
	f.Add([]byte("benchmark: !!binary aGk=\nmodel: !<x> {name: !!str cnp}\n"), "model.name=!!null")
	path := filepath.Join(f.TempDir(), "fuzz.yaml")
	f.Fuzz(func(t *testing.T, content []byte, set string) {
		must.Do(t, os.WriteFile(path, content, 0o600))
		e, err := config.Load(path, config.Overrides{Set: []string{set}})
		check := func(err error) {
			var bad *invalid.Input
			if err != nil && !errors.As(err, &bad) {
				t.Fatalf("found error %v, expected an invalid.Input", err)
			}
		}
		check(err)
		if err == nil {
			equal(t, "round trip", e, roundTrip(t, e))
		}
		_, err = config.Parse("fuzz", content, config.Overrides{})
		check(err)
	})
}
