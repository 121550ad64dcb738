package cli

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"

	"github.com/spf13/cobra"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets/benchmark"
	"github.com/acqnp/acqnp/internal/engine/device"
	"github.com/acqnp/acqnp/internal/engine/device/memory"
	"github.com/acqnp/acqnp/internal/files/interrupt"
	"github.com/acqnp/acqnp/internal/fit/answer"
	"github.com/acqnp/acqnp/internal/fit/file"
	"github.com/acqnp/acqnp/internal/predict"
	"github.com/acqnp/acqnp/internal/progress"
	"github.com/acqnp/acqnp/internal/serve"
)

type serveOptions struct {
	settings
	runs    []string
	numTau  int
	leveled bool // --num-quantiles was given
	at      serve.Address
	asks    bool
}

var _ = command(otherPrograms, 1, newServe)

func newServe(a *app) *cobra.Command {
	var o serveOptions
	cmd := &cobra.Command{
		Use:   "serve RUN…",
		Short: "Answer predictions and scores over HTTP, and show a page",
		Long: `Show a page where you click points and see the density, and answer in JSON what predict and score answer
for files: POST /v1/predict and POST /v1/score. GET /openapi.json describes all requests. With several
runs, a request names one. docs/how-to/serve.md explains it with examples.

The server answers only this machine, unless --listen names another address. Requests then need a token,
as "Authorization: Bearer TOKEN": that of the variable ACQNP_SERVE_TOKEN, or of --token-file.

With --check, nothing is served: exit code 0 says that a server is well at the address of --listen on this
machine, 1 that none is. It is for health checks of containers.

SIGHUP loads the runs again, and no request is lost. SIGINT and SIGTERM end the server with exit code 0,
after the requests under way, within thirty seconds.`,
		Example: `  acqnp serve prices.fit
  acqnp serve runs/prices/seed-0 runs/speeds/seed-0 --listen 127.0.0.1:9000
  ACQNP_SERVE_TOKEN=secret acqnp serve prices.fit --listen :8443 --tls-cert cert.pem --tls-key key.pem`,
		Args: func(cmd *cobra.Command, args []string) error {
			for _, dir := range args {
				if err := cmd.Flags().Set("run", dir); err != nil {
					return err
				}
			}
			return nil
		},
		RunE: a.run(func(cmd *cobra.Command) error {
			if o.asks {
				return o.at.Check(cmd.Context())
			}
			o.leveled = cmd.Flags().Changed("num-quantiles")
			return runServe(cmd.Context(), a, o)
		}),
	}
	o.addFlags(a, cmd)
	f := cmd.Flags()
	f.StringArrayVar(&o.runs, "run", nil, "run `DIR`, repeatable")
	f.IntVar(&o.numTau, "num-quantiles", 0, "`NUMBER` of quantile levels of each target (default the configuration's eval.num_tau)")
	f.StringVar(&o.at.Listen, "listen", "127.0.0.1:8080", "`ADDRESS` to listen on, HOST:PORT; port 0 for any")
	f.StringVar(&o.at.TokenFile, "token-file", "", "`FILE` with the token (default the variable ACQNP_SERVE_TOKEN)")
	f.StringVar(&o.at.Certificate, "tls-cert", "", "PEM `FILE` with the certificate, for HTTPS")
	f.StringVar(&o.at.Key, "tls-key", "", "PEM `FILE` with the certificate's key")
	f.BoolVar(&o.asks, "check", false, "ask whether a server is well, and serve nothing")
	cmd.MarkFlagsOneRequired("run", "check")
	cmd.MarkFlagsMutuallyExclusive("run", "check")
	cmd.MarkFlagsRequiredTogether("tls-cert", "tls-key")
	return cmd
}

// collectLess lets the heap grow to nine times what is in use before garbage is collected, and to a
// gigabyte above what the models need at most. A request takes some megabytes for milliseconds, and the
// models hardly more.
func collectLess() {
	var now runtime.MemStats
	runtime.ReadMemStats(&now)
	debug.SetGCPercent(800)
	memory.LowerLimit(int64(2*now.Sys) + 1<<30) // SIGHUP loads the models twice
}

// forRequests returns how many bytes large requests may take together: half of what the models, once
// more on SIGHUP, leave of the limit of the heap.
func forRequests() int64 {
	runtime.GC()
	var now runtime.MemStats
	runtime.ReadMemStats(&now)
	left := debug.SetMemoryLimit(-1) - int64(2*now.HeapInuse)
	return min(max(left/2, 32<<20), 1<<30)
}

func runServe(ctx context.Context, a *app, o serveOptions) error {
	if err := o.openDevice(); err != nil {
		return err
	}
	names, err := serve.Names(o.runs)
	if err != nil {
		return err
	}
	options, err := o.at.Options()
	if err != nil {
		return err
	}
	p := a.progress()
	models, err := o.load(names, p)
	if err != nil {
		return err
	}
	o.threads = o.cores()
	collectLess()
	options.Memory = forRequests()
	if a.json {
		options.Log = logRequests(p)
	}
	server := serve.New(models, options)
	listener, err := o.at.Open()
	if err != nil {
		return err
	}
	defer o.reloads(server, names, p)() // before others learn that the server is there
	o.announce(p)
	// Small requests have threads beside those that compute large ones, which the system lets wait less
	// than Go does. The announcement before counts the threads that compute.
	runtime.GOMAXPROCS(max(runtime.GOMAXPROCS(0), 2*o.threads))
	p.Note("listening on "+o.at.URL(listener), progress.Field{Name: "address", Value: listener.Addr().String()})
	whole, err := server.Serve(ctx, listener)
	switch {
	case err != nil:
		return err
	case whole:
		p.Note("ended: all requests are answered")
	default:
		p.Warn(fmt.Sprintf("ended: requests that were still under way after %v are cut", server.Grace()))
	}
	return nil
}

// logRequests returns what writes the access log: an event "request" for each.
func logRequests(p progress.Reporter) func(serve.Request) {
	var one sync.Mutex
	return func(r serve.Request) {
		one.Lock()
		defer one.Unlock()
		p.Note(fmt.Sprintf("%s %s: %d", r.Method, r.Path, r.Status), progress.Field{Name: "event", Value: "request"}, progress.Field{Name: "id", Value: r.ID},
			progress.Field{Name: "method", Value: r.Method}, progress.Field{Name: "path", Value: r.Path}, progress.Field{Name: "status", Value: r.Status},
			progress.Field{Name: "bytes", Value: r.Bytes}, progress.Field{Name: "ms", Value: float64(r.Took.Microseconds()) / 1000}, progress.Field{Name: "groups", Value: r.Groups})
	}
}

// load reads the runs. On a CPU each run has as many predictors as there are threads, on a GPU one. A
// predictor computes on one thread.
func (o *serveOptions) load(names []string, p progress.Reporter) ([]*serve.Model, error) {
	predictors := 1
	if o.device.Kernels() != "" {
		predictors = o.cores()
	}
	var models []*serve.Model
	for i, name := range names {
		m, err := o.model(name, o.runs[i], predictors, p)
		if err != nil {
			return nil, err
		}
		models = append(models, m)
	}
	return models, nil
}

// model reads a run, or a fit, whose quantiles and PITs are calibrated.
func (o *serveOptions) model(name, dir string, predictors int, p progress.Reporter) (*serve.Model, error) {
	if file.Is(dir) {
		if o.precision != device.AutoPrecision {
			p.Warn(fmt.Sprintf("%s: computes in one precision, so --precision %s has no effect on it", dir, o.precision))
		}
		if o.leveled {
			p.Warn(dir + ": has no quantile levels, so --num-quantiles has no effect on it")
		}
		f, err := answer.Read(dir)
		if err != nil {
			return nil, err
		}
		m, err := serve.NewModel(name, f, predictors)
		if err == nil {
			m.Ranges.X, m.Calibrated = f.Ranges, f.Calibrated()
		}
		return m, err
	}
	stored := predict.Stored{Run: dir}
	e, err := o.experiment(stored)
	if err != nil {
		return nil, err
	}
	o.app.warn()
	t, err := stored.Open(e, o.dataDir, o.device, p.Warn)
	if err != nil {
		return nil, err
	}
	t = t.Evenly()
	t.Device = device.OneThread(o.device)
	m, err := serve.NewModel(name, t, predictors)
	if err == nil {
		m.Ranges, err = benchmark.RangesOf(e, t.Units.Scaling, o.dataDir)
	}
	return m, err
}

// experiment returns the configuration of a run, with --num-quantiles if its model has levels; a warning
// says if it has not.
func (o *serveOptions) experiment(stored predict.Stored) (config.Experiment, error) {
	if !o.leveled {
		return stored.Experiment(nil)
	}
	return stored.Experiment(func(e config.Experiment) []config.Flag { return quantileFlag(o.numTau, e, &o.app.warnings) })
}

// reloads loads the runs again on SIGHUP, until stop is called. If that fails, the old ones stay.
func (o *serveOptions) reloads(s *serve.Server, names []string, p progress.Reporter) (stop func()) {
	asked, release := interrupt.TakeHangup()
	done := make(chan struct{})
	go func() {
		for {
			select {
			case <-asked:
				if err := s.Reload(func() ([]*serve.Model, error) { return o.load(names, p) }); err != nil {
					p.Warn("the runs were not loaded again: " + err.Error())
					continue
				}
				p.Note("loaded the runs again")
			case <-done:
				return
			}
		}
	}()
	return func() {
		release()
		close(done)
	}
}
