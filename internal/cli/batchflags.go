package cli

import (
	"strconv"

	"github.com/spf13/cobra"

	"github.com/acqnp/acqnp/internal/config"
)

// batchFlags set the number of evaluation batches.
type batchFlags struct {
	batches int                    // 0 for the configuration's
	given   func(flag string) bool // reports whether a flag was given
}

// maxBatches is the largest number of batches, steps or functions in flags.
const maxBatches = 1_000_000_000

func (f *batchFlags) addFlags(cmd *cobra.Command) {
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
