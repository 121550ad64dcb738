// Package fetch downloads data sets from their publishers. A file is under its final name only when it is whole and
// right; what is there of an unfinished one waits beside it as NAME.part, and the next try goes on from there.
package fetch

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/acqnp/acqnp/internal/input"
	"github.com/acqnp/acqnp/internal/progress"
)

// Options are how to download.
type Options struct {
	// Mirror is a folder of a web server that is laid out like the data directory (MIRROR/mnist/…). It is asked in
	// place of the publishers; "" asks them.
	Mirror   string
	Progress progress.Reporter
	Client   *http.Client // nil is http.DefaultClient, which follows the environment's proxy settings

	// Tries is how often in a row a connection may fail without any new byte; 0 means 5. Before the next one Wait passes,
	// and twice as long after each further failure; 0 means a second.
	Tries int
	Wait  time.Duration
	// Stall is how long a server may be silent before the connection counts as failed; 0 means 30 seconds.
	Stall time.Duration
}

// Result is a file of a set that is now in place.
type Result struct {
	Path    string
	Bytes   int64
	Fetched bool // false where it was there already
	Checked bool // against a published sum
}

const maxBytes = 1 << 30 // of a file whose size is not known in advance

// Fetch puts the files of a set into dir, which it makes. Those that are there already stay; one that has another sum
// than the published one is an *input.Error, and so is an address that cannot be one.
func Fetch(ctx context.Context, s Set, dir string, o Options) ([]Result, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, &input.Error{File: dir, Found: reason(err), Expected: "a directory that can be made"}
	}
	var all []Result
	for _, f := range s.Files {
		if o.Mirror != "" {
			f.URLs = []string{o.Mirror + "/" + url.PathEscape(s.Name) + "/" + url.PathEscape(f.Name)}
		}
		r, err := get(ctx, f, filepath.Join(dir, f.Name), o)
		if err != nil {
			return all, err
		}
		all = append(all, r)
	}
	return all, nil
}

// complete sets what was left out.
func (o Options) complete() (Options, error) {
	if o.Mirror != "" {
		u, err := url.Parse(o.Mirror)
		if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
			return o, &input.Error{File: "--mirror", Found: fmt.Sprintf("%.200q", o.Mirror), Expected: "an address such as https://example.org/data"}
		}
		o.Mirror = strings.TrimSuffix(o.Mirror, "/")
	}
	if o.Client == nil {
		o.Client = http.DefaultClient
	}
	if o.Tries == 0 {
		o.Tries = 5
	}
	if o.Wait == 0 {
		o.Wait = time.Second
	}
	if o.Stall == 0 {
		o.Stall = 30 * time.Second
	}
	return o, nil
}

// get puts one file into its place, from the first of its addresses that has it.
func get(ctx context.Context, f File, path string, o Options) (Result, error) {
	if r, there, err := already(f, path); there || err != nil {
		return r, err
	}
	var failed []error
	for _, from := range f.URLs {
		d := download{file: f, url: from, path: path, part: path + ".part", Options: o}
		size, err := d.run(ctx)
		if err == nil {
			return Result{Path: path, Bytes: size, Fetched: true, Checked: f.SHA256 != ""}, nil
		}
		if ctx.Err() != nil {
			return Result{}, ctx.Err()
		}
		failed = append(failed, err)
	}
	return Result{}, fmt.Errorf("%s could not be fetched: %w. Without a network, put the file at %s, or name a server that has it with --mirror",
		f.Name, together(failed), path)
}

// already looks whether the file is there.
func already(f File, path string) (Result, bool, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Result{}, false, nil
	case err != nil:
		return Result{}, false, &input.Error{File: path, Found: reason(err), Expected: "a place for the file"}
	case !info.Mode().IsRegular():
		return Result{}, false, &input.Error{File: path, Found: "something that is no regular file", Expected: "a place for the file"}
	}
	wrong, err := fault(f, path)
	if err != nil {
		return Result{}, false, &input.Error{File: path, Found: reason(err), Expected: "a readable file"}
	}
	if wrong != "" {
		return Result{}, false, &input.Error{File: path, Found: wrong + ". Move the file away to fetch it anew"}
	}
	return Result{Path: path, Bytes: info.Size(), Checked: f.SHA256 != ""}, true, nil
}

// fault says how the file at path is not f; "" where it is f.
func fault(f File, path string) (string, error) {
	content, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer content.Close()
	start := make([]byte, len(f.Starts))
	n, err := io.ReadFull(content, start)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return "", err
	}
	if string(start[:n]) != f.Starts {
		return fmt.Sprintf("found a file that starts with %q, expected %q", start[:n], f.Starts), nil
	}
	if f.SHA256 == "" {
		return "", nil
	}
	h := sha256.New()
	h.Write(start)
	if _, err := io.Copy(h, content); err != nil {
		return "", err
	}
	if sum := hex.EncodeToString(h.Sum(nil)); sum != f.SHA256 {
		return fmt.Sprintf("found a file with the SHA-256 sum %s, expected %s", sum, f.SHA256), nil
	}
	return "", nil
}

// together is several errors in one line.
func together(failed []error) error {
	if len(failed) == 1 {
		return failed[0]
	}
	format := strings.Repeat("%w; ", len(failed))
	values := make([]any, len(failed))
	for i, err := range failed {
		values[i] = err
	}
	return fmt.Errorf(strings.TrimSuffix(format, "; "), values...)
}

// reason is an error of the file system without the path that is said anyway.
func reason(err error) string {
	var pathError *fs.PathError
	if errors.As(err, &pathError) {
		err = pathError.Err
	}
	return err.Error()
}
