// Package serve answers questions about trained models over HTTP, with JSON in and out: predictions and
// scores, which equal those of the commands predict and score to the last digit.
//
//	POST /v1/predict, /v1/score    GET /v1/model, /healthz, /metrics, /openapi.json, / (package page)
//
// A server has a fixed number of predictors for each run. Further requests wait in a queue of limited
// length. If it is full, they are refused with 429. Large ones also wait until there is memory for them.
package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/predict"
	"github.com/acqnp/acqnp/internal/serve/page"
)

// Limits bound what a request may ask for.
type Limits struct {
	Body       int64         // bytes
	Points     int           // of the contexts and the targets of a request
	Groups     int           // of a request
	Numbers    int           // of an answer
	Work       int           // for an answer: evaluations of a component of a distribution
	Memory     int64         // of all large requests at a time, in bytes
	Upload     time.Duration // until a request has arrived
	Time       time.Duration // from then until its answer
	Reading    time.Duration // for a client to take each 64 KB of an answer
	Concurrent int           // requests that are computed or wait
}

// DefaultLimits returns limits for a machine of a few cores.
func DefaultLimits() Limits {
	return Limits{Body: 8 << 20, Points: 100_000, Groups: 1000, Numbers: 5_000_000, Work: 2_000_000_000, Memory: 1 << 28, Upload: time.Minute, Time: 30 * time.Second, Reading: 10 * time.Second, Concurrent: 256}
}

// Options say how a server answers.
type Options struct {
	Limits
	Token string   // that requests must carry; "" for none
	Hosts []string // names and addresses, without a port, by which clients may reach the server; nil for any

	Log func(Request) // called after each request, by several goroutines; may be nil
}

// A Server is the handler of all paths.
type Server struct {
	Options
	runs      atomic.Pointer[[]*Model]
	admission *admission
	metrics   *metrics
	http.Handler
}

// New returns a server of the models, in their order.
func New(models []*Model, o Options) *Server {
	o.Body = largestBody(o.Body, o.Memory)
	s := &Server{Options: o, admission: newAdmission(o)}
	s.Replace(models)
	s.metrics = newMetrics(func() float64 { return float64(len(*s.runs.Load())) })
	mux := http.NewServeMux()
	for _, r := range s.routes() {
		mux.HandleFunc(r.method+" "+r.path, r.answer)
		mux.HandleFunc(r.path, r.otherMethod)
	}
	mux.HandleFunc("/v1/", unknown)
	mux.Handle("/", page.Handler())
	s.Handler = s.metrics.measured(mux, s.guarded(mux), o.Log)
	return s
}

// A route is what the server answers to a method and a path.
type route struct {
	method, path string
	answer       http.HandlerFunc
}

// routes returns all routes but those of the page.
func (s *Server) routes() []route {
	return []route{
		{"POST", "/v1/predict", s.limited(s.answering(false))},
		{"POST", "/v1/score", s.limited(s.answering(true))},
		{"GET", "/v1/model", s.model},
		{"GET", "/healthz", healthy},
		{"GET", "/metrics", s.metrics.handler().ServeHTTP},
		{"GET", "/openapi.json", describeAPI},
	}
}

func healthy(w http.ResponseWriter, _ *http.Request) {
	answer(w, http.StatusOK, map[string]string{"status": "ok"})
}

// otherMethod refuses a method that the path of a route does not have.
func (r route) otherMethod(w http.ResponseWriter, q *http.Request) {
	w.Header().Set("Allow", r.method)
	refuse(w, http.StatusMethodNotAllowed, "found the method "+q.Method+", expected "+r.method)
}

// unknown refuses a path that the API does not have.
func unknown(w http.ResponseWriter, r *http.Request) {
	refuse(w, http.StatusNotFound, "found the path "+r.URL.Path+", expected one that /openapi.json lists")
}

// HTTP returns a server of connections with time limits.
func (s *Server) HTTP() *http.Server {
	const header = 10 * time.Second // for clients to write it
	return &http.Server{Handler: s, ReadHeaderTimeout: min(header, s.Upload), ReadTimeout: s.Upload, WriteTimeout: s.Upload + s.Time + lasting,
		IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 1 << 16}
}

// Grace returns how long requests under way may take after the server was told to end: as long as a
// request that has arrived.
func (s *Server) Grace() time.Duration { return s.Time }

// Serve answers requests until ctx ends, and then those under way, within Grace. It reports whether all
// were answered.
func (s *Server) Serve(ctx context.Context, l net.Listener) (whole bool, err error) {
	h, connections := s.HTTP(), newPool(l, mostConnections())
	h.ConnState = connections.changed
	ended := make(chan error, 1)
	go func() { ended <- h.Serve(connections) }()
	select {
	case err := <-ended:
		return false, err
	case <-ctx.Done():
	}
	last, cancel := context.WithTimeout(context.Background(), s.Grace())
	defer cancel()
	if h.Shutdown(last) == nil {
		return true, nil
	}
	return false, h.Close()
}

// Replace sets the models that answer later requests. Requests under way keep theirs. An old model is
// closed when its last request ends.
func (s *Server) Replace(models []*Model) {
	if old := s.runs.Swap(&models); old != nil {
		for _, m := range *old {
			m.retire()
		}
	}
}

// Reload replaces the models by those that load returns. If it fails, the old ones stay.
func (s *Server) Reload(load func() ([]*Model, error)) error {
	models, err := load()
	if err != nil {
		s.metrics.reloads.WithLabelValues("failed").Inc()
		return err
	}
	s.Replace(models)
	s.metrics.reloads.WithLabelValues("ok").Inc()
	return nil
}

// enter returns the model of a name, which may be left out if there is one model. The caller calls its
// method leave.
func (s *Server) enter(name string) (*Model, error) {
	for {
		m, err := find(*s.runs.Load(), name)
		if err != nil || m.enter() {
			return m, err
		}
	}
}

func find(models []*Model, name string) (*Model, error) {
	if name == "" && len(models) == 1 {
		return models[0], nil
	}
	for _, m := range models {
		if m.Name == name {
			return m, nil
		}
	}
	found := strconv.Quote(name)
	if name == "" {
		found = "nothing"
	}
	return nil, &invalid.Input{Key: "run", Found: found, Expected: "a run of this server, which GET /v1/model lists"}
}

// answer writes a value as JSON.
func answer(w http.ResponseWriter, status int, v any) {
	b, err := json.Marshal(v)
	if err != nil {
		status, b = http.StatusInternalServerError, []byte(`{"error":"the answer cannot be written as JSON"}`)
	}
	describe(w, status)
	_, _ = w.Write(append(b, '\n')) // the client may have gone
}

// describe writes the header of an answer in JSON.
func describe(w http.ResponseWriter, status int) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
}

// refuse writes an error in one line.
func refuse(w http.ResponseWriter, status int, message string) {
	answer(w, status, map[string]string{"error": oneLine(message)})
}

// oneLine returns the text in one line. It cuts the middle out of a long text, which may quote a client.
func oneLine(text string) string {
	const most = 300 // bytes, of which the end says what is expected
	if len(text) > most {
		text = text[:most/2] + " … " + text[len(text)-most/2:]
	}
	return strings.ToValidUTF8(strings.Join(strings.Fields(text), " "), "�")
}

// clientGone is the status of a request whose client has gone. Nobody but the metrics sees it.
const clientGone = 499

// fail writes an error with its status: 400 for a mistake of the client, 408 for a body that arrives too
// slowly, 413 for a request that is too large, 415 for one that is compressed, 503 for an answer that takes too long.
func fail(w http.ResponseWriter, err error) {
	var bad *invalid.Input
	var large *tooLarge
	var body *http.MaxBytesError
	var compressed *encoded
	switch {
	case errors.As(err, &compressed):
		w.Header().Set("Accept-Encoding", "identity")
		refuse(w, http.StatusUnsupportedMediaType, err.Error())
	case errors.As(err, &body):
		w.Header().Set("Connection", "close") // the rest of the body is not read
		refuse(w, http.StatusRequestEntityTooLarge, fmt.Sprintf("found a body of more than %d bytes, expected at most this number", body.Limit))
	case errors.Is(err, os.ErrDeadlineExceeded):
		w.Header().Set("Connection", "close")
		refuse(w, http.StatusRequestTimeout, "found a body that arrives too slowly, expected all of it in time")
	case errors.As(err, &large):
		refuse(w, http.StatusRequestEntityTooLarge, err.Error())
	case errors.As(err, &bad), errors.Is(err, predict.ErrNotFinite):
		refuse(w, http.StatusBadRequest, err.Error())
	case errors.Is(err, errBusy):
		w.Header().Set("Retry-After", "1")
		refuse(w, http.StatusServiceUnavailable, err.Error())
	case errors.Is(err, context.DeadlineExceeded):
		refuse(w, http.StatusServiceUnavailable, "found no answer in time, expected a smaller request or a less busy server")
	case errors.Is(err, context.Canceled):
		w.WriteHeader(clientGone)
	default:
		refuse(w, http.StatusInternalServerError, err.Error())
	}
}
