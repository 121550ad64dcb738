package rows_test

import (
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets/datatest"
	"github.com/acqnp/acqnp/internal/datasets/rows"
)

// A million rows are read in memory that does not grow with them: at most 64 MiB above what was there, of
// which Go's collector leaves up to a half. The files have 60 to 170 MB as text. MILLION_ROWS runs it.
func TestAMillionRowsStream(t *testing.T) {
	if os.Getenv("MILLION_ROWS") == "" {
		t.Skip("takes minutes: set MILLION_ROWS")
	}
	for _, ending := range datatest.SalesForms {
		path := sales(t, t.TempDir(), ending, 1_000_000)
		runtime.GC()
		before := heap()
		done, peak := make(chan bool), make(chan uint64)
		go func() {
			most := uint64(0)
			for {
				select {
				case <-done:
					peak <- most
					return
				case <-time.After(2 * time.Millisecond):
					most = max(most, heap())
				}
			}
		}()
		scan, err := rows.ScanFile(config.Data{File: path, XColumns: []string{"count"}, YColumns: []string{"price"}}, "")
		done <- true
		grown := float64(<-peak) - float64(before)
		if err != nil || scan.Rows != 1_000_000 {
			t.Errorf("%s: %d rows, %v", ending, scan.Rows, err)
		}
		if grown > 64<<20 {
			t.Errorf("%s: %.0f MiB more than before, want at most 64", ending, grown/(1<<20))
		}
		t.Logf("%s: %.1f MiB more than before", ending, grown/(1<<20))
	}
}

func heap() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
