package cli

import (
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// A formerName is the name of a flag or command in earlier versions, which is still read.
type formerName struct{ former, now string }

// formerFlags are the former names of flags. A command that has the flag now reads the former name.
var formerFlags = []formerName{
	{"calibrate", "hold-back"},
	{"calibrated", "use-calibration"},
	{"context", "pixels"},
	{"function", "first"},
	{"function", "group"},
	{"index", "indices"},
	{"levels", "level-spacing"},
	{"num-tau", "num-quantiles"},
	{"prior", "pretrained"},
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
