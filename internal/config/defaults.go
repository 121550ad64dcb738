package config

import (
	"slices"
	"strings"

	"github.com/acqnp/acqnp/internal/config/catalogue"
	"github.com/acqnp/acqnp/internal/invalid"
)

// A preset is the default of a key. For the paper's benchmarks and models it is the paper's value.
type preset struct {
	value  any              // nil if there is none; the field then stays zero
	others []exception      // values for kinds of benchmarks
	follow func(choice) any // the value, in place of both
	words  string           // for the reference: what no value means, and all that follow may return
}

// An exception is another default for kinds of benchmarks.
type exception struct {
	value any
	kinds []catalogue.Kind
}

// always is the same value for all choices.
func always(value any) preset { return preset{value: value} }

// follow is a value that follows from the choice. Without words it follows from the benchmark alone.
func follow(words string, follow func(choice) any) preset {
	return preset{follow: follow, words: words}
}

// none is no value.
func none(words string) preset { return preset{words: words} }

// except is p with another value for kinds of benchmarks.
func (p preset) except(value any, kinds ...catalogue.Kind) preset {
	p.others = append(p.others, exception{value, kinds})
	return p
}

// worded is p with words.
func (p preset) worded(words string) preset {
	p.words = words
	return p
}

// valueFor returns the default of a key that the choice uses, nil if there is none. Settings of a
// benchmark come first.
func (e *entry) valueFor(c choice) any {
	if set, ok := c.benchmark.Settings[e.name]; ok {
		return set
	}
	if e.preset.follow != nil {
		return e.preset.follow(c)
	}
	for _, o := range e.preset.others {
		if slices.Contains(o.kinds, c.benchmark.Kind) {
			return o.value
		}
	}
	return e.preset.value
}

// defaults returns the defaults of all keys that a choice uses, by key.
func defaults(c choice) map[string]any {
	d := map[string]any{}
	for _, e := range table {
		if who, _ := c.unusedBy(e); who != "" {
			continue
		}
		if value := e.valueFor(c); value != nil {
			d[e.name] = value
		}
	}
	return d
}

// defaultText describes the default: "128; 64 for speed-flow".
func (e *entry) defaultText() string {
	p := e.preset
	if p.follow != nil && p.words != "" {
		return p.words
	}
	names := map[string][]string{} // of the benchmarks with another default, by its text
	base := e.textOr(p.value)
	order := []string{base}
	for _, b := range catalogue.All() {
		if value := e.textOr(e.valueFor(choice{benchmark: b})); e.usedBy(b) && value != base {
			if names[value] == nil {
				order = append(order, value)
			}
			names[value] = append(names[value], b.Name)
		}
	}
	if base == "" { // only Settings have values
		if order = order[1:]; len(order) == 1 {
			return order[0]
		}
	}
	for i, value := range order {
		if names[value] != nil {
			order[i] += " for " + invalid.Listed(benchmarkNames(names[value]), " and ")
		}
	}
	return strings.Join(order, "; ")
}

// textOr returns a default as text, or the words for none.
func (e *entry) textOr(value any) string {
	if value == nil {
		return e.preset.words
	}
	return text(value)
}

// SigmaFloor returns the paper's lower bound of a model's σ, the default of model.sigma_floor.
func SigmaFloor(model string) float64 {
	if slices.Contains(quantile, model) {
		return 0.01
	}
	return 0.1
}

// defaultLoss returns the default of train.loss: Targets for cnp, cqnp and acqnp with an
// aggregation other than the mean, AllPoints otherwise.
func defaultLoss(model, aggregation string) string {
	if slices.Contains(aggregating, model) && aggregation != "" && aggregation != Mean {
		return Targets
	}
	return AllPoints
}
