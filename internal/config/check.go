package config

import (
	"fmt"
	"slices"

	"github.com/acqnp/acqnp/internal/config/catalogue"
	"github.com/acqnp/acqnp/internal/invalid"
)

// last returns the last leaf written for a key, which decides its value.
func last(written []leaf, key string) (leaf, bool) {
	for _, l := range slices.Backward(written) {
		if l.key == key {
			return l, true
		}
	}
	return leaf{}, false
}

// chosen returns the benchmark, the model and the aggregation that the leaves set. One that they do
// not set is "".
func chosen(written []leaf) choice {
	value := func(key string) string {
		if l, ok := last(written, key); ok {
			return l.value.(string)
		}
		return ""
	}
	b, _ := catalogue.Find(value("benchmark"))
	return choice{b, value("model.name"), value("model.aggregation")}
}

// checkUse refuses a configuration that lacks a benchmark, a model or, for csv, a file: these have
// no default. It also refuses keys that the benchmark, the model or its aggregation does not use.
func checkUse(file string, written []leaf) error {
	c := chosen(written)
	for _, must := range []struct{ key, value string }{{"benchmark", c.benchmark.Name}, {"model.name", c.model}} {
		if must.value == "" {
			return &invalid.Input{File: file, Key: must.key, Found: "nothing", Expected: entries[must.key].accepts.expected}
		}
	}
	if l, _ := last(written, "model.name"); !c.known() {
		return l.refuse(c.model+" on "+c.benchmark.Name, oneOf(modelsOf(c.benchmark)))
	}
	for _, l := range written {
		if err := c.check(l); err != nil {
			return err
		}
	}
	if _, ok := last(written, "data.file"); c.benchmark.Kind == catalogue.CSV && !ok {
		return &invalid.Input{File: file, Key: "data.file", Found: "nothing", Expected: entries["data.file"].accepts.expected}
	}
	return nil
}

// check refuses a key that the choice does not use.
func (c choice) check(l leaf) error {
	if who, users := c.unusedBy(entries[l.key]); who != "" {
		return l.refuse("a key that "+who+" does not use", "no such key: only "+oneOf(users)+" can use it")
	}
	return nil
}

// oneLength keeps either train.steps or train.epochs. A layer that sets one of them replaces
// whatever the layers below it set. A layer that sets both is refused.
func oneLength(layers [][]leaf) ([][]leaf, error) {
	isLength := func(l leaf) bool { return l.key == "train.steps" || l.key == "train.epochs" }
	unit := ""
	for _, layer := range layers {
		here := ""
		for _, l := range layer {
			if !isLength(l) {
				continue
			}
			if here != "" && here != l.key {
				return nil, l.refuse("this key together with "+here, "only one of the two")
			}
			here = l.key
		}
		if here != "" {
			unit = here
		}
	}
	kept := make([][]leaf, len(layers))
	for i, layer := range layers {
		kept[i] = slices.DeleteFunc(slices.Clone(layer), func(l leaf) bool { return isLength(l) && l.key != unit })
	}
	return kept, nil
}

// checkTogether refuses an experiment in which a relation does not hold. The error names the place
// of the relation's key that was written last.
func checkTogether(e Experiment, written []leaf) error {
	for _, r := range relations(e) {
		if r.holds {
			continue
		}
		for _, l := range slices.Backward(written) {
			if slices.Contains(r.keys, l.key) {
				return l.refuse(r.found, r.expected)
			}
		}
		return fmt.Errorf("the defaults of %s and %s: found %s, expected %s", e.Benchmark, e.Model.Name, r.found, r.expected)
	}
	return nil
}
