package engine_test

import (
	"math"
	"testing"

	"github.com/acqnp/acqnp/internal/engine"
	"github.com/acqnp/acqnp/internal/models"
)

// TestModelGradients compares all gradients of all models except BNP with central differences in
// float64. A step of 1e-6 has an error of about 1e-9 from rounding and 1e-12 from curvature. At
// these seeds no kink of ReLU or ρ is within a step.
func TestModelGradients(t *testing.T) {
	if testing.Short() {
		t.Skip("difference quotients of the reference engine take minutes under the race detector, and have no goroutines")
	}
	for _, s := range shapes() {
		if s.e.Points > 10 || max(s.model.Representation, s.model.Width) > 5 {
			continue
		}
		if s.model.Name == "bnp" {
			continue // its bootstrap stops gradients but not difference quotients; internal/test/golden tests it
		}
		t.Run(s.String(), func(t *testing.T) {
			m := build(t, s)
			p := truth[float64](t, m, s.e, models.Training)
			fill(p, m, s.e, 2)
			run(t, p, s.e)
			analytic := append([]float64{}, p.Grads()...)
			for _, tensor := range m.Tensors() {
				for i := range tensor.Size() {
					at := tensor.Offset + i
					numeric := centralDifference(t, p, &p.Params()[at], func() { run(t, p, s.e) })
					if d := math.Abs(numeric - analytic[at]); !(d <= 1e-7*max(1, math.Abs(numeric))) {
						t.Errorf("%s[%d]: gradient %g, difference quotient %g", tensor.Name, i, analytic[at], numeric)
					}
				}
			}
		})
	}
}

func centralDifference(t *testing.T, p engine.Program[float64], at *float64, run func()) float64 {
	t.Helper()
	const h = 1e-6
	old := *at
	*at = old + h
	run()
	up := p.Output("cost")[0]
	*at = old - h
	run()
	down := p.Output("cost")[0]
	*at = old
	return (up - down) / (2 * h)
}
