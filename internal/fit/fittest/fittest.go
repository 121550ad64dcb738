// Package fittest fits rows that tests draw.
package fittest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/acqnp/acqnp/internal/fit"
	"github.com/acqnp/acqnp/internal/fit/answer"
	"github.com/acqnp/acqnp/internal/fit/formula"
	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/progress"
	"github.com/acqnp/acqnp/internal/test/must"
)

// Quiet is for progress that nobody sees.
var Quiet = progress.Quiet(progress.New(os.Stderr, progress.Auto))

// Instant fits a formula to rows.
func Instant(t *testing.T, header, asked string, rows []string) answer.Predictor {
	t.Helper()
	return Rows(t, fit.Options{Instant: true}, header, asked, rows)
}

// Rows fits a formula to rows with these options.
func Rows(t *testing.T, o fit.Options, header, asked string, rows []string) answer.Predictor {
	t.Helper()
	fitted, err := Try(t, o, header, asked, rows)
	must.Do(t, err)
	return fitted
}

// Try is Rows for rows that may be refused.
func Try(t *testing.T, o fit.Options, header, asked string, rows []string) (answer.Predictor, error) {
	t.Helper()
	return in(t.Context(), t.TempDir(), o, header, asked, rows)
}

// in fits a formula to rows, with its files in a directory.
func in(ctx context.Context, dir string, o fit.Options, header, asked string, rows []string) (f answer.Predictor, err error) {
	o.File, o.Out, o.Threads, o.Progress = filepath.Join(dir, "data.csv"), filepath.Join(dir, "out"), 2, Quiet
	if o.Formula, err = formula.Parse(asked); err != nil {
		return f, err
	}
	if err := errors.Join(os.Mkdir(o.Out, 0o700), os.WriteFile(o.File, []byte(header+"\n"+strings.Join(rows, "\n")+"\n"), 0o600)); err != nil {
		return f, err
	}
	f, _, err = fit.Fit(ctx, o)
	return f, err
}

// Once returns a function that returns a fit for several tests to read. The first that asks makes it.
func Once(header, asked string, rows func() []string) func(*testing.T) answer.Predictor {
	made := sync.OnceValues(func() (f answer.Predictor, err error) {
		dir, err := os.MkdirTemp("", "fit")
		if err != nil {
			return f, err
		}
		defer os.RemoveAll(dir)
		return in(context.Background(), dir, fit.Options{Instant: true}, header, asked, rows())
	})
	return func(t *testing.T) answer.Predictor { return must.Get(made())(t) }
}

// Given returns the predictions at targets of a group.
func Given(t *testing.T, f answer.Predictor, q points.Question) (all []likelihood.Distribution) {
	t.Helper()
	for target, err := range f.Predict(t.Context(), []points.Question{q}) {
		must.Do(t, err)
		all = append(all, target.Channels[0].Distribution)
	}
	return all
}
