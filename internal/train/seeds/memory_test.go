package seeds_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/device"
	"github.com/acqnp/acqnp/internal/device/memory"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/train"
	"github.com/acqnp/acqnp/internal/train/seeds"
)

// Runs of which each fits into the memory, but not all, are refused; as few at a time as fit are not.
func TestRunsThatDoNotFitTogether(t *testing.T) {
	have, known := memory.Available("/")
	if !known {
		t.Skip("the available memory is not known here")
	}
	o := options(t, t.TempDir(), 0)
	o.Device = device.CPU(1)
	one := 0.0
	for one < have/16 { // and less than have/8 then
		o.Experiment.Train.BatchSize *= 2
		var err error
		if o.Source, err = datasets.Open(o.Experiment, ""); err != nil {
			t.Fatal(err)
		}
		if one, err = train.Bytes(o); err != nil {
			t.Fatal(err)
		}
	}
	work := seeds.Options{Runs: slices.Repeat([]train.Options{o}, 32), OnCPU: true, Threads: 32}
	var bad *invalid.Input
	if err := work.CheckMemory(); !errors.As(err, &bad) || bad.File != "--seeds" {
		t.Errorf("32 runs at a time: %v", err)
	}
	work.Threads = 2
	if err := work.CheckMemory(); err != nil {
		t.Errorf("2 runs at a time: %v", err)
	}
}
