//go:build !linux

package simd

// hasTiles is false: only Linux's way to ask for the tile registers is known here.
const hasTiles = false
