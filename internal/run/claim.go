package run

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/acqnp/acqnp/internal/files"
	"github.com/acqnp/acqnp/internal/invalid"
)

// A claim is the content of a claim file: who writes the directory, and the number of its heartbeats.
// Processes on other machines may not see the lock of a directory, but they see its claims.
type claim struct {
	Host     string  `json:"host"`
	Boot     string  `json:"boot"` // names a kernel since its start: locks hold within one
	PID      int     `json:"pid"`
	Job      string  `json:"job,omitempty"` // of a scheduler
	Locked   bool    `json:"locked"`        // it has the lock, too
	Device   uint64  `json:"device"`        // of the mounted file system: FUSE's locks hold within one
	Token    string  `json:"token"`         // drawn at random
	Interval float64 `json:"interval_s"`    // between two heartbeats
	Beat     int     `json:"beat"`          // number of heartbeats
}

// A Purpose says for what a directory is claimed.
type Purpose struct {
	lock, claim string // names of its lock and, with a number, of its claims
	busy        string // what another process that holds the directory does
	instead     string // what the user may do then
}

// The purposes of Hold. Training is that of a Writer, and keeps a fit out, too.
var (
	training = Purpose{lock: lockFile, claim: ".claim-",
		busy: "another process is training in this run directory", instead: "wait for it or choose another --run-dir"}
	Evaluating = Purpose{lock: evalLockFile, claim: ".claim-eval-",
		busy: "another process is evaluating this run", instead: "wait for it or choose an --out"}
	Fitting = Purpose{lock: lockFile, claim: ".claim-",
		busy: "another process writes a fit there", instead: "wait for it or choose another --out"}
	Sweeping = Purpose{lock: sweepLockFile, claim: ".claim-sweep-", // around both
		busy: "another sweep is at work on this run", instead: "wait for it"}
)

// HeartbeatVariable is the environment variable that sets the time between two heartbeats: 5s.
const HeartbeatVariable = "ACQNP_HEARTBEAT"

// The time between two heartbeats, and its bounds.
const (
	defaultHeartbeat  = 5 * time.Second
	shortestHeartbeat = 10 * time.Millisecond
	longestHeartbeat  = time.Minute
)

// heartbeat returns the time between two heartbeats.
func heartbeat() (time.Duration, error) {
	text := os.Getenv(HeartbeatVariable)
	if text == "" {
		return defaultHeartbeat, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < shortestHeartbeat || d > longestHeartbeat {
		return 0, &invalid.Input{File: "environment " + HeartbeatVariable, Found: strconv.Quote(text),
			Expected: fmt.Sprintf("a time from %v to %v, such as 5s", shortestHeartbeat, longestHeartbeat)}
	}
	return d, nil
}

// interval returns the time between two heartbeats of the claim's owner, the default for a claim that
// cannot be read.
func (c claim) interval() time.Duration {
	if !(c.Interval > 0) {
		return defaultHeartbeat
	}
	d := time.Duration(c.Interval * float64(time.Second))
	return max(shortestHeartbeat, min(d, longestHeartbeat))
}

// dead reports whether the owner of a claim is surely dead: it has no lock, but would have one that this process sees,
// where locks work and it lives.
func (c claim) dead(dir string, locks bool) bool {
	return locks && c.Locked && c.Boot == bootID() && c.Device == deviceOf(dir)
}

// owner says who made the claim.
func (c claim) owner() string {
	if c.Host == "" {
		return "another process"
	}
	text := fmt.Sprintf("process %d on %s", c.PID, c.Host)
	if c.Job != "" {
		text += ", job " + c.Job
	}
	return text
}

// newClaim returns a claim of this process on dir.
func newClaim(dir string, interval time.Duration, locked bool) claim {
	host, _ := os.Hostname()
	return claim{Host: host, Boot: bootID(), PID: os.Getpid(), Job: jobID(), Locked: locked, Device: deviceOf(dir),
		Token: rand.Text(), Interval: interval.Seconds()}
}

// bootID identifies this start of the kernel. On systems other than Linux it is the host's name.
func bootID() string {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err == nil {
		return strings.TrimSpace(string(id))
	}
	host, _ := os.Hostname()
	return host
}

// jobID returns the scheduler's job of this process, or "" if there is none.
func jobID() string {
	job := os.Getenv("SLURM_JOB_ID")
	if array := os.Getenv("SLURM_ARRAY_JOB_ID"); array != "" {
		job = array + "_" + os.Getenv("SLURM_ARRAY_TASK_ID")
	}
	if job == "" {
		job = os.Getenv("AWS_BATCH_JOB_ID")
	}
	return job[:min(len(job), 100)]
}

// claimBytes is the length of a claim file. It does not change, so that a heartbeat needs no space on
// the disk.
const claimBytes = 1024

// content returns the content of the claim file.
func (c claim) content() []byte {
	b, _ := json.Marshal(c)
	return fmt.Appendf(nil, "%-*s\n", claimBytes-1, b)
}

// path returns where the claim with a number is.
func (p Purpose) path(dir string, number int) string {
	return filepath.Join(dir, p.claim+strconv.Itoa(number))
}

// numbers lists the numbers of the claims in dir, ascending.
func (p Purpose) numbers(dir string) ([]int, error) {
	entries, err := os.ReadDir(dir)
	var numbers []int
	for _, e := range entries {
		if n, ok := p.number(e.Name()); ok {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	return numbers, err
}

// last returns the number of the last claim in dir, 0 if there is none.
func (p Purpose) last(dir string) (int, error) {
	numbers, err := p.numbers(dir)
	if err != nil || len(numbers) == 0 {
		return 0, err
	}
	return numbers[len(numbers)-1], nil
}

// number returns the number of the claim that a file name is of.
func (p Purpose) number(name string) (int, bool) {
	digits, found := strings.CutPrefix(name, p.claim)
	n, err := strconv.Atoi(digits)
	return n, found && err == nil && n > 0 && strconv.Itoa(n) == digits
}

// isClaim reports whether a file name is that of a claim.
func isClaim(name string) bool {
	return slices.ContainsFunc([]Purpose{training, Evaluating, Sweeping}, func(p Purpose) bool { _, is := p.number(name); return is })
}

// readClaim reads a claim file. A claim that is being made is empty: its fields are zero.
func readClaim(path string) (c claim, content []byte, err error) {
	f, err := os.Open(path)
	if err != nil {
		return c, nil, err
	}
	defer f.Close()
	return parseClaim(f)
}

func parseClaim(r io.Reader) (c claim, content []byte, err error) {
	content, err = io.ReadAll(io.LimitReader(r, 2*claimBytes))
	if err == nil && json.Unmarshal(bytes.TrimSpace(content), &c) != nil {
		c = claim{}
	}
	return c, content, err
}

// age returns how long ago the file was written. Both times are of the file system's clock: the
// present is that of a file that age makes beside it and removes.
func age(path string) (time.Duration, error) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, err
	}
	f, err := os.CreateTemp(filepath.Dir(path), files.TempPrefix+clockFile+"-*")
	if err != nil {
		return 0, err
	}
	defer os.Remove(f.Name())
	defer f.Close()
	now, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return now.ModTime().Sub(info.ModTime()), nil
}

// clockFile is the start of the names of files that tell the file system's clock.
const clockFile = "clock"

// longGone is the age of a claim whose owner counts as dead without a watch: clocks of machines
// differ by less.
const longGone = time.Hour

// removeIfOwn removes the claim file if the token is still its owner's.
func removeIfOwn(path, token string) error {
	c, _, err := readClaim(path)
	if os.IsNotExist(err) || err == nil && c.Token != token {
		return nil
	}
	if err != nil {
		return err
	}
	return files.Remove(path)
}

// makeClaim makes a claim file, with fs.ErrExist if there is one.
func makeClaim(path string, c claim) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(c.content())
	if closing := f.Close(); err == nil {
		err = closing
	}
	if err != nil {
		os.Remove(path)
	}
	return err
}
