//go:build simt && !race

package emulator

// The checked build. Go's race detector brings functions of the same names, so under it kernels run unchecked.

// #cgo CFLAGS: -DSIMT_CHECKED
// #cgo CXXFLAGS: -fsanitize=thread,alignment
import "C"
