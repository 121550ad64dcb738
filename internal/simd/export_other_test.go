//go:build !amd64

package simd

func useHalves(bool) {}
