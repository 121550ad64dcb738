// Package must ends a test at an error that it does not expect.
package must

import (
	"errors"
	"testing"
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
