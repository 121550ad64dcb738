//go:build !linux

package simd

// Only Linux's way to the tiles' registers is known here.
const hasTiles = false
