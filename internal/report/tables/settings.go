package tables

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/acqnp/acqnp/internal/config"
)

// notTold are the keys that never tell rows apart: those in which the runs of a row may differ.
var notTold = []string{"train.seed", "train.log_every", "train.checkpoint_every", "train.keep_checkpoints"}

// A choice is the settings of a row, in which it differs from the other runs of its model.
type choice struct {
	place    int    // among the choices of the subject
	settings string // train.learning_rate=0.001 and more, joined by newlines; "" if there is one choice
	label    string // learning_rate=0.001, …
}

// list returns the settings as KEY=VALUE.
func (c choice) list() []string {
	if c.settings == "" {
		return nil
	}
	return strings.Split(c.settings, "\n")
}

// choices returns the choice of each of the runs of a subject. Runs are told apart by all keys in
// which they differ, but only if two of them have the same seed. Runs without a configuration share
// a choice.
func choices(runs []Run) []choice {
	all := make([]choice, len(runs))
	keys := told(runs)
	if len(keys) == 0 {
		return all
	}
	short := config.ShortKeys(keys)
	var distinct [][]string
	values := make([][]string, len(runs))
	for i, r := range runs {
		all[i].settings, all[i].label = "unknown", "unknown settings"
		if r.Config != nil {
			var settings, label []string
			for _, key := range keys {
				v := r.Config.Value(key)
				values[i] = append(values[i], v)
				settings, label = append(settings, key+"="+v), append(label, short[key]+"="+v)
			}
			all[i].settings, all[i].label = strings.Join(settings, "\n"), strings.Join(label, ", ")
		}
		if !slices.ContainsFunc(distinct, func(v []string) bool { return slices.Equal(v, values[i]) }) {
			distinct = append(distinct, values[i])
		}
	}
	slices.SortFunc(distinct, func(a, b []string) int { return slices.CompareFunc(a, b, compareValues) })
	for i := range all {
		all[i].place = slices.IndexFunc(distinct, func(v []string) bool { return slices.Equal(v, values[i]) })
	}
	return all
}

// told returns the keys that tell runs apart, none if all seeds differ.
func told(runs []Run) (keys []string) {
	seeds, twice := map[string]bool{}, false
	var configs []config.Experiment
	for _, r := range runs {
		twice = twice || seeds[r.identity()]
		seeds[r.identity()] = true
		if r.Config != nil {
			configs = append(configs, *r.Config)
		}
	}
	if !twice || len(configs) == 0 {
		return nil
	}
	return slices.DeleteFunc(config.DifferingKeys(configs), func(key string) bool {
		return slices.Contains(notTold, key) || strings.HasPrefix(key, "eval.")
	})
}

// compareValues orders numbers by their size, and before other texts.
func compareValues(a, b string) int {
	x, err := strconv.ParseFloat(a, 64)
	y, err2 := strconv.ParseFloat(b, 64)
	switch {
	case err == nil && err2 == nil:
		return cmp.Compare(x, y)
	case err == nil:
		return -1
	case err2 == nil:
		return 1
	}
	return cmp.Compare(a, b)
}
