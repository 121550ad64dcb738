//go:build simt && !race

package emulator

// These flags make the checked build. Go's race detector defines functions with the same names, so
// kernels run unchecked under it.

// #cgo CFLAGS: -DSIMT_CHECKED
// #cgo CXXFLAGS: -fsanitize=thread,alignment
import "C"
