// Package must checks errors and allocations in tests.
package must

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acqnp/acqnp/internal/invalid"
)

// Get returns a value, or ends the test with the error beside it: must.Get(os.ReadFile(path))(t).
func Get[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		Do(t, err)
		return v
	}
}

// Do ends the test if there is an error.
func Do(t testing.TB, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// Write writes a file, whose folder it makes, and returns its path. The parts of the path are joined.
func Write[T string | []byte](t testing.TB, content T, path ...string) string {
	t.Helper()
	file := filepath.Join(path...)
	Do(t, os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(content), 0o644))
	return file
}

// Read returns the content of a file.
func Read(t testing.TB, path string) []byte {
	t.Helper()
	return Get(os.ReadFile(path))(t)
}

// Same checks that got is want. what names them.
func Same(t testing.TB, want, got any, what ...string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", strings.Join(what, " "), diff)
	}
}

// Err returns the error of a call with a value: must.Err(os.ReadFile(path)).
func Err[T any](_ T, err error) error { return err }

// Refuse checks that err is an *invalid.Input of one line that contains all the words.
func Refuse(t testing.TB, err error, words ...string) {
	t.Helper()
	var bad *invalid.Input
	if !errors.As(err, &bad) {
		t.Errorf("error %v (%T), want an *invalid.Input with %q", err, err, words)
		return
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("error %q does not say %q", err, w)
		}
	}
	if strings.Contains(err.Error(), "\n") {
		t.Errorf("error %q has more than one line", err)
	}
}
