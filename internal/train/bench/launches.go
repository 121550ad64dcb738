package bench

import (
	"fmt"
	"io"
	"strings"
)

// launchRepeats is how often each launch is timed.
const launchRepeats = 20

// printLaunches writes the launches as a table.
func (r Result) printLaunches(w io.Writer) {
	if r.Launches == nil {
		return
	}
	fmt.Fprintf(w, "\nLaunches of a step, timed one by one by events (median and least of %d):\n", launchRepeats)
	if strings.Contains(r.Device, "(simt,") {
		fmt.Fprintln(w, "This GPU is emulated: the times mean nothing.")
	}
	row := func(kernel string, blocks any, median, least float64) {
		fmt.Fprintf(w, "%-28s %8v %12.1f %12.1f\n", kernel, blocks, median, least)
	}
	fmt.Fprintf(w, "%-28s %8s %12s %12s\n", "kernel", "blocks", "median, µs", "least, µs")
	var median, least float64
	early := 0
	for _, l := range r.Launches {
		if l.Early {
			early++
		}
		m, s := l.Median.Seconds()*1e6, l.Least.Seconds()*1e6
		row(l.Kernel, l.Blocks, m, s)
		median, least = median+m, least+s
	}
	row(fmt.Sprintf("all %d, one after another", len(r.Launches)), "", median, least)
	if early == 0 {
		fmt.Fprintln(w, "In a step each starts when those before it have ended; an earlier start needs compute capability 9.0 and a driver of CUDA 12.3.")
		return
	}
	fmt.Fprintf(w, "In a step %d of them start before the one before them has ended, and wait for it.\n", early)
}
