package engine_test

import (
	"os"
	"runtime/debug"
	"testing"
)

// TestMain lets the heap grow further: the reference engine allocates each intermediate result, and a fifth of
// the tests' time went to collecting a heap of a few megabytes.
func TestMain(m *testing.M) {
	debug.SetGCPercent(800)
	os.Exit(m.Run())
}
