package config

import (
	"cmp"
	"reflect"
	"slices"
	"strings"

	"github.com/acqnp/acqnp/internal/config/catalogue"
	"github.com/acqnp/acqnp/internal/invalid"
)

// A Key describes a key of the configuration in words.
type Key struct {
	Name    string `json:"name"` // dotted: train.steps
	Type    string `json:"type"`
	Values  string `json:"values"` // that it accepts
	Default string `json:"default"`
	Users   string `json:"users"` // the models, aggregations and benchmarks that use it
	Help    string `json:"help"`  // one line
}

// Section returns the part of the name before the dot, all of it without a dot.
func (k Key) Section() string {
	section, _, _ := strings.Cut(k.Name, ".")
	return section
}

// Keys describes all keys, in the order of a configuration.
func Keys() []Key {
	keys := make([]Key, len(table))
	for i, e := range table {
		keys[i] = Key{e.name, typeName(e.typ), e.accepts.expected, e.defaultText(), e.users(), e.help}
	}
	return keys
}

func typeName(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Slice:
		return "list of " + typeName(t.Elem()) + "s"
	case reflect.Int, reflect.Uint64:
		return "whole number"
	case reflect.Float64:
		return "number"
	case reflect.Bool:
		return "boolean"
	}
	return t.String()
}

// users describes the choices that use the key: "acqnp on csv".
func (e *entry) users() string {
	var parts []string
	if e.aggregations != nil {
		parts = append(parts, invalid.Listed(usersOf(e.aggregations), " and "))
	} else if e.models != nil {
		parts = append(parts, invalid.Listed(e.modelNames(), " and "))
	}
	if e.kinds != nil {
		parts = append(parts, invalid.Listed(benchmarkNames(catalogue.Names(e.usedBy)), " and "))
	}
	return cmp.Or(strings.Join(parts, " on "), "all")
}

// benchmarkNames replaces the names of all synthetic benchmarks, or of all images, by one of theirs.
func benchmarkNames(names []string) (short []string) {
	for _, group := range []struct {
		name string
		kind catalogue.Kind
	}{{"synthetic benchmarks", synthetic}, {"images", images}} {
		all := catalogue.Names(func(b catalogue.Benchmark) bool { return b.Kind == group.kind })
		if isSubset(all, names) {
			short = append(short, group.name)
			names = slices.DeleteFunc(slices.Clone(names), func(n string) bool { return slices.Contains(all, n) })
		}
	}
	return append(short, names...)
}
