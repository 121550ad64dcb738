package config_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acqnp/acqnp/internal/config"
)

// variantBenchmarks lists the paper's benchmarks that have configurations of the variants.
var variantBenchmarks = []string{"sawtooth", "rbf", "matern52", "double-sine", "circle", "lissajous", "speed-flow", "freyface"}

// shippedVariant states in which keys acqnp-<more>.yaml may differ from the paper's acqnp.yaml.
type shippedVariant struct {
	file    string
	variant string
	changed []string // keys that differ on every benchmark
	free    []string // keys that may differ: those of a small form
}

var (
	changes         = []string{"model.adaptor_form", "model.aggregation", "model.heads", "train.loss"}
	attentionKeys   = []string{"model.key_encoder", "model.query_encoder"}
	transformerKeys = []string{"model.layers", "model.feedforward"}
	smallKeys       = []string{"model.representation", "model.encoder", "model.adaptor", "model.decoder", "train.steps", "train.epochs", "train.batch_size",
		"train.num_tau", "train.levels", "train.learning_rate", "train.weight_decay", "train.schedule"}
	shippedVariants = []shippedVariant{
		{"acqnp-attention", "attention, residual", slices.Concat(changes, attentionKeys), nil},
		{"acqnp-attention-small", "attention, residual", slices.Concat(changes, attentionKeys), smallKeys},
		{"acqnp-transformer", "transformer, residual", slices.Concat(changes, transformerKeys), nil},
		{"acqnp-transformer-small", "transformer, residual", slices.Concat(changes, transformerKeys), smallKeys},
	}
)

// isVariant reports whether name, which is benchmark/file, is a variant's configuration.
func isVariant(name string) bool {
	benchmark, file, _ := strings.Cut(name, "/")
	return slices.Contains(variantBenchmarks, benchmark) &&
		slices.ContainsFunc(shippedVariants, func(v shippedVariant) bool { return v.file == file })
}

// The variants differ from the paper's ACQNP in the keys above and in no others. So their data and
// their evaluation are the paper's.
func TestVariantsChangeNothingElse(t *testing.T) {
	for _, b := range variantBenchmarks {
		paper := shippedConfig(t, b, "acqnp")
		for _, v := range shippedVariants {
			e := shippedConfig(t, b, v.file)
			if e.Variant() != v.variant {
				t.Errorf("%s/%s is the variant %q, want %q", b, v.file, e.Variant(), v.variant)
			}
			keys := []string{}
			for _, difference := range config.Differences(paper, e) {
				if key, _, _ := strings.Cut(difference, ":"); !slices.Contains(v.free, key) {
					keys = append(keys, key)
				}
			}
			want := slices.Sorted(slices.Values(v.changed))
			if diff := cmp.Diff(want, slices.Sorted(slices.Values(keys))); diff != "" {
				t.Errorf("%s/%s differs from the paper's in other keys (-table +file):\n%s", b, v.file, diff)
			}
		}
	}
}

// The variants for your own data read the same data as the other configurations.
func TestVariantsOfYourOwnDataReadTheSameData(t *testing.T) {
	mean := shippedConfig(t, "csv", "acqnp")
	if mean.Variant() != "residual, natural scale" {
		t.Errorf("csv/acqnp is the variant %q, want residual, natural scale", mean.Variant())
	}
	for _, v := range shippedVariants {
		e := shippedConfig(t, "csv", v.file)
		if diff := cmp.Diff(mean.Data, e.Data); diff != "" || e.Variant() != v.variant+", natural scale" || cmp.Diff(mean.Eval, e.Eval) != "" {
			t.Errorf("csv/%s is the variant %q, want %q with the natural scale; data (-acqnp +variant):\n%s", v.file, e.Variant(), v.variant, diff)
		}
	}
}

func shippedConfig(t *testing.T, benchmark, file string) config.Experiment {
	t.Helper()
	e, err := config.Load(filepath.Join(shipped, benchmark, file+".yaml"), config.Overrides{})
	if err != nil {
		t.Fatal(err)
	}
	return e
}
