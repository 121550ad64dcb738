package fit_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/fit"
	"github.com/acqnp/acqnp/internal/fit/file"
	"github.com/acqnp/acqnp/internal/fit/table"
	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/random"
	"github.com/acqnp/acqnp/internal/test/must"
)

// A formula says what the columns of a table are: here of y and of a rate, in groups in groups, where cells are missing.
func TestTablesOfAFormula(t *testing.T) {
	kinds := []string{"b", "a", "c"}
	var rows []string
	var groups [2][]points.Group
	g := random.New(9, random.Data)
	for k := range uint64(8) {
		own := [2]points.Points{{DX: 9, DY: 1}, {DX: 9, DY: 1}}
		for i := range uint64(6) {
			x, kind, hour, days := 1+4*g.Float(k, i), int((k+i)%3), 24*g.Float(k, 10+i), 1+float64(i%4)
			y := math.Exp(0.7*math.Log(x) + 0.2*float64(kind) + g.Normal(k/2, 90) + 0.5*g.Normal(k, 80) + 0.3*g.Normal(k, 30+i))
			n := math.Floor(days * y)
			text := []string{fmt.Sprint("s", k/2), fmt.Sprint("g", k), fmt.Sprint(x), kinds[kind], fmt.Sprint(hour), fmt.Sprint(days), fmt.Sprint(y), fmt.Sprint(n)}
			design := []float64{math.Log(x), 0, 0, math.Sin(2 * math.Pi * hour / 24), math.Cos(2 * math.Pi * hour / 24), 0, 0, 0, 0}
			if kind != 1 { // a is the first name
				design[1+kind/2], design[5+kind/2] = 1, math.Log(x)
			}
			design[7], design[8] = math.Log(x)*design[3], math.Log(x)*design[4]
			switch {
			case k == 0 && i == 0:
				text[2], design[0] = "", math.NaN() // a row with a missing cell is left out
			case k == 1 && i == 1:
				text[6], y = "", math.NaN()
			}
			for c, v := range []float64{math.Log(y / days), n / days} {
				if v == v {
					own[c].X, own[c].Y = append(own[c].X, design...), append(own[c].Y, v)
				}
			}
			rows = append(rows, strings.Join(text, ","))
		}
		for c, p := range own {
			groups[c] = append(groups[c], points.Group{Outer: fmt.Sprint("s", k/2), Points: p})
		}
	}
	fitted := fitRows(t, fit.Options{Instant: true, Budget: 1e-9}, "s,g,x,kind,hour,days,y,n",
		"log(y) + n ~ log(x)*kind + log(x):cyclic(hour, 24) + offset(log(days)) | s/g", rows)
	for c, said := range []struct{ formula, note string }{
		{"log(y) ~ log(x) + kind + cyclic(hour, 24) + log(x):kind + log(x):cyclic(hour, 24) + offset(log(days)) + (1 | s/g)", "on the scale of log(y)"},
		{"n/days ~ log(x) + kind + cyclic(hour, 24) + log(x):kind + log(x):cyclic(hour, 24) + (1 | s/g)", "on the scale of the rate of n"},
	} {
		q := table.Question{Names: []string{"log(x)", "kind: b", "kind: c", "sin(2π·hour/24)", "cos(2π·hour/24)", "log(x) × kind: b", "log(x) × kind: c", "log(x) × sin(2π·hour/24)", "log(x) × cos(2π·hour/24)"}, Group: "g", Outer: "s"}
		got, want := fitted.Tables[c], table.Of(groups[c], q)
		notes := strings.Join(got.Notes, "\n")
		if got.Formula != said.formula || got.Rows != want.Rows || !strings.Contains(got.About, "predictions come from the mixture") ||
			!strings.Contains(notes, said.note) || !strings.Contains(notes, "names of kind are compared with a\nproducts of columns are of this table: models of the mixture find how columns act together by themselves\n1 row with a missing cell of x left out") {
			t.Errorf("got %+v", got)
		}
		near := func(what string, got, want float64) {
			if !(math.Abs(got-want) <= 1e-5*math.Abs(want)) {
				t.Errorf("%s: %s is %g, want %g", said.formula, what, got, want)
			}
		}
		for i, v := range want.Coefficients {
			if got.Coefficients[i].Name != v.Name {
				t.Errorf("the coefficient %q, want %q", got.Coefficients[i].Name, v.Name)
			}
			near(v.Name, got.Coefficients[i].Estimate, v.Estimate)
			near("the error of "+v.Name, got.Coefficients[i].Error, v.Error)
		}
		for i, v := range want.Levels {
			near(v.Name, got.Levels[i].Deviation, v.Deviation)
		}
		near("the residual", got.Residual.Deviation, want.Residual.Deviation)
	}

	// The file keeps them.
	written := t.TempDir()
	must.Do(t, fitted.Write(written))
	if again := must.Get(file.Read(written))(t); fmt.Sprintf("%+v", again.Tables[0].Coefficients) != fmt.Sprintf("%+v", fitted.Tables[0].Coefficients) {
		t.Errorf("read %+v", again.Tables[0])
	}
}

// A table says on which scale counts are, and how rows count.
func TestTablesOfCountsAndWeights(t *testing.T) {
	var rows []string
	g := random.New(11, random.Data)
	for k := range uint64(8) {
		for i := range uint64(5) {
			rows = append(rows, fmt.Sprintf("g%d,%d,%v,2024-03-%02d", k, int(math.Exp(1+0.5*g.Normal(k, 0)+0.3*g.Normal(k, 9+i))), 1+g.Float(k, 50+i), 1+i*2))
		}
	}
	got := fitRows(t, fit.Options{Instant: true, Budget: 1e-9, Weights: "w"}, "g,n,w,day", "n ~ day | g", rows).Tables[0]
	for _, say := range []string{"on the scale of n as numbers; the mixture knows that they are whole numbers", "rows count by w", "day is days since 2024-03-01"} {
		if !slices.ContainsFunc(got.Notes, func(note string) bool { return strings.HasPrefix(note, say) }) {
			t.Errorf("%q lacks %q", got.Notes, say)
		}
	}
	if len(got.Coefficients) != 2 || got.Coefficients[1].Name != "day" || got.Formula != "n ~ day + (1 + day | g)" {
		t.Errorf("got %+v", got)
	}
}
