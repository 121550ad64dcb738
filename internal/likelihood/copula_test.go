package likelihood_test

import (
	"math"
	"slices"
	"testing"

	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/random"
	"github.com/acqnp/acqnp/internal/test/must"
)

// gaussian is a normal distribution as the mixture of one.
func gaussian(mean, sd float64) likelihood.GaussianMixture {
	return likelihood.GaussianMixtureOf([]likelihood.Gaussian{{Mean: mean, Scale: sd}})
}

// correlatedRows returns rows of normal numbers, each with a correlation rho with the one before.
func correlatedRows(n, outcomes int, rho float64) (rows []float64) {
	g := random.New(1, random.Data)
	for i := range uint64(n) {
		z := g.Normal(i, 0)
		rows = append(rows, z)
		for j := 1; j < outcomes; j++ {
			z = rho*z + math.Sqrt(1-rho*rho)*g.Normal(i, uint64(j))
			rows = append(rows, z)
		}
	}
	return rows
}

// drawn returns batches of draws by a copula: the values of each outcome.
func drawn(c *likelihood.Copula, of []likelihood.Distribution, batches int) [][]float64 {
	g, y := random.New(2, random.Draws), make([][]float64, len(of))
	for b := range uint64(batches) {
		var u [likelihood.Batch][2]float64
		for k := range u {
			u[k] = [2]float64{g.Float(b, uint64(2*k)), g.Float(b, uint64(2*k+1))}
		}
		for _, draw := range c.Draw(of, u) {
			for j, v := range draw {
				y[j] = append(y[j], v)
			}
		}
	}
	return y
}

// spearman returns the rank correlation of values.
func spearman(a, b []float64) float64 {
	var rows []float64
	for i := range a {
		rows = append(rows, a[i], b[i])
	}
	return likelihood.CopulaOf(rows, 2, nil).RankCorrelation(0, 1)
}

// apart returns the Kolmogorov–Smirnov distance between values and a continuous distribution, times √n.
func apart(values []float64, d likelihood.Distribution) (most float64) {
	values, n := slices.Sorted(slices.Values(values)), float64(len(values))
	for i, v := range values {
		p := d.CDF(v)
		most = max(most, p-float64(i)/n, float64(i+1)/n-p)
	}
	return most * math.Sqrt(n)
}

// Draws have the distributions, and the rank correlation of the rows whatever these are.
func TestCopulaKeepsDistributionsAndRankCorrelation(t *testing.T) {
	of := []likelihood.Distribution{likelihood.ExpOf(gaussian(1, 2)), gaussian(-3, 0.1)}
	for _, rho := range []float64{-0.9, 0, 0.6} {
		c := likelihood.CopulaOf(correlatedRows(500, 2, rho), 2, nil)
		const n = 640 * likelihood.Batch
		y := drawn(c, of, n/likelihood.Batch)
		for j, d := range of {
			if ks := apart(y[j], d); ks > 1.95 { // exceeded by one in a thousand
				t.Errorf("rho %v: outcome %d is %v/√n off its distribution", rho, j, ks)
			}
		}
		// Four standard errors, and what a common part of a rank adds: 1/500².
		if got, want := spearman(y[0], y[1]), c.RankCorrelation(0, 1); math.Abs(got-want) > 4/math.Sqrt(n) {
			t.Errorf("rho %v: a rank correlation of %v, want %v", rho, got, want)
		}
		// Spearman's correlation of normal numbers; 500 rows have a standard error of 0.045.
		if want := 6 / math.Pi * math.Asin(rho/2); math.Abs(c.RankCorrelation(0, 1)-want) > 4*0.045 {
			t.Errorf("rho %v: the rows have %v, want %v", rho, c.RankCorrelation(0, 1), want)
		}
	}
}

// Rows of gaps of many sizes break the order of distributions with a small gap. Draws exchange values then, so that
// each outcome keeps its distribution.
func TestCopulaKeepsOrders(t *testing.T) {
	of := []likelihood.Distribution{gaussian(0.8, 1), gaussian(0, 1), gaussian(0.4, 1)}
	orders := [][2]int{{1, 0}, {1, 2}, {2, 0}} // the second is lowest, the first highest
	rows := correlatedRows(400, 3, 0.7)
	free, ordered := likelihood.CopulaOf(rows, 3, nil), likelihood.CopulaOf(rows, 3, orders)
	y, n := drawn(ordered, of, 500), 0
	for k := range y[0] {
		if y[1][k] > y[2][k] || y[2][k] > y[0][k] {
			t.Fatalf("draw %d is %v, %v, %v", k, y[1][k], y[2][k], y[0][k])
		}
	}
	without := drawn(free, of, 500)
	for k := range without[0] {
		if without[1][k] > without[2][k] || without[2][k] > without[0][k] {
			n++
		}
	}
	if n < 4000 {
		t.Errorf("%d of 16000 draws without orders break one: the test is too easy", n)
	}
	// Independent draws would exceed 1.95/√n in one of a thousand; these are spread more evenly.
	for j, d := range of {
		if ks := apart(y[j], d); ks > 1.95 {
			t.Errorf("outcome %d is %v/√n off its distribution", j, ks)
		}
	}
}

// Distributions that contradict an order give draws that hold it, of values that the outcomes have.
func TestCopulaKeepsOrdersThatDistributionsContradict(t *testing.T) {
	zero, four := 0.0, 4.0
	whole := likelihood.Support{Low: &zero, Whole: true}.Of(gaussian(3, 2))
	atMost := likelihood.Support{High: &four}.Of(gaussian(2, 3))
	for _, of := range [][]likelihood.Distribution{{gaussian(1, 1), gaussian(0, 0.3)}, {gaussian(3, 1), whole}, {whole, gaussian(2.5, 1)}, {whole, atMost}, {atMost, whole}} {
		c := likelihood.CopulaOf(correlatedRows(100, 2, 0.3), 2, [][2]int{{0, 1}})
		y := drawn(c, of, 100)
		for k := range y[0] {
			if y[0][k] > y[1][k] {
				t.Errorf("%v above %v", y[0][k], y[1][k])
			}
			for j, d := range of {
				if !d.Support().Takes(y[j][k]) {
					t.Errorf("%v is no value of outcome %d", y[j][k], j)
				}
			}
		}
	}
}

func TestDamagedCopulasAreRefused(t *testing.T) {
	good := likelihood.CopulaOf(correlatedRows(5, 2, 0.5), 2, [][2]int{{0, 1}})
	must.Do(t, good.Check())
	for name, c := range map[string]likelihood.Copula{
		"no rows":         {Outcomes: 2},
		"one outcome":     {Outcomes: 1, Ranks: []int{0}},
		"half a row":      {Outcomes: 2, Ranks: []int{0, 0, 1}},
		"a rank twice":    {Outcomes: 2, Ranks: []int{0, 0, 0, 1}},
		"a rank too high": {Outcomes: 2, Ranks: []int{0, 0, 2, 1}},
		"no outcome":      {Outcomes: 2, Ranks: []int{0, 0}, Orders: [][2]int{{0, 2}}},
		"itself":          {Outcomes: 2, Ranks: []int{0, 0}, Orders: [][2]int{{1, 1}}},
		"both orders":     {Outcomes: 2, Ranks: []int{0, 0}, Orders: [][2]int{{0, 1}, {1, 0}}},
	} {
		if c.Check() == nil {
			t.Errorf("%s was accepted", name)
		}
	}
}
