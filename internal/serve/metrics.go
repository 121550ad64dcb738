package serve

import (
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/acqnp/acqnp/internal/run/version"
)

// seconds lists the upper bounds of the histogram's buckets, in seconds: dense from 1 to 50 ms.
var seconds = []float64{.001, .002, .003, .004, .005, .0075, .01, .015, .02, .03, .05, .1, .15, .25, .5, 1, 5, 30}

// metrics counts what a server does, for GET /metrics. Each server has its own registry.
type metrics struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec   // by route and code
	seconds  *prometheus.HistogramVec // by route
	inFlight prometheus.Gauge
	refused  prometheus.Counter
	groups   *prometheus.CounterVec // by route
	targets  *prometheus.CounterVec // by route
	reloads  *prometheus.CounterVec // by result
}

// newMetrics returns counters at zero. runs returns the number of runs.
func newMetrics(runs func() float64) *metrics {
	count := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	}
	m := &metrics{
		registry: prometheus.NewRegistry(),
		requests: count("acqnp_http_requests_total", "Requests that were answered.", "route", "code"),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "acqnp_http_request_duration_seconds",
			Help: "Time from a request's header to the end of its answer.", Buckets: seconds}, []string{"route"}),
		inFlight: prometheus.NewGauge(prometheus.GaugeOpts{Name: "acqnp_http_requests_in_flight", Help: "Requests under way, with those that wait for a predictor."}),
		refused:  prometheus.NewCounter(prometheus.CounterOpts{Name: "acqnp_http_requests_refused_total", Help: "Requests refused with 429, because the queue was full."}),
		groups:   count("acqnp_groups_total", "Groups that were predicted or scored.", "route"),
		targets:  count("acqnp_target_points_total", "Target points that were predicted or scored.", "route"),
		reloads:  count("acqnp_reloads_total", "Times that the runs were loaded again, or could not be.", "result"),
	}
	loaded := prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "acqnp_runs", Help: "Runs that are loaded."}, runs)
	build := prometheus.NewGauge(prometheus.GaugeOpts{Name: "acqnp_build_info", Help: "1, with the version of the program.",
		ConstLabels: prometheus.Labels{"version": version.String(), "go": runtime.Version()}})
	build.Set(1)
	m.registry.MustRegister(build, m.requests, m.seconds, m.inFlight, m.refused, m.groups, m.targets, m.reloads, loaded,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	for _, result := range []string{"ok", "failed"} {
		m.reloads.WithLabelValues(result)
	}
	return m
}

// handler answers with the metrics as Prometheus' text.
func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

// computed adds to the groups and the targets that a route has answered.
func (m *metrics) computed(r *http.Request, groups, targets int) {
	route := r.URL.Path
	m.groups.WithLabelValues(route).Add(float64(groups))
	m.targets.WithLabelValues(route).Add(float64(targets))
	recordOf(r).Groups = groups
}

// measured counts the requests to next and their time, and gives each to log, unless that is nil. Their routes are
// those of mux.
func (m *metrics) measured(mux *http.ServeMux, next http.Handler, log func(Request)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		m.inFlight.Inc()
		route := routeOf(mux, r)
		record, r := begin(r)
		w.Header().Set("X-Request-ID", record.ID)
		coded := &codeWriter{ResponseWriter: w, code: http.StatusOK}
		defer func() {
			m.inFlight.Dec()
			record.Status, record.Bytes, record.Took = coded.code, coded.bytes, time.Since(began)
			m.requests.WithLabelValues(route, strconv.Itoa(record.Status)).Inc()
			m.seconds.WithLabelValues(route).Observe(record.Took.Seconds())
			if log != nil {
				log(*record)
			}
		}()
		next.ServeHTTP(coded, r)
	})
}

// routeOf returns the path of the pattern in mux that a request matches. So the number of labels is
// bounded, whatever clients ask for.
func routeOf(mux *http.ServeMux, r *http.Request) string {
	_, pattern := mux.Handler(r)
	if i := strings.IndexByte(pattern, '/'); i >= 0 {
		return pattern[i:]
	}
	return "none"
}

// A codeWriter keeps the status of an answer, and the length of its body.
type codeWriter struct {
	http.ResponseWriter
	code, bytes int
}

func (w *codeWriter) Write(b []byte) (int, error) {
	n, err := w.ResponseWriter.Write(b)
	w.bytes += n
	return n, err
}

func (w *codeWriter) WriteHeader(code int) {
	w.code = code
	w.ResponseWriter.WriteHeader(code)
}

// Unwrap returns the writer within, for package http.
func (w *codeWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
