package config_test

import (
	"testing"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/test/must"
)

func TestVariantNamesWhatIsNotThePapers(t *testing.T) {
	for _, c := range []struct{ model, train, label, named string }{
		{"name: acqnp", "", "ACQNP", "acqnp"},
		{"name: acqnp, aggregation: mean, adaptor_form: plain, sigma_floor: 0.01, representation: 64", "loss: all, steps: 7", "ACQNP", "acqnp"},
		{"name: acqnp, aggregation: transformer", "", "ACQNP, transformer", "acqnp (transformer)"},
		{"name: acqnp, aggregation: attention, adaptor_form: residual", "loss: targets", "ACQNP, attention, residual", "acqnp (attention, residual)"},
		{"name: cqnp, scale_form: natural", "", "CQNP, natural scale", "cqnp (natural scale)"},
		{"name: cqnp, scale_form: paper", "", "CQNP", "cqnp"},
		{"name: acqnp, aggregation: attention", "loss: all", "ACQNP, attention, loss over all points", "acqnp (attention, loss over all points)"},
		{"name: cqnp", "loss: targets", "CQNP, loss over targets", "cqnp (loss over targets)"},
		{"name: canp", "", "CANP", "canp"},
		{"name: canp", "loss: targets", "CANP, loss over targets", "canp (loss over targets)"},
		{"name: cnp, sigma_floor: 0.01", "", "CNP, sigma floor 0.01", "cnp (sigma floor 0.01)"},
		{"name: bnp", "", "BNP", "bnp"},
	} {
		e := must.Get(config.Parse("c.yaml", []byte("benchmark: circle\nmodel: {"+c.model+"}\ntrain: {"+c.train+"}\n"), config.Overrides{}))(t)
		if e.Label() != c.label || e.Named() != c.named {
			t.Errorf("{%s}, {%s}: %q and %q, want %q and %q", c.model, c.train, e.Label(), e.Named(), c.label, c.named)
		}
	}
}
