package main

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// A fake answers every seventh request with an error, and every eleventh with another answer, if it
// has faults. It calls end at the thousandth.
func fake(t *testing.T, faults bool, end func()) (url string) {
	t.Helper()
	var n atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		if r.URL.Path == "/metrics" {
			_, _ = io.WriteString(w, "# HELP\nprocess_resident_memory_bytes 1.25e+07\n")
			return
		}
		i := n.Add(1)
		if i == 1000 {
			end()
		}
		switch {
		case strings.Count(string(b), "[") < 11:
			http.Error(w, "a body without points", http.StatusBadRequest)
		case faults && i%7 == 0:
			http.Error(w, "full", http.StatusTooManyRequests)
		case faults && i%11 == 0:
			_, _ = io.WriteString(w, "other")
		default:
			_, _ = io.WriteString(w, "same")
		}
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func measured(t *testing.T, s settings, faults bool) (failed int, text string) {
	t.Helper()
	ctx, end := context.WithCancel(t.Context())
	defer end()
	s.url, s.clients, s.duration, s.every = fake(t, faults, end), 3, time.Hour, time.Millisecond
	s.body = body{context: 2, targets: 5, quantiles: 3, density: 4}
	var w strings.Builder
	failed, err := s.measure(ctx, &w)
	if err != nil {
		t.Fatal(err)
	}
	return failed, w.String()
}

// The last line counts the requests of all lines; at most one of each client was cut at the end.
func TestReport(t *testing.T) {
	failed, text := measured(t, settings{rate: 1e5}, false)
	last := regexp.MustCompile(`\nall: +(\d+) requests, .*p99 .* 0 errors; server has 12.5 MB\n$`).FindStringSubmatch(text)
	if failed != 0 || last == nil || !strings.Contains(text, "100000 requests/s") {
		t.Fatalf("%d failed:\n%s", failed, text)
	}
	if n, _ := strconv.Atoi(last[1]); n < 996 || n > 1002 {
		t.Errorf("%d requests, expected about 999:\n%s", n, text)
	}
}

func TestErrorsAreCounted(t *testing.T) {
	failed, text := measured(t, settings{pid: os.Getpid()}, true)
	if failed < 200 || !strings.Contains(text, "times: 429 Too Many Requests: full\n") || !strings.Contains(text, "times: an answer that is not the first one\n") {
		t.Errorf("%d failed:\n%s", failed, text)
	}
	if strings.Contains(text, "memory unknown") {
		t.Errorf("no memory of this process:\n%s", text)
	}
}

func TestQuantilesOfTimes(t *testing.T) {
	var times []time.Duration
	for i := range 100 {
		times = append(times, time.Duration(100-i)*time.Millisecond)
	}
	if got, want := describe(times, 10*time.Second), "100 requests, 10/s, p50 50.00 ms, p90 90.00 ms, p99 99.00 ms, max 100.00 ms"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
