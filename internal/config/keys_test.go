package config

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/acqnp/acqnp/internal/config/catalogue"
)

// The help of a key is a line for the reference and the terminal.
func TestEveryKeyHasHelp(t *testing.T) {
	const most = 160
	if last := len(rootKeys) + len(modelKeys) + len(dataKeys) + len(trainKeys) + len(evalKeys); len(table) != last {
		t.Errorf("%d entries have no field of Experiment", last-len(table))
	}
	for _, e := range table {
		if n := utf8.RuneCountInString(e.help); n == 0 || n > most || !strings.HasSuffix(e.help, ".") || strings.ContainsAny(e.help, "\n|") {
			t.Errorf("%s: help of %d characters, want 1 to %d, ending with a full stop, without | and line breaks: %q", e.name, n, most, e.help)
		}
	}
}

// A default is a value that a file may set too, for every benchmark, model and aggregation.
func TestDefaultsAreValid(t *testing.T) {
	for _, e := range table {
		check := func(of string, value any) {
			if value != nil && (e.typ != reflect.TypeOf(value) || !e.accepts.ok(value)) {
				t.Errorf("%s, %s: found %v (%T), expected %s (%v)", e.name, of, value, value, e.accepts.expected, e.typ)
			}
		}
		for _, c := range allChoices() {
			check(c.benchmark.Name+" "+c.model+" "+c.aggregation, defaults(c)[e.name])
		}
	}
}

// The settings of the catalogue are keys with values that a file may set too.
func TestSettingsOfTheCatalogueAreValid(t *testing.T) {
	for _, b := range catalogue.All() {
		for key, value := range b.Settings {
			e, known := entries[key]
			if !known || e.typ != reflect.TypeOf(value) || !e.accepts.ok(value) {
				t.Errorf("%s: %s: found %v (%T), expected %s (%v)", b.Name, key, value, value, e.accepts.expected, e.typ)
			}
		}
	}
}

// allChoices lists the choices that a configuration can make. The benchmark groups has its
// aggregation, set or not.
func allChoices() (all []choice) {
	for _, b := range catalogue.All() {
		for _, model := range modelsOf(b) {
			aggregations := []string{"", Mean, Attention, Transformer}
			switch {
			case b.Kind == groups:
				aggregations = []string{Groups}
			case !slices.Contains(aggregating, model):
				aggregations = []string{""}
			}
			for _, aggregation := range aggregations {
				for _, head := range Heads() {
					all = append(all, choice{b, model, aggregation, head})
				}
			}
		}
	}
	return all
}
