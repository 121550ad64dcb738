//go:build !simt

package seeds_test

import (
	"github.com/acqnp/acqnp/internal/device"
)

const onCPU = true

func open(threads int) (device.Device, error) { return device.CPU(threads), nil }
