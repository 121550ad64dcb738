package config

import (
	"math"
	"reflect"
	"strings"

	"github.com/acqnp/acqnp/internal/config/yamlnode"
	"go.yaml.in/yaml/v3"
)

// convert reads a node as a Go value of the type. It is strict: no text for a number, no number for
// a text, no fraction for a whole number. 1e5 is a whole number. The second result is the node that
// does not fit, or nil.
func convert(n *yaml.Node, typ reflect.Type) (any, *yaml.Node) {
	if typ.Kind() != reflect.Slice {
		v, ok := scalar(yamlnode.Resolve(n), typ.Kind())
		if !ok {
			return nil, n
		}
		return v, nil
	}
	list := yamlnode.Resolve(n)
	if list.Kind != yaml.SequenceNode {
		return nil, n
	}
	out := reflect.MakeSlice(typ, 0, len(list.Content))
	for _, item := range list.Content {
		v, ok := scalar(yamlnode.Resolve(item), typ.Elem().Kind())
		if !ok {
			return nil, item
		}
		out = reflect.Append(out, reflect.ValueOf(v))
	}
	return out.Interface(), nil
}

func scalar(n *yaml.Node, kind reflect.Kind) (any, bool) {
	if n.Kind != yaml.ScalarNode {
		return nil, false
	}
	switch kind {
	case reflect.Int:
		return wholeNumber[int](n)
	case reflect.Uint64:
		return wholeNumber[uint64](n)
	case reflect.Float64:
		return realNumber(n)
	case reflect.Bool:
		var v bool
		ok := n.ShortTag() == "!!bool" && n.Decode(&v) == nil
		return v, ok
	case reflect.String:
		return n.Value, n.ShortTag() == "!!str"
	}
	return nil, false
}

// wholeNumber reads a whole number, also one written as 1e5 or 2.0. It refuses 010, which is 8 in
// YAML 1.1 and 10 in YAML 1.2.
func wholeNumber[T int | uint64](n *yaml.Node) (T, bool) {
	var v T
	switch n.ShortTag() {
	case "!!int":
		return v, !leadingZero(n.Value) && n.Decode(&v) == nil
	case "!!float":
		const exact = 1 << 53 // a float64 holds every whole number up to here
		f, ok := realNumber(n)
		if !ok || f != math.Trunc(f) || math.Abs(f) > exact {
			return v, false
		}
		v = T(int64(f))
		return v, (v < 0) == (f < 0)
	}
	return v, false
}

func leadingZero(s string) bool {
	s = strings.TrimLeft(s, "+-")
	return len(s) > 1 && s[0] == '0' && '0' <= s[1] && s[1] <= '9'
}

// realNumber reads a finite number.
func realNumber(n *yaml.Node) (float64, bool) {
	tag := n.ShortTag()
	if tag != "!!float" && tag != "!!int" || tag == "!!int" && leadingZero(n.Value) {
		return 0, false
	}
	var v float64
	ok := n.Decode(&v) == nil && !math.IsNaN(v) && !math.IsInf(v, 0)
	return v, ok
}
