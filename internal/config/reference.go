package config

import (
	"cmp"
	"reflect"
	"slices"
	"strings"

	"github.com/acqnp/acqnp/internal/config/catalogue"
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
	who := e.models
	if e.aggregations != nil {
		who = usersOf(e.aggregations)
	}
	where := ""
	if e.kinds != nil {
		where = listed(benchmarkNames(catalogue.Names(e.usedBy)), " and ")
	}
	switch {
	case who == nil && where == "":
		return "all"
	case who == nil:
		return where
	case where == "":
		return listed(who, " and ")
	}
	return listed(who, " and ") + " on " + where
}

// benchmarkNames replaces the names of all synthetic benchmarks, or of all images, by one of theirs.
func benchmarkNames(names []string) (short []string) {
	for _, group := range []struct {
		name string
		kind catalogue.Kind
	}{{"synthetic benchmarks", synthetic}, {"images", images}} {
		all := catalogue.Names(func(b catalogue.Benchmark) bool { return b.Kind == group.kind })
		if within(all, names) {
			short = append(short, group.name)
			names = slices.DeleteFunc(slices.Clone(names), func(n string) bool { return slices.Contains(all, n) })
		}
	}
	return append(short, names...)
}

// parts return the parts of a choice on which defaults may depend.
var parts = []func(choice) string{
	func(c choice) string { return c.benchmark.Name },
	func(c choice) string { return c.model },
	func(c choice) string { return aggregationPart(c.aggregation) },
}

// aggregationPart names an aggregation as a part of a choice, also one that is not set.
func aggregationPart(name string) string { return "aggregation " + name }

// defaultText describes the default: "128; 64 for speed-flow". It is the words of the preset if the
// default depends on more than one part of a choice.
func (e *entry) defaultText() string {
	for _, part := range parts {
		if names, ok := e.namesByDefault(part); ok {
			return joined(names)
		}
	}
	return e.preset.words
}

// A named is a default, and the names of those that have it.
type named struct {
	text  string
	names []string
}

// namesByDefault groups the names of a part of the choice by their defaults. It reports whether all
// choices with the same name have the same default.
func (e *entry) namesByDefault(part func(choice) string) (groups []named, ok bool) {
	known := map[string]string{}
	for _, c := range e.choices() {
		name, text := part(c), e.textFor(c)
		if before, again := known[name]; again {
			if before != text {
				return nil, false
			}
			continue
		}
		known[name] = text
		i := slices.IndexFunc(groups, func(g named) bool { return g.text == text })
		if i < 0 {
			i, groups = len(groups), append(groups, named{text: text})
		}
		groups[i].names = append(groups[i].names, name)
	}
	return groups, true
}

// joined lists defaults, the most frequent first, or that of a configuration without the aggregation.
// That one has no names, and stands for all others, if half of the names or more have it.
func joined(groups []named) string {
	slices.SortStableFunc(groups, func(a, b named) int { return cmp.Compare(len(b.names), len(a.names)) })
	all := 0
	for _, g := range groups {
		all += len(g.names)
	}
	unset := slices.IndexFunc(groups, func(g named) bool { return slices.Contains(g.names, aggregationPart("")) })
	if unset > 0 {
		groups[0], groups[unset] = groups[unset], groups[0]
	}
	var list []string
	for i, g := range groups {
		if i > 0 || unset < 0 && 2*len(g.names) < all {
			g.text += " for " + listed(benchmarkNames(g.names), " and ")
		}
		list = append(list, g.text)
	}
	return strings.Join(list, "; ")
}

// choices lists the choices that use the key.
func (e *entry) choices() []choice {
	return slices.DeleteFunc(allChoices(), func(c choice) bool {
		who, _ := c.unusedBy(e)
		return who != ""
	})
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
				all = append(all, choice{b, model, aggregation})
			}
		}
	}
	return all
}

// textFor returns the default of a choice, or the words for none.
func (e *entry) textFor(c choice) string {
	if v := e.valueFor(c); v != nil {
		return text(v)
	}
	return e.preset.words
}
