package bench

import (
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/acqnp/acqnp/internal/engine/device/memory"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/train"
)

// Result is the result of Measure. Its JSON fields are those of acqnp bench --json.
type Result struct {
	Benchmark   string  `json:"benchmark"`
	Model       string  `json:"model"`
	Variant     string  `json:"variant,omitempty"` // as config.Experiment.Variant names it
	Device      string  `json:"device"`            // with its precision unless that is fp32 on a CPU
	Kernels     string  `json:"kernels,omitempty"` // of the CPU
	Threads     int     `json:"threads"`
	Points      int     `json:"points"` // of every group; 0 if the benchmark draws their number
	Steps       int     `json:"steps"`
	RowsPerStep float64 `json:"rows_per_step"` // mean
	RowsPerS    float64 `json:"rows_per_s"`
	MsMedian    float64 `json:"ms_median"` // on a GPU, this and MsMin are the mean
	MsMin       float64 `json:"ms_min"`
	PeakMiB     float64 `json:"peak_mib"` // resident memory of the process
	FLOPsPerRow float64 `json:"flops_per_row"`
	GFLOPs      float64 `json:"gflops"` // 1e9 operations per second

	// The CPU's peak, in 1e9 operations per second, and GFLOPs as a share of it; null on a GPU.
	PeakGFLOPs *float64 `json:"peak_gflops"`
	PeakShare  *float64 `json:"peak_share"`

	Version string `json:"version"`
}

// summarise computes the rates of timings. peak is in floating-point operations per second, 0 if
// unknown. A GPU takes steps from a queue, so that the time of one says only when there was room: if
// queued, all have the mean.
func summarise(timings []train.Timing, peak float64, queued bool) Result {
	var total time.Duration
	rows, flops := 0.0, 0.0
	ms := make([]float64, len(timings))
	for i, t := range timings {
		total += t.Duration
		rows, flops = rows+float64(t.Rows), flops+t.FLOPs
		ms[i] = t.Duration.Seconds() * 1e3
	}
	slices.Sort(ms)
	seconds := max(total, 1).Seconds() // a coarse clock may have seen no time pass
	r := Result{
		RowsPerStep: rows / float64(len(timings)), RowsPerS: rows / seconds,
		MsMedian: (ms[len(ms)/2] + ms[(len(ms)-1)/2]) / 2, MsMin: ms[0],
		PeakMiB: float64(memory.Peak()) / (1 << 20), FLOPsPerRow: flops / rows, GFLOPs: flops / seconds / 1e9,
	}
	if queued {
		r.MsMedian = 1e3 * seconds / float64(len(timings))
		r.MsMin = r.MsMedian
	}
	if peak > 0 {
		gflops, share := peak/1e9, flops/seconds/peak
		r.PeakGFLOPs, r.PeakShare = &gflops, &share
	}
	return r
}

// Print writes the result as text.
func (r Result) Print(w io.Writer) error {
	line := func(name, format string, values ...any) {
		fmt.Fprintf(w, "%-12s "+format+"\n", append([]any{name}, values...)...)
	}
	points := "points as drawn"
	if r.Points > 0 {
		points = invalid.Plural(r.Points, "point", "points")
	}
	share := ""
	if r.PeakShare != nil {
		share = fmt.Sprintf(", %.1f%% of the peak of %.4g", 100**r.PeakShare, *r.PeakGFLOPs)
	}
	line("model", "%s on %s, %s", r.Model, r.Benchmark, points)
	kernels := ""
	if r.Kernels != "" {
		kernels = ", " + r.Kernels + " kernels"
	}
	line("device", "%s, %s%s", r.Device, invalid.Plural(r.Threads, "thread", "threads"), kernels)
	if r.Kernels == "" {
		line("step", "%.3f ms (mean of %d)", r.MsMedian, r.Steps)
	} else {
		line("step", "%.3f ms (median of %d; least %.3f ms)", r.MsMedian, r.Steps, r.MsMin)
	}
	line("rows", "%.0f a step, %.4g a second", r.RowsPerStep, r.RowsPerS)
	line("arithmetic", "%.4g FLOP a row, %.4g GFLOP/s%s", r.FLOPsPerRow, r.GFLOPs, share)
	line("memory", "%.0f MiB at most", r.PeakMiB)
	if r.Kernels == "" {
		line("timing", "the GPU is waited for before the first and after the last timed step, not between them")
	}
	return nil
}
