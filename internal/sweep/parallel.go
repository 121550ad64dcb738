package sweep

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// inParallel calls f for 0 to n−1 from more goroutines than processors, as f mostly waits for files. It
// returns the error of the lowest number.
func inParallel(n int, f func(i int) error) error {
	errs := make([]error, n)
	var next atomic.Int64
	var all sync.WaitGroup
	for range min(n, 4*runtime.GOMAXPROCS(0)) {
		all.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				errs[i] = f(i)
			}
		})
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
