package serve

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/predict"
	"github.com/acqnp/acqnp/internal/run"
)

// A request is the body of POST /v1/predict and /v1/score. Numbers are in raw units.
type request struct {
	Run       string     `json:"run"`
	Functions []function `json:"functions"`

	// Of predict alone.
	Quantiles  []float64      `json:"quantiles"`
	Regions    []float64      `json:"regions"` // masses of highest-density regions
	Density    densityRequest `json:"density"`
	Modes      bool           `json:"modes"`
	Draws      int            `json:"draws"`      // joint draws of each function
	Seed       *uint64        `json:"seed"`       // of the draws; that of predict if it is left out
	Components bool           `json:"components"` // of the mixtures

	spans *spans // if density has points
}

type function struct {
	Name    string `json:"name"`
	Context points `json:"context"`
	Targets points `json:"targets"`
}

type points struct {
	X [][]cell    `json:"x"`
	Y [][]float64 `json:"y"`
}

// A cell is a number, or the text of a name or a date.
type cell struct{ json.RawMessage }

func (c cell) text() (string, bool) {
	var text string
	if len(c.RawMessage) > 0 && c.RawMessage[0] == '"' {
		return text, json.Unmarshal(c.RawMessage, &text) == nil
	}
	return string(c.RawMessage), len(c.RawMessage) > 0
}

// tooLarge is the error for a request beyond the limits.
type tooLarge struct{ bad *invalid.Input }

func (e *tooLarge) Error() string { return e.bad.Error() }

func beyond(key string, found int, most int) error {
	return &tooLarge{&invalid.Input{Key: key, Found: strconv.Itoa(found), Expected: fmt.Sprintf("at most %d", most)}}
}

// read reads a request. It refuses unknown keys, which may be misspelt, and keys that occur twice.
func read(body []byte) (q request, err error) {
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	err = d.Decode(&q)
	if err == nil {
		if _, err = d.Token(); err == nil {
			err = errors.New("text after the object")
		} else if errors.Is(err, io.EOF) {
			if key := duplicate(body); key != nil {
				return q, &invalid.Input{Key: "body", Found: "the key " + string(key) + " twice in an object", Expected: "it once"}
			}
			return q, nil
		}
	}
	var typ *json.UnmarshalTypeError
	if errors.As(err, &typ) {
		return q, &invalid.Input{Key: typ.Field, Found: "a JSON " + typ.Value, Expected: "a value of another type, as in /openapi.json"}
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.New("an incomplete JSON object")
	}
	return q, &invalid.Input{Key: "body", Found: strings.TrimPrefix(err.Error(), "json: "), Expected: "one JSON object with functions"}
}

// functions returns the functions of a request for a model. With scored, each target needs its y.
func (q *request) functions(u run.Units, l Limits, scored bool) ([]predict.Function, error) {
	if len(q.Functions) == 0 {
		return nil, &invalid.Input{Key: "functions", Found: "nothing", Expected: "at least one function"}
	}
	if n := len(q.Functions); n > l.Functions {
		return nil, beyond("functions", n, l.Functions)
	}
	count := 0
	for _, f := range q.Functions {
		count += len(f.Context.X) + len(f.Targets.X)
	}
	if count > l.Points {
		return nil, beyond("points", count, l.Points)
	}
	all := make([]predict.Function, len(q.Functions))
	for i, f := range q.Functions {
		key := fmt.Sprintf("functions[%d]", i)
		to := predict.Function{Name: f.Name}
		var err error
		if to.ContextX, to.ContextY, err = f.Context.read(key+".context", u, true); err != nil {
			return nil, err
		}
		if to.TargetX, to.TargetY, err = f.Targets.read(key+".targets", u, scored); err != nil {
			return nil, err
		}
		if len(to.TargetX) == 0 {
			return nil, &invalid.Input{Key: key + ".targets.x", Found: "nothing", Expected: "at least one target"}
		}
		all[i] = to
	}
	return all, nil
}

// read returns the raw numbers of points, [n, columns of x] and [n, dy].
func (p points) read(key string, u run.Units, withY bool) (x, y []float64, err error) {
	if !withY && p.Y != nil {
		return nil, nil, &invalid.Input{Key: key + ".y", Found: "y", Expected: "targets without y; /v1/score takes them"}
	}
	if withY && len(p.Y) != len(p.X) {
		return nil, nil, &invalid.Input{Key: key + ".y", Found: fmt.Sprintf("%d rows for %d of x", len(p.Y), len(p.X)), Expected: "as many"}
	}
	for n, row := range p.X {
		place := fmt.Sprintf("%s.x[%d]", key, n)
		if len(row) != len(u.XNames) {
			return nil, nil, &invalid.Input{Key: place, Found: invalid.Plural(len(row), "value", "values"), Expected: "values of " + strings.Join(u.XNames, ", ")}
		}
		for c, v := range row {
			number, err := v.number(place, u.XNames[c], datasets.FormAt(u.Scaling.XForms, c))
			if err != nil {
				return nil, nil, err
			}
			x = append(x, number)
		}
	}
	for n, row := range p.Y {
		place := fmt.Sprintf("%s.y[%d]", key, n)
		if len(row) != len(u.YNames) {
			return nil, nil, &invalid.Input{Key: place, Found: invalid.Plural(len(row), "number", "numbers"), Expected: "numbers of " + strings.Join(u.YNames, ", ")}
		}
		for c, v := range row {
			if !datasets.FormAt(u.Scaling.YForms, c).Takes(v) {
				return nil, nil, &invalid.Input{Key: place, Found: fmt.Sprint(v), Expected: "a number above 0 of " + u.YNames[c] + ", whose logarithm is taken"}
			}
		}
		y = append(y, row...)
	}
	return x, y, nil
}

// number returns the raw number of a cell in a column.
func (c cell) number(place, column string, f datasets.Form) (float64, error) {
	text, ok := c.text()
	named := len(c.RawMessage) > 0 && c.RawMessage[0] == '"'
	read := f
	if !named {
		read.Origin = "" // a date may be a number of days
	}
	if wants := read.Categories != nil || read.Origin != ""; ok && named == wants {
		if v, ok := read.Number(text); ok {
			return v, nil
		}
	}
	expected := "a finite number"
	switch {
	case f.Categories != nil:
		expected = "a name in quotes"
	case f.Origin != "":
		expected = `a date such as "2024-03-01", or days as a number`
	case f.Log:
		expected = "a number above 0, whose logarithm is taken"
	}
	return 0, &invalid.Input{Key: place, Found: shown(text) + " for " + column, Expected: expected}
}

// shown returns a cell's text as an error quotes it.
func shown(text string) string {
	const most = 60 // bytes
	switch {
	case strings.HasPrefix(text, "["):
		return "an array"
	case strings.HasPrefix(text, "{"):
		return "an object"
	case len(text) > most:
		return text[:most] + "…"
	}
	return text
}
