package fetch_test

import (
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestGoesOnAfterResets(t *testing.T) {
	content := counted(300000)
	server, dir := newSite(t, content), t.TempDir()
	server.cut = []int{100000, 1000, 0, 0, 50000, 0, 0, 0}
	fetched(t, set(content, server.URL+"/file"), dir, content)
	got := server.ranges()
	if len(got) != 9 || got[0] != "" {
		t.Fatalf("requests for %q", got)
	}
	last := 0
	for _, r := range got[1:] { // a reset may lose bytes on their way; bytes in the part are not requested again
		from, err := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(r, "bytes="), "-"))
		if r == "" {
			from, err = 0, nil
		}
		if err != nil || from < last {
			t.Errorf("requests for %q", got)
		}
		last = from
	}
	if last == 0 {
		t.Error("never resumed")
	}
}

// Without a published checksum a file may have changed.
func TestStartsAnewWithoutAChecksum(t *testing.T) {
	content := counted(300000)
	server, dir := newSite(t, content), t.TempDir()
	server.cut = []int{100000, 100000}
	s := set(content, server.URL+"/file")
	s.Published[0].SHA256, s.Published[0].Starts = "", string(content[:4])
	fetched(t, s, dir, content)
	if diff := cmp.Diff([]string{"", "", ""}, server.ranges()); diff != "" {
		t.Error(diff)
	}
}

func TestGivesUpWithoutProgress(t *testing.T) {
	content := counted(1000)
	server, dir := newSite(t, content), t.TempDir()
	server.cut = make([]int, 100)
	fails(t, set(content, server.URL+"/file"), dir, options(), "5 tries", "mirror", filepath.Join(dir, "d.gz"))
	if len(server.requests) != 5 {
		t.Errorf("%d requests", len(server.requests))
	}
}

func TestNextCallGoesOn(t *testing.T) {
	content := counted(300000)
	server, dir := newSite(t, content), t.TempDir()
	s := set(content, server.URL+"/file")
	half(t, server, s, dir)
	fetched(t, s, dir, content)
	if diff := cmp.Diff([]string{"bytes=150000-"}, server.ranges()); diff != "" {
		t.Error(diff)
	}
}

func TestNextCallNeedsNothingMore(t *testing.T) {
	content := counted(300000)
	server, dir := newSite(t, content), t.TempDir()
	s := set(content[:150000], server.URL+"/file")
	s.Published[0].Bytes = 0
	half(t, server, s, dir)
	server.content = content[:150000] // the half is the whole file
	fetched(t, s, dir, content[:150000])
	if diff := cmp.Diff([]string{"bytes=150000-"}, server.ranges()); diff != "" {
		t.Error(diff)
	}
}

func TestServerThatIgnoresRanges(t *testing.T) {
	content := counted(300000)
	server, dir := newSite(t, content), t.TempDir()
	s := set(content, server.URL+"/file")
	half(t, server, s, dir)
	server.answer = func(w http.ResponseWriter, _ *http.Request) { w.Write(content) }
	fetched(t, s, dir, content)
}

// The checksum says that the addresses have the same file.
func TestPartOfAnotherAddressIsGoneOnWith(t *testing.T) {
	content := counted(300000)
	server, dir := newSite(t, content), t.TempDir()
	half(t, server, set(content, server.URL+"/file"), dir)
	fetched(t, set(content, server.URL+"/other"), dir, content)
	if diff := cmp.Diff([]string{"bytes=150000-"}, server.ranges()); diff != "" {
		t.Error(diff)
	}
}

func TestServersThatAnswerRangesWrongly(t *testing.T) {
	content := counted(300000)
	for name, answer := range map[string]func(w http.ResponseWriter){
		"another start": func(w http.ResponseWriter) {
			w.Header().Set("Content-Range", "bytes 100000-299999/300000")
			w.WriteHeader(http.StatusPartialContent)
			w.Write(content[100000:])
		},
		"no words": func(w http.ResponseWriter) {
			w.WriteHeader(http.StatusPartialContent)
			w.Write(content[150000:])
		},
		"not all of the rest": func(w http.ResponseWriter) {
			w.Header().Set("Content-Range", "bytes 150000-150009/300000")
			w.WriteHeader(http.StatusPartialContent)
			w.Write(content[150000:150010])
		},
		"shorter": func(w http.ResponseWriter) { w.WriteHeader(http.StatusRequestedRangeNotSatisfiable) },
	} {
		t.Run(name, func(t *testing.T) {
			server, dir := newSite(t, content), t.TempDir()
			s := set(content, server.URL+"/file")
			half(t, server, s, dir)
			server.answer = func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Range") == "" {
					w.Write(content)
					return
				}
				answer(w)
			}
			fetched(t, s, dir, content)
			if len(server.requests) != 2 {
				t.Errorf("%d requests", len(server.requests))
			}
		})
	}
}
