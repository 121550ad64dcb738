package run

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// A Phase says how far a run has come.
type Phase string

// The phases of a run.
const (
	Waiting Phase = "waiting" // not begun
	Running Phase = "running" // a process holds its directory
	Stopped Phase = "stopped" // begun, can be resumed
	Trained Phase = "trained" // trained, but not evaluated as it should be
	Done    Phase = "done"
	Failed  Phase = "failed"
)

// A State is what the directory of a run says about it.
type State struct {
	Phase         Phase
	Step          int      // the last one logged; 0 before
	Ended         string   // as in Metrics, of that step
	RowsPerSecond float64  // at that step
	Elapsed       float64  // seconds of training up to it
	Failure       *Failure // of a failed run
	Host          string   // where a running run is, if known
	Job           string   // its job of a scheduler, if it has one
	InDoubt       bool     // it may be running after all; a Watch finds out
}

// StateOf returns the state of the run in dir. A run that is to be evaluated is not done before it has
// an eval.json of its last checkpoint, or of its best. StateOf reads little: the ends of the log and of
// the evaluation, and which files there are.
func StateOf(dir string, evaluate bool) (State, error) {
	s, _, err := look(dir, evaluate)
	return s, err
}

// look returns the state of the run in dir, and the claim that leaves it in doubt.
func look(dir string, evaluate bool) (State, sight, error) {
	var s State
	last, err := lastMetrics(filepath.Join(dir, metricsFile))
	if err != nil {
		return s, sight{}, err
	}
	s.Step, s.Ended, s.RowsPerSecond, s.Elapsed = last.Step, last.Ended, last.RowsPerSecond, last.Elapsed
	s.Phase = Waiting
	if last.Step > 0 || fileThere(filepath.Join(dir, ConfigFile)) {
		s.Phase = Stopped
	}
	if last.Ended != "" && fileThere(checkpointPath(dir, last.Step)) { // the log's line comes first
		s.Phase = Trained
		if !evaluate || evaluated(dir, last.Step) {
			s.Phase = Done
			return s, sight{}, nil
		}
	}
	who, err := held(dir, training)
	if err == nil && who.free() {
		who, err = held(dir, Evaluating)
	}
	if err != nil {
		return s, who, err
	}
	if who.holds {
		s.Phase, s.Host, s.Job = Running, who.claim.Host, who.claim.Job
		return s, who, nil
	}
	s.InDoubt = who.doubt
	if s.Failure, err = ReadFailure(dir); s.Failure != nil {
		s.Phase = Failed
	}
	return s, who, err
}

func fileThere(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// A sight says what a look has found about the process that holds a directory.
type sight struct {
	holds bool
	doubt bool // the claim is neither young nor surely abandoned
	claim claim
	text  []byte // of the claim
}

func (s sight) free() bool { return !s.holds && !s.doubt }

// held reports which process holds a directory. It changes nothing that its owner could notice.
func held(dir string, of Purpose) (sight, error) {
	holds, locks, err := locked(dir, of.lock)
	if errors.Is(err, fs.ErrNotExist) {
		return sight{}, nil // never held
	}
	if err != nil {
		return sight{}, err
	}
	last, err := of.last(dir)
	if err != nil || last == 0 {
		return sight{holds: holds}, err
	}
	return judge(of.path(dir, last), holds, locks)
}

// judge looks at a claim. holds says that its owner has the lock, and locks that locks work. An owner under the same
// kernel that has lost a lock is dead. Any other is, if it has not beaten for an hour of the file system's clock; it is
// alive, if the claim is younger than a trainer would watch it. A directory that cannot be written to leaves the age
// unknown.
func judge(path string, holds, locks bool) (sight, error) {
	c, text, err := readClaim(path)
	s := sight{holds: holds, claim: c, text: text}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return s, nil
	case err != nil || holds || c.dead(filepath.Dir(path), locks):
		return s, err
	}
	old, err := age(path)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && old > longGone:
	case err == nil && old >= -c.interval() && old <= watchBeats*c.interval():
		s.holds = true
	default:
		s.doubt = true
	}
	return s, nil
}

// tailBytes is how much is read of the end of a log or of an evaluation.
const tailBytes = 4096

// tail returns the end of a file, nothing if there is no file.
func tail(path string) ([]byte, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	from := max(0, info.Size()-tailBytes)
	end := make([]byte, info.Size()-from)
	n, err := f.ReadAt(end, from)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return end[:n], err
}

// lastMetrics returns the last whole line that training wrote to a log, the zero value if there is
// none.
func lastMetrics(path string) (Metrics, error) {
	end, err := tail(path)
	if err != nil {
		return Metrics{}, err
	}
	end = end[:bytes.LastIndexByte(end, '\n')+1]
	for len(end) > 0 {
		start := bytes.LastIndexByte(end[:len(end)-1], '\n') + 1
		if m, err := parseMetrics(end[start:]); err == nil {
			return m, nil
		}
		end = end[:start] // the trainer drops such a line when it resumes
	}
	return Metrics{}, nil
}

// evaluated reports whether eval.json is of the checkpoint of the last step, or of the best one, which
// eval prefers.
func evaluated(dir string, last int) bool {
	end, err := tail(filepath.Join(dir, EvalFile))
	if err != nil {
		return false
	}
	// The weights stand behind the long lists.
	const key = `"checkpoint":`
	at := bytes.LastIndex(end, []byte(key))
	if at < 0 {
		return false
	}
	var w Weights
	if json.NewDecoder(bytes.NewReader(end[at+len(key):])).Decode(&w) != nil || w.Step == nil {
		return false
	}
	if !hasBest(dir) {
		return *w.Step == last
	}
	return *w.Step == bestStep(dir)
}
