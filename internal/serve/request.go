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
	run    string
	asNew  bool   // groups of a fit's data are new ones
	groups []byte // an array, which is read when the model is known; nil for none

	// Of predict alone.
	asks  []*ask
	draws int     // joint draws of each group
	seed  *uint64 // of the draws; that of predict if it is left out
}

// tooLarge is the error for a request beyond the limits.
type tooLarge struct{ bad *invalid.Input }

func (e *tooLarge) Error() string { return e.bad.Error() }

func beyond(key string, found, most int) error {
	return &tooLarge{&invalid.Input{Key: key, Found: strconv.Itoa(found), Expected: fmt.Sprintf("at most %d", most)}}
}

// read reads a request.
func read(body []byte) (q request, err error) {
	if err := checkJSON(body); err != nil {
		return q, err
	}
	var seed uint64
	keys := fields{
		"run":    into(&q.run, "a text"),
		"as_new": into(&q.asNew, "true or false"),
		"groups": array(&q.groups),
		"draws": func(key string, value []byte) error {
			if err := into(&q.draws, "a whole number, 0 or more")(key, value); err != nil || q.draws >= 0 {
				return err
			}
			return &invalid.Input{Key: key, Found: strconv.Itoa(q.draws), Expected: "0 or more"}
		},
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

// A reader reads the points of a request for a model.
type reader struct {
	run.Units
	scored bool      // each target needs its y
	names  unseen    // gets the names that the model does not know
	gaps   *missingY // gets the missing y of known points; nil if none may be missing
	limits bool      // y may be limits such as "<50"
	most   int       // points of all groups
	points int       // that were read
}

// read returns the groups of a request, and the x of the targets of each as the answer repeats them. It refuses more
// groups or points than the limits allow before it keeps them.
func (r *reader) read(groups []byte, most int) (all []points.Question, x [][][]byte, err error) {
	n := count(groups)
	switch {
	case n > most:
		return nil, nil, beyond("groups", n, most)
	case n == 0:
		return nil, nil, &invalid.Input{Key: "groups", Found: "nothing", Expected: "at least one group"}
	}
	for _, v := range items(groups) {
		var q points.Question
		var rows [][]byte
		key := fmt.Sprintf("groups[%d]", len(all))
		err := readObject(key, v, fields{
			"name": into(&q.Name, "a text"),
			"context": func(key string, value []byte) (err error) {
				q.Known, _, err = r.pointsOf(key, value, true, r.gaps)
				return err
			},
			"targets": func(key string, value []byte) (err error) {
				q.Targets, rows, err = r.pointsOf(key, value, r.scored, nil)
				return err
			},
		})
		if err == nil && q.Targets.Len() == 0 {
			err = &invalid.Input{Key: key + ".targets.x", Found: "nothing", Expected: "at least one target"}
		}
		if err != nil {
			return nil, nil, err
		}
		if q.Known.DX == 0 {
			q.Known = points.New(len(r.XNames), len(r.YNames), nil, nil)
		}
		all, x = append(all, q), append(x, rows)
	}
	return all, x, nil
}

// pointsOf returns the raw points of an object of arrays x and y, and the rows of x.
func (r *reader) pointsOf(path string, value []byte, withY bool, gaps *missingY) (all points.Points, rows [][]byte, err error) {
	var x, y []byte
	if err := readObject(path, value, fields{"x": array(&x), "y": array(&y)}); err != nil {
		return all, nil, err
	}
	if !withY && y != nil {
		return all, nil, &invalid.Input{Key: path + ".y", Found: "y", Expected: "targets without y; /v1/score takes them"}
	}
	n := count(x)
	if r.points += n; r.points > r.most {
		return all, nil, beyond("points", r.points, r.most)
	}
	if withY && count(y) != n {
		return all, nil, &invalid.Input{Key: path + ".y", Found: fmt.Sprintf("%d rows for %d of x", count(y), n), Expected: "as many"}
	}
	all.DX, all.DY = len(r.XNames), len(r.YNames)
	if all.X, err = rowsOf(path+".x", x, r.XNames, r.Scaling.XForms, r.names.number); err != nil {
		return all, nil, err
	}
	number := outcome
	if gaps != nil {
		number = outcomeOrGap
	}
	if r.limits {
		number = limitOr(number, &all)
	}
	if all.Y, err = rowsOf(path+".y", y, r.YNames, r.Scaling.YForms, number); err != nil {
		return all, nil, err
	}
	if !slices.ContainsFunc(all.Censored, func(side int8) bool { return side != 0 }) {
		all.Censored = nil
	}
	if gaps != nil {
		all = gaps.leaveOut(all)
	}
	if n > 0 {
		rows = make([][]byte, 0, n)
		for _, row := range items(x) {
			rows = append(rows, row)
		}
	}
	return all, rows, nil
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
		expected = "values of " + strings.Join(rows.InFiles(columns), ", ")
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
	if i, ok := f.Number(value.name()); ok && f.Categories != nil && i < float64(len(f.Categories)) {
		return i, ""
	}
	v, ok := finite(value)
	switch {
	case f.Categories != nil && !ok:
		return 0, strings.Join(f.Categories, " or ") + " in quotes, or 0 or 1 for these"
	case math.Abs(v) > math.MaxFloat32:
		return 0, rows.Finite
	case !ok:
		return 0, finiteNumber
	case !f.Takes(v):
		return 0, "a number above 0, whose logarithm is taken"
	}
	return v, ""
}

// limitOr returns what reads a cell of y as number does, or as a limit such as "<50", and appends its side to the Censored of
// points.
func limitOr(number func(c int, value cell, f rows.Form) (float64, string), all *points.Points) func(c int, value cell, f rows.Form) (float64, string) {
	return func(c int, value cell, f rows.Form) (v float64, expected string) {
		side := int8(0)
		if value[0] == '"' && f.Categories == nil {
			v, side = rows.Limit(unquoted(value))
		}
		if all.Censored = append(all.Censored, side); side != 0 {
			return v, ""
		}
		return number(c, value, f)
	}
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
