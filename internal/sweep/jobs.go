package sweep

import (
	"errors"
	"github.com/acqnp/acqnp/internal/datasets/benchmark"
	"github.com/acqnp/acqnp/internal/engine/device"
	"github.com/acqnp/acqnp/internal/engine/device/memory"
	"github.com/acqnp/acqnp/internal/sweep/plan"
	"github.com/acqnp/acqnp/internal/train"
)

// Jobs says how many runs are trained at a time, and on what.
type Jobs struct {
	AtOnce  int      `json:"at_once"`
	Threads int      `json:"threads"`           // of the CPU, of each run
	Devices []string `json:"devices,omitempty"` // the values of --device that the runs take in turn
	Visible []string `json:"visible,omitempty"` // those of CUDA_VISIBLE_DEVICES; none: that of this process
}

// Share divides threads among atOnce runs at a time, or among all runs if there are fewer.
func Share(atOnce, threads, runs int) Jobs {
	atOnce = max(1, min(atOnce, runs))
	return Jobs{AtOnce: atOnce, Threads: max(1, threads/atOnce)}
}

// overhead is the memory of a process besides its run's, in bytes.
const overhead = 64 << 20

// Fitting returns how many of the runs fit into the memory of the host at a time, each as large as the
// largest, from 1 to most.
func Fitting(runs []plan.Run, dataDir string, most int) (int, error) {
	have, known := memory.Available("/")
	if !known {
		return most, nil
	}
	seen := map[string]bool{}
	largest := 0.0
	for _, r := range runs {
		if seen[r.Config] {
			continue // the grid rarely changes the size
		}
		seen[r.Config] = true
		source, err := benchmark.Open(r.Experiment, dataDir)
		if err != nil {
			return 1, err
		}
		bytes, err := train.Bytes(train.Options{Experiment: r.Experiment, Source: source, Device: device.CPU(1)})
		if err = errors.Join(err, source.End()); err != nil {
			return 1, err
		}
		largest = max(largest, bytes)
	}
	return max(1, min(most, int(have/(largest+overhead)))), nil
}
