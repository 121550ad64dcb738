package table_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/acqnp/acqnp/internal/fit/table"
	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/random"
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
		isBest(t, groups, got, variances)
	}
}

// isBest fails unless a table with these variances is that of the whole matrix, see whole, and no variances near its own have
// a larger restricted likelihood. It returns the coefficients of the whole matrix.
func isBest(t *testing.T, groups []points.Group, got table.Table, variances []float64) []float64 {
	t.Helper()
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
				t.Errorf("%s: %v has the restricted likelihood %.9f, above %.9f of %v", got.Formula, other, v, best, variances)
			}
		}
	}
	return beta
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
