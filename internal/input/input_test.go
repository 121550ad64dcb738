package input_test

import (
	"testing"

	"github.com/acqnp/acqnp/internal/input"
)

func TestAnErrorNamesItsKeyOnce(t *testing.T) {
	for _, c := range []struct {
		err  input.Error
		want string
	}{
		{input.Error{File: "a.yaml", Line: 3, Key: "train.steps", Found: "0", Expected: "1"}, "a.yaml:3: train.steps: found 0, expected 1"},
		{input.Error{File: "--set train.steps", Key: "train.steps", Found: "0", Expected: "1"}, "--set train.steps: found 0, expected 1"},
		{input.Error{File: "--seed", Key: "train.seed", Found: "x", Expected: "1"}, "--seed: train.seed: found x, expected 1"},
	} {
		if got := c.err.Error(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
