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

// chosen returns what the leaves choose. What they do not set is "".
func chosen(written []leaf) choice {
	value := func(key string) string {
		if l, ok := last(written, key); ok {
			return l.value.(string)
		}
		return ""
	}
	b, _ := catalogue.Find(value("benchmark"))
	return choice{b, value("model.name"), value("model.aggregation"), value("model.head")}
}

// checkUse refuses a configuration that lacks a benchmark, a model or, for csv, a file: these have
// no default. It also refuses keys that the benchmark, the model, its head or its aggregation does not use.
func checkUse(file string, written []leaf) error {
	c := chosen(written)
	required := []string{"benchmark", "model.name"}
	if c.benchmark.Kind == csv {
		required = append(required, "data.file")
	}
	for _, key := range required {
		if _, ok := last(written, key); !ok {
			return &invalid.Input{File: file, Key: key, Found: "nothing", Expected: entries[key].accepts.expected}
		}
	}
	if l, _ := last(written, "model.name"); !c.known() {
		return l.refuse(c.model+" on "+c.benchmark.Name, oneOf(modelsOf(c.benchmark)))
	}
	for _, l := range written {
		if who, users := c.unusedBy(entries[l.key]); who != "" {
			return l.refuse("a key that "+who+" does not use", "no such key: only "+oneOf(users)+" can use it")
		}
	}
	return nil
}

// lengthOf returns the key that sets the length of training, train.steps or train.epochs, "" if
// neither is written. A layer that sets one of them replaces whatever the layers below it set. A
// layer that sets both is refused.
func lengthOf(layers ...[]leaf) (key string, err error) {
	for _, layer := range layers {
		here := ""
		for _, l := range layer {
			if !isLength(l.key) {
				continue
			}
			if here != "" && here != l.key {
				return "", l.refuse("this key together with "+here, "only one of the two")
			}
			here, key = l.key, l.key
		}
	}
	return key, nil
}

func isLength(key string) bool { return key == "train.steps" || key == "train.epochs" }

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
