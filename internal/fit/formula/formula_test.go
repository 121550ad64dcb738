package formula_test

import (
	"reflect"
	"testing"

	"github.com/acqnp/acqnp/internal/fit/formula"
	"github.com/acqnp/acqnp/internal/test/must"
)

func TestFormulasAreRead(t *testing.T) {
	for text, want := range map[string]formula.Formula{
		"price ~ age | product":                           {Y: []formula.Term{{Column: "price"}}, X: []formula.Term{{Column: "age"}}, Group: "product"},
		"log(y)~log( x 1 )+b":                             {Y: []formula.Term{{Column: "y", Log: true}}, X: []formula.Term{{Column: "x 1", Log: true}, {Column: "b"}}},
		"low + high ~ day | station 7":                    {Y: []formula.Term{{Column: "low"}, {Column: "high"}}, X: []formula.Term{{Column: "day"}}, Group: "station 7"},
		"`-logp` ~ `HbA1c (%)` + log(`a~b`) | patient id": {Y: []formula.Term{{Column: "-logp"}}, X: []formula.Term{{Column: "HbA1c (%)"}, {Column: "a~b", Log: true}}, Group: "patient id"},
		"body-weight%~`a``b`+ `1` +x.1 |`log(z)`":         {Y: []formula.Term{{Column: "body-weight%"}}, X: []formula.Term{{Column: "a`b"}, {Column: "1"}, {Column: "x.1"}}, Group: "log(z)"},
		"y ~ 1 | id":                     {Y: []formula.Term{{Column: "y"}}, Group: "id"},
		"y ~ 1 + x":                      {Y: []formula.Term{{Column: "y"}}, X: []formula.Term{{Column: "x"}}},
		"y ~ factor(m 1) + factor(`1`)":  {Y: []formula.Term{{Column: "y"}}, X: []formula.Term{{Column: "m 1", Factor: true}, {Column: "1", Factor: true}}},
		"y ~ cyclic( hour, 24 ) | plant": {Y: []formula.Term{{Column: "y"}}, X: []formula.Term{{Column: "hour", Period: 24}}, Group: "plant"},
		"y ~ day + cyclic(day, 7) + cyclic(day, 365.25)": {Y: []formula.Term{{Column: "y"}},
			X: []formula.Term{{Column: "day"}, {Column: "day", Period: 7}, {Column: "day", Period: 365.25}}},
		"y ~ cyclic(day, 7) + cyclic(day, 365.25) + day": {Y: []formula.Term{{Column: "y"}},
			X: []formula.Term{{Column: "day", Period: 7}, {Column: "day", Period: 365.25}, {Column: "day"}}},
		"n ~ offset(log(days)) + x + offset(`b-`)": {Y: []formula.Term{{Column: "n"}}, X: []formula.Term{{Column: "x"}},
			Offset: []formula.Term{{Column: "days", Log: true}, {Column: "b-"}}},
		"n ~ log(days) + offset(log(days))": {Y: []formula.Term{{Column: "n"}}, X: []formula.Term{{Column: "days", Log: true}}, Offset: []formula.Term{{Column: "days", Log: true}}},
		"`offset` ~ factor + `cyclic`":      {Y: []formula.Term{{Column: "offset"}}, X: []formula.Term{{Column: "factor"}, {Column: "cyclic"}}},
		"y ~ a*log(b) + c + b2:a + a | g": {Y: []formula.Term{{Column: "y"}}, X: []formula.Term{{Column: "a"}, {Column: "b", Log: true}, {Column: "c"}, {Column: "b2"}},
			Products: [][]formula.Term{{{Column: "a"}, {Column: "b", Log: true}}, {{Column: "b2"}, {Column: "a"}}}, Group: "g"},
		"y ~ a*b*c": {Y: []formula.Term{{Column: "y"}}, X: []formula.Term{{Column: "a"}, {Column: "b"}, {Column: "c"}},
			Products: [][]formula.Term{{{Column: "a"}, {Column: "b"}}, {{Column: "a"}, {Column: "c"}}, {{Column: "b"}, {Column: "c"}}, {{Column: "a"}, {Column: "b"}, {Column: "c"}}}},
		"rt ~ x | subject + `item no.`": {Y: []formula.Term{{Column: "rt"}}, X: []formula.Term{{Column: "x"}}, Group: "subject", Crossed: "item no."},
		"y ~ x | the school / `a/b`":    {Y: []formula.Term{{Column: "y"}}, X: []formula.Term{{Column: "x"}}, Outer: "the school", Group: "a/b"},
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
		"":                                  "without '~'",
		"y":                                 "without '~'",
		"y ~":                               "ends too early",
		"~ x":                               `found '~' where a name should stand`,
		"y ~ x |":                           "no column after '|'",
		"y ~ x + ":                          "ends too early",
		"y ~ log(x":                         "log( without one column",
		"y ~ x | y":                         `the column "y" twice`,
		"y ~ x + x":                         `the column "x" twice`,
		"y ~ `x":                            "a name between two backticks",
		"f(y) ~ x":                          "found f(y), expected a column, log(column), factor(column)",
		"-logp ~ x":                         "found -logp, expected names of columns with + between them: what is not named is left out (a column with - in its name stands in backticks: `-logp`)",
		"y ~ HbA1c (%) | id":                "stands in backticks: `HbA1c (%)`",
		"y*x ~ z":                           "found y*x before '~', expected columns or log(column)",
		"y ~ x*x | id":                      "found x*x, expected a product of 2 to 3 different columns",
		"y ~ a*b*c*d":                       "found a*b*c*d, expected a product of 2 to 3 different columns",
		"y ~ x:.":                           "found x:., expected a product of 2 to 3 different columns",
		"y ~ a*b:c":                         "found a*b and another sign, expected a*b*c, or a:b + b:c",
		"y ~ x:":                            "ends too early",
		"y ~ x*1":                           "found the number 1, expected names of columns",
		"y ~ 1*x":                           "found 1*x, expected a product of columns of x",
		"y ~ x*offset(z)":                   "found offset(z), expected a column, log(column)",
		"y ~ x | g:h":                       "found g:h after '|', expected one column",
		"y ~ x + z^2":                       "found z^2, expected the column alone",
		"y ~ x/z":                           "write a ratio into a column",
		"y ~ x - 1 | id":                    "found x - 1, expected",
		"y ~ poly(x, 2) | id":               "found poly(x, 2), expected the column alone: models find curves",
		"y ~ x + offset(log(z)":             "offset( without one column",
		"y ~ x + offset(factor(z))":         "offset( without one column",
		"offset(y) ~ x":                     "found offset(y) before '~', expected columns or log(column)",
		"1 ~ x":                             "found 1 before '~'",
		"factor(y) ~ x":                     "found factor(y) before '~'",
		"y ~ cyclic(hour)":                  "found cyclic(hour without a period, expected cyclic(column, period), such as cyclic(hour, 24)",
		"y ~ cyclic(hour,":                  "without a period",
		"y ~ cyclic(hour, 0)":               "found the period 0, expected",
		"y ~ cyclic(hour, day)":             "found the period day, expected",
		"y ~ cyclic(hour, 24":               "cyclic( without one column",
		"y ~ cyclic(h, 24) + cyclic(h, 24)": `the column "h" twice`,
		"y ~ factor(h) + cyclic(h, 24)":     `the column "h" twice`,
		"y ~ cyclic(h, 24) + h + y + cyclic(h, 7)":     `the column "y" twice`,
		"y ~ cyclic(h, 24) + h + x + x + cyclic(h, 7)": `the column "x" twice`,
		"y ~ cyclic(h, 24) + h | h":                    `the column "h" twice`,
		"y ~ x + log(x)":                               `the column "x" twice`,
		"y ~ x + offset(y)":                            `the column "y" twice`,
		"y ~ x + factor(factor(z))":                    "factor( without one column",
		"y ~ as.factor(m) | id":                        "found as.factor(m), expected factor(column)",
		"log10(y) ~ x":                                 "found log10(y), expected log(column), the natural logarithm",
		"cbind(a, b) ~ x":                              "expected y1 + y2 before '~'",
		"y ~ x + (1 | id)":                             "found (1 | id), expected '| group' at the end of the formula",
		"y ~ (1 + x | id)":                             "found (1 + x | id), expected '| group' at the end",
		"y ~ x | school/":                              "no column after '/'",
		"y ~ x | a/b/c":                                "found a/b/c after '|', expected one column, or school/class",
		"y ~ x | a + b + c":                            "found a + b + c after '|', expected one column, or school/class for classes in schools, or subject + item",
		"y ~ x | a + b/c":                              "found a + b/c after '|'",
		"y ~ x | a/b + c":                              "found a/b + c after '|'",
		"y ~ x | a +":                                  "no column after '+'",
		"y ~ x | a + x":                                `the column "x" twice`,
		"y ~ (1 | subject) + (1 | item)":               "expected '| group' at the end of the formula, or '| subject + item' for (1 | subject) + (1 | item)",
		"y ~ x | a/a":                                  `the column "a" twice`,
		"y ~ x || id":                                  "where a name should stand",
		"y ~ 0 + x | id":                               "found the number 0, expected names of columns: a constant is part of every model",
		"y ~ x | .":                                    "found '.' for all columns",
		". ~ x | id":                                   "found . before '~'",
		"y ~ . + . | id":                               `the column "." twice`,
		"y ~ log(.) | id":                              "found '.' for all columns",
		"y ~ offset(.) | id":                           "offset( without one column",
		"y ~ `a` `b` | id":                             "after a name",
		"y ~ x | g | h":                                "one column",
		"y ~ (x + z)":                                  "a parenthesis before (x + z)",
	} {
		must.Refuse(t, must.Err(formula.Parse(text)), want, "expected")
	}
}

// A point is the columns that the formula does not name, in its place and in the order of the file.
func TestRest(t *testing.T) {
	file := []string{"id", "b", "y", "age", "days", "a"}
	for text, want := range map[string]string{
		"y ~ . | id": "y ~ b + age + days + a | id",
		"y ~ log(age) + . + offset(log(days)) | id":  "y ~ log(age) + b + a + offset(log(days)) | id",
		"y + b ~ cyclic(a, 7) + days + age + . | id": "y + b ~ cyclic(a, 7) + days + age | id",
		"y ~ b | id": "y ~ b | id",
	} {
		f, err := formula.Parse(text)
		if got := f.Named(file).String(); err != nil || got != want {
			t.Errorf("%s: found %s, %v, expected %s", text, got, err, want)
		}
		if again, err := formula.Parse(f.String()); err != nil || !reflect.DeepEqual(again, f) {
			t.Errorf("%s reads back as %+v, %v", f, again, err)
		}
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
