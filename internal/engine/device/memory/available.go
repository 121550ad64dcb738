// Package memory reports how much memory is left for this process and how much it has held at most.
// It also sets the limit at which garbage is collected.
package memory

import (
	"bytes"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Available returns how many bytes this process can still take: what Linux has left for programs,
// or less if a control group or the limit on address space allows less. Swap does not count. On
// other systems known is false. root is the root of the file system: "/" except in tests.
func Available(root string) (n float64, known bool) {
	n = min(machineLeft(root), groupLeft(root), addressesLeft(root))
	return max(n, 0), !math.IsInf(n, 1)
}

// Machine returns the machine's memory and the limit of the control group at the mount in bytes, 0 if it is not known or if
// there is none.
func Machine(root string) (total, limit int64) {
	known := func(n float64) int64 {
		if math.IsInf(n, 1) {
			return 0
		}
		return int64(n)
	}
	total = known(1024 * field(filepath.Join(root, "proc/meminfo"), "MemTotal:"))
	for _, file := range []string{"memory.max", "memory/memory.limit_in_bytes"} {
		if limit = known(number(filepath.Join(root, "sys/fs/cgroup", file))); limit > 0 && limit < total {
			return total, limit
		}
	}
	return total, 0
}

// machineLeft returns MemAvailable, which the kernel states in KiB.
func machineLeft(root string) float64 {
	return 1024 * field(filepath.Join(root, "proc/meminfo"), "MemAvailable:")
}

// groupLeft returns what the limits of the process's control group and of the groups above it
// leave, for control groups of both versions. In those of version 1, the statistics whose names begin
// with total include the groups below.
func groupLeft(root string) float64 {
	least := math.Inf(1)
	for _, v := range []struct{ controller, mount, limit, used, prefix string }{
		{"", "sys/fs/cgroup", "memory.max", "memory.current", ""},
		{"memory", "sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_"},
	} {
		for _, dir := range groups(root, v.controller, v.mount) {
			stat := filepath.Join(dir, "memory.stat")
			files := field(stat, v.prefix+"inactive_file") + field(stat, v.prefix+"active_file")
			least = min(least, left(number(filepath.Join(dir, v.limit)), number(filepath.Join(dir, v.used)), files))
		}
	}
	return least
}

// left returns limit − used + files, in bytes. files are pages in use that hold files, which the
// kernel can free. The result is infinite if the limit or the use is not known.
func left(limit, used, files float64) float64 {
	if math.IsInf(limit, 1) || math.IsInf(used, 1) {
		return math.Inf(1)
	}
	if math.IsInf(files, 1) {
		files = 0
	}
	return limit - used + files
}

// groups lists the directories of the process's group and of the groups above it. In a container the
// path in /proc/self/cgroup may not exist: the group is then at the mount itself.
func groups(root, controller, mount string) (dirs []string) {
	text, _ := os.ReadFile(filepath.Join(root, "proc/self/cgroup"))
	for line := range strings.Lines(string(text)) { // such as 4:memory:/user.slice
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) != 3 || !slices.Contains(strings.Split(parts[1], ","), controller) {
			continue
		}
		for at := path.Clean("/" + parts[2]); ; at = path.Dir(at) {
			if dirs = append(dirs, filepath.Join(root, mount, at)); at == "/" {
				break
			}
		}
	}
	return dirs
}

// addressesLeft returns the limit on address space (ulimit -v) less what the process has reserved.
func addressesLeft(root string) float64 {
	limit := field(filepath.Join(root, "proc/self/limits"), "Max address space")
	pages := number(filepath.Join(root, "proc/self/statm"))
	return left(limit, pages*float64(os.Getpagesize()), 0)
}

// field returns the number that follows a name at the start of a line, or infinity if there is
// none.
func field(file, name string) float64 {
	text, _ := os.ReadFile(file)
	for line := range bytes.Lines(text) {
		if rest, ok := bytes.CutPrefix(line, []byte(name)); ok {
			return first(rest)
		}
	}
	return math.Inf(1)
}

// number returns the number at a file's start, or infinity if there is none.
func number(file string) float64 { return field(file, "") }

// first returns the first word as a number, or infinity if it is not one.
func first(text []byte) float64 {
	words := bytes.Fields(text)
	if len(words) == 0 {
		return math.Inf(1)
	}
	n, err := strconv.ParseUint(string(words[0]), 10, 64)
	if err != nil { // "max" and "unlimited" too
		return math.Inf(1)
	}
	return float64(n)
}
