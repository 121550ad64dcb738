package run_test

import (
	"path/filepath"
	"testing"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/run"
)

// Each configuration file of a benchmark and a model has its own directory.
func TestDefaultDirFollowsTheNameOfTheFile(t *testing.T) {
	for _, c := range []struct{ file, model, want string }{
		{"configs/circle/acqnp.yaml", "acqnp", "runs/circle/acqnp/seed-3"},
		{"configs/circle/acqnp-attention.yaml", "acqnp", "runs/circle/acqnp-attention/seed-3"},
		{"configs/circle/acqnp-attention-small.yaml", "acqnp", "runs/circle/acqnp-attention-small/seed-3"},
		{"canp-wide.yml", "canp", "runs/circle/canp-wide/seed-3"},
		{"configs/circle/acqnp.yaml", "cqnp", "runs/circle/cqnp/seed-3"}, // --set model.name=cqnp
		{"configs/circle/acqnp-attention.yaml", "cqnp", "runs/circle/cqnp-attention/seed-3"},
		{"configs/circle/best.yaml", "cnp", "runs/circle/best/seed-3"},
		{"configs/rbf/best.yaml", "cnp", "runs/best/seed-3"}, // --set benchmark=circle
		{"configs/quickstart.yaml", "cnp", "runs/quickstart/seed-3"},
		{"acqnps.yaml", "acqnp", "runs/acqnps/seed-3"},
		{"my-acqnp.yaml", "acqnp", "runs/my-acqnp/seed-3"},
	} {
		e := config.Experiment{Benchmark: "circle", Model: config.Model{Name: c.model}, Train: config.Train{Seed: 3}}
		if got := filepath.ToSlash(run.DefaultDir(filepath.FromSlash(c.file), e)); got != c.want {
			t.Errorf("%s with %s: %s, want %s", c.file, c.model, got, c.want)
		}
	}
}
