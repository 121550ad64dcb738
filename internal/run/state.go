package run

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// A Phase says how far a run is.
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
	RowsPerSecond float64  // at that step
	Elapsed       float64  // seconds of training up to it
	Failure       *Failure // of a failed run
}

// StateOf returns the state of the run in dir. A run that is to be evaluated is not done before it has
// an eval.json. It reads little: the end of the log, and which files there are.
func StateOf(dir string, evaluate bool) (State, error) {
	var s State
	last, err := lastMetrics(filepath.Join(dir, metricsFile))
	if err != nil {
		return s, err
	}
	s.Step, s.RowsPerSecond, s.Elapsed = last.Step, last.RowsPerSecond, last.Elapsed
	if s.Failure, err = ReadFailure(dir); err != nil {
		return s, err
	}
	ended := last.Ended != "" && fileThere(checkpointPath(dir, last.Step))
	switch {
	case held(dir):
		s.Phase = Running
	case ended && (!evaluate || fileThere(filepath.Join(dir, EvalFile))):
		s.Phase = Done
	case s.Failure != nil:
		s.Phase = Failed
	case ended:
		s.Phase = Trained
	case last.Step > 0 || fileThere(filepath.Join(dir, ConfigFile)):
		s.Phase = Stopped
	default:
		s.Phase = Waiting
	}
	return s, nil
}

func fileThere(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// held reports whether a process trains in dir.
func held(dir string) bool {
	if !fileThere(filepath.Join(dir, lockFile)) {
		return false
	}
	unlock, err := lock(dir)
	if err == nil {
		unlock()
	}
	return errors.Is(err, ErrBusy)
}

// lastMetrics returns the last whole line of a log, the zero value if there is none.
func lastMetrics(path string) (m Metrics, err error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return m, nil
	}
	if err != nil {
		return m, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return m, err
	}
	const longest = 4096 // of two lines
	from := max(0, info.Size()-longest)
	end := make([]byte, info.Size()-from)
	if _, err := f.ReadAt(end, from); err != nil && !errors.Is(err, io.EOF) {
		return m, err
	}
	end = end[:bytes.LastIndexByte(end, '\n')+1]
	lines := bytes.Split(bytes.TrimSuffix(end, []byte("\n")), []byte("\n"))
	m, err = parseMetrics(lines[len(lines)-1])
	if err != nil {
		return Metrics{}, nil // the trainer drops such a line when it resumes
	}
	return m, nil
}
