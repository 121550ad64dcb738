// Package fetch downloads data sets from their publishers, or from a mirror. A file gets its name
// only when it is complete and checked. Until then it is NAME.part, and the next download of a file
// with a published checksum resumes from there.
//
//	sets, err := fetch.Find([]string{"mnist"})
//	files, err := fetch.Fetch(ctx, sets[0], "data/mnist", fetch.Options{Progress: reporter})
package fetch

import (
	"cmp"
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

	"github.com/acqnp/acqnp/internal/config/catalogue"
	"github.com/acqnp/acqnp/internal/files"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/progress"
)

// Options are the options of a download.
type Options struct {
	// Mirror is the address of a folder that is laid out like the data directory (MIRROR/mnist/…).
	// Files then come from there. "" means the publishers.
	Mirror   string
	Progress progress.Reporter
	Client   *http.Client // nil: http.DefaultClient, which uses the proxies of the environment

	// Tries is how many connections in a row may fail without a new byte; 0 means 5.
	Tries int
	// Wait is the pause before the second try; each later pause is twice as long. 0 means a second.
	Wait time.Duration
	// Stall is how long a server may send nothing before the connection counts as failed; 0 means
	// 30 seconds.
	Stall time.Duration
}

// A Result is a file of a benchmark that is now in place.
type Result struct {
	Path    string
	Bytes   int64
	Fetched bool // false if it existed before
	Checked bool // against a published checksum
}

// maxBytes is the largest file to accept if its size is not known in advance.
const maxBytes = 1 << 30

// Fetch downloads the files of a benchmark to dir, which it creates. It keeps existing files. An existing
// file that is not the published one, and an invalid address, are an *invalid.Input.
func Fetch(ctx context.Context, b catalogue.Benchmark, dir string, o Options) ([]Result, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, &invalid.Input{File: dir, Found: files.Reason(err), Expected: "a directory that can be created"}
	}
	var all []Result
	for _, f := range b.Downloads() {
		if o.Mirror != "" {
			f.URLs = []string{o.Mirror + "/" + url.PathEscape(b.Name) + "/" + url.PathEscape(f.Name)}
		}
		r, err := get(ctx, f, filepath.Join(dir, f.Name), o)
		if err != nil {
			return all, err
		}
		all = append(all, r)
	}
	return all, nil
}

// withDefaults checks the mirror and replaces zeros by the defaults.
func (o Options) withDefaults() (Options, error) {
	if o.Mirror != "" {
		u, err := url.Parse(o.Mirror)
		if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
			return o, &invalid.Input{Key: "mirror", Found: fmt.Sprintf("%.200q", o.Mirror), Expected: "an address such as https://example.org/data"}
		}
		o.Mirror = strings.TrimSuffix(o.Mirror, "/")
	}
	o.Client, o.Tries = cmp.Or(o.Client, http.DefaultClient), cmp.Or(o.Tries, 5)
	o.Wait, o.Stall = cmp.Or(o.Wait, time.Second), cmp.Or(o.Stall, 30*time.Second)
	return o, nil
}

// get downloads one file to path, from the first of its addresses that has it.
func get(ctx context.Context, f catalogue.File, path string, o Options) (Result, error) {
	if r, there, err := already(f, path); there || err != nil {
		return r, err
	}
	var failed error
	for _, from := range f.URLs {
		d := download{file: f, url: from, path: path, part: path + ".part", Options: o}
		size, err := d.run(ctx)
		if err == nil {
			return Result{Path: path, Bytes: size, Fetched: true, Checked: f.SHA256 != ""}, nil
		}
		if ctx.Err() != nil {
			return Result{}, ctx.Err()
		}
		if failed != nil {
			err = fmt.Errorf("%w; %w", failed, err) // in one line
		}
		failed = err
	}
	return Result{}, fmt.Errorf("%s could not be fetched: %w. Without a network, put the file at %s, or name a mirror that has it",
		f.Name, failed, path)
}

// already reports whether the file exists. It checks an existing file.
func already(f catalogue.File, path string) (Result, bool, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Result{}, false, nil
	case err != nil:
		return Result{}, false, &invalid.Input{File: path, Found: files.Reason(err), Expected: "a place for the file"}
	case !info.Mode().IsRegular():
		return Result{}, false, &invalid.Input{File: path, Found: "something that is not a regular file", Expected: "a place for the file"}
	}
	wrong, err := fault(f, path)
	if err != nil {
		return Result{}, false, &invalid.Input{File: path, Found: files.Reason(err), Expected: "a readable file"}
	}
	if wrong != "" {
		return Result{}, false, &invalid.Input{File: path, Found: wrong + ". Move the file away to download it again"}
	}
	return Result{Path: path, Bytes: info.Size(), Checked: f.SHA256 != ""}, true, nil
}

// fault describes how the file at path differs from f, or returns "" if it does not. It compares
// the first bytes and the checksums, as far as f states them.
func fault(f catalogue.File, path string) (string, error) {
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
	if sum := hex.EncodeToString(h.Sum(nil)); sum != f.SHA256 && sum != f.Other {
		return fmt.Sprintf("found a file with the SHA-256 sum %s, expected %s", sum, f.SHA256), nil
	}
	return "", nil
}
