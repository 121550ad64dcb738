//go:build simt

package emulator

// Kernels are C++; the emulation is C, so that the checks of a checked build are the kernels' alone.

// #cgo CFLAGS: -std=gnu11 -O2 -g -Wall -Wextra -Wno-psabi
// #cgo CXXFLAGS: -std=c++17 -O2 -g -Wall -Wextra -Wno-unknown-pragmas -Wno-psabi
import "C"
