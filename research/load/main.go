// Command load asks a running `acqnp serve` for predictions from many clients at once. It prints how
// many it answered, how long they took, and the memory of the server.
//
//	acqnp serve --run runs/quickstart/seed-0 &
//	go run -C research ./load --clients 50 --duration 5m --pid $!
//	go run -C research ./load --rate 400 --density 81 --modes --draws 10
//
// Each client sends its next request when the last is answered. With --rate, requests start at even
// intervals, and a time is that from the planned start, so that waiting for a busy client counts. All
// requests are the same; an answer that differs from the first one is an error. A token is read from
// ACQNP_SERVE_TOKEN. Exit code 1: a request failed.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"time"
)

type settings struct {
	url      string
	clients  int
	rate     float64 // requests in a second; 0: as many as are answered
	duration time.Duration
	every    time.Duration // between two lines
	pid      int           // of the server; 0: ask for its metrics
	body     body
}

func main() {
	var s settings
	flag.StringVar(&s.url, "url", "http://127.0.0.1:8080", "address of the server")
	flag.StringVar(&s.body.Run, "run", "", "name of the run, if the server has several")
	flag.IntVar(&s.clients, "clients", 50, "clients at once, each with a connection that it keeps")
	flag.Float64Var(&s.rate, "rate", 0, "requests in a second; 0: a client sends its next when the last is answered")
	flag.DurationVar(&s.duration, "duration", time.Minute, "how long")
	flag.DurationVar(&s.every, "every", time.Minute, "time between two lines")
	flag.IntVar(&s.pid, "pid", 0, "process of the server, for its memory; 0: that of GET /metrics")
	flag.IntVar(&s.body.context, "context", 10, "context points of a request")
	flag.IntVar(&s.body.targets, "targets", 200, "target points of a request")
	flag.IntVar(&s.body.quantiles, "quantiles", 3, "quantiles asked for at each target")
	flag.IntVar(&s.body.density, "density", 0, "y at which the density is asked for")
	flag.BoolVar(&s.body.Modes, "modes", false, "ask for the modes")
	flag.IntVar(&s.body.Draws, "draws", 0, "joint draws asked for")
	flag.Parse()
	if err := s.check(); err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	failed, err := s.measure(ctx, os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
	}
	if err != nil || failed > 0 {
		os.Exit(1)
	}
}

func (s settings) check() error {
	if flag.NArg() > 0 {
		return fmt.Errorf("found the argument %q, expected flags alone", flag.Arg(0))
	}
	if s.clients < 1 || s.duration <= 0 || s.every <= 0 || s.rate < 0 || s.body.targets < 1 || min(s.body.context, s.body.quantiles, s.body.density, s.body.Draws) < 0 {
		return fmt.Errorf("found a number out of range, expected clients, duration and targets above 0 and no negative number")
	}
	return nil
}
