//go:build unix

package slurm

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// processes returns the arguments of the program's processes in the study's folder.
func (s *study) processes() map[int][]string {
	found := map[int][]string{}
	entries, _ := filepath.Glob("/proc/[0-9]*")
	for _, proc := range entries {
		if at, err := os.Readlink(filepath.Join(proc, "cwd")); err != nil || at != s.dir {
			continue
		}
		line, _ := os.ReadFile(filepath.Join(proc, "cmdline"))
		args := strings.Split(string(line), "\x00")
		if pid, err := strconv.Atoi(filepath.Base(proc)); err == nil && args[0] == s.program {
			found[pid] = args
		}
	}
	return found
}

// find returns the processes of the program in the study's folder whose arguments have all of words.
func (s *study) find(words ...string) []int {
	var pids []int
	for pid, args := range s.processes() {
		if !slices.ContainsFunc(words, func(w string) bool { return !slices.Contains(args, w) }) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// eventually waits until a condition holds. It fails after a time that is far beyond what Slurm takes.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); !holds(); {
		if time.Now().After(end) {
			t.Fatalf("not after two minutes: %s", what)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// A strike sends a signal to the process whose arguments have all of words, once a run has a log.
type strike struct {
	signal syscall.Signal
	run    string
	words  []string
}

// strike waits until each of the signals could be sent.
func (s *study) strike(t *testing.T, strikes ...strike) {
	t.Helper()
	eventually(t, "the processes to be signalled", func() bool {
		strikes = slices.DeleteFunc(strikes, func(one strike) bool {
			if s.read(filepath.Join(one.run, "metrics.jsonl")) == "" {
				return false
			}
			pids := s.find(one.words...)
			return len(pids) == 1 && syscall.Kill(pids[0], one.signal) == nil
		})
		return len(strikes) == 0
	})
}

// timesOut waits until Slurm has signalled an element whose process stands still, and wakes the process.
func (s *study) timesOut(t *testing.T, log func() string, words ...string) {
	t.Helper()
	eventually(t, "SIGTERM at the end of an element's time", func() bool { return strings.Contains(log(), "CANCELLED AT") })
	for _, pid := range s.find(words...) {
		_ = syscall.Kill(pid, syscall.SIGCONT) // Slurm may have woken it
	}
}
