package seeds

import (
	"fmt"

	"github.com/acqnp/acqnp/internal/device"
	"github.com/acqnp/acqnp/internal/device/memory"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/train"
)

// CheckMemory returns an *invalid.Input if the runs that are trained at a time take more of the host's
// memory than is available. train.Run checks one run alone.
func (o Options) CheckMemory() error {
	if !o.OnCPU {
		return nil // the host holds little
	}
	atOnce, each := Share(len(o.Runs), o.Threads, true)
	run := o.Runs[0]
	run.Device = device.CPU(each)
	one, err := train.Bytes(run)
	if err != nil {
		return err
	}
	if have, known := memory.Available("/"); known && one <= have && one*float64(atOnce) > have {
		return &invalid.Input{File: "--seeds", Found: fmt.Sprintf("%d runs at a time, which take %s of memory", atOnce, memory.Size(one*float64(atOnce))),
			Expected: fmt.Sprintf("at most the %s available: fewer --threads train fewer runs at a time", memory.Size(have))}
	}
	return nil
}
