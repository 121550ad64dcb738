package engine_test

import (
	"math"
	"testing"

	"github.com/acqnp/acqnp/internal/models"
)

// TestModelGradients compares all gradients of all models except BNP with central differences in
// float64. A step of 1e-6 has an error of about 1e-9 from rounding and 1e-12 from curvature. At
// these seeds no kink of ReLU or ρ is within a step. The quotients come from a program without
// gradients, which takes a third of the time.
func TestModelGradients(t *testing.T) {
	if testing.Short() {
		t.Skip("difference quotients of the reference engine take minutes under the race detector, and have no goroutines")
	}
	for _, s := range shapes() {
		if s.e.Points > 10 || max(s.model.Representation, s.model.Width) > 5 {
			continue
		}
		if s.model.SigmaFloor > 0 && s.model.Aggregation != "" {
			continue // the floor is the head's, which these models share with cnp, cqnp and acqnp
		}
		if s.model.Name == "bnp" {
			continue // its bootstrap stops gradients but not difference quotients; internal/test/golden tests it
		}
		t.Run(s.String(), func(t *testing.T) {
			m := build(t, s)
			p := truth[float64](t, m, s.e, models.Training)
			fill(p, m, s.e, 2)
			run(t, p, s.e)
			forward := truth[float64](t, m, s.e, models.Evaluation)
			fill(forward, m, s.e, 2)
			cost := func() float64 {
				run(t, forward, s.e)
				return -mean(forward.Output("loglik"))
			}
			if got, want := cost(), p.Output("cost")[0]; math.Abs(got-want) > 1e-12*max(1, math.Abs(want)) {
				t.Fatalf("the cost is %v without gradients, %v with them", got, want)
			}
			for _, tensor := range m.Tensors() {
				for i := range tensor.Size() {
					at := tensor.Offset + i
					numeric, analytic := centralDifference(&forward.Params()[at], cost), p.Grads()[at]
					if d := math.Abs(numeric - analytic); !(d <= 1e-7*max(1, math.Abs(numeric))) {
						t.Errorf("%s[%d]: gradient %g, difference quotient %g", tensor.Name, i, analytic, numeric)
					}
				}
			}
		})
	}
}

func centralDifference(at *float64, cost func() float64) float64 {
	const h = 1e-6
	old := *at
	*at = old + h
	up := cost()
	*at = old - h
	down := cost()
	*at = old
	return (up - down) / (2 * h)
}

func mean(v []float64) (sum float64) {
	for _, x := range v {
		sum += x / float64(len(v))
	}
	return sum
}
