package datatest

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/datasets/benchmark"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/test/must"
)

// Put writes a file, and the directories that it is in.
func Put[T string | []byte](t testing.TB, path string, content T) {
	t.Helper()
	must.Do(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must.Do(t, os.WriteFile(path, []byte(content), 0o600))
}

// Open returns the source of an experiment, with files in dir.
func Open(t testing.TB, e config.Experiment, dir string) *datasets.Source {
	t.Helper()
	return must.Get(benchmark.Open(e, dir))(t)
}

// Refused tests that an experiment is refused, in one short line that says something.
func Refused(t *testing.T, e config.Experiment, dir, says string) {
	t.Helper()
	_, err := benchmark.Open(e, dir)
	var bad *invalid.Input
	if !errors.As(err, &bad) || !strings.Contains(err.Error(), says) || strings.ContainsAny(err.Error(), "\n\x00") || len(err.Error()) > 500 {
		t.Errorf("got %v, want one short line with %q", err, says)
	}
}

// RefusedAt tests that an experiment is refused with the file, line and key of an error that says something.
func RefusedAt(t *testing.T, e config.Experiment, where invalid.Input, says string) {
	t.Helper()
	_, err := benchmark.Open(e, t.TempDir())
	var bad *invalid.Input
	if !errors.As(err, &bad) || bad.File != where.File || bad.Line != where.Line || bad.Key != where.Key || !strings.Contains(err.Error(), says) {
		t.Errorf("got %v, want %+v and %q", err, where, says)
	}
}

// Made returns a new batch of some: Made(t, source.Train, step).
func Made(t testing.TB, some datasets.Batches, i int) *datasets.Batch {
	t.Helper()
	var b datasets.Batch
	must.Do(t, some.Make(i, &b))
	return &b
}

// Batches returns the batches of evaluation or of training.
func Batches(s *datasets.Source, evaluation bool) datasets.Batches {
	if evaluation {
		return s.Eval
	}
	return s.Train
}
