package serve

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/acqnp/acqnp/internal/datasets/rows"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/run"
)

// A request is the body of POST /v1/predict and /v1/score. Numbers are in raw units.
type request struct {
	run       string
	asNew     bool // groups of a fit's data are new ones
	functions []function

	// Of predict alone.
	asks  []*ask
	draws int     // joint draws of each function
	seed  *uint64 // of the draws; that of predict if it is left out
}

// A function has the arrays of the body, which are read when the model is known.
type function struct {
	name             string
	context, targets arrays
	rows             [][]byte // the x of targets, as the answer repeats them
}

type arrays struct{ x, y []byte }

// tooLarge is the error for a request beyond the limits.
type tooLarge struct{ bad *invalid.Input }

func (e *tooLarge) Error() string { return e.bad.Error() }

func beyond(key string, found, most int) error {
	return &tooLarge{&invalid.Input{Key: key, Found: strconv.Itoa(found), Expected: fmt.Sprintf("at most %d", most)}}
}

// read reads a request.
func read(body []byte, l Limits) (q request, err error) {
	if err := checkJSON(body); err != nil {
		return q, err
	}
	var seed uint64
	keys := fields{
		"run":       into(&q.run, "a text"),
		"as_new":    into(&q.asNew, "true or false"),
		"functions": func(key string, value []byte) error { return q.readFunctions(key, value, l) },
		"draws":     into(&q.draws, "a whole number, 0 or more"),
		"seed": func(key string, value []byte) error {
			q.seed = &seed
			return into(q.seed, "a whole number from 0 to 18446744073709551615")(key, value)
		},
	}
	for _, v := range asked() {
		a := &ask{Value: v}
		q.asks, keys[v.Key] = append(q.asks, a), a.read
	}
	return q, readObject("", bytes.TrimSpace(body), keys)
}

// readFunctions reads the functions but for their points. It refuses more functions or points than the
// limits allow before it keeps any.
func (q *request) readFunctions(key string, value []byte, l Limits) error {
	var text []byte
	if err := array(&text)(key, value); err != nil {
		return err
	}
	if text == nil {
		return nil
	}
	if n := count(text); n > l.Functions {
		return beyond("functions", n, l.Functions)
	}
	total := 0
	for _, v := range items(text) {
		var f function
		if err := f.read(fmt.Sprintf("%s[%d]", key, len(q.functions)), v); err != nil {
			return err
		}
		total += count(f.context.x) + count(f.targets.x)
		q.functions = append(q.functions, f)
	}
	if total > l.Points {
		return beyond("points", total, l.Points)
	}
	return nil
}

func (f *function) read(path string, value []byte) error {
	return readObject(path, value, fields{
		"name":    into(&f.name, "a text"),
		"context": f.context.keep,
		"targets": f.targets.keep,
	})
}

// keep keeps the arrays of points.
func (p *arrays) keep(path string, value []byte) error {
	return readObject(path, value, fields{"x": array(&p.x), "y": array(&p.y)})
}

// of returns the functions of a request for a model. With scored, each target needs its y. names gets the
// names that the model does not know, and gaps the missing y of known points, unless it is nil and none may be missing.
func (q *request) of(u run.Units, scored bool, names unseen, gaps *missingY) ([]points.Question, error) {
	if len(q.functions) == 0 {
		return nil, &invalid.Input{Key: "functions", Found: "nothing", Expected: "at least one function"}
	}
	all := make([]points.Question, len(q.functions))
	for i := range q.functions {
		f, key, to := &q.functions[i], fmt.Sprintf("functions[%d]", i), &all[i]
		var err error
		if to.Known, err = f.context.read(key+".context", u, true, gaps, names); err != nil {
			return nil, err
		}
		if to.Targets, err = f.targets.read(key+".targets", u, scored, nil, names); err != nil {
			return nil, err
		}
		if to.Name = f.name; to.Targets.Len() == 0 {
			return nil, &invalid.Input{Key: key + ".targets.x", Found: "nothing", Expected: "at least one target"}
		}
		for _, row := range items(f.targets.x) {
			f.rows = append(f.rows, row)
		}
	}
	return all, nil
}

// read returns the raw points.
func (p arrays) read(path string, u run.Units, withY bool, gaps *missingY, names unseen) (all points.Points, err error) {
	if !withY && p.y != nil {
		return all, &invalid.Input{Key: path + ".y", Found: "y", Expected: "targets without y; /v1/score takes them"}
	}
	if n := count(p.x); withY && count(p.y) != n {
		return all, &invalid.Input{Key: path + ".y", Found: fmt.Sprintf("%d rows for %d of x", count(p.y), n), Expected: "as many"}
	}
	all.DX, all.DY = len(u.XNames), len(u.YNames)
	if all.X, err = rowsOf(path+".x", p.x, u.XNames, u.Scaling.XForms, names.number); err != nil {
		return all, err
	}
	if gaps == nil {
		all.Y, err = rowsOf(path+".y", p.y, u.YNames, u.Scaling.YForms, outcome)
		return all, err
	}
	if all.Y, err = rowsOf(path+".y", p.y, u.YNames, u.Scaling.YForms, outcomeOrGap); err != nil {
		return all, err
	}
	return gaps.leaveOut(all), nil
}

// rowsOf returns the numbers of an array of rows, each with a value for each of the columns. A column without a name, of
// a formula that has no x to predict from, has no value, and is 0 as in files. number returns that of a cell in column c,
// which has a form, or what is expected.
func rowsOf(path string, array []byte, columns []string, forms []rows.Form, number func(c int, value cell, f rows.Form) (v float64, expected string)) (all []float64, err error) {
	if array == nil {
		return nil, nil
	}
	var places []int // of the columns with a name
	for c, name := range columns {
		if name != "" {
			places = append(places, c)
		}
	}
	n := 0
	fail := func(found, expected string) error {
		return &invalid.Input{Key: fmt.Sprintf("%s[%d]", path, n), Found: found, Expected: expected}
	}
	expected := "an empty array, since the formula has no x"
	if len(places) > 0 {
		expected = "values of " + strings.Join(named(columns), ", ")
	}
	for _, row := range items(array) {
		if row[0] != '[' {
			return nil, fail(kind(row), strings.Replace(expected, "values", "an array with values", 1))
		}
		if found := count(row); found != len(places) {
			return nil, fail(invalid.Plural(found, "value", "values"), expected)
		}
		numbers, i := make([]float64, len(columns)), 0
		for _, value := range items(row) {
			c := places[i]
			v, expected := number(c, value, rows.FormAt(forms, c))
			if expected != "" {
				return nil, fail(cell(value).shown()+" for "+columns[c], cell(value).unquotedOr(expected))
			}
			numbers[c] = v
			i++
		}
		all = append(all, numbers...)
		n++
	}
	return all, nil
}

// named returns the columns that have a name.
func named(columns []string) []string {
	return slices.DeleteFunc(slices.Clone(columns), func(name string) bool { return name == "" })
}

// A cell is the JSON text of a number, or of a name or a date.
type cell []byte

// name returns the text of a cell of names: a number is the name that is written like it.
func (c cell) name() string {
	if c[0] == '"' {
		return unquoted(c)
	}
	return string(c)
}

// shown returns the text of a cell as an error quotes it.
func (c cell) shown() string {
	if c[0] == '"' {
		return "the text " + strconv.Quote(shown(unquoted(c)))
	}
	return kind(c)
}

// unquotedOr returns what is expected instead of a cell: for a number in quotes, that number without them.
func (c cell) unquotedOr(expected string) string {
	if c[0] != '"' || expected != finiteNumber {
		return expected
	}
	if text := []byte(strings.TrimSpace(unquoted(c))); json.Valid(text) && isNumber(text) {
		return "a number without quotes, " + string(text)
	}
	return expected
}

// finiteNumber is what a cell of numbers expects.
const finiteNumber = "a finite number"

// outcome returns the number of a cell of y.
func outcome(_ int, value cell, f rows.Form) (v float64, expected string) {
	v, ok := finite(value)
	switch {
	case math.Abs(v) > math.MaxFloat32:
		return 0, rows.Finite
	case !ok:
		return 0, finiteNumber
	case !f.Takes(v):
		return 0, "a number above 0, whose logarithm is taken"
	}
	return v, ""
}

// number returns the raw number of a cell of x.
func (c cell) number(f rows.Form) (v float64, expected string) {
	if f.Gaps && string(c) == "null" {
		return math.NaN(), ""
	}
	named, text, read := c[0] == '"', c.name(), f
	if !named {
		read.Origin = "" // a date may be a number of days
	}
	wants := read.Categories != nil || read.Origin != ""
	either := read.Format == rows.Clock || read.Format == rows.Percent                                           // "13:30" or 13.5, "12%" or 12
	either = either || slices.ContainsFunc(f.Categories, func(name string) bool { return isNumber(cell(name)) }) // "3" or 3
	if (named == wants || either && (named || read.Categories != nil)) && (named || isNumber(c)) {
		v, ok := read.Number(text)
		switch {
		case math.Abs(v) > math.MaxFloat32:
			return 0, rows.Finite
		case ok:
			return v, ""
		}
	}
	switch {
	case f.Categories != nil:
		return 0, "a name in quotes"
	case f.Origin != "":
		return 0, `a date such as "2024-03-01", or days as a number`
	case f.Format == rows.Clock:
		return 0, `a time of day such as "13:00", or hours as a number`
	case f.Log:
		return 0, "a number above 0, whose logarithm is taken"
	}
	return 0, finiteNumber
}
