package fetch_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/acqnp/acqnp/internal/config/catalogue"
	"github.com/acqnp/acqnp/internal/datasets/fetch"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/progress"
	"github.com/acqnp/acqnp/internal/test/must"
)

// A site is a server of one file, /file, that can misbehave.
type site struct {
	*httptest.Server
	mu       sync.Mutex
	content  []byte
	cut      []int            // the next responses break off after this many bytes
	answer   http.HandlerFunc // answers in place of the file, unless nil
	requests []http.Header    // of every request
	paths    []string
}

func newSite(t *testing.T, content []byte) *site {
	s := &site{content: content}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(s.Close)
	return s
}

func (s *site) serve(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.requests, s.paths = append(s.requests, r.Header.Clone()), append(s.paths, r.URL.Path)
	answer, content, cut := s.answer, s.content, -1
	if len(s.cut) > 0 && answer == nil {
		cut, s.cut = s.cut[0], s.cut[1:]
	}
	s.mu.Unlock()
	if answer != nil {
		answer(w, r)
		return
	}
	if cut >= 0 {
		w = &cutting{w, cut}
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
}

// cutting resets the connection after some bytes of the body.
type cutting struct {
	http.ResponseWriter
	left int
}

func (c *cutting) Write(b []byte) (int, error) {
	if c.left >= len(b) {
		c.left -= len(b)
		return c.ResponseWriter.Write(b)
	}
	c.ResponseWriter.Write(b[:c.left])
	c.ResponseWriter.(http.Flusher).Flush()
	panic(http.ErrAbortHandler)
}

func counted(n int) []byte {
	v := make([]byte, n)
	for i := range v {
		v[i] = byte(i ^ i>>8)
	}
	return v
}

func sum(content []byte) string {
	h := sha256.Sum256(content)
	return hex.EncodeToString(h[:])
}

// set returns a set of one file with the checksum of content.
func set(content []byte, urls ...string) catalogue.Benchmark {
	return catalogue.Benchmark{Name: "digits", Published: []catalogue.File{{Name: "d.gz", URLs: urls, Bytes: int64(len(content)), SHA256: sum(content)}}}
}

func options() fetch.Options {
	return fetch.Options{Progress: progress.New(io.Discard, progress.JSON), Wait: time.Millisecond}
}

func fetched(t *testing.T, s catalogue.Benchmark, dir string, want []byte) fetch.Result {
	t.Helper()
	r := must.Get(fetch.Fetch(t.Context(), s, dir, options()))(t)
	holds(t, dir, want)
	return r[0]
}

// holds checks that dir contains only this file.
func holds(t *testing.T, dir string, want []byte) {
	t.Helper()
	if got := names(t, dir); !cmp.Equal(got, []string{"d.gz"}) {
		t.Errorf("the directory holds %v", got)
	}
	got, err := os.ReadFile(filepath.Join(dir, "d.gz"))
	if err != nil || !bytes.Equal(got, want) {
		t.Fatalf("got %d bytes that are not the file (%v)", len(got), err)
	}
}

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	var all []string
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

// fails checks that Fetch returns an error of one line that contains the words and is not an
// *invalid.Input, and that no file has the final name.
func fails(t *testing.T, s catalogue.Benchmark, dir string, o fetch.Options, says ...string) {
	t.Helper()
	_, err := fetch.Fetch(t.Context(), s, dir, o)
	var bad *invalid.Input
	if err == nil || errors.As(err, &bad) || strings.Contains(err.Error(), "\n") {
		t.Fatalf("got %v", err)
	}
	for _, words := range says {
		if !strings.Contains(err.Error(), words) {
			t.Errorf("got %q, want %q in it", err, words)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "d.gz")); err == nil {
		t.Error("a file is under its final name")
	}
}

// ranges returns the Range headers of all requests.
func (s *site) ranges() []string {
	var all []string
	for _, h := range s.requests {
		all = append(all, h.Get("Range"))
	}
	return all
}

// half leaves the first half of the file, as an interrupted call does.
func half(t *testing.T, server *site, s catalogue.Benchmark, dir string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	server.answer = func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", strconv.Itoa(len(server.content)))
		w.Write(server.content[:len(server.content)/2])
		w.(http.Flusher).Flush()
		for { // until the client has it
			if info, err := os.Stat(filepath.Join(dir, "d.gz.part")); err == nil && info.Size() == int64(len(server.content)/2) {
				break
			}
			time.Sleep(time.Millisecond)
		}
		cancel()
		<-r.Context().Done()
	}
	if _, err := fetch.Fetch(ctx, s, dir, options()); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	if diff := cmp.Diff([]string{"d.gz.part"}, names(t, dir)); diff != "" {
		t.Fatal(diff)
	}
	server.answer, server.requests = nil, nil
}
