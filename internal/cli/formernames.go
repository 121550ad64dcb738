package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// A formerName is the name of a flag or command in earlier versions, which is still read.
type formerName struct{ former, now string }

// formerFlags are the former names of flags. A command that has the flag now reads the former name.
var formerFlags = []formerName{
	{"calibrate", "hold-back"},
	{"calibrated", "use-calibration"},
	{"function", "group"},
	{"images", "functions"},
	{"index", "indices"},
	{"levels", "level-spacing"},
	{"num-tau", "num-quantiles"},
}

// acceptFormer makes a command and those below it read the former names of their flags. warnOfFormer
// then names the new ones.
func (a *app) acceptFormer(cmd *cobra.Command) {
	flags, now := cmd.Flags(), map[string]string{}
	for _, f := range formerFlags {
		if flags.Lookup(f.now) != nil {
			now[f.former] = f.now
		}
	}
	if len(now) > 0 {
		flags.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
			if n, is := now[name]; is {
				a.renamed("--"+name, "--"+n)
				name = n
			}
			return pflag.NormalizedName(name)
		})
	}
	for _, c := range cmd.Commands() {
		a.acceptFormer(c)
	}
}

// renamed records that the user gave a former name.
func (a *app) renamed(former, now string) {
	if f := (formerName{former, now}); !slices.Contains(a.former, f) {
		a.former = append(a.former, f)
	}
}

// warnOfFormer writes a line for each former name that the user gave.
func (a *app) warnOfFormer() {
	for _, f := range a.former {
		a.progress().Warn(f.former + " has a new name, " + f.now)
	}
	a.former = nil
}

// A deletedFlag is a flag of an earlier version without a successor that means the same.
type deletedFlag struct{ command, flag, now string }

// deletedFlags say what to do without them. command is the beginning of the names of the commands.
var deletedFlags = []deletedFlag{
	{"acqnp data example", "seed", "there is one example"},
	{"acqnp help", "markdown", "docs/reference has the pages"},
	{"acqnp init", "budget", "init trains nothing; acqnp fit compares models"},
	{"acqnp init", "seed", "init draws nothing"},
	{"acqnp init", "threads", "init computes nothing that takes time"},
	{"acqnp plot", "checkpoint", "a figure shows the best or the last one of a run"},
	{"acqnp plot", "first", "--seed draws other functions"},
	{"acqnp plot", "function", "--seed draws other functions"},
	{"acqnp plot", "level-spacing", "acqnp sample-quantiles --plot has it"},
	{"acqnp plot", "num-quantiles", "the levels are the paper's; acqnp sample-quantiles --plot has it"},
	{"acqnp plot completion", "context", "images are completed from 20, 100 and 300 pixels"},
	{"acqnp plot completion", "pixels", "images are completed from 20, 100 and 300 pixels"},
	{"acqnp plot", "precision", "figures take the device's own"},
	{"acqnp plot", "seed", "the paper's figures are of the configuration's eval.seed"},
	{"acqnp predict", "level-spacing", "acqnp sample-quantiles has it"},
	{"acqnp report", "all", "the paper's results without runs are in the paper"},
	{"acqnp score", "level-spacing", "acqnp eval has it"},
}

// deleted returns what to do without a flag that a command no longer has, "" if it never had it. flag may
// be a former name.
func deleted(command, flag string) string {
	for _, f := range formerFlags {
		if f.former == flag && f.now != "group" { // which stands for another --function
			flag = f.now
		}
	}
	for _, d := range deletedFlags {
		if strings.HasPrefix(command, d.command) && flag == d.flag {
			return d.now
		}
	}
	return ""
}
