package cli_test

import (
	"testing"

	"github.com/acqnp/acqnp/internal/cli/clitest"
)

// TestScripts runs the scripts of testdata. $TINY has a configuration, a run of it, its weights, a context and
// figures/data with a few images and lanes; scripts read them and never change them. $MIRROR and $UNASKED are
// servers of data sets. Scripts that fit tables are in internal/test/fits and internal/test/predictions.
func TestScripts(t *testing.T) {
	figureData(t)
	clitest.Run(t, "../..", "TINY="+sharedDir, "MIRROR="+mirror(t), "UNASKED="+unasked(t))
}
