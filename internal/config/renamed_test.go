package config_test

import (
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
