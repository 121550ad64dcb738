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

// Section returns the part of the name before the dot, "" without a dot.
func (k Key) Section() string {
	section, _, dotted := strings.Cut(k.Name, ".")
	if !dotted {
		return ""
	}
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

// The parts of a choice on which defaults depend, and the names of those with one default.
var parts = []struct {
	of    func(choice) string
	names func([]string) []string
}{
	{func(c choice) string { return c.benchmark.Name }, benchmarkNames},
	{func(c choice) string { return c.model }, slices.Clone[[]string]},
	{func(c choice) string { return "aggregation " + c.aggregation }, slices.Clone[[]string]},
}

// defaultText describes the default: "128; 64 for speed-flow". It is the words of the preset if the
// default depends on more than one part of a choice.
func (e *entry) defaultText() string {
	for _, part := range parts {
		var values []valued
		same := true
		for _, c := range e.choices() {
			var ok bool
			values, ok = add(values, e.textFor(c), part.of(c))
			same = same && ok
		}
		if same {
			return joined(values, part.names)
		}
	}
	return e.preset.words
}

// A valued is a default, and the parts of choices that have it.
type valued struct {
	text string
	of   []string
}

// add adds that a part has a default. It reports whether the part has no other.
func add(values []valued, text, part string) ([]valued, bool) {
	if slices.ContainsFunc(values, func(v valued) bool { return v.text != text && slices.Contains(v.of, part) }) {
		return values, false
	}
	i := slices.IndexFunc(values, func(v valued) bool { return v.text == text })
	if i < 0 {
		return append(values, valued{text, []string{part}}), true
	}
	if !slices.Contains(values[i].of, part) {
		values[i].of = append(values[i].of, part)
	}
	return values, true
}

// joined lists defaults, the most frequent first. It stands for all that is not named if it is that
// of half of the parts or more.
func joined(values []valued, names func([]string) []string) string {
	slices.SortStableFunc(values, func(a, b valued) int { return cmp.Compare(len(b.of), len(a.of)) })
	all := 0
	for _, v := range values {
		all += len(v.of)
	}
	var list []string
	for i, v := range values {
		if i > 0 || 2*len(v.of) < all {
			v.text += " for " + listed(names(v.of), " and ")
		}
		list = append(list, v.text)
	}
	return strings.Join(list, "; ")
}

// choices lists the choices that use the key.
func (e *entry) choices() (all []choice) {
	for _, b := range catalogue.All() {
		for _, model := range models {
			for _, aggregation := range []string{"", Mean, Attention, Transformer} {
				c := choice{b, model, aggregation}
				who, _ := c.unusedBy(e)
				if who == "" && (aggregation == "" || slices.Contains(aggregating, model)) {
					all = append(all, c)
				}
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
