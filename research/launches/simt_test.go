//go:build simt

package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/test/must"
)

func TestLaunchesOfAStep(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config.yaml")
	must.Do(t, os.WriteFile(file, []byte("benchmark: sawtooth\nmodel: {name: acqnp, representation: 8, encoder: [8], adaptor: [8], decoder: [8]}\n"), 0o644))
	var out strings.Builder
	o := options{config: file, set: []string{"train.batch_size=2", "train.num_tau=3"}, points: 6, steps: 2, precision: "fp32"}
	if err := measure(t.Context(), o, &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`device +cuda:0 \(simt`, ` ms \(mean of 2\)`, "the times mean nothing", `\nadam\S* +\d+ +[0-9.]+ +[0-9.]+\n`, `\nall \d+, one after another +[0-9.]+ +[0-9.]+\n`, "\nIn a step "} {
		if !regexp.MustCompile(want).MatchString(out.String()) {
			t.Errorf("found no %q in\n%s", want, &out)
		}
	}
}
