package doctor

import (
	"os"
	"runtime"
	"strconv"
	"strings"
)

// processor returns the CPU's name from /proc/cpuinfo, or else its architecture.
func processor() string {
	for _, key := range []string{"model name", "Hardware", "Model"} {
		if v := procField("/proc/cpuinfo", key); v != "" {
			return v
		}
	}
	return runtime.GOARCH
}

// memory returns the machine's memory and the control group's limit in bytes, 0 if unknown or
// unlimited.
func memory() (total, limit int64) {
	if kb, err := strconv.ParseInt(strings.TrimSuffix(procField("/proc/meminfo", "MemTotal"), " kB"), 10, 64); err == nil {
		total = kb << 10
	}
	for _, file := range []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		b, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		if v, err := strconv.ParseInt(strings.TrimSpace(string(b)), 10, 64); err == nil && v < total {
			limit = v
		}
		break
	}
	return total, limit
}

// procField returns the first value of a key in a file of "key : value" lines, or "".
func procField(file, key string) string {
	b, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	for _, line := range strings.Split(string(b), "\n") {
		if k, v, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(k) == key {
			return strings.TrimSpace(v)
		}
	}
	return ""
}
