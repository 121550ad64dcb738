package must

import (
	"runtime/debug"
	"testing"
)

// tries is how often NotAllocate measures before it believes that f allocates.
const tries = 5

// NotAllocate checks that f, which is run a number of times for each measurement, allocates nothing. The runtime allocates
// at times, for waiting goroutines after a collection has emptied its caches, and more on a loaded machine. So nothing is
// collected meanwhile, and what is reported is what each of several measurements has found: an allocation in f is in all.
func NotAllocate(t testing.TB, what string, runs int, f func()) {
	t.Helper()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	least := testing.AllocsPerRun(runs, f)
	for range tries - 1 {
		if least == 0 {
			return
		}
		least = min(least, testing.AllocsPerRun(runs, f))
	}
	if least > 0 {
		t.Errorf("%s: %v allocations a run", what, least)
	}
}
