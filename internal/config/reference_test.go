package config_test

import (
	"testing"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/test/must"
)

func TestKeysAreDescribed(t *testing.T) {
	found := map[string]config.Key{}
	for _, k := range config.Keys() {
		found[k.Name] = k
		if k.Type == "" || k.Values == "" || k.Default == "" || k.Users == "" || k.Help == "" {
			t.Errorf("a part of the description is missing: %+v", k)
		}
	}
	for key, want := range map[string]struct{ typ, preset, users string }{
		"train.log_every":       {"whole number", "100", "all"},
		"train.seed":            {"whole number", "0", "all"},
		"model.sigma_floor":     {"number", "0.1; 0.01 for cqnp and acqnp", "all"},
		"train.batch_size":      {"whole number", "128; 2 for speed-flow; 16 for images and csv; 8 for groups", "all"},
		"model.heads":           {"whole number", "8; 4 for aggregation transformer and aggregation groups", "canp, aggregation attention, aggregation transformer and aggregation groups"},
		"train.loss":            {"string", "all; targets for aggregation attention, aggregation transformer and aggregation groups", "all"},
		"train.learning_rate":   {"number", "the paper's, by benchmark and model", "all"},
		"model.aggregation":     {"string", "mean; groups for groups", "cnp, cqnp and acqnp"},
		"data.train_fraction":   {"number", "0.75", "speed-flow, freyface and csv"}, // freyface by its Settings
		"data.zero_mean":        {"boolean", "true", "sawtooth"},
		"data.min_context":      {"whole number", "3", "synthetic benchmarks and images"},
		"model.query_encoder":   {"list of whole numbers", "[128]; [64] for speed-flow", "canp and aggregation attention"},
		"model.eval_bootstraps": {"whole number", "50", "bnp"},
	} {
		k := found[key]
		must.Same(t, []string{want.typ, want.preset, want.users}, []string{k.Type, k.Default, k.Users}, key)
	}
}
