package cli

import (
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// A meaning is what a flag says in the help of every command that has it.
type meaning struct{ value, says string }

// meanings are those of the flags that several commands have. value is the name of the flag's value,
// "" for a switch; says is a part of the help. A different meaning needs a different name.
var meanings = map[string]meaning{
	"batches":         {"NUMBER", "of evaluation batches"},
	"budget":          {"SECONDS", "of two ordinary cores"},
	"checkpoint":      {"STEP", "to use, best or latest"},
	"as-new":          {"", "as new ones"},
	"config":          {"FILE", "configuration FILE"},
	"context":         {"FILE", "of the known points"},
	"data-dir":        {"DIR", "of the data sets"},
	"device":          {"DEVICE", "to compute on"},
	"draws":           {"NUMBER", "of random draws"},
	"format":          {"FORMAT", "by the ending of --out"},
	"grid":            {"A:B:N", "evenly spaced targets"},
	"joint":           {"", "joint"},
	"json":            {"", "one object a line"},
	"level-spacing":   {"WAY", "to space the quantile levels"},
	"num-quantiles":   {"NUMBER", "of quantile levels of each"},
	"out":             {"FILE", "FILE"},
	"overwrite":       {"", "replace"},
	"plot":            {"FILE", "for a plot of"},
	"precision":       {"FORMAT", "of matrix products"},
	"quantiles":       {"LEVELS", "the quantiles of these LEVELS"},
	"quiet":           {"", "no progress"},
	"raw":             {"", "not calibrated"},
	"row-weights":     {"COL", "a row of weight 2 counts as two of weight 1"},
	"run":             {"DIR", "run DIR"},
	"seed":            {"SEED", "of what the command draws"},
	"set":             {"KEY=VALUE", "that overrides the configuration's"},
	"targets":         {"FILE", "of the targets"},
	"threads":         {"NUMBER", "of CPU threads"},
	"use-calibration": {"", "the run's calibration"},
	"weights":         {"FILE", "with the weights under PyTorch's names"},
}

// directories are the commands whose --out is a directory.
var directories = map[string]bool{"acqnp fit": true}

// TestNoFlagHasTwoMeanings holds each command's flags against the table of meanings.
func TestNoFlagHasTwoMeanings(t *testing.T) {
	commands, shorthands := map[string]int{}, map[string]string{}
	for _, c := range commandTree() {
		if c.Parent() != nil && c.Parent().Name() == "completion" {
			continue // cobra's own flags
		}
		c.NonInheritedFlags().VisitAll(func(f *pflag.Flag) {
			if f.Hidden || f.Name == "help" || f.Name == "version" {
				return
			}
			commands[f.Name]++
			if s := f.Shorthand; s != "" && shorthands[s] != "" && shorthands[s] != f.Name {
				t.Errorf("-%s is --%s and --%s", s, shorthands[s], f.Name)
			}
			shorthands[f.Shorthand] = f.Name
			m, shared := meanings[f.Name]
			if f.Name == "out" && directories[c.CommandPath()] {
				m = meaning{"DIR", "DIR"}
			}
			if f.Name == "joint" && c.Name() == "eval" { // of some targets of a group, which may have thousands
				m = meaning{"NUMBER", "joint"}
			}
			value, usage := pflag.UnquoteUsage(f)
			usage = strings.Join(strings.Fields(usage), " ")
			if shared && (value != m.value || !strings.Contains(usage, m.says)) {
				t.Errorf("%s --%s %s: %q, expected the value %q and the words %q", c.CommandPath(), f.Name, value, usage, m.value, m.says)
			}
		})
	}
	for name, n := range commands {
		if _, is := meanings[name]; n > 1 && !is {
			t.Errorf("%d commands have --%s, whose one meaning the table lacks", n, name)
		}
	}
	for name := range meanings {
		if commands[name] == 0 {
			t.Errorf("the table has --%s, which no command has", name)
		}
	}
}

// The help of the commands that newcomers use stays short: details are in docs.
func TestHelpFitsAScreen(t *testing.T) {
	for name, most := range map[string]int{"fit": 40, "serve": 40, "score": 48, "predict": 60} { // predict has 32 flags
		c, _, err := newRoot(&app{variables: map[string]string{}}).Find([]string{name})
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		c.SetOut(&b)
		c.InitDefaultHelpFlag()
		if err := c.Help(); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(b.String(), "\n"); n > most {
			t.Errorf("the help of %s has %d lines, at most %d", name, n, most)
		}
	}
}
