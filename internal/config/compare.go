package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// YAML returns the experiment as a configuration file. Load and Parse read the same experiment from
// it.
func (e Experiment) YAML() ([]byte, error) {
	var b bytes.Buffer
	encoder := yaml.NewEncoder(&b)
	encoder.SetIndent(2)
	if err := encoder.Encode(e); err != nil {
		return nil, err
	}
	err := encoder.Close()
	return b.Bytes(), err
}

// JSON returns the keys of the section and their values, as one object.
func (m Model) JSON() ([]byte, error) {
	text, err := yaml.Marshal(m)
	if err != nil {
		return nil, err
	}
	var keys map[string]any
	if err := yaml.Unmarshal(text, &keys); err != nil {
		return nil, err
	}
	return json.Marshal(keys)
}

// Differences lists the keys whose values differ, in the order of the configuration, each as
// "train.steps: 100 and 200".
func Differences(a, b Experiment) []string {
	return differences(a, b, nil)
}

// ResumeDifferences lists the differences that forbid a run to resume, in the form of Differences.
// began is the configuration that the run began with, now the one to resume with. Keys of logging
// and checkpointing may differ. With a constant learning rate, the number of steps or epochs may
// differ too.
func ResumeDifferences(began, now Experiment) []string {
	constant := began.Train.Schedule == Constant && now.Train.Schedule == Constant
	free := map[string]bool{
		"train.log_every": true, "train.checkpoint_every": true, "train.keep_checkpoints": true,
		"train.steps": constant, "train.epochs": constant,
	}
	return differences(began, now, free)
}

// EvalDifferences lists the differences that forbid an evaluation of trained weights, in the form
// of Differences. trained is the configuration of the training, now that of the evaluation. The
// benchmark, the model and the data must be the same. The place of the data and the way of
// evaluating may differ.
func EvalDifferences(trained, now Experiment) []string {
	now.Train, now.Eval = trained.Train, trained.Eval
	return differences(trained, now, map[string]bool{"data.file": true, "data.tasks": true, "data.eval_tasks": true, "model.eval_bootstraps": true})
}

// TellingKeys returns keys whose values tell experiments of the same benchmark and label apart, in the order
// of the configuration. It leaves out ignored keys, and those that tell nothing more than the keys before.
func TellingKeys(all []Experiment, ignored func(key string) bool) (keys []string) {
	told := make([]string, len(all)) // of each experiment, by the keys so far
	for i, e := range all {
		told[i] = e.Benchmark + " " + e.Label()
	}
	for _, key := range table {
		values := make([]string, len(all))
		first, tells := map[string]string{}, false
		for i, e := range all {
			values[i] = e.text(key)
			if v, ok := first[told[i]]; ok {
				tells = tells || v != values[i]
			} else {
				first[told[i]] = values[i]
			}
		}
		if tells && !ignored(key.name) {
			keys = append(keys, key.name)
			for i, v := range values {
				told[i] += "\n" + v
			}
		}
	}
	return keys
}

// Value returns the value of a key in the form of Differences, "" for an unknown key.
func (e Experiment) Value(key string) string {
	if of, ok := entries[key]; ok {
		return e.text(of)
	}
	return ""
}

// ShortKeys returns the last part of each key, or the whole key if two have the same last part:
// learning_rate for train.learning_rate.
func ShortKeys(keys []string) map[string]string {
	last := func(key string) string { return key[strings.LastIndex(key, ".")+1:] }
	count := map[string]int{}
	for _, key := range keys {
		count[last(key)]++
	}
	short := map[string]string{}
	for _, key := range keys {
		if short[key] = last(key); count[last(key)] > 1 {
			short[key] = key
		}
	}
	return short
}

// differences returns the differences of all keys but those in skip.
func differences(a, b Experiment, skip map[string]bool) []string {
	var list []string
	for _, key := range table {
		x, y := a.text(key), b.text(key)
		if x != y && !skip[key.name] {
			list = append(list, fmt.Sprintf("%s: %s and %s", key.name, x, y))
		}
	}
	return list
}

// text returns the value of a key.
func (e Experiment) text(key *entry) string {
	return text(reflect.ValueOf(e).FieldByIndex(key.index).Interface())
}

// text formats a value as in YAML. An unset value and an empty one are both "nothing".
func text(value any) string {
	v := reflect.Indirect(reflect.ValueOf(value)) // invalid for a nil pointer
	switch {
	case !v.IsValid() || (v.Kind() == reflect.Slice || v.Kind() == reflect.String) && v.Len() == 0:
		return "nothing"
	case v.Kind() != reflect.Slice:
		return word(v)
	}
	items := make([]string, v.Len())
	for i := range items {
		items[i] = word(v.Index(i))
	}
	return "[" + strings.Join(items, ", ") + "]"
}

// word formats a value that is no list. It quotes a text that reads as several items or as no value.
func word(v reflect.Value) string {
	s := fmt.Sprint(v.Interface())
	if v.Kind() == reflect.String && (s == "nothing" || strings.ContainsAny(s, `,"`)) {
		return strconv.Quote(s)
	}
	return s
}
