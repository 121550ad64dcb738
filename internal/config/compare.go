package config

import (
	"bytes"
	"fmt"
	"reflect"
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

// Differences lists the keys with different values in the order of the configuration, each as
// "train.steps: 100 and 200".
func Differences(a, b Experiment) []string {
	return differences(a, b, nil)
}

// ResumeDifferences lists, in the form of Differences, what keeps a run that began with began from
// going on with now. Keys of logging and checkpointing may change. So may the number of steps or
// epochs under a constant learning rate.
func ResumeDifferences(began, now Experiment) []string {
	constant := began.Train.Schedule == "constant" && now.Train.Schedule == "constant"
	free := map[string]bool{
		"train.log_every": true, "train.checkpoint_every": true, "train.keep_checkpoints": true,
		"train.steps": constant, "train.epochs": constant,
	}
	return differences(began, now, free)
}

// EvalDifferences lists, as Differences does, what keeps weights that were trained as trained from being used as now: the
// benchmark, the model and the data, but not where the data are. How a model is evaluated may change.
func EvalDifferences(trained, now Experiment) []string {
	now.Train, now.Eval = trained.Train, trained.Eval
	return differences(trained, now, map[string]bool{"data.file": true, "model.eval_bootstraps": true})
}

func differences(a, b Experiment, skip map[string]bool) []string {
	var list []string
	for _, f := range fields {
		x, y := textOf(reflect.ValueOf(a).FieldByIndex(f.index)), textOf(reflect.ValueOf(b).FieldByIndex(f.index))
		if x != y && !skip[f.key] {
			list = append(list, fmt.Sprintf("%s: %s and %s", f.key, x, y))
		}
	}
	return list
}

// text returns a value as YAML has it. An unset value and a zero one read the same.
func text(v any) string { return textOf(reflect.ValueOf(v)) }

func textOf(v reflect.Value) string {
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return "nothing"
		}
		v = v.Elem()
	}
	if (v.Kind() == reflect.Slice || v.Kind() == reflect.String) && v.Len() == 0 {
		return "nothing"
	}
	if v.Kind() != reflect.Slice {
		return fmt.Sprint(v.Interface())
	}
	items := make([]string, v.Len())
	for i := range items {
		items[i] = fmt.Sprint(v.Index(i).Interface())
	}
	return "[" + strings.Join(items, ", ") + "]"
}
