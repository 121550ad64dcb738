package simple

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/random"
	"github.com/acqnp/acqnp/internal/test/must"
)

// schools returns classes in schools: y = 1 + 0.5x + a + b + ε, with deviations 1 of a school's a, 0.5 of a class's b
// and 0.3 of ε.
func schools(number, classes, each int) (all []points.Group) {
	g := random.New(11, random.Data)
	for s := range uint64(number) {
		for c := range uint64(classes) {
			class := points.Group{Outer: fmt.Sprint("s", s), Points: points.New(1, 1, nil, nil)}
			for i := range uint64(each) {
				at := 100*c + i
				x := g.Normal(s, 20_000+at)
				class.X, class.Y = append(class.X, x), append(class.Y, 1+0.5*x+g.Normal(s, 1)+0.5*g.Normal(s, 10_000+c)+0.3*g.Normal(s, 30_000+at))
			}
			all = append(all, class)
		}
	}
	return all
}

// Pastes of lme4: the strength of 10 batches of a paste, of 3 casks each, tested twice (Davies and Goldsmith 1972).
// lme4 1.1's lmer(strength ~ 1 + (1 | batch/cask)) states variances of 8.434 of casks, 1.657 of batches and 0.678, and
// a mean of 60.0533 with an error of 0.6769. They are balanced, so that mean squares give the same.
func TestVariancesOfLme4(t *testing.T) {
	strength := []float64{62.8, 62.6, 60.1, 62.3, 62.7, 63.1, 60.0, 61.4, 57.5, 56.9, 61.1, 58.9, 58.7, 57.5, 63.9, 63.1, 65.4, 63.7, 57.1, 56.4,
		56.9, 58.6, 64.7, 64.5, 55.1, 55.1, 54.7, 54.2, 58.8, 57.5, 63.4, 64.9, 59.3, 58.1, 60.5, 60.0, 62.5, 62.6, 61.0, 58.7,
		56.9, 57.7, 59.2, 59.4, 65.2, 66.0, 64.8, 64.1, 54.8, 54.8, 64.0, 64.0, 57.7, 56.8, 58.3, 59.3, 59.2, 59.2, 58.9, 56.6}
	var casks []points.Group
	for i := 0; i < len(strength); i += 2 {
		casks = append(casks, points.Group{Outer: fmt.Sprint("batch ", i/6), Points: points.New(1, 1, []float64{0, 0}, strength[i:][:2])})
	}
	f := must.Get(fitLinear(casks, nil, degreesOf(casks, 0, 0), 0))(t)
	for _, c := range []struct {
		what              string
		found, want, most float64
	}{ // half of the last digit, and what the search leaves
		{"casks", f.Factor[0] * f.Factor[0], 8.434, 0.002}, {"batches", f.Outer[0] * f.Outer[0], 1.657, 0.003},
		{"noise", f.Noise * f.Noise, 0.678, 0.001}, {"mean", f.Beta[0], 60.0533, 0.0001}, {"error", f.Factor[3], 0.6769, 0.0005},
	} {
		if math.Abs(c.found-c.want) > c.most {
			t.Errorf("%s: %.4f, lme4 has %g", c.what, c.found, c.want)
		}
	}
}

// At any θ, the restricted deviance from sums by class equals log det V + log det XᵀV⁻¹X + (n−p)·log σ² with the
// matrix V of all points, in units of σ². If a class is left out, V has the points of the other classes.
func TestTwoLevelDevianceIsThatOfAllPoints(t *testing.T) {
	functions := schools(4, 3, 5)
	form := degreesOf(functions, 2, 1)
	f := must.Get(fitLevels(functions, nil, form, outerGroups(functions), 2, 0))(t)
	for _, out := range []int{-1, 4} {
		for _, theta := range [][]float64{f.theta, {0.7, 0.1, 0.3, 1.4, -0.2, 0.1}} {
			s, ok := f.solve(theta, out)
			if want := denseDeviance(t, functions, form, s, out); !ok || math.Abs(s.deviance-want) > 2e-6 { // the ridge of 1e-10 moves it by 5e-7
				t.Errorf("without class %d: %v, that of all points is %v", out, s.deviance, want)
			}
		}
	}
}

func denseDeviance(t *testing.T, groups []points.Group, form degrees, s solution, out int) float64 {
	t.Helper()
	var x, z [][]float64
	var y []float64
	var of, outer []int
	for i, g := range groups {
		for k := range g.Y {
			if i != out {
				x, z = append(x, form.powers(nil, g.Row(k), form.Fixed)), append(z, form.powers(nil, g.Row(k), form.Random))
				y, of, outer = append(y, g.Y[k]), append(of, i), append(outer, i/3)
			}
		}
	}
	n, p, q := len(y), len(x[0]), len(z[0])
	root := func(l []float64) *mat.Dense {
		m := mat.NewDense(q, q, l)
		var g mat.Dense
		g.Mul(m, m.T())
		return &g
	}
	class, school := root(s.lambda), root(s.outer)
	v, design := mat.NewSymDense(n, nil), mat.NewDense(n, p, nil)
	for i := range n {
		design.SetRow(i, x[i])
		for j := range i + 1 {
			sum := 0.0
			for a := range q {
				for b := range q {
					if of[i] == of[j] {
						sum += z[i][a] * class.At(a, b) * z[j][b]
					}
					if outer[i] == outer[j] {
						sum += z[i][a] * school.At(a, b) * z[j][b]
					}
				}
			}
			if i == j {
				sum++
			}
			v.SetSym(i, j, sum)
		}
	}
	var chol, inner mat.Cholesky
	var solved, product mat.Dense
	if !chol.Factorize(v) {
		t.Fatal("V is singular")
	}
	must.Do(t, chol.SolveTo(&solved, design))
	product.Mul(design.T(), &solved)
	if !inner.Factorize(symmetric(&product)) {
		t.Fatal("XᵀV⁻¹X is singular")
	}
	var beta, left, right mat.VecDense
	right.MulVec(solved.T(), mat.NewVecDense(n, y))
	must.Do(t, inner.SolveVecTo(&beta, &right))
	left.MulVec(design, &beta)
	left.SubVec(mat.NewVecDense(n, y), &left)
	var rest mat.VecDense
	must.Do(t, chol.SolveVecTo(&rest, &left))
	return chol.LogDet() + inner.LogDet() + float64(n-p)*math.Log(mat.Dot(&rest, &left)/float64(n-p))
}

// Estimates lie near the numbers that 60 schools of 5 classes were drawn with. The errors of the deviations are
// 1/√120 = 0.09, 0.5/√480 = 0.023 and 0.3/√3000 = 0.006. Of the level of a class, schools explain 1/(1 + 0.25) = 0.8,
// with an error of 0.04.
func TestRecoversBothLevels(t *testing.T) {
	groups := schools(60, 5, 6)
	f := must.Get(fitLinear(groups, nil, degreesOf(groups, 1, 0), 0))(t)
	gp := must.Get(FitGP(groups))(t).(*GP)
	for _, c := range []struct {
		what               string
		found, want, three float64
	}{{"schools", f.Outer[0], 1, 0.27}, {"classes", f.Factor[0], 0.5, 0.07}, {"noise", f.Noise, 0.3, 0.018}, {"share", gp.Share, 0.8, 0.12}} {
		if math.Abs(math.Abs(c.found)-c.want) > c.three {
			t.Errorf("%s: %.3f, want %g ± %g", c.what, c.found, c.want, c.three)
		}
	}
	if one := must.Get(FitGP(schools(60, 1, 6)))(t).(*GP); one.Share != 0 {
		t.Errorf("a share of %g of one class in a school", one.Share)
	}
}

// A class of which points are known, or points of its school alone, or both, or none, is predicted by the conditional
// Gaussian of all of them. Both are float64 with few operations.
func TestPredictionInSchoolsIsTheConditionalGaussian(t *testing.T) {
	groups := schools(12, 4, 6)
	fitted := must.Get(fitLinear(groups, nil, degreesOf(groups, 1, 1), 0))(t)
	unit := Units{X: []scaling{{0, 1}}, Y: scaling{0, 1}}
	mixed := &Mixed{Units: unit, Model: fitted.linear, Noise: normalNoise(newBasis(groups, 6), fitted.Noise)}
	gp := must.Get(FitGP(groups))(t).(*GP)
	gp.Units, gp.Noise = unit, normalNoise(newBasis(groups, 6), 0.3)
	own, other, third := points.New(1, 1, []float64{-0.5, 1}, []float64{2, 2.4}), points.New(1, 1, []float64{0, 0.7}, []float64{1.9, 2.1}), points.New(1, 1, []float64{0.2}, []float64{3})
	none := points.New(1, 1, nil, nil)
	for name, context := range map[string]points.Points{"the class": own, "its school": none.WithSiblings([]points.Points{other, third}, MostOfOuter), "both": own.WithSiblings([]points.Points{other, third}, MostOfOuter), "nothing": none} {
		for _, m := range []field{mixed, gp} {
			sigma := 0.3
			if m == mixed {
				sigma = fitted.Noise
			}
			target := points.New(1, 0, []float64{0.4}, nil)
			mean, variance := m.mean(target)[0], m.variances(target)[0]
			if n := context.Len(); n > 0 {
				k, cross, left := mat.NewSymDense(n, nil), mat.NewVecDense(n, nil), mat.NewVecDense(n, nil)
				at := func(i int) (points.Points, int) {
					if context.Sibling == nil {
						return context.Cut(i, i+1), 0
					}
					return context.Cut(i, i+1), context.Sibling[i]
				}
				between := func(a, b points.Points, same bool) float64 {
					if same {
						return m.covariances(a, b).At(0, 0)
					}
					return m.across(a, b).At(0, 0)
				}
				for i := range n {
					x, of := at(i)
					cross.SetVec(i, between(x, target, of == 0))
					left.SetVec(i, context.Y[i]-m.mean(x)[0])
					for j := range i + 1 {
						z, to := at(j)
						k.SetSym(i, j, between(x, z, of == to))
					}
					k.SetSym(i, i, k.At(i, i)+sigma*sigma)
				}
				var chol mat.Cholesky
				chol.Factorize(k)
				var w mat.VecDense
				must.Do(t, chol.SolveVecTo(&w, cross))
				mean, variance = mean+mat.Dot(&w, left), variance-mat.Dot(&w, cross)
			}
			d := m.(Model).Given(context, target)[0]
			if math.Abs(d.Mean()-mean) > 1e-9 || math.Abs(d.Variance()-variance-sigma*sigma) > 1e-9 {
				t.Errorf("%T of %s: %v, %v, want %v, %v", m, name, d.Mean(), d.Variance(), mean, variance+sigma*sigma)
			}
		}
	}
	// Another class of the same school differs by its own level alone, one of another school by both.
	zero := points.New(1, 0, []float64{0}, nil)
	if a, b := mixed.across(zero, zero).At(0, 0), mixed.covariances(zero, zero).At(0, 0); !(a > 0.3 && a < b-0.1) {
		t.Errorf("covariances of %g in a school and %g in a class", a, b)
	}
}
