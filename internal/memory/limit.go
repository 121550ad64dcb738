package memory

import (
	"os"
	"runtime/debug"
)

// share of the available memory that garbage may fill before it is collected.
const share = 0.9

// LimitGarbage makes the collector run before garbage fills the memory that is available now. By itself it lets the heap grow to
// twice what is in use. It keeps a limit that the user has set with GOMEMLIMIT.
func LimitGarbage(root string) {
	if n, known := Available(root); known && os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(int64(share * n))
	}
}
