package must_test

import (
	"testing"

	"github.com/acqnp/acqnp/internal/test/must"
)

// A recorder is a test whose failure is looked at.
type recorder struct {
	testing.TB
	failed bool
}

func (r *recorder) Errorf(string, ...any) { r.failed = true }
func (r *recorder) Helper()               {}

var sink []byte

// An allocation of every run is found, and allocations that come once, however many, are not those of f.
func TestNotAllocate(t *testing.T) {
	runs := 0
	for name, test := range map[string]struct {
		f    func()
		want bool
	}{
		"every run": {func() { sink = make([]byte, 64) }, true},
		"none":      {func() {}, false},
		"once": {func() {
			for range 100 * max(0, 4-runs) {
				sink = make([]byte, 64)
			}
			runs++
		}, false},
	} {
		r := &recorder{TB: t}
		if must.NotAllocate(r, name, 5, test.f); r.failed != test.want {
			t.Errorf("%s: failed is %v, want %v", name, r.failed, test.want)
		}
	}
}
