package formula_test

import (
	"reflect"
	"testing"

	"github.com/acqnp/acqnp/internal/fit/formula"
	"github.com/acqnp/acqnp/internal/test/must"
)

func TestFormulasAreRead(t *testing.T) {
	for text, want := range map[string]formula.Formula{
		"price ~ age | product":                           {Y: []formula.Term{{"price", false}}, X: []formula.Term{{"age", false}}, Group: "product"},
		"log(y)~log( x 1 )+b":                             {Y: []formula.Term{{"y", true}}, X: []formula.Term{{"x 1", true}, {"b", false}}},
		"low + high ~ day | station 7":                    {Y: []formula.Term{{"low", false}, {"high", false}}, X: []formula.Term{{"day", false}}, Group: "station 7"},
		"`-logp` ~ `HbA1c (%)` + log(`a~b`) | patient id": {Y: []formula.Term{{"-logp", false}}, X: []formula.Term{{"HbA1c (%)", false}, {"a~b", true}}, Group: "patient id"},
		"body-weight%~`a``b`+ `1` +x.1 |`log(z)`":         {Y: []formula.Term{{"body-weight%", false}}, X: []formula.Term{{"a`b", false}, {"1", false}, {"x.1", false}}, Group: "log(z)"},
	} {
		got, err := formula.Parse(text)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q is %+v, %v, want %+v", text, got, err, want)
		}
		if again, err := formula.Parse(got.String()); err != nil || !reflect.DeepEqual(again, got) {
			t.Errorf("%q reads back as %+v, %v", got.String(), again, err)
		}
	}
}

func TestBadFormulasAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		"":                       "without '~'",
		"y":                      "without '~'",
		"y ~":                    "ends too early",
		"~ x":                    `found '~' where a name should stand`,
		"y ~ x |":                "no column after '|'",
		"y ~ x + ":               "ends too early",
		"y ~ log(x":              "log( without one column",
		"y ~ x | y":              `the column "y" twice`,
		"y ~ x + x":              `the column "x" twice`,
		"y ~ `x":                 "a name between two backticks",
		"f(y) ~ x":               "found f(y), expected a column or log(column)",
		"-logp ~ x":              "found -logp, expected names of columns with + between them: what is not named is left out (a column with - in its name stands in backticks: `-logp`)",
		"y ~ HbA1c (%) | id":     "stands in backticks: `HbA1c (%)`",
		"y ~ x*z | id":           "found x*z, expected x1 + x2: models find how columns act together",
		"y ~ x:z":                "found x:z, expected x1 + x2",
		"y ~ x + z^2":            "found z^2, expected the column alone",
		"y ~ x/z":                "write a ratio into a column",
		"y ~ x - 1 | id":         "found x - 1, expected",
		"y ~ poly(x, 2) | id":    "found poly(x, 2), expected the column alone: models find curves",
		"y ~ x + offset(log(z))": "found offset(log(z)), expected no offset: write",
		"y ~ factor(m) | id":     "found factor(m), expected a column of names: write codes as names",
		"log10(y) ~ x":           "found log10(y), expected log(column), the natural logarithm",
		"cbind(a, b) ~ x":        "expected y1 + y2 before '~'",
		"y ~ x + (1 | id)":       "found (1 | id), expected '| group' at the end of the formula",
		"y ~ (1 + x | id)":       "found (1 + x | id), expected '| group' at the end",
		"y ~ x | school/class":   "found school/class after '|', expected one column: for groups within groups",
		"y ~ x || id":            "where a name should stand",
		"y ~ 1 | id":             "found the number 1, expected names of columns: a constant is always part",
		"y ~ . | id":             "found '.' for all columns",
		"y ~ `a` `b` | id":       "after a name",
		"y ~ x | g | h":          "one column",
		"y ~ (x + z)":            "a parenthesis before (x + z)",
	} {
		must.Refuse(t, must.Err(formula.Parse(text)), want, "expected")
	}
}

// A formula of any names reads back.
func FuzzNames(f *testing.F) {
	for _, name := range []string{"x", "a b", "-logp", "HbA1c (%)", "`", "a``b", "1", ".", "log", "log(x)", "a - b", "é|~", "x\ny", " x"} {
		f.Add(name, "y", "g")
	}
	f.Fuzz(func(t *testing.T, x, y, g string) {
		if x == "" || y == "" || g == "" || x == y || x == g || y == g {
			return
		}
		want := formula.Formula{Y: []formula.Term{{Column: y}}, X: []formula.Term{{Column: x, Log: true}}, Group: g}
		if got, err := formula.Parse(want.String()); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q reads back as %+v, %v", want.String(), got, err)
		}
	})
}
