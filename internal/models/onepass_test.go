package models_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gorgonia.org/tensor"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/engine"
	"github.com/acqnp/acqnp/internal/engine/reference"
	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/models/ops"
	"github.com/acqnp/acqnp/internal/random"
	"github.com/acqnp/acqnp/internal/test/must"
)

// TestMixtureHeads compares the log-likelihood, the gradient of the decoder's last bias and the density of a
// prediction of the heads that state a whole mixture with the formulas in plain float64, whose derivatives are
// compared with difference quotients.
func TestMixtureHeads(t *testing.T) {
	e := ops.Extents{Groups: 2, Context: 3, Points: 5}
	for _, c := range []struct {
		head, scale string
		k, dy       int
	}{
		{config.MixtureHead, "", 0, 1}, {config.MixtureHead, "", 1, 2}, {config.MixtureHead, "", 3, 2},
		{config.QuantileMixtureHead, "", 0, 1}, {config.QuantileMixtureHead, "", 1, 2}, {config.QuantileMixtureHead, "", 3, 2},
		{config.QuantileMixtureHead, config.NaturalScale, 1, 1}, {config.QuantileMixtureHead, config.NaturalScale, 4, 2},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			m := must.Get(models.New(config.Model{Name: "cnp", Head: c.head, ScaleForm: c.scale, Parts: c.k, Representation: 6, Encoder: []int{5}, Decoder: []int{7}}, 1, c.dy))(t)
			k, width := m.Parts(), 3*m.Parts()*c.dy
			if c.head == config.QuantileMixtureHead {
				width += k // the levels, which all channels share
			}
			if want := map[int]int{0: 20}[c.k] + c.k; k != want || m.RowWidth() != width {
				t.Fatalf("%d parts in rows of %d, want %d in %d", k, m.RowWidth(), want, width)
			}
			trained, predicted := headRun(t, m, e, models.Training), headRun(t, m, e, models.Prediction)
			rows, y, ll := predicted.Output("components"), trained.Input("y"), trained.Output("loglik")
			bias := m.Tensors()[len(m.Tensors())-1]
			grads, want := trained.Grads()[bias.Offset:][:bias.Size()], make([]float64, bias.Size())
			for i, got := range ll {
				row, v := rows[i*width:][:width], y[i*c.dy:][:c.dy]
				sum, slopes := plainMixture(m, row, v)
				density := 0.0
				for channel := range c.dy {
					density += m.States(narrowed(row), 1).At(0, channel, likelihood.Units{Factor: 1}).LogDensity(v[channel])
				}
				if !(math.Abs(got-sum) <= 1e-12*max(1, math.Abs(sum))) || !(math.Abs(density-sum) <= 1e-4*max(1, math.Abs(sum))) {
					t.Errorf("point %d: log-likelihood %g, of a prediction %g, want %g", i, got, density, sum)
				}
				for j, slope := range slopes {
					want[j] -= slope / float64(len(ll))
					quotient := derivative(func(by float64) float64 {
						near := slices.Clone(row)
						near[j] += by
						log, _ := plainMixture(m, near, v)
						return log
					})
					if !(math.Abs(quotient-slope) <= 1e-7*max(1, math.Abs(slope))) { // curved functions of σ as small as 0.1
						t.Errorf("point %d: the formula's derivative by number %d is %g, its difference quotient %g", i, j, slope, quotient)
					}
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

// derivative returns that of f at 0, by Richardson's extrapolation of two difference quotients.
func derivative(f func(by float64) float64) float64 {
	slope := func(h float64) float64 { return (f(h) - f(-h)) / (2 * h) }
	const h = 1e-3
	return (4*slope(h/2) - slope(h)) / 3
}

// plainMixture returns the log density of y, summed over channels, of the mixture that a row states: Σ w·N(y | μ, σ²)
// or, with levels, Σ w·τ(1−τ)/σ·exp(−ρ_τ(y−μ)/σ). slopes are its derivatives by the numbers of the row.
func plainMixture(m *models.Model, row, y []float64) (log float64, slopes []float64) {
	k, dy := m.Parts(), len(y)
	slopes = make([]float64, len(row))
	for channel, v := range y {
		at := func(block, part int) int { return (block*dy+channel)*k + part }
		share, weights, total, norm := make([]float64, k), make([]float64, k), 0.0, 0.0
		by := make([][3]float64, k) // derivatives of each log density by μ, s and z
		for part := range k {
			weights[part] = math.Exp(row[at(2, part)])
			log, slope := plainPart(m, v-row[at(0, part)], row[at(1, part)], row[3*k*dy:], part)
			by[part], share[part] = slope, weights[part]*math.Exp(log)
			total, norm = total+share[part], norm+weights[part]
		}
		for part := range k {
			r := share[part] / total
			slopes[at(0, part)] += r * by[part][0]
			slopes[at(1, part)] += r * by[part][1]
			slopes[at(2, part)] += r - weights[part]/norm
			if level := 3*k*dy + part; level < len(row) {
				slopes[level] += r * by[part][2]
			}
		}
		log += math.Log(total / norm)
	}
	return log, slopes
}

// plainPart returns the log density of a part at the distance e from its location, and the derivatives by μ, s and z.
func plainPart(m *models.Model, e, s float64, levels []float64, part int) (log float64, by [3]float64) {
	floor := m.SigmaFloor()
	scale := floor + (1-floor)*math.Log(1+math.Exp(s))
	logScale := (1 - floor) / (1 + math.Exp(-s)) / scale // the derivative of log σ by s
	if len(levels) == 0 {
		z := e / scale
		return -z*z/2 - math.Log(scale*math.Sqrt(2*math.Pi)), [3]float64{z / scale, (z*z - 1) * logScale}
	}
	share := 1 / (1 + math.Exp(-levels[part]))
	tau, sigma := 0.001+0.998*share, scale
	spread := tau * (1 - tau)
	if m.Natural() {
		sigma *= 4 * spread
	}
	slope := tau
	if e < 0 {
		slope = tau - 1
	}
	byTau := (1-2*tau)/spread - e/sigma
	if m.Natural() {
		byTau = slope*e/sigma*(1-2*tau)/spread - e/sigma
	}
	return math.Log(spread/sigma) - slope*e/sigma, [3]float64{slope / sigma, (slope*e/sigma - 1) * logScale, byTau * 0.998 * share * (1 - share)}
}

// TestPartsStartApart checks the initial values of the heads that state a whole mixture. Without offsets, the
// means of an untrained network lie within 0.7 of each other, the levels within 0.2, and σ is 0.7.
func TestPartsStartApart(t *testing.T) {
	for _, head := range config.Heads()[1:] {
		m := must.Get(models.New(config.Model{Name: "cnp", Head: head, Representation: 64, Encoder: []int{64}, Decoder: []int{64}}, 1, 2))(t)
		p := must.Get(reference.New[float64](func(e ops.Extents) (*ops.Graph, error) { return m.Build(tensor.Float64, e, models.Prediction) }, ops.Extents{Groups: 1, Context: 1, Points: 1}))(t)
		for i, v := range m.Initial(1) {
			p.Params()[i] = float64(v)
		}
		must.Do(t, p.Run(ops.Extents{Groups: 1, Context: 1, Points: 1}))
		states := m.States(narrowed(p.Output("components")), 1)
		for channel := range 2 {
			parts := states.At(0, channel, likelihood.Units{Factor: 1}).Components()
			first, last := parts[0], parts[len(parts)-1]
			if !(first.Mu < -1.2 && last.Mu > 1.2 && first.Sigma < 0.5) || first.Tau > 0.05 || last.Tau < 0.95 {
				t.Errorf("%s: means from %.2f to %.2f, deviation %.2f, levels from %.2f to %.2f", head, first.Mu, last.Mu, first.Sigma, first.Tau, last.Tau)
			}
		}
	}
}

// headRun runs a model's graph in float64, with outputs of the decoder up to about 4.
func headRun(t *testing.T, m *models.Model, e ops.Extents, mode models.Mode) engine.Program[float64] {
	t.Helper()
	p := must.Get(reference.New[float64](func(e ops.Extents) (*ops.Graph, error) { return m.Build(tensor.Float64, e, mode) }, e))(t)
	r := random.New(6, random.Data)
	for i, numbers := range [][]float64{p.Params(), p.Input("context"), p.Input("x"), p.Input("y")} {
		for j := range numbers {
			numbers[j] = 2*r.Float(uint64(i), uint64(j)) - 1
		}
	}
	must.Do(t, p.Run(e))
	return p
}
