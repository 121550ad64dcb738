package config

import (
	"slices"

	"github.com/acqnp/acqnp/internal/config/catalogue"
)

// A preset is the default of a key. For the paper's benchmarks and models it is the paper's value.
type preset struct {
	// value returns the default, nil if there is none; the field then stays zero. The Settings of a
	// benchmark replace it.
	value func(choice) any
	// words say in the reference what a key without a value means. They also stand for values that
	// depend on several choices.
	words string
}

// always is the same value for all choices.
func always(value any) preset { return from(func(choice) any { return value }) }

// from is a value that follows from the choice.
func from(value func(choice) any) preset { return preset{value: value} }

// none is no value.
func none(words string) preset { return preset{words: words} }

// but is p with another value for kinds of benchmarks.
func (p preset) but(value any, kinds ...catalogue.Kind) preset {
	return preset{words: p.words, value: func(c choice) any {
		if slices.Contains(kinds, c.benchmark.Kind) {
			return value
		}
		return p.value(c)
	}}
}

// or is p with words.
func (p preset) or(words string) preset { return preset{p.value, words} }

// valueFor returns the default of a key that the choice uses, nil if there is none.
func (e *entry) valueFor(c choice) any {
	if set, ok := c.benchmark.Settings[e.name]; ok {
		return set
	}
	if e.preset.value == nil {
		return nil
	}
	return e.preset.value(c)
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

// SigmaFloor returns the paper's lower bound of a model's σ, the default of model.sigma_floor.
func SigmaFloor(model string) float64 {
	if slices.Contains(quantile, model) {
		return 0.01
	}
	return 0.1
}

// defaultAggregation returns the default of model.aggregation: the only one that a benchmark has, or
// the paper's.
func defaultAggregation(b catalogue.Benchmark) string {
	if b.Kind == groups {
		return Groups
	}
	return Mean
}

// defaultLoss returns the default of train.loss: Targets for cnp, cqnp and acqnp with an
// aggregation other than the mean, AllPoints otherwise.
func defaultLoss(model, aggregation string) string {
	if slices.Contains(aggregating, model) && aggregation != "" && aggregation != Mean {
		return Targets
	}
	return AllPoints
}
