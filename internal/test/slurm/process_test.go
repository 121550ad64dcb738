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

// find returns the processes of the program in the study's folder whose arguments have all of words.
func (s *study) find(words ...string) []int {
	var pids []int
	entries, _ := filepath.Glob("/proc/[0-9]*")
	for _, proc := range entries {
		if at, err := os.Readlink(filepath.Join(proc, "cwd")); err != nil || at != s.dir {
			continue
		}
		line, _ := os.ReadFile(filepath.Join(proc, "cmdline"))
		args := strings.Split(string(line), "\x00")
		has := func(word string) bool { return slices.Contains(args, word) }
		if args[0] == s.program && !slices.ContainsFunc(words, func(w string) bool { return !has(w) }) {
			if pid, err := strconv.Atoi(filepath.Base(proc)); err == nil {
				pids = append(pids, pid)
			}
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

// send sends a signal to the one process that has words among its arguments, as soon as it exists.
func (s *study) send(t *testing.T, signal syscall.Signal, words ...string) {
	t.Helper()
	var pids []int
	eventually(t, "a process "+strings.Join(words, " "), func() bool {
		pids = s.find(words...)
		return len(pids) == 1
	})
	if err := syscall.Kill(pids[0], signal); err != nil {
		t.Fatal(err)
	}
}
