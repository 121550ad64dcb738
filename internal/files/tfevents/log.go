// Package tfevents writes the event files that TensorBoard shows: numbers and pictures by step.
//
// A log is a directory. Each process that trains adds a file, whose first events say from which step on
// it replaces what older files have. So a resumed run has no step twice.
//
//	log, err := tfevents.Open("logs/a", tfevents.Continue)
//	err = log.Start(101)
//	err = log.Scalars(101, tfevents.Scalar{Tag: "loss", Value: 0.5})
//	err = log.Close()
package tfevents

import (
	"bytes"
	"errors"
	"fmt"
	"image/png"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/acqnp/acqnp/internal/files"
	"github.com/acqnp/acqnp/internal/invalid"
)

// A Mode says what becomes of the log that a directory has.
type Mode int

const (
	Fresh    Mode = iota // the directory must have none
	Continue             // its first steps stay
	Replace              // it is removed
)

// A Scalar is a number with its name.
type Scalar struct {
	Tag   string
	Value float32
}

// A Log writes one file of a directory's log. The methods of a nil Log do nothing.
type Log struct {
	dir  string
	mode Mode
	f    *os.File // nil before Start
}

// The file names are prefix, ten digits that order them, the host and suffix. The suffix tells this
// program's files from others.
const (
	prefix = "events.out.tfevents."
	suffix = ".acqnp"
)

// Open returns the log of a directory and writes nothing. It returns an *invalid.Input if dir is a
// file, or if it has a log and the mode is Fresh.
func Open(dir string, mode Mode) (*Log, error) {
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return nil, &invalid.Input{File: dir, Found: "a file", Expected: "a directory for TensorBoard's event files"}
	}
	old, err := list(dir)
	if err == nil && len(old) > 0 && mode == Fresh {
		err = &invalid.Input{File: dir, Found: "the log of a run (" + old[0] + ")",
			Expected: "a directory without one, --resume to continue it or --overwrite to replace it"}
	}
	return &Log{dir: dir, mode: mode}, err
}

// list returns the names of this program's event files in dir, in their order.
func list(dir string) (names []string, err error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), prefix) && strings.HasSuffix(e.Name(), suffix) {
			names = append(names, e.Name())
		}
	}
	return names, err
}

// Start makes the directory and a new file in it. What older files have from the step on is void.
func (l *Log) Start(step int) error {
	if l == nil {
		return nil
	}
	if err := os.MkdirAll(l.dir, 0o777); err != nil {
		return err
	}
	old, err := list(l.dir)
	if err != nil {
		return err
	}
	if l.mode == Replace {
		for _, name := range old {
			if err := files.Remove(filepath.Join(l.dir, name)); err != nil {
				return err
			}
		}
	}
	// The name is the time, as TensorFlow's, but after all older files' even if clocks differ.
	number := time.Now().Unix()
	if n := len(old); n > 0 {
		last, _, _ := strings.Cut(old[n-1][len(prefix):], ".")
		if seconds, err := strconv.ParseInt(last, 10, 64); err == nil {
			number = max(number, seconds+1)
		}
	}
	host, _ := os.Hostname()
	path := filepath.Join(l.dir, fmt.Sprintf("%s%010d.%s%s", prefix, number, host, suffix))
	if l.f, err = os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666); err != nil {
		return err
	}
	return l.write(version(), start(step))
}

// Scalars adds numbers of a step.
func (l *Log) Scalars(step int, values ...Scalar) error {
	if l == nil || l.f == nil {
		return nil
	}
	return l.write(scalars(step, values))
}

// PNG adds a picture of a step.
func (l *Log) PNG(step int, tag string, picture []byte) error {
	if l == nil || l.f == nil {
		return nil
	}
	size, err := png.DecodeConfig(bytes.NewReader(picture))
	if err != nil {
		return err
	}
	return l.write(image(step, tag, size.Width, size.Height, picture))
}

// write appends events in one piece, so that a killed program leaves at most one torn record, at the end.
func (l *Log) write(events ...[]byte) error {
	var all []byte
	for _, e := range events {
		all = record(all, stamped(e))
	}
	_, err := l.f.Write(all)
	return err
}

// Close closes the file, if there is one.
func (l *Log) Close() error {
	if l == nil || l.f == nil {
		return nil
	}
	return l.f.Close()
}
