//go:build unix

package datasets_test

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/acqnp/acqnp/internal/datasets"
)

// BenchmarkBatch makes training batches of 128 functions with 6 to 100 points, and evaluation batches
// of 16 functions with 500. cpu-ms is the processor time of a batch, which other programs on
// the machine disturb less than its time.
func BenchmarkBatch(b *testing.B) {
	for _, name := range syntheticNames {
		for _, threads := range []int{1, 2, 4, 16} {
			for _, evaluation := range []bool{false, true} {
				kind := "train"
				if evaluation {
					kind = "eval"
				}
				source := openSynthetic(b, syntheticExperiment(name))
				datasets.SetThreads(source, threads)
				b.Run(fmt.Sprintf("%s/%s/threads=%d", kind, name, threads), func(b *testing.B) {
					var batch datasets.Batch
					before := processorTime(b)
					for i := 0; b.Loop(); i++ {
						makeInto(b, source, i, evaluation, &batch)
					}
					each := float64(b.N) * float64(time.Millisecond)
					b.ReportMetric(float64(b.Elapsed())/each, "ms/batch")
					b.ReportMetric(float64(processorTime(b)-before)/each, "cpu-ms/batch")
				})
			}
		}
	}
}

// processorTime returns the processor time of the process so far.
func processorTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
