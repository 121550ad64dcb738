//go:build simt && !race

package emulator

// The checked build. Go's race detector has functions of the same names, so kernels run unchecked
// under it.

// #cgo CFLAGS: -DSIMT_CHECKED
// #cgo CXXFLAGS: -fsanitize=thread,alignment
import "C"
