package engine_test

import (
	"os"
	"runtime/debug"
	"testing"
)

// TestMain lets the heap grow further. The reference engine allocates each intermediate result, and
// collecting a heap of a few megabytes took a fifth of the tests' time.
func TestMain(m *testing.M) {
	debug.SetGCPercent(800)
	os.Exit(m.Run())
}
