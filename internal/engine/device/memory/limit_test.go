package memory_test

import (
	"math"
	"runtime/debug"
	"testing"

	"github.com/acqnp/acqnp/internal/engine/device/memory"
)

func TestLimitGarbage(t *testing.T) {
	before := debug.SetMemoryLimit(-1)
	defer debug.SetMemoryLimit(before)
	root := system(t, map[string]string{"proc/meminfo": "MemAvailable: 1000000 kB\n"})
	for _, c := range []struct {
		root, variable string
		want           int64
	}{{root, "", 921600000}, {t.TempDir(), "", math.MaxInt64}, {root, "5GiB", math.MaxInt64}} {
		debug.SetMemoryLimit(math.MaxInt64)
		t.Setenv("GOMEMLIMIT", c.variable)
		memory.LimitGarbage(c.root)
		if got := debug.SetMemoryLimit(-1); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
}

// A server bounds its heap further, but never above what the container leaves, and never against GOMEMLIMIT.
func TestLowerLimit(t *testing.T) {
	before := debug.SetMemoryLimit(-1)
	defer debug.SetMemoryLimit(before)
	for _, c := range []struct {
		variable    string
		asked, want int64
	}{{"", 1 << 20, 1 << 20}, {"", 1 << 40, 1 << 30}, {"1GiB", 1 << 20, 1 << 30}} {
		debug.SetMemoryLimit(1 << 30)
		t.Setenv("GOMEMLIMIT", c.variable)
		memory.LowerLimit(c.asked)
		if got := debug.SetMemoryLimit(-1); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
}
