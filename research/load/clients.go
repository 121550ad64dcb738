package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// A load is what all clients share.
type load struct {
	settings
	client *http.Client
	text   []byte // of each request
	want   []byte // the answer to each
	began  time.Time
	next   atomic.Int64 // the number of the next request

	mu     sync.Mutex
	times  []time.Duration // since the last line
	failed int
	why    map[string]int // errors and how often they came
}

// start asks for one answer, which the others must equal.
func start(ctx context.Context, s settings) (*load, error) {
	text, err := s.body.text()
	if err != nil {
		return nil, err
	}
	// One connection more than clients asks for the server's memory.
	l := &load{settings: s, text: text, why: map[string]int{},
		client: &http.Client{Timeout: time.Minute, Transport: &http.Transport{MaxIdleConnsPerHost: s.clients + 1, MaxConnsPerHost: s.clients + 1}}}
	if l.want, err = l.post(ctx); err != nil {
		return nil, err
	}
	l.began = time.Now()
	return l, nil
}

func (l *load) post(ctx context.Context) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, l.url+"/v1/predict", bytes.NewReader(l.text))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	return l.do(r)
}

// do returns the body of the answer 200.
func (l *load) do(r *http.Request) ([]byte, error) {
	if token := os.Getenv("ACQNP_SERVE_TOKEN"); token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	answer, err := l.client.Do(r)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	got, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %.200s", answer.Status, bytes.TrimSpace(got))
	}
	return got, err
}

// ask sends requests until ctx ends.
func (l *load) ask(ctx context.Context) {
	for {
		from, ok := l.wait(ctx)
		if !ok {
			return
		}
		got, err := l.post(ctx)
		if ctx.Err() != nil {
			return
		}
		if err == nil && !bytes.Equal(got, l.want) {
			err = fmt.Errorf("an answer that is not the first one")
		}
		l.keep(time.Since(from), err)
	}
}

// wait waits until a request is to start. It returns the time from which the request is measured, and
// false if ctx ended.
func (l *load) wait(ctx context.Context) (time.Time, bool) {
	if l.rate == 0 {
		return time.Now(), ctx.Err() == nil
	}
	at := l.began.Add(time.Duration(float64(l.next.Add(1)-1) / l.rate * float64(time.Second)))
	select {
	case <-ctx.Done():
		return at, false
	case <-time.After(time.Until(at)):
		return at, true
	}
}

func (l *load) keep(d time.Duration, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.times = append(l.times, d)
	if err != nil {
		l.failed++
		l.why[err.Error()]++
	}
}

// take returns the times since it was called last.
func (l *load) take() []time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	times := l.times
	l.times = nil
	return times
}
