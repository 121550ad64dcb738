package rda

import (
	"fmt"
	"math"
	"slices"

	"github.com/acqnp/acqnp/internal/invalid"
)

// frames returns the data frames among the saved objects.
func frames(root *object) ([]Frame, error) {
	var all []Frame
	for i, o := range root.items {
		class := o.attributes["class"]
		if o.kind != typeList || !slices.Contains(class.texts, "data.frame") {
			continue
		}
		f, err := frame(root.tags[i], o)
		if err != nil {
			return nil, err
		}
		all = append(all, f)
	}
	return all, nil
}

// frame returns a data frame from its list of columns.
func frame(name string, o *object) (Frame, error) {
	f := Frame{Name: name}
	names := o.attributes["names"].texts
	if len(names) != len(o.items) {
		return f, &invalid.Input{Key: name, Found: fmt.Sprintf("%d columns with %d names", len(o.items), len(names)),
			Expected: "a data frame"}
	}
	rows := -1
	for i, column := range o.items {
		values := numbers(column)
		if values != nil {
			if rows >= 0 && len(values) != rows {
				return f, &invalid.Input{Key: name, Found: fmt.Sprintf("columns of %d and of %d rows", rows, len(values)),
					Expected: "a data frame"}
			}
			rows = len(values)
		}
		f.Columns = append(f.Columns, Column{Name: names[i], Values: values})
	}
	return f, nil
}

// numbers returns the values of a column, or nil for text, factors and dates.
func numbers(o *object) []float64 {
	if len(o.attributes["class"].texts) > 0 {
		return nil
	}
	switch o.kind {
	case typeReal:
		return o.reals
	case typeInteger:
		values := make([]float64, len(o.ints))
		for i, v := range o.ints {
			values[i] = float64(v)
			if v == missingInteger {
				values[i] = math.NaN()
			}
		}
		return values
	}
	return nil
}
