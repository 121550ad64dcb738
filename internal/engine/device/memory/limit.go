package memory

import (
	"os"
	"runtime/debug"
)

// share is the part of the available memory that the heap may fill before the collector runs.
const share = 0.9

// LimitGarbage makes the garbage collector run before the heap fills the memory that is available
// now. Without it the heap may grow to twice what is in use. A GOMEMLIMIT in the environment stays
// in force.
func LimitGarbage(root string) {
	if n, known := Available(root); known && os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(int64(share * n))
	}
}

// LowerLimit lowers the limit of [LimitGarbage] to a number of bytes, unless it is lower or GOMEMLIMIT
// is in the environment.
func LowerLimit(bytes int64) {
	if os.Getenv("GOMEMLIMIT") == "" && bytes < debug.SetMemoryLimit(-1) {
		debug.SetMemoryLimit(bytes)
	}
}
