// Package fits tests what acqnp fit says, writes and refuses.
package fits

import (
	"testing"

	"github.com/acqnp/acqnp/internal/cli/clitest"
)

func TestMain(m *testing.M) { clitest.Main(m) }

func TestScripts(t *testing.T) { clitest.Run(t, "../../..") }
