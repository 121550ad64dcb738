package sweep

import (
	"context"
	"time"

	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/device"
	"github.com/acqnp/acqnp/internal/device/memory"
	"github.com/acqnp/acqnp/internal/sweep/plan"
	"github.com/acqnp/acqnp/internal/train"
	"github.com/acqnp/acqnp/internal/train/bench"
)

// Jobs says how many runs are trained at a time, and on what.
type Jobs struct {
	AtOnce  int      `json:"at_once"`
	Threads int      `json:"threads"`           // of the CPU, of each run
	Devices []string `json:"devices,omitempty"` // the values of --device that the runs take in turn
}

// Share divides threads among atOnce runs at a time, or among all runs if there are fewer.
func Share(atOnce, threads, runs int) Jobs {
	atOnce = max(1, min(atOnce, runs))
	return Jobs{AtOnce: atOnce, Threads: max(1, threads/atOnce)}
}

// tie is the factor by which fewer runs at a time must be faster to be preferred.
const tie = 1.03

// Each way to share the threads is timed rounds times, for about aim each. Its best rate counts.
const (
	rounds = 3
	aim    = 200 * time.Millisecond
)

// Measure returns the number of runs at a time that trains the most rows per second on a CPU with
// threads. It times the run with the most work left: one at a time on all threads, one on each thread,
// and powers of two between. It takes no more runs at a time than fit into the memory. open opens the
// device.
func Measure(ctx context.Context, runs []plan.Run, dataDir string, threads int, open device.Opener) (Jobs, error) {
	largest, err := mostWork(runs, dataDir)
	if err != nil {
		return Jobs{}, err
	}
	most, err := fitting(largest, dataDir, min(threads, len(runs)))
	if err != nil || most == 1 {
		return Share(most, threads, len(runs)), err
	}
	ways := waysOf(most)
	rates := make([]float64, len(ways))
	for range rounds { // in turn, so that other work on the machine slows all of them
		for i, n := range ways {
			rate, err := rateOf(ctx, largest, dataDir, n, threads, open)
			if err != nil {
				return Jobs{}, err
			}
			rates[i] = max(rates[i], rate)
		}
	}
	best := 0
	for i, rate := range rates {
		if rate > rates[best]*tie {
			best = i
		}
	}
	return Share(ways[best], threads, len(runs)), nil
}

// waysOf returns the numbers of runs at a time that are timed: most, its half and so on to 1.
func waysOf(most int) (ways []int) {
	for n := most; n >= 1; n /= 2 {
		ways = append(ways, n)
	}
	return ways
}

// mostWork returns the run whose configuration has the most floating-point operations in all.
func mostWork(runs []plan.Run, dataDir string) (plan.Run, error) {
	seen := map[string]bool{}
	best, most := runs[0], -1.0
	for _, r := range runs {
		if seen[r.Config] {
			continue // the grid rarely changes the size
		}
		seen[r.Config] = true
		source, err := datasets.Open(r.Experiment, dataDir)
		if err != nil {
			return best, err
		}
		step, _, err := train.Cost(train.Options{Experiment: r.Experiment, Source: source})
		if err != nil {
			return best, err
		}
		steps, err := train.Steps(r.Experiment.Train, source)
		if err != nil {
			return best, err
		}
		if work := step * float64(steps); work > most {
			best, most = r, work
		}
	}
	return best, nil
}

// fitting returns how many copies of a run fit into the memory together: from 1 to most.
func fitting(r plan.Run, dataDir string, most int) (int, error) {
	source, err := datasets.Open(r.Experiment, dataDir)
	if err != nil {
		return 1, err
	}
	one, err := train.Bytes(train.Options{Experiment: r.Experiment, Source: source, Device: device.CPU(1)})
	have, known := memory.Available("/")
	if err != nil || !known {
		return most, err
	}
	return max(1, min(most, int(have/(one+overhead)))), nil
}

// overhead is the memory of a process besides its run's, in bytes.
const overhead = 64 << 20

// rateOf returns the rows per second of n runs at once.
func rateOf(ctx context.Context, r plan.Run, dataDir string, n, threads int, open device.Opener) (float64, error) {
	d, err := open(max(1, threads/n))
	if err != nil {
		return 0, err
	}
	defer d.Close()
	o := bench.Options{Experiment: r.Experiment, DataDir: dataDir, Device: d, Threads: threads, Runs: n, Open: open, Steps: 1}
	start := time.Now()
	rate, err := bench.Rate(ctx, o)
	each := time.Since(start) / 4 // three steps warm up
	if err != nil || each > aim {
		return rate, err
	}
	o.Steps = int(aim/max(each, time.Microsecond)) + 1
	return bench.Rate(ctx, o)
}
