package golden_test

import (
	"os"
	"runtime/debug"
	"testing"
)

// TestMain lets the heap grow further: the reference engine allocates each intermediate result.
func TestMain(m *testing.M) {
	debug.SetGCPercent(800)
	os.Exit(m.Run())
}
