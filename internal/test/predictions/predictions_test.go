// Package predictions has the scripts of what predict and score say of fits.
package predictions

import (
	"testing"

	"github.com/acqnp/acqnp/internal/cli/clitest"
)

func TestMain(m *testing.M) { clitest.Main(m) }

func TestScripts(t *testing.T) { clitest.Run(t, "../../..") }
