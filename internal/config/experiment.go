// Package config reads and checks the configuration of a run.
//
// A configuration is one YAML file, complete in itself, with the sections model, data, train and
// eval. Load merges it with --set, other flags and ACQNP_ environment variables, fills in the
// paper's values for the benchmark and the model, and returns an Experiment. Every value has passed
// all checks that need no data: its own rule, the limits of memory and random streams (limits.go),
// what keys must hold together (relations.go), and whether the benchmark and the model use the key
// at all. An error is an *invalid.Input with the file and line, the flag or the variable, and the
// key.
//
// A key is the dotted path of a value in the file, such as train.steps. Flags win over the
// environment, the environment over the file, and the file over the paper's values.
//
// The table of keys has one entry for each: its name, rule, default, users and a line of help. It
// stands beside the fields that the keys fill, by section, in keys_model.go, keys_data.go,
// keys_train.go and keys_eval.go. Everything else here reads the table.
//
// No other package checks what a configuration says. Package datasets checks only what depends on
// the data, such as a context that is larger than a group in a file.
package config

import "github.com/acqnp/acqnp/internal/config/catalogue"

// Experiment is everything that defines a run: the benchmark, the model, its training and its
// evaluation. Load sets every field that the benchmark and the model use; all others are zero or
// nil. If zero or nil is a meaningful value of a field, the comment of the field says so.
type Experiment struct {
	Benchmark string `yaml:"benchmark"`
	Model     Model  `yaml:"model"`
	Data      Data   `yaml:"data"`
	Train     Train  `yaml:"train"`
	Eval      Eval   `yaml:"eval"`
}

// benchmark returns the catalogue's entry.
func (e Experiment) benchmark() catalogue.Benchmark {
	b, _ := catalogue.Find(e.Benchmark)
	return b
}

var rootKeys = []entry{{
	name: "benchmark", accepts: name(catalogue.Names(nil)), preset: none("csv if data.file is set; otherwise none, must be set"),
	help: "The data to train on: a benchmark of the paper, a prior over data sets (groups), or csv for your own files.",
}}
