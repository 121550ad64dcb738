//go:build linux && (amd64 || arm64)

package sweep_test

import (
	"os"
	"testing"

	"github.com/acqnp/acqnp/internal/run"
)

// Kills do no harm without locks either: heartbeats alone tell the dead from the living.
func TestKilledSweepWithoutLocks(t *testing.T) {
	if testing.Short() {
		t.Skip("takes many heartbeats")
	}
	t.Setenv(withoutLocks, "1")
	t.Setenv(run.HeartbeatVariable, "100ms")
	if os.Getenv(killsVariable) == "" {
		t.Setenv(killsVariable, "2")
	}
	TestKilledSweepEndsWithTheSameBytes(t)
}
