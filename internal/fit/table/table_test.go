package table_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/acqnp/acqnp/internal/fit/table"
	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/random"
	"github.com/acqnp/acqnp/internal/test/must"
)

// near fails unless got is want, to a share of it.
func near(t *testing.T, what string, got, want, share float64) {
	t.Helper()
	if !(math.Abs(got-want) <= share*math.Abs(want)) {
		t.Errorf("%s is %.10g, want %.10g", what, got, want)
	}
}

// deviations returns n numbers of mean 0 about each center, with a sum of squares over all.
func deviations(seed uint64, centers, n int, squares float64) []float64 {
	all, sum, g := make([]float64, centers*n), 0.0, random.New(seed, random.Data)
	for k := range centers {
		own := all[k*n:][:n]
		mean := 0.0
		for i := range own {
			own[i] = g.Normal(uint64(k), uint64(i))
			mean += own[i] / float64(n)
		}
		for i := range own {
			own[i] -= mean
			sum += own[i] * own[i]
		}
	}
	for i := range all {
		all[i] *= math.Sqrt(squares / sum)
	}
	return all
}

// Of balanced data, REML knows only the means and the sums of squares. These are those of Dyestuff (Davies 1947): rows
// that have them too have the table that lme4 publishes of it (Bates, Mächler, Bolker and Walker 2015).
func TestDyestuff(t *testing.T) {
	const batches, n = 6, 5
	of, rows := deviations(1, 1, batches, 11271.5*(batches-1)/n), deviations(2, batches, n, 2451.25*batches*(n-1))
	var groups []points.Group
	for k := range batches {
		g := points.Group{Points: points.Points{DY: 1}}
		for i := range n {
			g.Y = append(g.Y, 1527.5+of[k]+rows[k*n+i])
		}
		groups = append(groups, g)
	}
	got := table.Of(groups, table.Question{Fixed: "Yield ~ 1", Group: "Batch"})
	check(t, got, "Yield ~ 1 + (1 | Batch)", []float64{1527.5, 19.383}, []float64{42.001}, 49.510, 3e-5)
	near(t, "the variance", got.Levels[0].Variance, (11271.5-2451.25)/n, 1e-6)

	// Batches that differ by less than their rows do have no deviation, and the rows are one sample.
	for k := range groups {
		for i := range groups[k].Y {
			groups[k].Y[i] -= 0.9 * of[k]
		}
	}
	got = table.Of(groups, table.Question{Fixed: "Yield ~ 1", Group: "Batch"})
	total := 0.01*11271.5*(batches-1) + 2451.25*batches*(n-1)
	near(t, "the residual of a singular fit", got.Residual.Variance, total/(batches*n-1), 1e-9)
	if got.Levels[0].Variance != 0 || !strings.Contains(strings.Join(got.Notes, "\n"), "singular") {
		t.Errorf("a singular fit: %+v", got)
	}
}

// The same of Pastes (Davies and Goldsmith 1972): two rows of each of three casks of ten batches.
func TestPastes(t *testing.T) {
	const batches, casks, n = 10, 3, 2
	of, in, rows := deviations(1, 1, batches, 247.4028/(casks*n)), deviations(2, batches, casks, 350.9067/n), deviations(3, batches*casks, n, 20.34)
	var groups []points.Group
	for k := range batches * casks {
		g := points.Group{Outer: fmt.Sprint(k / casks), Points: points.Points{DY: 1}}
		for i := range n {
			g.Y = append(g.Y, 60.05333+of[k/casks]+in[k]+rows[k*n+i])
		}
		groups = append(groups, g)
	}
	got := table.Of(groups, table.Question{Fixed: "strength ~ 1", Group: "cask", Outer: "batch"})
	check(t, got, "strength ~ 1 + (1 | batch/cask)", []float64{60.0533, 0.6769}, []float64{2.9041, 1.2874}, 0.8234, 1e-4)
	if names := fmt.Sprintln(got.Levels[0].Name, got.Levels[0].Groups, got.Levels[1].Name, got.Levels[1].Groups); names != "cask:batch 30 batch 10\n" {
		t.Errorf("levels %s", names)
	}
}

// The same of sleepstudy (Belenky and others 2003), whose 18 subjects have the same ten days.
func TestSleepstudy(t *testing.T) {
	const subjects, days = 18, 10
	noise := 30.99123 * 30.99123
	of, rows := deviations(1, 1, subjects, (37.12383*37.12383+noise/days)*(subjects-1)), deviations(2, subjects, days, 1)
	along := 0.0
	for i := range rows {
		along += rows[i] * (float64(i%days) - 4.5) / (82.5 * subjects)
	}
	left := 0.0
	for i := range rows { // without a slope of their own
		rows[i] -= along * (float64(i%days) - 4.5)
		left += rows[i] * rows[i]
	}
	var groups []points.Group
	for k := range subjects {
		g := points.Group{Points: points.Points{DX: 1, DY: 1}}
		for i := range days {
			g.X = append(g.X, float64(i))
			g.Y = append(g.Y, 251.4051+10.46729*float64(i)+of[k]+rows[k*days+i]*math.Sqrt(noise*(subjects*days-subjects-1)/left))
		}
		groups = append(groups, g)
	}
	got := table.Of(groups, table.Question{Fixed: "Reaction ~ Days", Names: []string{"Days"}, Group: "Subject"})
	check(t, got, "Reaction ~ Days + (1 | Subject)", []float64{251.405, 9.7467, 10.467, 0.8042}, []float64{37.124}, 30.991, 3e-5)
}

// The same where subjects have slopes: balanced, the lines of subjects have the covariance Σ + σ²·(ZᵀZ)⁻¹.
func TestSlopesOfSleepstudy(t *testing.T) {
	const subjects, days, level, slope, correlation, noise = 18, 10, 24.7407, 5.9221, 0.0656, 25.5918 * 25.5918
	gram := mat.NewSymDense(2, []float64{days, 45, 45, 285})
	var inverse mat.Dense
	must.Do(t, inverse.Inverse(gram))
	covariance := mat.NewSymDense(2, []float64{level*level + noise*inverse.At(0, 0), level*slope*correlation + noise*inverse.At(0, 1), 0, slope*slope + noise*inverse.At(1, 1)})
	var of mat.Cholesky
	if !of.Factorize(covariance) {
		t.Fatal("no covariance")
	}
	var lower mat.TriDense
	of.LTo(&lower)
	first, second, rows := deviations(1, 1, subjects, subjects-1), deviations(2, 1, subjects, subjects-1), deviations(3, subjects, days, 1)
	floats.AddScaled(second, -floats.Dot(first, second)/(subjects-1), first)
	floats.Scale(math.Sqrt((subjects-1)/floats.Dot(second, second)), second)
	left := 0.0
	for k := range subjects { // residuals of a subject have no line
		own, along := rows[k*days:][:days], 0.0
		for i, v := range own {
			along += v * (float64(i) - 4.5) / 82.5
		}
		for i := range own {
			own[i] -= along * (float64(i) - 4.5)
		}
		left += floats.Dot(own, own)
	}
	var groups []points.Group
	for k := range subjects {
		g := points.Group{Points: points.Points{DX: 1, DY: 1}}
		for i := range days {
			line := 251.4051 + lower.At(0, 0)*first[k] + (10.46729+lower.At(1, 0)*first[k]+lower.At(1, 1)*second[k])*float64(i)
			g.X = append(g.X, float64(i))
			g.Y = append(g.Y, line+rows[k*days+i]*math.Sqrt(noise*subjects*(days-2)/left))
		}
		groups = append(groups, g)
	}
	got := table.Of(groups, table.Question{Fixed: "Reaction ~ Days", Names: []string{"Days"}, Slopes: []int{0}, Group: "Subject"})
	check(t, got, "Reaction ~ Days + (1 + Days | Subject)", []float64{251.405, 6.8246, 10.467, 1.5458}, []float64{24.7407, 5.9221}, 25.5918, 1e-4)
	if r := got.Levels[1].Correlation; got.Levels[1].Name != "Days of Subject" || r == nil || math.Abs(*r-correlation) > 1e-3 {
		t.Errorf("the slopes are %+v", got.Levels[1])
	}
}

// The same of Penicillin (Davies and Goldsmith 1972), whose 24 plates have six samples each. Without its numbers, mean squares
// that give the variances that lme4 publishes stand for them.
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
		best, beta, errors := whole(t, groups, variances)
		for i, c := range got.Coefficients {
			near(t, c.Name, c.Estimate, beta[i], 1e-7)
			near(t, "the error of "+c.Name, c.Error, errors[i], 1e-7)
		}
		for i := range variances {
			for _, factor := range []float64{0.99, 1.01} {
				other := slices.Clone(variances)
				other[i] *= factor
				if v, _, _ := whole(t, groups, other); v > best {
					t.Errorf("%d names: %v has the restricted likelihood %.9f, above %.9f of %v", names, other, v, best, variances)
				}
			}
		}

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

// check compares a table with a published one: estimates, each with its error, and deviations.
func check(t *testing.T, got table.Table, formula string, coefficients, levels []float64, residual, share float64) {
	t.Helper()
	if got.Formula != formula || got.Method != table.REML || got.None != "" {
		t.Fatalf("got %+v", got)
	}
	for i, c := range got.Coefficients {
		near(t, c.Name, c.Estimate, coefficients[2*i], share)
		near(t, "the error of "+c.Name, c.Error, coefficients[2*i+1], share)
	}
	for i, l := range got.Levels {
		near(t, "the deviation of "+l.Name, l.Deviation, levels[i], share)
	}
	near(t, "the residual", got.Residual.Deviation, residual, share)
	if len(got.Coefficients) != len(coefficients)/2 || len(got.Levels) != len(levels) {
		t.Errorf("%d coefficients and %d levels", len(got.Coefficients), len(got.Levels))
	}
}

// uneven draws groups of one to six rows, in outer groups of one to four, with two columns of x, the first far from 0.
func uneven(deviation float64) (groups []points.Group) {
	g, k := random.New(5, random.Data), uint64(0)
	for o := range uint64(9) {
		for range 1 + o%4 {
			one := points.Group{Outer: fmt.Sprint(o), Points: points.Points{DX: 2, DY: 1}}
			for i := range 1 + k%6 {
				x, z := 2000+5*g.Float(k, i), g.Normal(k, 20+i)
				one.X = append(one.X, x, z)
				one.Y = append(one.Y, 0.3*(x-2000)+z+deviation*(g.Normal(o, 1000)+g.Normal(k, 2000))+g.Normal(k, 40+i))
			}
			groups = append(groups, one)
			k++
		}
	}
	return groups
}

// Of uneven groups, the table is that of the whole matrix V: its coefficients and errors are the generalised least squares,
// and no deviations near its own have a larger restricted likelihood.
func TestUnevenGroupsHaveTheTableOfTheWholeMatrix(t *testing.T) {
	for _, outer := range []string{"", "o", "slope"} {
		groups, q := uneven(1.5), table.Question{Fixed: "y ~ x + z", Names: []string{"x", "z"}, Group: "g", Outer: outer}
		if outer != "o" {
			for k := range groups {
				groups[k].Outer = ""
			}
		}
		if outer == "slope" {
			q.Outer, q.Slopes = "", []int{0, 1}
			for k, g := range groups {
				for i := range g.Y {
					g.Y[i] += 3 * math.Sin(float64(k)) * (g.Row(i)[1] - 0.5)
				}
			}
		}
		got := table.Of(groups, q)
		variances := make([]float64, 5)
		for i, l := range got.Levels {
			variances[i] = l.Variance
		}
		if variances[2] = got.Residual.Variance; outer == "slope" {
			if got.Formula != "y ~ x + z + (1 + z | g)" {
				t.Fatalf("found %s", got.Formula)
			}
			level, slope := got.Levels[0], got.Levels[1]
			variances[1], variances[3], variances[4] = 0, slope.Variance, *slope.Correlation*level.Deviation*slope.Deviation
		}
		best, beta, errors := whole(t, groups, variances)
		for i, c := range got.Coefficients {
			near(t, c.Name, c.Estimate, beta[i], 1e-7)
			near(t, "the error of "+c.Name, c.Error, errors[i], 1e-7)
		}
		for i := range variances {
			for _, factor := range []float64{0.99, 1.01} {
				other := slices.Clone(variances)
				other[i] *= factor
				if v, _, _ := whole(t, groups, other); v > best || variances[i] != 0 && v == best {
					t.Errorf("outer %q: %v has the restricted likelihood %.9f, above %.9f of %v", outer, other, v, best, variances)
				}
			}
		}
	}
}

// whole returns the restricted log-likelihood of variances (inner, outer, residual, the slope along z, its covariance with the
// intercept), up to a constant, and the generalised least squares.
func whole(t *testing.T, groups []points.Group, variances []float64) (logLik float64, beta, errors []float64) {
	t.Helper()
	variances = append(slices.Clone(variances), 0, 0)
	var x, y []float64
	var of []int
	var outer []string
	for k, g := range groups {
		for i := range g.Len() {
			x, y, of = append(append(x, 1), g.Row(i)[:2]...), append(y, g.Y[i]), append(of, k)
			if outer = append(outer, g.Outer); g.DX > 2 { // a crossed name
				outer[len(y)-1] = fmt.Sprint(g.Row(i)[2])
			} else if g.Outer == "" {
				outer[len(y)-1] = fmt.Sprint("of ", k)
			}
		}
	}
	n := len(y)
	v := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range i + 1 {
			var c float64
			if of[i] == of[j] {
				c = variances[0] + variances[3]*x[3*i+2]*x[3*j+2] + variances[4]*(x[3*i+2]+x[3*j+2])
			}
			if outer[i] == outer[j] {
				c += variances[1]
			}
			if i == j {
				c += variances[2]
			}
			v.SetSym(i, j, c)
		}
	}
	var ofV, ofX mat.Cholesky
	var vx, vy, xvx, xvy, b, r, vr mat.Dense
	design, outcome := mat.NewDense(n, 3, x), mat.NewDense(n, 1, y)
	if !ofV.Factorize(v) || ofV.SolveTo(&vx, design) != nil || ofV.SolveTo(&vy, outcome) != nil {
		t.Fatal("V is not positive")
	}
	xvx.Mul(design.T(), &vx)
	xvy.Mul(design.T(), &vy)
	info := mat.NewSymDense(3, nil)
	for i := range 3 {
		for j := range i + 1 {
			info.SetSym(i, j, xvx.At(i, j))
		}
	}
	var covariance mat.SymDense
	if !ofX.Factorize(info) || ofX.SolveTo(&b, &xvy) != nil || ofX.InverseTo(&covariance) != nil {
		t.Fatal("X is not independent")
	}
	r.Mul(design, &b)
	r.Sub(outcome, &r)
	if ofV.SolveTo(&vr, &r) != nil {
		t.Fatal("V cannot be solved")
	}
	for i := range 3 {
		beta, errors = append(beta, b.At(i, 0)), append(errors, math.Sqrt(covariance.At(i, i)))
	}
	return -(ofV.LogDet() + ofX.LogDet() + mat.Dot(r.ColView(0), vr.ColView(0))) / 2, beta, errors
}

// A row of weight 2 is two rows, and a row without an x is none.
func TestWeightsRepeatRows(t *testing.T) {
	once, twice := uneven(1), uneven(1)
	for k := range once {
		once[k].Weights = slices.Repeat([]float64{1}, once[k].Len())
		once[k].Weights[0] = 2
		twice[k].Append(twice[k].Cut(0, 1))
	}
	gap := points.New(2, 1, []float64{math.NaN(), 1}, []float64{1e6})
	twice[0].Append(gap)
	gap.Weights = []float64{1}
	once[0].Append(gap)
	q := table.Question{Fixed: "y ~ x + z", Names: []string{"x", "z"}, Group: "g", Outer: "o"}
	a, b := table.Of(once, q), table.Of(twice, q)
	for i, c := range a.Coefficients {
		near(t, c.Name, c.Estimate, b.Coefficients[i].Estimate, 1e-6)
		near(t, "the error of "+c.Name, c.Error, b.Coefficients[i].Error, 1e-6)
	}
	for i, l := range a.Levels {
		near(t, l.Name, l.Deviation, b.Levels[i].Deviation, 1e-5)
	}
	if len(a.Levels) != 2 || a.Notes[0] != "1 row with a missing cell of x left out" {
		t.Errorf("got %+v", a)
	}
}

// Units change a table by their factors alone, also huge and tiny ones.
func TestUnitsOfATable(t *testing.T) {
	q := table.Question{Fixed: "y ~ x + z", Names: []string{"x", "z"}, Group: "g", Outer: "o"}
	want := table.Of(uneven(1), q)
	for _, unit := range []float64{1e-140, 1e-30, 1e30, 1e140} {
		groups := uneven(1)
		for _, g := range groups {
			for i := range g.Y {
				g.Y[i] *= unit
				g.X[2*i] /= unit
			}
		}
		got := table.Of(groups, q)
		if got.None != "" {
			t.Fatal(got.None)
		}
		near(t, "x", got.Coefficients[1].Estimate, want.Coefficients[1].Estimate*unit*unit, 1e-6)
		near(t, "the error of x", got.Coefficients[1].Error, want.Coefficients[1].Error*unit*unit, 1e-6)
		near(t, "the residual", got.Residual.Deviation, want.Residual.Deviation*unit, 1e-6)
	}
	groups := uneven(1)
	for _, g := range groups {
		for i := range g.Y {
			g.Y[i] *= 1e200
		}
	}
	if got := table.Of(groups, q); !strings.Contains(got.None, "beyond the range") || got.Coefficients != nil || got.Residual != nil {
		t.Errorf("got %+v", got)
	}
}

func TestTablesSayWhatTheyCannotTell(t *testing.T) {
	line := func(rows, each int) (groups []points.Group) { // of x and of 2x − 1
		g := random.New(7, random.Data)
		for k := range uint64(rows / each) {
			one := points.Group{Outer: "o", Points: points.Points{DX: 2, DY: 1}}
			for i := range uint64(each) {
				x := g.Normal(k, i)
				one.X, one.Y = append(one.X, x, 2*x-1), append(one.Y, x+g.Normal(k, 1000+i))
			}
			groups = append(groups, one)
		}
		return groups
	}
	straight := line(12, 3)
	for _, g := range straight {
		for i := range g.Y {
			g.Y[i] = 3 - g.X[2*i]
		}
	}
	for _, c := range []struct {
		groups               []points.Group
		group, outer         string
		method, formula, say string
		levels               int
	}{
		{line(12, 12), "", "", table.LeastSquares, "y ~ x", "no groups: plain least squares", 0},
		{line(12, 12), "g", "", table.LeastSquares, "y ~ x", "all rows are one g, so", 0},
		{line(12, 1), "g", "", table.LeastSquares, "y ~ x", "each g has one row, so", 0},
		{line(12, 3), "g", "o", table.REML, "y ~ x + (1 | g:o)", "all rows are one o, so", 1},
		{line(12, 3), "g", "", table.REML, "y ~ x + (1 | g)", "columns before them determine them: z", 1},
		{line(3, 1), "g", "", "", "", "3 columns with the intercept for 3 rows", -1},
		{straight, "g", "", "", "", "leave no residual", -1},
	} {
		got := table.Of(c.groups, table.Question{Fixed: "y ~ x", Names: []string{"x", "z"}, Group: c.group, Outer: c.outer})
		said := strings.Join(append(got.Notes, got.None), "\n")
		if !strings.Contains(said, c.say) {
			t.Errorf("%q does not say %q", said, c.say)
		}
		if c.levels < 0 {
			if got.None == "" || got.Coefficients != nil || got.Levels != nil || got.Residual != nil {
				t.Errorf("%s: got %+v", c.say, got)
			}
			continue
		}
		if got.Method != c.method || got.Formula != c.formula || len(got.Levels) != c.levels || got.None != "" || len(got.Coefficients) != 2 || !slices.Equal(got.LeftOut, []string{"z"}) {
			t.Errorf("%s: got %+v", c.say, got)
		}
	}

	// Least squares on a line has a closed form.
	g := line(12, 12)[0]
	var n, mx, my, xx, xy, left float64
	for i, y := range g.Y {
		n, mx, my = n+1, mx+g.X[2*i], my+y
	}
	mx, my = mx/n, my/n
	for i, y := range g.Y {
		dx := g.X[2*i] - mx
		xx, xy = xx+dx*dx, xy+dx*(y-my)
	}
	for i, y := range g.Y {
		r := y - my - xy/xx*(g.X[2*i]-mx)
		left += r * r
	}
	got := table.Of([]points.Group{g}, table.Question{Names: []string{"x", "z"}})
	near(t, "the slope", got.Coefficients[1].Estimate, xy/xx, 1e-9)
	near(t, "its error", got.Coefficients[1].Error, math.Sqrt(left/(n-2)/xx), 1e-9)
	near(t, "the intercept", got.Coefficients[0].Estimate, my-xy/xx*mx, 1e-9)
	near(t, "the residual", got.Residual.Variance, left/(n-2), 1e-9)
}
