//go:build simt

package emulator

// Kernels are C++. The emulator is C, so that a checked build checks only the kernels.

// #cgo CFLAGS: -std=gnu11 -O2 -g -Wall -Wextra -Wno-psabi
// #cgo CXXFLAGS: -std=c++17 -O2 -g -Wall -Wextra -Wno-unknown-pragmas -Wno-psabi
import "C"
