package fetch_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/acqnp/acqnp/internal/config/catalogue"
	"github.com/acqnp/acqnp/internal/datasets/fetch"
	"github.com/acqnp/acqnp/internal/progress"
	"github.com/acqnp/acqnp/internal/test/must"
)

func TestFetchesOnce(t *testing.T) {
	content := counted(300000)
	server, dir := newSite(t, content), filepath.Join(t.TempDir(), "made", "digits")
	s := set(content, server.URL+"/file")
	want := fetch.Result{Path: filepath.Join(dir, "d.gz"), Bytes: 300000, Fetched: true, Checked: true}
	if diff := cmp.Diff(want, fetched(t, s, dir, content)); diff != "" {
		t.Error(diff)
	}
	want.Fetched = false
	if diff := cmp.Diff(want, fetched(t, s, dir, content)); diff != "" {
		t.Error(diff)
	}
	if len(server.requests) != 1 {
		t.Errorf("%d requests, want 1", len(server.requests))
	}
	if info, err := os.Stat(want.Path); err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("found %v, error %v; want a file of mode 0644", info, err)
	}
}

func TestWrongContentIsRemoved(t *testing.T) {
	content := counted(1000)
	other := bytes.Clone(content)
	other[500]++
	server, dir := newSite(t, other), t.TempDir()
	fails(t, set(content, server.URL+"/file"), dir, options(), sum(other), sum(content), "removed")
	server.content = append(content, 1)
	fails(t, set(content, server.URL+"/file"), dir, options(), "1001 bytes", "1000")
	server.answer = func(w http.ResponseWriter, _ *http.Request) { // without a Content-Length
		w.(http.Flusher).Flush()
		w.Write(append(content, 1))
	}
	fails(t, set(content, server.URL+"/file"), dir, options(), "more than 1000 bytes")
	server.answer = nil
	server.content = []byte("<html>Please log in</html>")
	s := set(content, server.URL+"/file")
	s.Published[0] = catalogue.File{Name: "d.gz", URLs: s.Published[0].URLs, Starts: "MATLAB"}
	fails(t, s, dir, options(), `starts with "<html>", expected "MATLAB"`)
	server.content = nil
	fails(t, s, dir, options(), `starts with "", expected "MATLAB"`)
	if left := names(t, dir); len(left) > 0 {
		t.Errorf("%v are left", left)
	}
	// So is a server that resumes with another file.
	server = newSite(t, content)
	s = set(content, server.URL+"/file")
	half(t, server, s, dir)
	server.content = other
	fails(t, s, dir, options(), "removed")
	if left := names(t, dir); len(left) > 0 {
		t.Errorf("%v are left", left)
	}
}

func TestAddressesInTheirOrder(t *testing.T) {
	content := counted(1000)
	none, server, dir := newSite(t, nil), newSite(t, content), t.TempDir()
	none.answer = http.NotFound
	fails(t, set(content, none.URL+"/a", none.URL+"/b"), dir, options(), "404 Not Found", none.URL+"/a", none.URL+"/b")
	if len(none.requests) != 2 {
		t.Errorf("%d requests for a missing file, want 2", len(none.requests))
	}
	fetched(t, set(content, none.URL+"/a", server.URL+"/file"), dir, content)
}

func TestBusyServersAreAskedAgain(t *testing.T) {
	content := counted(1000)
	for _, status := range []int{429, 500, 503} {
		server, dir := newSite(t, content), t.TempDir()
		asked := 0
		server.answer = func(w http.ResponseWriter, _ *http.Request) {
			if asked++; asked < 3 {
				w.WriteHeader(status)
				return
			}
			w.Write(content)
		}
		fetched(t, set(content, server.URL+"/file"), dir, content)
	}
}

func TestRedirectsAreFollowed(t *testing.T) {
	content := counted(300000)
	server, door, dir := newSite(t, content), newSite(t, nil), t.TempDir()
	door.answer = func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, server.URL+"/elsewhere", http.StatusFound)
	}
	server.cut = []int{200000}
	fetched(t, set(content, door.URL+"/file"), dir, content)
	if len(server.requests) != 2 || !strings.HasPrefix(server.ranges()[1], "bytes=") {
		t.Errorf("requests for %q", server.ranges())
	}
}

func TestRedirectsThatLeadNowhereAreTriedOnce(t *testing.T) {
	for to, c := range map[string]struct {
		requests int
		says     string
	}{
		"/round":                  {10, "10 redirects"},
		"ftp://127.0.0.1:1/file":  {1, "redirected to ftp://127.0.0.1:1/file"},
		"file:///etc/passwd":      {1, "redirected to file:///etc/passwd"},
		"http://127.0.0.1:1/file": {1, "no connection to 127.0.0.1:1"},
	} {
		door := newSite(t, nil)
		door.answer = func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, to, http.StatusFound) }
		fails(t, set(nil, door.URL+"/file"), t.TempDir(), options(), c.says)
		if len(door.requests) != c.requests {
			t.Errorf("%s: %d requests, want %d", to, len(door.requests), c.requests)
		}
	}
}

func TestCertificatesOfNobodyAreTriedOnce(t *testing.T) {
	var asked atomic.Int32
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			asked.Add(1)
		}
	}
	server.StartTLS()
	fails(t, set(nil, server.URL+"/file"), t.TempDir(), options(), "certificate")
	server.Close()
	if n := asked.Load(); n != 1 {
		t.Errorf("%d connections", n)
	}
}

func TestSilentServersAreHungUpOn(t *testing.T) {
	content := counted(1000)
	server, dir := newSite(t, content), t.TempDir()
	server.answer = func(w http.ResponseWriter, r *http.Request) {
		if len(server.requests) > 1 { // before the response; the first time within it
			<-r.Context().Done()
			return
		}
		w.Write(content[:10])
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}
	o := options()
	o.Stall, o.Tries = 50*time.Millisecond, 2
	fails(t, set(content, server.URL+"/file"), dir, o, "stopped sending")
}

func TestWithoutANetwork(t *testing.T) {
	gone := newSite(t, nil)
	gone.Close()
	dir := t.TempDir()
	fails(t, set(nil, gone.URL+"/file"), dir, options(), "no connection to 127.0.0.1", "Without a network", dir, "mirror")
	o := options()
	o.Client = &http.Client{Transport: &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
		return nil, &net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host", Name: "data.example.org", IsNotFound: true}}
	}}}
	fails(t, set(nil, "https://data.example.org/file"), dir, o, "no network, or no such host as data.example.org")
}

func TestMirror(t *testing.T) {
	content := counted(1000)
	server := newSite(t, content)
	for _, end := range []string{"", "/"} {
		dir, o := t.TempDir(), options()
		o.Mirror = server.URL + "/my%20data" + end
		if _, err := fetch.Fetch(t.Context(), set(content, "http://127.0.0.1:1/file"), dir, o); err != nil {
			t.Fatal(err)
		}
		holds(t, dir, content)
	}
	if diff := cmp.Diff([]string{"/my data/digits/d.gz", "/my data/digits/d.gz"}, server.paths); diff != "" {
		t.Error(diff)
	}
}

func TestRefusesWhatAPersonGotWrong(t *testing.T) {
	content, dir := counted(1000), t.TempDir()
	other := filepath.Join(dir, "d.gz")
	must.Do(t, os.WriteFile(other, []byte("mine"), 0o600))
	try := func(dir, mirror, says string) {
		t.Helper()
		o := options()
		o.Mirror = mirror
		_, err := fetch.Fetch(t.Context(), set(content, "http://127.0.0.1:1/file"), dir, o)
		must.Refuse(t, err, says)
	}
	try(dir, "", "SHA-256")
	try(filepath.Join(other, "below"), "", "a directory that can be created")
	for _, mirror := range []string{"example.org/data", "ftp://example.org", "http://", "::", "/tmp"} {
		try(t.TempDir(), mirror, "mirror: found "+fmt.Sprintf("%q", mirror))
	}
	if got, err := os.ReadFile(other); err != nil || string(got) != "mine" {
		t.Error("the person's file was touched")
	}
	must.Do(t, os.Mkdir(filepath.Join(dir, "sub"), 0o755))
	must.Do(t, os.Mkdir(filepath.Join(dir, "sub", "d.gz"), 0o755))
	try(filepath.Join(dir, "sub"), "", "not a regular file")
}

// A recorder keeps what a progress bar would show.
type recorder struct {
	progress.Reporter
	total, done, last int
	began             int
}

func (r *recorder) Begin(_, _ string, done, total int) {
	r.began, r.done, r.total = r.began+1, done, total
}
func (r *recorder) Update(s progress.State) { r.last = s.Done }
func (r *recorder) End()                    {}

func TestProgressCountsWhatWasThere(t *testing.T) {
	content := counted(300 << 10)
	server, dir := newSite(t, content), t.TempDir()
	s := set(content, server.URL+"/file")
	half(t, server, s, dir)
	r, o := &recorder{}, options()
	o.Progress = r
	if _, err := fetch.Fetch(t.Context(), s, dir, o); err != nil {
		t.Fatal(err)
	}
	if r.began != 1 || r.done != 150 || r.total != 300 || r.last != 300 {
		t.Errorf("found %+v, want one piece of work from 150 to 300 KiB", r)
	}
}

func TestSetsAreWellFormed(t *testing.T) {
	for _, s := range catalogue.All() {
		for _, f := range s.Downloads() {
			if len(f.URLs) == 0 || (f.SHA256 == "") == (f.Starts == "") {
				t.Errorf("%s/%s: %+v", s.Name, f.Name, f)
			}
			if b, err := hex.DecodeString(f.SHA256); f.SHA256 != "" && (err != nil || len(b) != 32 || f.Bytes == 0) {
				t.Errorf("%s/%s: %+v", s.Name, f.Name, f)
			}
			for _, a := range f.URLs {
				if u, err := url.Parse(a); err != nil || u.Host == "" {
					t.Errorf("%s: %v", a, err)
				}
			}
		}
	}
}

// The checksums of files that publishers or others pack, and the first bytes of all.
func TestSumsOfRealFiles(t *testing.T) {
	shared := os.Getenv("ACQNP_SHARED")
	if shared == "" {
		shared = filepath.Join("..", "..", "..", "..", "shared")
	}
	checked := 0
	for _, s := range catalogue.All() {
		for _, f := range s.Downloads() {
			content, err := os.ReadFile(filepath.Join(shared, "data", s.Name, f.Name))
			if err != nil {
				continue
			}
			checked++
			if !strings.HasPrefix(string(content), f.Starts) {
				t.Errorf("%s starts with %q", f.Name, content[:20])
			}
			published := sum(content) == f.SHA256 && int64(len(content)) == f.Bytes
			if f.SHA256 != "" && !published && sum(content) != f.Other {
				t.Errorf("%s has %d bytes and the sum %s", f.Name, len(content), sum(content))
			}
		}
	}
	if checked == 0 {
		t.Skip("the real data are not there")
	}
}
