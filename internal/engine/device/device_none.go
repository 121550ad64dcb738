//go:build !gpu && !simt

package device

import "errors"

// This program has no CUDA engine.
const (
	hasCUDA  = false
	emulated = false
)

func openCUDA(int, string) (Device, error) {
	return nil, errors.New("this program has no CUDA engine")
}

func compiled() []string { return nil }

func runs(Device) string { return "" }
