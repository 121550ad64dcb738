package config

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// A rule says which values a key accepts, whatever the other keys are.
type rule struct {
	expected string
	ok       func(v any) bool // v has the key's type
}

// name accepts one of the names.
func name(names []string) rule {
	return rule{oneOf(names), func(v any) bool { return slices.Contains(names, v.(string)) }}
}

// seed accepts every uint64: the type already excludes everything else.
var seed = rule{"a whole number from 0 to 18446744073709551615", func(any) bool { return true }}

// whole accepts whole numbers from low to high.
func whole(low, high int) rule {
	return rule{fmt.Sprintf("a whole number from %d to %d", low, high), func(v any) bool {
		return low <= v.(int) && v.(int) <= high
	}}
}

// wholeRange accepts [LOW, HIGH] with whole numbers from low to high.
func wholeRange(low, high int) rule {
	expected := fmt.Sprintf("[LOW, HIGH], whole numbers from %d to %d with LOW ≤ HIGH", low, high)
	return rule{expected, func(v any) bool {
		r := v.([]int)
		return len(r) == 2 && low <= r[0] && r[0] <= r[1] && r[1] <= high
	}}
}

// someWhole accepts one or more whole numbers from low to high.
func someWhole(low, high int) rule {
	return rule{fmt.Sprintf("a list of whole numbers from %d to %d", low, high), func(v any) bool {
		list := v.([]int)
		return len(list) > 0 && slices.Min(list) >= low && slices.Max(list) <= high
	}}
}

// widths accepts the widths of one or more hidden layers.
var widths = rule{
	fmt.Sprintf("the widths of 1 to %d hidden layers, whole numbers from 1 to %d", maxLayers, maxWidth),
	func(v any) bool {
		w := v.([]int)
		return 1 <= len(w) && len(w) <= maxLayers && slices.Min(w) >= 1 && slices.Max(w) <= maxWidth
	},
}

// between0And1 accepts numbers above 0 and below 1.
var between0And1 = rule{"a number above 0 and below 1", func(v any) bool { return v.(float64) > 0 && v.(float64) < 1 }}

// real accepts numbers from low to high.
func real(low, high float64) rule {
	return rule{fmt.Sprintf("a number from %g to %g", low, high), func(v any) bool {
		return low <= v.(float64) && v.(float64) <= high // false for NaN
	}}
}

// realRange accepts [LOW, HIGH] with LOW below HIGH.
var realRange = rule{
	fmt.Sprintf("[LOW, HIGH], numbers from %g to %g with LOW < HIGH", -maxReal, maxReal),
	func(v any) bool {
		r := v.([]float64)
		return len(r) == 2 && -maxReal <= r[0] && r[0] < r[1] && r[1] <= maxReal
	},
}

// localFiles accepts names that stay inside the data directory. The relations check how many there
// are.
func localFiles(v any) bool {
	files := v.([]string)
	return len(files) > 0 && !slices.ContainsFunc(files, func(f string) bool { return !filepath.IsLocal(f) || !clean(f) })
}

// columns accepts one or more names of columns of a table.
var columns = rule{
	fmt.Sprintf("the names of 1 to %d columns, each once", maxColumns),
	func(v any) bool {
		n := len(v.([]string))
		return 1 <= n && n <= maxColumns && distinctNames(v.([]string))
	},
}

// words accepts a program and its arguments, or none.
func words(v any) bool {
	list := v.([]string)
	return !slices.ContainsFunc(list, func(w string) bool { return !clean(w) }) && (len(list) == 0 || list[0] != "")
}

// someColumns accepts any number of names of columns of a table, none included.
var someColumns = rule{
	fmt.Sprintf("the names of 0 to %d columns, each once", 2*maxColumns),
	func(v any) bool { return len(v.([]string)) <= 2*maxColumns && distinctNames(v.([]string)) },
}

// distinctNames reports whether names can be those of different columns.
func distinctNames(names []string) bool {
	for i, n := range names {
		if n == "" || !clean(n) || slices.Contains(names[:i], n) {
			return false
		}
	}
	return true
}

// clean reports whether s has no zero byte, which file names cannot have.
func clean(s string) bool { return !strings.ContainsRune(s, 0) }
