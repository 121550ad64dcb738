package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// kinds is the largest number of different errors that are printed.
const kinds = 10

// measure sends the requests and prints a line at the start, at each interval, and at the end. It
// returns the number of requests that failed.
func (s settings) measure(ctx context.Context, w io.Writer) (failed int, err error) {
	l, err := start(ctx, s)
	if err != nil {
		return 0, err
	}
	pace := "each sends its next when the last is answered"
	if s.rate > 0 {
		pace = fmt.Sprintf("%g requests/s", s.rate)
	}
	fmt.Fprintf(w, "%d clients for %v, %s; %d context points, %d targets; %.1f KB asked, %.1f KB answered\n",
		s.clients, s.duration, pace, s.body.context, s.body.targets, float64(len(l.text))/1e3, float64(len(l.want))/1e3)
	fmt.Fprintf(w, "%6s  %s\n", "0s", l.memory(ctx))
	ctx, stop := context.WithTimeout(ctx, s.duration)
	defer stop()
	var clients sync.WaitGroup
	for range s.clients {
		clients.Go(func() { l.ask(ctx) })
	}
	all := l.lines(ctx, w)
	clients.Wait()
	took := time.Since(l.began)
	all = append(all, l.take()...)
	fmt.Fprintf(w, "all:    %s, %d errors; %s\n", describe(all, took), l.failed, l.memory(context.Background()))
	for i, why := range slices.Sorted(maps.Keys(l.why)) {
		if i == kinds {
			fmt.Fprintf(w, "and %d other errors\n", len(l.why)-kinds)
			break
		}
		fmt.Fprintf(w, "error, %d times: %s\n", l.why[why], why)
	}
	return l.failed, nil
}

// lines prints a line at each interval until ctx ends, and returns the times of their requests.
func (l *load) lines(ctx context.Context, w io.Writer) (all []time.Duration) {
	tick := time.NewTicker(l.every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return all
		case <-tick.C:
			times := l.take()
			fmt.Fprintf(w, "%6s  %s; %s\n", time.Since(l.began).Round(time.Second), describe(times, l.every), l.memory(context.WithoutCancel(ctx)))
			all = append(all, times...)
		}
	}
}

// describe returns the number of requests, their rate, and how long they took.
func describe(times []time.Duration, in time.Duration) string {
	if len(times) == 0 {
		return "no requests"
	}
	slices.Sort(times)
	at := func(p float64) float64 {
		return times[min(len(times)-1, int(math.Ceil(p*float64(len(times))))-1)].Seconds() * 1e3
	}
	return fmt.Sprintf("%d requests, %.0f/s, p50 %.2f ms, p90 %.2f ms, p99 %.2f ms, max %.2f ms",
		len(times), float64(len(times))/in.Seconds(), at(0.5), at(0.9), at(0.99), at(1))
}

// memory returns the memory that the server has in RAM, as text.
func (l *load) memory(ctx context.Context) string {
	bytes, err := l.resident(ctx)
	if err != nil {
		return "memory unknown: " + err.Error()
	}
	return fmt.Sprintf("server has %.1f MB", bytes/1e6)
}

func (l *load) resident(ctx context.Context) (float64, error) {
	if l.pid == 0 {
		return l.metric(ctx, "process_resident_memory_bytes")
	}
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", l.pid))
	if err != nil {
		return 0, err
	}
	fields := strings.Fields(string(text))
	if len(fields) < 2 {
		return 0, fmt.Errorf("found no second number in statm of process %d", l.pid)
	}
	pages, err := strconv.ParseFloat(fields[1], 64)
	return pages * float64(os.Getpagesize()), err
}

// metric returns a number of GET /metrics.
func (l *load) metric(ctx context.Context, name string) (float64, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, l.url+"/metrics", nil)
	if err != nil {
		return 0, err
	}
	text, err := l.do(r)
	if err != nil {
		return 0, err
	}
	for s := bufio.NewScanner(bytes.NewReader(text)); s.Scan(); {
		if value, found := strings.CutPrefix(s.Text(), name+" "); found {
			return strconv.ParseFloat(value, 64)
		}
	}
	return 0, errors.New("found no " + name + " in /metrics")
}
