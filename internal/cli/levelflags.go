package cli

import (
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/invalid/warning"
	"github.com/acqnp/acqnp/internal/predict"
)

// levelFlags set the quantile levels and the seed.
type levelFlags struct {
	numTau int
	levels string // "" for the model's evenly spaced ones
	seed   uint64
	given  func(flag string) bool // reports whether a flag was given
}

// evenLevels is a default of --level-spacing: the evenly spaced levels of the model.
const evenLevels = ""

// addFlags adds the flags of all commands. of says whose levels --num-quantiles counts.
func (f *levelFlags) addFlags(cmd *cobra.Command, of string) {
	f.given = cmd.Flags().Changed
	cmd.Flags().IntVar(&f.numTau, "num-quantiles", 0, "`NUMBER` of quantile levels of each "+of+" (default the configuration's eval.num_tau)")
	cmd.Flags().Uint64Var(&f.seed, "seed", 0, seedHelp)
}

const seedHelp = "`SEED` of what the command draws (default the configuration's eval.seed)"

// addSpacing adds --level-spacing with its default.
func (f *levelFlags) addSpacing(cmd *cobra.Command, levels string) {
	way := "`WAY` to space the quantile levels: random, grid from 0.001 to 0.999, or\nmidpoints of equal parts of (0, 1)"
	if levels == evenLevels {
		way += " (default midpoints for model.scale_form natural,\ngrid otherwise)"
	}
	cmd.Flags().StringVar(&f.levels, "level-spacing", levels, way)
	must(cmd.RegisterFlagCompletionFunc("level-spacing", cobra.FixedCompletions(
		levelWays, cobra.ShellCompDirectiveNoFileComp)))
}

var levelWays = []string{predict.RandomLevels, predict.GridLevels, predict.MidpointLevels}

// check returns an *invalid.Input if --level-spacing names no way to choose levels.
func (f *levelFlags) check() error {
	if f.given("level-spacing") && !slices.Contains(levelWays, f.levels) {
		return &invalid.Input{File: "--level-spacing", Found: strconv.Quote(f.levels), Expected: "random, grid or midpoints"}
	}
	return nil
}

// choose returns the model with the levels of --level-spacing.
func (f *levelFlags) choose(t predict.Trained) predict.Trained {
	if f.levels == evenLevels {
		return t.Evenly()
	}
	t.Levels = f.levels
	return t
}

// overrides returns the flags as overrides of the configuration e. A model without levels has no use for
// --num-quantiles, and a warning says so.
func (f *levelFlags) overrides(e config.Experiment, w *warning.Record) []config.Flag {
	var flags []config.Flag
	if f.given("num-quantiles") {
		flags = quantileFlag(f.numTau, e, w)
	}
	if f.given("seed") {
		flags = append(flags, seedFlag(f.seed))
	}
	return flags
}

// quantileFlag returns --num-quantiles as an override of e. If its model has no levels, there is none, and a warning.
func quantileFlag(number int, e config.Experiment, w *warning.Record) []config.Flag {
	if e.Eval.NumTau > 0 {
		return []config.Flag{{Name: "--num-quantiles", Key: "eval.num_tau", Value: strconv.Itoa(number)}}
	}
	w.Add("--num-quantiles has no effect on %s, which has no quantile levels", e.Model.Name)
	return nil
}

func seedFlag(seed uint64) config.Flag {
	return config.Flag{Name: "--seed", Key: "eval.seed", Value: strconv.FormatUint(seed, 10)}
}

// batchFlags set the number of evaluation batches.
type batchFlags struct {
	batches int                    // 0 for the configuration's
	given   func(flag string) bool // reports whether a flag was given
}

// maxBatches is the largest number of batches, steps or groups in flags.
const maxBatches = 1_000_000_000

func (f *batchFlags) addFlags(cmd *cobra.Command) {
	f.given = cmd.Flags().Changed
	cmd.Flags().IntVar(&f.batches, "batches", 0, "`NUMBER` of evaluation batches (default the configuration's)")
}

func (f *batchFlags) checkBatches() error {
	if !f.given("batches") {
		return nil
	}
	return checkRange("--batches", f.batches, 1, maxBatches)
}

// overrides returns the flag as an override of the configuration.
func (f *batchFlags) overrides() []config.Flag {
	if f.batches == 0 {
		return nil
	}
	return []config.Flag{{Name: "--batches", Key: "eval.batches", Value: strconv.Itoa(f.batches)}}
}
