package serve

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/acqnp/acqnp/internal/files/tabular"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/predict"
)

// An ask is what a request says of a value of predictions.
type ask struct {
	predict.Value
	on     bool // of a predict.Switch
	points int  // of a predict.Range: a number of values of y that cover the distributions of all targets of a group
}

// asked returns the values that requests may ask for, in the order of answers: those along a range of y come after the
// others, and objects last.
func asked() (all []predict.Value) {
	last := func(v predict.Value) int {
		switch {
		case v.Kind == tabular.Object:
			return 2
		case v.Takes == predict.Range:
			return 1
		}
		return 0
	}
	for _, v := range predict.Values {
		if v.Key != "" && v.Takes != predict.Nothing {
			all = append(all, v)
		}
	}
	slices.SortStableFunc(all, func(a, b predict.Value) int { return last(a) - last(b) })
	return all
}

// read reads the value of a key. It refuses levels that are not between 0 and 1.
func (a *ask) read(path string, value []byte) error {
	switch a.Takes {
	case predict.Switch:
		return into(&a.on, "true or false")(path, value)
	case predict.Range:
		return a.readRange(path, value)
	}
	if err := numbers(&a.At, "")(path, value); err != nil {
		return err
	}
	outside := func(p float64) bool { return !(p > 0 && p < 1) }
	if i := slices.IndexFunc(a.At, outside); a.Takes == predict.Levels && i >= 0 {
		return &invalid.Input{Key: path, Found: fmt.Sprint(a.At[i]), Expected: a.Parameter() + " between 0 and 1"}
	}
	return nil
}

func (a *ask) readRange(path string, value []byte) error {
	err := readObject(path, value, fields{
		"y": func(key string, value []byte) error {
			if string(value) == "null" {
				return &invalid.Input{Key: key, Found: "null for y", Expected: "finite numbers"}
			}
			return numbers(&a.At, " for y")(key, value)
		},
		"points": func(key string, value []byte) error {
			if err := into(&a.points, "a whole number, 2 or more")(key, value); err != nil || a.points > 1 {
				return err
			}
			return &invalid.Input{Key: key, Found: strconv.Itoa(a.points), Expected: "2 or more"}
		},
	})
	if err == nil && a.points > 0 && a.At != nil {
		return &invalid.Input{Key: path, Found: "y and points", Expected: "one of them"}
	}
	return err
}

// cells returns how many cells of each distribution are asked for.
func (a *ask) cells() int {
	if a.on {
		return 1
	}
	return max(a.points, len(a.At))
}

// wanted returns the values of an answer, of a channel with a span.
func (q *request) wanted(s *span) []predict.Value {
	all := predict.Always(predict.About{})
	for _, a := range q.asks {
		v := a.Value
		if a.points > 0 && s != nil {
			v.At = s.grid(a.points)
		}
		if a.cells() > 0 {
			all = append(all, v)
		}
	}
	return all
}

// covers reports whether values of y are to cover the distributions.
func (q *request) covers() bool {
	return slices.ContainsFunc(q.asks, func(a *ask) bool { return a.points > 0 })
}
