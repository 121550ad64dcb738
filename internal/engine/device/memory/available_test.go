package memory_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"github.com/acqnp/acqnp/internal/engine/device/memory"
	"github.com/acqnp/acqnp/internal/test/must"
)

const gib = 1 << 30

// system creates a root directory with these files.
func system(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		file := filepath.Join(root, name)
		must.Do(t, os.MkdirAll(filepath.Dir(file), 0o777))
		must.Do(t, os.WriteFile(file, []byte(text), 0o666))
	}
	return root
}

func TestAvailable(t *testing.T) {
	machine := map[string]string{"proc/meminfo": "MemTotal:  33554432 kB\nMemFree: 1048576 kB\nMemAvailable:   16777216 kB\nSwapFree: 99999999 kB\n"}
	limits := func(n string) string {
		return "Limit                     Soft Limit           Hard Limit           Units\n" +
			"Max cpu time              unlimited            unlimited            seconds\n" +
			"Max address space         " + n + "          unlimited            bytes\n"
	}
	for name, c := range map[string]struct {
		files map[string]string
		want  float64
	}{
		"the machine alone": {nil, 16 * gib},
		"version 2, no limit": {map[string]string{
			"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "max\n", "sys/fs/cgroup/memory.current": "999\n"}, 16 * gib},
		"version 2, a container": {map[string]string{
			"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "4294967296\n", "sys/fs/cgroup/memory.current": "2147483648\n",
			"sys/fs/cgroup/memory.stat": "anon 1\nfile 5\ninactive_file 1073741824\nactive_file 536870912\n"}, 3.5 * gib},
		"version 2, a limit above the group": {map[string]string{
			"proc/self/cgroup": "0::/slurm/job_1/step_0\n",
			"sys/fs/cgroup/slurm/job_1/step_0/memory.max":     "max\n",
			"sys/fs/cgroup/slurm/job_1/step_0/memory.current": "1073741824\n",
			"sys/fs/cgroup/slurm/job_1/memory.max":            "8589934592\n",
			"sys/fs/cgroup/slurm/job_1/memory.current":        "1073741824\n",
			"sys/fs/cgroup/slurm/memory.max":                  "99999999999\n",
			"sys/fs/cgroup/slurm/memory.current":              "1073741824\n"}, 7 * gib},
		"version 1": {map[string]string{
			"proc/self/cgroup":                           "9:name=systemd:/\n4:cpu,memory:/docker/abc\n0::/\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "2147483648\n", // the container's own, at the mount
			"sys/fs/cgroup/memory/memory.usage_in_bytes": "1073741824\n",
			"sys/fs/cgroup/memory/memory.stat":           "inactive_file 7\ntotal_inactive_file 0\ntotal_active_file 268435456\n"}, 1.25 * gib},
		"version 1, no limit": {map[string]string{
			"proc/self/cgroup":                           "4:memory:/\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
			"sys/fs/cgroup/memory/memory.usage_in_bytes": "1073741824\n"}, 16 * gib},
		"over the limit": {map[string]string{
			"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "1000\n", "sys/fs/cgroup/memory.current": "2000\n"}, 0},
		"no limit on addresses": {map[string]string{
			"proc/self/limits": limits("unlimited"), "proc/self/statm": "1000 10 10 10 0 10 0\n"}, 16 * gib},
		"a limit on addresses": {map[string]string{
			"proc/self/limits": limits("4294967296"), "proc/self/statm": "1000 10 10 10 0 10 0\n"}, 4*gib - 1000*float64(os.Getpagesize())},
	} {
		files := maps.Clone(machine)
		maps.Copy(files, c.files)
		if got, known := memory.Available(system(t, files)); !known || got != c.want {
			t.Errorf("%s: %v %.0f, want %.0f", name, known, got, c.want)
		}
	}
}

func TestAvailableIsNotKnownEverywhere(t *testing.T) {
	for name, files := range map[string]map[string]string{
		"nothing": {}, "an old kernel": {"proc/meminfo": "MemTotal: 33554432 kB\nMemFree: 1048576 kB\n"},
		"nonsense": {"proc/meminfo": "MemAvailable: many kB\n", "proc/self/cgroup": "\n:\n::\n0::/\n"},
	} {
		if n, known := memory.Available(system(t, files)); known {
			t.Errorf("%s: %s", name, fmt.Sprint(n))
		}
	}
}
