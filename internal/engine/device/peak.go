package device

import (
	"sync"
	"time"

	"github.com/acqnp/acqnp/internal/simd"
)

// FMAPeak measures the CPU's peak with the given number of threads: floating-point operations per
// second, of fused multiply-adds in registers. It returns the best of a few short measurements,
// because other programs may be using the machine.
func FMAPeak(threads int) float64 {
	const times, each, rounds = 4, 50 * time.Millisecond, 20_000 // rounds take less than a millisecond
	best := 0.0
	for range times {
		rates := make([]float64, threads)
		var all sync.WaitGroup
		for i := range rates {
			all.Go(func() {
				done, start := 0.0, time.Now()
				for time.Since(start) < each {
					done += simd.FMAPeak(rounds)
				}
				rates[i] = done / time.Since(start).Seconds()
			})
		}
		all.Wait()
		total := 0.0
		for _, r := range rates {
			total += r
		}
		best = max(best, total)
	}
	return best
}
