package cli

import (
	"strconv"

	"github.com/spf13/cobra"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/input"
	"github.com/acqnp/acqnp/internal/predict"
)

// levelFlags set the quantile levels and the seed.
type levelFlags struct {
	numTau int
	levels string
	seed   uint64
	given  func(flag string) bool // reports whether a flag was given
}

// addFlags adds the flags with their defaults. usage says what --num-tau counts.
func (f *levelFlags) addFlags(cmd *cobra.Command, numTau int, levels, usage string) {
	cmd.Flags().IntVar(&f.numTau, "num-tau", numTau, "`NUMBER` of "+usage)
	cmd.Flags().StringVar(&f.levels, "levels", levels, "`WAY` to choose the quantile levels: random, or grid from 0.001 to 0.999")
	cmd.Flags().Uint64Var(&f.seed, "seed", 0, "`SEED` of batches, levels and draws (default the configuration's eval.seed)")
	must(cmd.RegisterFlagCompletionFunc("levels", cobra.FixedCompletions(
		[]string{predict.RandomLevels, predict.GridLevels}, cobra.ShellCompDirectiveNoFileComp)))
}

// check returns an *input.Error if --levels is neither random nor grid.
func (f *levelFlags) check() error {
	if f.levels != predict.RandomLevels && f.levels != predict.GridLevels {
		return &input.Error{File: "--levels", Found: strconv.Quote(f.levels), Expected: "random or grid"}
	}
	return nil
}

// overrides returns the flags as overrides of the configuration e. --num-tau has no effect on
// models without levels.
func (f *levelFlags) overrides(e config.Experiment) []config.Flag {
	var flags []config.Flag
	if e.Eval.NumTau > 0 && (f.given("num-tau") || f.numTau > 0) {
		flags = append(flags, config.Flag{Name: "--num-tau", Key: "eval.num_tau", Value: strconv.Itoa(f.numTau)})
	}
	if f.given("seed") {
		flags = append(flags, seedFlag(f.seed))
	}
	return flags
}

func seedFlag(seed uint64) config.Flag {
	return config.Flag{Name: "--seed", Key: "eval.seed", Value: strconv.FormatUint(seed, 10)}
}
