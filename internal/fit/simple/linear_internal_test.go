package simple

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/random"
	"github.com/acqnp/acqnp/internal/test/must"
)

// lines returns functions with a random intercept and slope: y = 1 + 2x + a + bx + ε, with
// deviations 0.5 of a, 0.3 of b and 0.2 of ε.
func lines(functions, each int) []points.Group {
	g := random.New(7, random.Data)
	all := make([]points.Group, functions)
	for i := range all {
		step, n := uint64(i), uint64(0)
		draw := func() float64 { n++; return g.Normal(step, n) }
		a, b := 0.5*draw(), 0.3*draw()
		f := points.Group{Points: points.New(1, 1, nil, nil)}
		for range each {
			x := draw()
			f.X, f.Y = append(f.X, x), append(f.Y, 1+2*x+a+b*x+0.2*draw())
		}
		all[i] = f
	}
	return all
}

// TestRecoversThePopulation compares the estimates with the numbers that the functions were drawn
// with. With 400 functions, the standard error of a deviation is 0.5/√800 = 0.018, that of β
// 0.025.
func TestRecoversThePopulation(t *testing.T) {
	functions := lines(400, 12)
	f := must.Get(fitLinear(functions, nil, degreesOf(functions, 1, 1), 0))(t)
	d := 4
	g := mat.NewDense(2, 2, []float64{f.Factor[0], f.Factor[1], f.Factor[d], f.Factor[d+1]})
	var covariance mat.Dense
	covariance.Mul(g, g.T())
	for _, c := range []struct {
		what              string
		found, want, five float64
	}{
		{"intercept", f.Beta[0], 1, 0.125}, {"slope", f.Beta[1], 2, 0.08}, {"σ", f.Noise, 0.2, 0.011},
		{"deviation of intercepts", math.Sqrt(covariance.At(0, 0)), 0.5, 0.09},
		{"deviation of slopes", math.Sqrt(covariance.At(1, 1)), 0.3, 0.055},
		{"covariance", covariance.At(0, 1), 0, 0.04},
	} {
		if math.Abs(c.found-c.want) > c.five {
			t.Errorf("%s: found %.4f, expected %g ± %g", c.what, c.found, c.want, c.five)
		}
	}
}

// TestPredictionIsTheConditionalGaussian compares a prediction with the formula for a conditional
// Gaussian with the full covariance of all points. Both are float64 with few operations.
func TestPredictionIsTheConditionalGaussian(t *testing.T) {
	functions := lines(9, 5)
	f := must.Get(fitLinear(functions, nil, degreesOf(functions, 3, 2), 0))(t)
	x, y := []float64{-1, 0.3, 1.1, 0.4}, []float64{-0.5, 2, 3.5}
	design := mat.NewDense(4, 7, nil)
	for i, v := range x {
		design.SetRow(i, []float64{1, v, v * v, 1, v, v * v, v * v * v})
	}
	var scaled, v mat.Dense
	scaled.Mul(design, mat.NewDense(7, 7, f.Factor))
	v.Mul(&scaled, scaled.T())
	for n := range 4 { // context points
		mean := func(i int) float64 {
			return mat.Dot(design.RowView(i).(*mat.VecDense).SliceVec(3, 7), mat.NewVecDense(4, f.Beta))
		}
		wantMean, wantVar := mean(3), v.At(3, 3)+f.Noise*f.Noise
		if n > 0 {
			k := mat.NewDense(n, n, nil)
			k.Copy(v.Slice(0, n, 0, n))
			rest, cross := mat.NewVecDense(n, nil), mat.NewVecDense(n, nil)
			for i := range n {
				k.Set(i, i, k.At(i, i)+f.Noise*f.Noise)
				rest.SetVec(i, y[i]-mean(i))
				cross.SetVec(i, v.At(3, i))
			}
			var w mat.VecDense
			must.Do(t, w.SolveVec(k, cross))
			wantMean, wantVar = wantMean+mat.Dot(&w, rest), wantVar-mat.Dot(&w, cross)
		}
		m, sd := f.given(points.New(1, 1, x[:n], y[:n])).predict(x[3:])
		if math.Abs(m-wantMean) > 1e-9 || math.Abs(sd-math.Sqrt(wantVar)) > 1e-9 {
			t.Errorf("context of %d: found %v, %v, expected %v, %v", n, m, sd, wantMean, math.Sqrt(wantVar))
		}
	}
}

// TestWithoutAGroup compares β without a function with a fit to the others at the same G and σ:
// if one function has other numbers, its own model does not change.
func TestWithoutAGroup(t *testing.T) {
	functions := lines(6, 8)
	a := must.Get(fitLinear(functions, nil, degreesOf(functions, 1, 0), 0))(t)
	without := a.leaveOut(2)
	if without.Noise != a.Noise || without.Factor[0] != a.Factor[0] {
		t.Errorf("found other variances: %v and %v", without, a.linear)
	}
	// generalised least squares by hand over the other functions: V = σ²(I + λ²·11ᵀ)
	lambda := a.Factor[0] / a.Noise
	xx, xy := mat.NewDense(2, 2, nil), mat.NewDense(2, 1, nil)
	for i, f := range functions {
		if i == 2 {
			continue
		}
		n := len(f.Y)
		v := mat.NewDense(n, n, nil)
		design, y := mat.NewDense(n, 2, nil), mat.NewDense(n, 1, f.Y)
		for k := range n {
			design.SetRow(k, []float64{1, f.X[k]})
			for j := range n {
				v.Set(k, j, lambda*lambda)
			}
			v.Set(k, k, 1+lambda*lambda)
		}
		var solved, s mat.Dense
		must.Do(t, solved.Solve(v, design))
		s.Mul(solved.T(), design)
		xx.Add(xx, &s)
		var r mat.Dense
		r.Mul(solved.T(), y)
		xy.Add(xy, &r)
	}
	var beta mat.Dense
	must.Do(t, beta.Solve(xx, xy))
	for i := range 2 { // the ridge of 1e-10 changes the ninth digit
		if math.Abs(without.Beta[i]-beta.At(i, 0)) > 1e-7 {
			t.Errorf("β%d: found %v, expected %v", i, without.Beta[i], beta.At(i, 0))
		}
		if math.Abs(without.Beta[i]-a.Beta[i]) < 1e-6 {
			t.Errorf("β%d is still that of all functions", i)
		}
	}
}

func TestChoosesTheDegreesThatPredictBest(t *testing.T) {
	functions := lines(40, 8)
	_, own, ok := chooseDegrees(functions)
	if !ok || own != 1 {
		t.Errorf("found degree %d of a group, expected random slopes", own)
	}
	for i := range functions {
		for k := range functions[i].Y {
			functions[i].Y[k] += functions[i].X[k] * functions[i].X[k]
		}
	}
	if fixed, _, ok := chooseDegrees(functions); !ok || fixed < 2 {
		t.Errorf("found degree %d, expected a parabola", fixed)
	}
}

func TestAwkwardGroups(t *testing.T) {
	constant := lines(5, 4)
	for i := range constant { // a second column that is the same everywhere
		var x []float64
		for _, v := range constant[i].X {
			x = append(x, v, 3)
		}
		constant[i].X, constant[i].DX = x, 2
	}
	for name, functions := range map[string][]points.Group{
		"a constant column":  constant,
		"one point each":     lines(6, 1),
		"one function":       lines(1, 9),
		"equal x everywhere": {{Points: points.New(1, 1, []float64{1, 1, 1}, []float64{1, 2, 3})}, {Points: points.New(1, 1, []float64{1, 1}, []float64{2, 2})}},
	} {
		f, err := fitLinear(functions, nil, degreesOf(functions, 3, 1), 0)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for i, g := range functions {
			m := f.leaveOut(i)
			mean, sd := m.given(g.Points).predict(g.X[:g.DX])
			if !(sd > 0) || math.IsInf(mean+sd, 0) || math.IsNaN(mean) {
				t.Errorf("%s: found %v ± %v", name, mean, sd)
			}
		}
	}
	if _, err := fitLinear(lines(1, 2), nil, degrees{Fixed: []int{3}, Random: []int{0}, Edges: []Edge{{High: 1}}}, 0); err == nil {
		t.Error("two points for four coefficients: found no error")
	}
}

// Beyond the data, each power is its tangent there; inside, it is the power.
func TestPowersGoOnAsLines(t *testing.T) {
	e := EdgesOf([]points.Group{{Points: points.New(1, 0, []float64{0, 2}, nil)}, {Points: points.New(1, 0, []float64{-1}, nil)}})[0]
	for x, want := range map[float64][]float64{
		1.5: {1.5, 2.25, 3.375},
		3:   {3, 8, 20}, // 2 + 1, 4 + 4·1, 8 + 12·1
		-4:  {-4, 7, -10},
	} {
		if got := e.AppendPowers(nil, x, 3); !slices.Equal(got, want) {
			t.Errorf("the powers of %v are %v, want %v", x, got, want)
		}
	}
}

// TestGradient compares the derivatives of the deviance with central differences of steps of 1e-5, which leave errors of
// about the square of the step and of rounding over it, 1e-10·(a deviance of 1e3)/1e-5.
func TestGradientOfDeviance(t *testing.T) {
	for _, outer := range []bool{false, true} {
		functions := schools(6, 4, 7)
		for i := range functions {
			functions[i].X = append(functions[i].X, functions[i].X...) // two columns that depend on each other
			functions[i].DX = 2
			if !outer {
				functions[i].Outer = ""
			}
		}
		form := degreesOf(functions, 2, 1)
		form.Crossings = []crossing{{{[]int{0, 1}, []float64{-1, 0}}, {[]int{0}, []float64{-0.5}}}, {{[]int{0}, []float64{0}}, {[]int{1}, []float64{-0.7}}}}
		f := must.Get(fitLevels(functions, nil, form, outerGroups(functions), 2, 0))(t)
		theta := make([]float64, len(f.theta))
		for i := range theta {
			theta[i] = 0.3 + 0.1*float64(i%5)
		}
		found, step := make([]float64, len(theta)), 1e-5
		f.gradient(found, theta)
		for i := range theta {
			at := func(v float64) float64 {
				moved := slices.Clone(theta)
				moved[i] += v
				s, _ := f.solve(moved, -1)
				return s.deviance
			}
			if want := (at(step) - at(-step)) / (2 * step); math.Abs(found[i]-want) > 1e-4*(1+math.Abs(want)) {
				t.Errorf("outer %v, θ%d: found %v, expected %v", outer, i, found[i], want)
			}
		}
	}
}

// Beyond the edge of the data the deviation of the curve grows by half of its slope, at all points of all groups alike;
// up to the edge it does not.
func TestTheCurveIsUncertainBeyondTheData(t *testing.T) {
	functions := lines(30, 8)
	f := must.Get(fitLinear(functions, nil, degreesOf(functions, 1, 0), 0))(t)
	m := &Mixed{Units: unitsOf(functions), Model: f.linear}
	high := f.Form.Edges[0].High
	at := []float64{-0.5, high, high + 2, high + 6}
	got, _ := m.rows(points.New(1, 0, at, nil))
	more := m.covariances(points.New(1, 0, at, nil), points.New(1, 0, at, nil))
	for i := range at {
		for j := range at {
			_, a := m.Model.prior(nil, at[i:][:1])
			_, b := m.Model.prior(nil, at[j:][:1])
			want := dot(a, b) + 0.25*f.Beta[1]*f.Beta[1]*max(at[i]-high, 0)*max(at[j]-high, 0)
			if math.Abs(more.At(i, j)-want) > 1e-12*want {
				t.Errorf("the covariance at %v and %v is %v, want %v", at[i], at[j], more.At(i, j), want)
			}
		}
		if mean := f.Beta[0] + f.Beta[1]*at[i]; math.Abs(got[i]-mean) > 1e-12*math.Abs(mean) {
			t.Errorf("the mean at %v is %v, want %v of a line", at[i], got[i], mean)
		}
	}
}
