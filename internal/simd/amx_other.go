//go:build !linux || !amd64

package simd

// hasTiles is false: this package knows how to ask for the tile registers only on Linux.
const hasTiles = false
