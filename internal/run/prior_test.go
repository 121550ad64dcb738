package run_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/run"
)

// TestPriorWeights reads the program's own weights into models of their shape, and refuses others with
// the keys that differ.
func TestPriorWeights(t *testing.T) {
	const csv = "../../configs/csv/acqnp-attention-small.yaml"
	for _, c := range []struct {
		file, set string
		dx, dy    int
		refusal   string // "" if the weights fit
	}{
		{"../../configs/prior/acqnp.yaml", "", 1, 1, ""},
		{csv, "", 1, 1, ""},
		{csv, "model.sigma_floor=0.05", 1, 1, ""},
		{csv, "model.representation=48", 1, 1, "model.representation: 48 and 64"},
		{csv, "model.heads=4", 1, 1, "model.heads: 4 and 8"},
		{csv, "model.decoder=[64]", 1, 1, "model.decoder: [64] and [64, 64]"},
		{csv, "", 2, 1, "columns of x and y: 2, 1 and 1, 1"},
		{csv, "", 1, 3, "columns of x and y: 1, 3 and 1, 1"},
		{"../../configs/csv/acqnp.yaml", "", 1, 1, "model.aggregation: mean and attention"},
		{"../../configs/csv/cqnp.yaml", "", 1, 1, "model.name: cqnp and acqnp"},
	} {
		var over config.Overrides
		if c.set != "" {
			over.Set = []string{c.set}
		}
		e, err := config.Load(c.file, over)
		if err != nil {
			t.Fatal(err)
		}
		m, err := models.New(e.Model, c.dx, c.dy)
		if err != nil {
			t.Fatal(err)
		}
		params, err := run.ReadWeights("prior", m)
		var bad *invalid.Input
		switch {
		case c.refusal == "" && (err != nil || len(params) != m.NumParams()):
			t.Errorf("%s, %s: %d parameters, %v", c.file, c.set, len(params), err)
		case c.refusal != "" && (!errors.As(err, &bad) || !strings.Contains(err.Error(), c.refusal) || strings.Contains(err.Error(), "\n")):
			t.Errorf("%s, %s: %v, want %s", c.file, c.set, err, c.refusal)
		}
	}
}
