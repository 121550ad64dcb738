package config

import (
	"math"
	"reflect"
	"strconv"
	"strings"

	"github.com/acqnp/acqnp/internal/config/yamlnode"
	"go.yaml.in/yaml/v3"
)

// convert reads a node as a Go value of the type. It is strict: no text for a number, no number for
// a text, no fraction for a whole number. 1e5 is a whole number. The second result is the node that
// does not fit, or nil.
func convert(n *yaml.Node, typ reflect.Type) (any, *yaml.Node) {
	v := reflect.New(typ).Elem()
	if typ.Kind() != reflect.Slice {
		if !fill(v, yamlnode.Resolve(n)) {
			return nil, n
		}
		return v.Interface(), nil
	}
	list := yamlnode.Resolve(n)
	if list.Kind != yaml.SequenceNode {
		return nil, n
	}
	v.Set(reflect.MakeSlice(typ, len(list.Content), len(list.Content)))
	for i, item := range list.Content {
		if !fill(v.Index(i), yamlnode.Resolve(item)) {
			return nil, item
		}
	}
	return v.Interface(), nil
}

// fill sets v to the value of a scalar, and reports whether it fits.
func fill(v reflect.Value, n *yaml.Node) bool {
	tag := n.ShortTag()
	isNumber := tag == "!!float" || tag == "!!int" && !leadingZero(n.Value)
	switch {
	case n.Kind != yaml.ScalarNode:
		return false
	case v.Kind() == reflect.String:
		v.SetString(n.Value)
		return tag == "!!str"
	case v.Kind() == reflect.Bool:
		return tag == "!!bool" && n.Decode(v.Addr().Interface()) == nil
	case !isNumber:
		return false
	case v.Kind() == reflect.Float64:
		err := n.Decode(v.Addr().Interface())
		return err == nil && !math.IsNaN(v.Float()) && !math.IsInf(v.Float(), 0)
	}
	if tag == "!!float" { // a whole number written as 1e5 or 2.0
		const exact = 1 << 53 // a float64 holds every whole number up to here
		var f float64
		if n.Decode(&f) != nil || f != math.Trunc(f) || math.Abs(f) > exact {
			return false
		}
		n = &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!int", Value: strconv.FormatFloat(f, 'f', 0, 64)}
	}
	return n.Decode(v.Addr().Interface()) == nil
}

// leadingZero reports whether a number is like 010, which is 8 in YAML 1.1 and 10 in YAML 1.2.
func leadingZero(s string) bool {
	s = strings.TrimLeft(s, "+-")
	return len(s) > 1 && s[0] == '0' && '0' <= s[1] && s[1] <= '9'
}
