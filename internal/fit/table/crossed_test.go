package table_test

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/acqnp/acqnp/internal/fit/table"
	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/random"
)

// The same of Penicillin (Davies and Goldsmith 1972), whose 24 plates have six samples each. Without its numbers, mean squares
// that give the variances that lme4 publishes stand for them. glmmTMB 1.1.5 with REML has the same six digits.
func TestPenicillin(t *testing.T) {
	const plates, samples, noise, ofPlate, ofSample = 24, 6, 0.5499 * 0.5499, 0.8467 * 0.8467, 1.9316 * 1.9316
	plate, sample := deviations(1, 1, plates, (noise/samples+ofPlate)*(plates-1)), deviations(2, 1, samples, (noise/plates+ofSample)*(samples-1))
	rows := deviations(3, plates, samples, 1)
	for j := range samples { // the residuals have no mean of a sample either
		mean := 0.0
		for k := range plates {
			mean += rows[k*samples+j] / plates
		}
		for k := range plates {
			rows[k*samples+j] -= mean
		}
	}
	squares := 0.0
	for _, v := range rows {
		squares += v * v
	}
	var groups []points.Group
	for k := range plates {
		g := points.Group{Points: points.Points{DX: 1, DY: 1}}
		for j := range samples {
			g.X = append(g.X, float64(j))
			g.Y = append(g.Y, 22.9722+plate[k]+sample[j]+rows[k*samples+j]*math.Sqrt(noise*(plates-1)*(samples-1)/squares))
		}
		groups = append(groups, g)
	}
	got := table.Of(groups, table.Question{Fixed: "diameter ~ 1", Group: "plate", Crossed: "sample"})
	check(t, got, "diameter ~ 1 + (1 | plate) + (1 | sample)", []float64{22.9722, 0.8086}, []float64{0.8467, 1.9316}, 0.5499, 1e-4)
	if names := fmt.Sprintln(got.Levels[0].Name, got.Levels[0].Groups, got.Levels[1].Name, got.Levels[1].Groups); names != "plate 24 sample 6\n" || got.Levels[1].Correlation != nil {
		t.Errorf("levels %s", names)
	}
}

// Of uneven crossed groups, more or fewer than their names, the table and the codes of names are those of the whole matrix V.
func TestCrossedGroupsHaveTheTableOfTheWholeMatrix(t *testing.T) {
	for _, names := range []uint64{5, 40} {
		groups, g := uneven(1.5), random.New(11, random.Data)
		for k := range groups {
			one := &groups[k]
			var x []float64
			for i := range one.Len() {
				name := g.IntN(uint64(k), uint64(i), int(names))
				one.Y[i] += 2 * g.Normal(uint64(name), 5000)
				x = append(append(x, one.Row(i)...), float64(name))
				one.Rows = append(one.Rows, i)
			}
			one.X, one.DX, one.Outer = x, 3, ""
		}
		got := table.Of(groups, table.Question{Fixed: "y ~ x + z", Names: []string{"x", "z"}, Group: "g", Crossed: "c"})
		variances := []float64{got.Levels[0].Variance, got.Levels[1].Variance, got.Residual.Variance}
		beta := isBest(t, groups, got, variances)

		// A group tells of new names what the whole matrix of its rows tells.
		c, _, ok := table.FitCrossed(groups, false)
		if !ok {
			t.Fatal("no crossed model")
		}
		near(t, "the deviation of names", c.Name, got.Levels[1].Deviation, 1e-6)
		codes := c.Codes(groups, int(names), func(int) bool { return true })
		one := points.New(3, 1, []float64{2000, 0, float64(names), 2000, 0, float64(names + 1), 2000, 0, 0}, []float64{3, 1, 2})
		mean, covariance := c.Posterior([]points.Points{one}, codes, 0, 3)
		level := c.Intercept + 2000*c.Slopes[0]
		a, b := c.Name*c.Name, c.Group*c.Group
		v := mat.NewSymDense(3, []float64{a + b + c.Residual*c.Residual, b, b, b, a + b + c.Residual*c.Residual, b, b, b, b + c.Residual*c.Residual})
		var factor mat.Cholesky
		var left, first mat.VecDense
		if !factor.Factorize(v) || factor.SolveVecTo(&left, mat.NewVecDense(3, []float64{3 - level, 1 - level, 2 - level - codes[0]})) != nil ||
			factor.SolveVecTo(&first, mat.NewVecDense(3, []float64{a, 0, 0})) != nil {
			t.Fatal("V is not positive")
		}
		near(t, "the mean of a new name", mean[0], a*left.AtVec(0), 1e-9)
		near(t, "its variance", covariance.At(0, 0), a-a*first.AtVec(0), 1e-9)
		near(t, "its covariance with another", covariance.At(0, 1), -a*first.AtVec(1), 1e-9)
		near(t, "the variance of a name that nobody knows", covariance.At(2, 2), a, 1e-12)
		if mean[2] != 0 {
			t.Errorf("a name that nobody knows is %v", mean[2])
		}

		// Codes and the effects of groups that follow from them solve the equations of the mixed model.
		n, sum, squares := make([]float64, names), make([]float64, names), c.Residual*c.Residual
		for _, g := range groups {
			effect, rows := 0.0, float64(g.Len())
			left := func(i int) float64 { return g.Y[i] - beta[0] - beta[1]*g.Row(i)[0] - beta[2]*g.Row(i)[1] }
			for i := range g.Len() {
				effect += (left(i) - codes[int(g.Row(i)[2])]) / (rows + squares/b)
			}
			for i := range g.Len() {
				name := int(g.Row(i)[2])
				n[name], sum[name] = n[name]+1, sum[name]+left(i)-effect
			}
		}
		for k, code := range codes {
			if want := sum[k] / (n[k] + squares/a); !(math.Abs(code-want) < 1e-6) {
				t.Errorf("%d names: the code of %d is %v, want %v", names, k, code, want)
			}
		}
	}
}

// A y of 0 has no logarithm, whatever rounding makes of it: of these data one in twenty came back as 1e-17.
func TestZerosHaveNoLogarithm(t *testing.T) {
	for seed := range uint64(100) {
		g := random.New(seed, random.Data)
		var groups []points.Group
		for k := range uint64(6) {
			one := points.Group{Points: points.Points{DX: 1, DY: 1}}
			for name := range uint64(5) {
				one.X, one.Y = append(one.X, float64(name)), append(one.Y, math.Exp(g.Normal(k, name)))
			}
			groups = append(groups, one)
		}
		groups[2].Y[3] = 0
		if _, deviance, ok := table.FitCrossed(groups, true); ok {
			t.Fatalf("data %d: found a model of log y, with a deviance of %v", seed, deviance)
		}
	}
}
