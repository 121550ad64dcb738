package config

import (
	"reflect"

	"github.com/acqnp/acqnp/internal/config/yamlnode"
)

// Number returns the value of a line whose key is a number, as an end of a range must be, and whether
// the key has whole numbers alone. An error is an *invalid.Input.
func (l Line) Number() (value float64, whole bool, err error) {
	leaves, err := l.leaves()
	if err != nil {
		return 0, false, err
	}
	switch v := reflect.ValueOf(leaves[0].value); v.Kind() {
	case reflect.Int:
		return float64(v.Int()), true, nil
	case reflect.Uint64:
		return float64(v.Uint()), true, nil
	case reflect.Float64:
		return v.Float(), false, nil
	}
	r := reader{file: l.File, lines: true}
	return 0, false, r.refuse(l.Key, l.Key.Value, "a range of "+yamlnode.Shorten(l.Key.Value)+", which is no number", "a list of values")
}

// leaves reads the line. An error is an *invalid.Input.
func (l Line) leaves() ([]leaf, error) {
	r := reader{file: l.File, lines: true}
	if !known(l.Key.Value) || isSection(l.Key.Value) {
		return nil, r.refuse(l.Key, yamlnode.Shorten(l.Key.Value), "an unknown key", suggested(l.Key.Value))
	}
	err := r.entry(l.Key.Value, l.Value)
	return r.leaves, err
}
