package models_test

import (
	"fmt"
	"math"
	"testing"

	"gorgonia.org/tensor"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/engine"
	"github.com/acqnp/acqnp/internal/engine/reference"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/models/ops"
	"github.com/acqnp/acqnp/internal/random"
)

// TestGaussianMixtureHead compares the log-likelihood, the gradient of the decoder's last bias and the
// density of a prediction with the formulas of a mixture in plain float64.
func TestGaussianMixtureHead(t *testing.T) {
	e := ops.Extents{Functions: 2, Context: 3, Points: 5}
	for _, c := range []struct{ k, dy int }{{0, 1}, {1, 2}, {3, 2}} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			m, err := models.New(config.Model{Name: "cnp", Head: config.MixtureHead, Parts: c.k, Representation: 6, Encoder: []int{5}, Decoder: []int{7}}, 1, c.dy)
			if err != nil {
				t.Fatal(err)
			}
			k := m.Parts()
			if want := map[int]int{0: 20}[c.k] + c.k; k != want || m.RowWidth() != 3*k*c.dy {
				t.Fatalf("%d parts in rows of %d, want %d in %d", k, m.RowWidth(), want, 3*k*c.dy)
			}
			trained, predicted := headRun(t, m, e, models.Training), headRun(t, m, e, models.Prediction)
			rows, y, ll := predicted.Output("components"), trained.Input("y"), trained.Output("loglik")
			bias := m.Tensors()[len(m.Tensors())-1]
			grads, want := trained.Grads()[bias.Offset:][:bias.Size()], make([]float64, bias.Size())
			for i, got := range ll {
				row, sum, density := rows[i*m.RowWidth():][:m.RowWidth()], 0.0, 0.0
				for channel := range c.dy {
					at, v := func(block int) int { return (block*c.dy + channel) * k }, y[i*c.dy+channel]
					sum += plainMixture(row[at(0):][:k], row[at(1):][:k], row[at(2):][:k], v, m.SigmaFloor(), func(block, part int, slope float64) {
						want[at(block)+part] -= slope / float64(len(ll))
					})
					density += m.Gaussians(narrowed(row), 1)[channel].LogDensity(v)
				}
				if !(math.Abs(got-sum) <= 1e-12*max(1, math.Abs(sum))) || !(math.Abs(density-sum) <= 1e-4*max(1, math.Abs(sum))) {
					t.Errorf("point %d: log-likelihood %g, of a prediction %g, want %g", i, got, density, sum)
				}
			}
			for j, w := range want {
				if !(math.Abs(grads[j]-w) <= 1e-12*max(1, math.Abs(w))) {
					t.Errorf("gradient %d is %g, want %g", j, grads[j], w)
				}
			}
		})
	}
}

// plainMixture returns log Σ w·N(v | μ, σ²), and calls add with the derivatives by μ, s and a, which are
// blocks 0, 1 and 2.
func plainMixture(mu, s, a []float64, v, floor float64, add func(block, part int, slope float64)) float64 {
	share, weights, total, norm := make([]float64, len(mu)), make([]float64, len(mu)), 0.0, 0.0
	sigma := func(k int) float64 { return floor + (1-floor)*math.Log(1+math.Exp(s[k])) }
	for k := range mu {
		z := (v - mu[k]) / sigma(k)
		weights[k] = math.Exp(a[k])
		share[k] = weights[k] * math.Exp(-z*z/2) / math.Sqrt(2*math.Pi) / sigma(k)
		total, norm = total+share[k], norm+weights[k]
	}
	for k := range mu {
		z, r := (v-mu[k])/sigma(k), share[k]/total
		add(0, k, r*z/sigma(k))
		add(1, k, r*(z*z-1)/sigma(k)*(1-floor)/(1+math.Exp(-s[k])))
		add(2, k, r-weights[k]/norm)
	}
	return math.Log(total / norm)
}

// headRun runs a model's graph in float64, with outputs of the decoder up to about 4.
func headRun(t *testing.T, m *models.Model, e ops.Extents, mode models.Mode) engine.Program[float64] {
	t.Helper()
	p, err := reference.New[float64](func(e ops.Extents) (*ops.Graph, error) { return m.Build(tensor.Float64, e, mode) }, e)
	if err != nil {
		t.Fatal(err)
	}
	r := random.New(6, random.Data)
	for i, numbers := range [][]float64{p.Params(), p.Input("context"), p.Input("x"), p.Input("y")} {
		for j := range numbers {
			numbers[j] = 2*r.Float(uint64(i), uint64(j)) - 1
		}
	}
	if err := p.Run(e); err != nil {
		t.Fatal(err)
	}
	return p
}
