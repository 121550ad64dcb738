package config

import (
	"slices"

	"github.com/acqnp/acqnp/internal/config/catalogue"
	"github.com/acqnp/acqnp/internal/invalid"
)

// The models that a configuration may name, in the order of messages.
var (
	quantile    = []string{catalogue.CQNP, catalogue.ACQNP}
	gaussian    = []string{catalogue.CNP, catalogue.CANP}
	aggregating = slices.Concat([]string{catalogue.CNP}, quantile) // they have model.aggregation
	encoding    = slices.Concat(gaussian, quantile)                // their widths are [in]×[hidden…]×[out]
	models      = catalogue.Models
)

// Models returns the names of the models, in the order of the paper's tables.
func Models() []string { return slices.Clone(models) }

// HasLevels reports whether the model predicts with quantile levels.
func (m Model) HasLevels() bool {
	return slices.Contains(quantile, m.Name) || m.HeadName() == QuantileMixtureHead
}

// modelsOf returns the names of the models that a benchmark is for.
func modelsOf(b catalogue.Benchmark) []string {
	return slices.DeleteFunc(Models(), func(m string) bool { return !choice{benchmark: b, model: m}.known() })
}

// kindsOf lists kinds of benchmarks.
func kindsOf(list ...catalogue.Kind) []catalogue.Kind { return list }

// A choice is what decides which keys a configuration may have, and their defaults.
type choice struct {
	benchmark                catalogue.Benchmark
	model, aggregation, head string
}

// aggregates returns the aggregation of the chosen model, with the default if none is set. CANP is
// CNP with attention.
func (c choice) aggregates() string {
	switch {
	case c.model == catalogue.CANP:
		return Attention
	case !slices.Contains(aggregating, c.model):
		return Mean
	case c.aggregation == "" && c.benchmark.Kind == groups:
		return Groups
	case c.aggregation == "":
		return Mean
	}
	return c.aggregation
}

// known reports whether a benchmark is one for the chosen model. Data sets of groups are only for
// models with an aggregation.
func (c choice) known() bool {
	_, ok := c.benchmark.Rates[c.model]
	return ok
}

// unusedBy returns the benchmark, the model, the head or the aggregation that does not use a key, and
// the names of those that do. It returns "" and nil if all use the key.
func (c choice) unusedBy(e *entry) (who string, users []string) {
	if e.models != nil && !slices.Contains(e.models, c.model) {
		return c.model, e.modelNames()
	}
	if head := (Model{Head: c.head}).HeadName(); e.heads != nil && c.model == catalogue.CNP && !slices.Contains(e.heads, head) {
		return "head " + head, e.modelNames()
	}
	if e.aggregations != nil && !slices.Contains(e.aggregations, c.aggregates()) {
		return "aggregation " + c.aggregates(), usersOf(e.aggregations)
	}
	if !e.usedBy(c.benchmark) {
		return c.benchmark.Name, catalogue.Names(e.usedBy)
	}
	return "", nil
}

// usedBy reports whether a benchmark uses the key.
func (e *entry) usedBy(b catalogue.Benchmark) bool {
	_, set := b.Settings[e.name]
	return e.kinds == nil || set || slices.Contains(e.kinds, b.Kind)
}

// modelNames lists the models that use the key, with the heads of cnp that do in its place.
func (e *entry) modelNames() (names []string) {
	for _, m := range e.models {
		if m != catalogue.CNP || e.heads == nil {
			names = append(names, m)
		}
	}
	for _, h := range e.heads {
		names = append(names, "head "+h)
	}
	return names
}

// usersOf lists aggregations for a message. If attention is among them, canp is too: it always has
// attention.
func usersOf(aggregations []string) (names []string) {
	if slices.Contains(aggregations, Attention) {
		names = []string{catalogue.CANP}
	}
	for _, a := range aggregations {
		names = append(names, "aggregation "+a)
	}
	return names
}

// oneOf lists names as "a, b or c".
func oneOf(names []string) string { return invalid.Listed(names, " or ") }
