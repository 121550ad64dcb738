package stack

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/acqnp/acqnp/internal/fit/simple"
	"github.com/acqnp/acqnp/internal/likelihood"
)

// When ctx ends, no further question is asked, and the error is that of ctx.
func TestNoQuestionAfterTheEnd(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var asked atomic.Int32
	kind := Kinds()[0]
	read := kind.Read
	kind.Read = func(content []byte) (simple.Model, error) {
		m, err := read(content)
		return counted{m, func() {
			if asked.Add(1) == 3 {
				cancel()
			}
		}}, err
	}
	if _, err := Fit(ctx, twoLines(40, 12), Options{Threads: 1, Kinds: []Kind{kind}}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
	if n := asked.Load(); n != 3 {
		t.Errorf("%d questions were asked, want 3", n)
	}
}

// A counted model counts the questions that it is asked.
type counted struct {
	simple.Model
	asked func()
}

func (e counted) Given(context simple.Group, x []float64) []likelihood.GaussianMixture {
	e.asked()
	return e.Model.Given(context, x)
}
