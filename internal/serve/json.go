package serve

import (
	"bytes"
	"cmp"
	"encoding/json"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/acqnp/acqnp/internal/invalid"
)

// The body of a request is read in place: json.Valid checks it once, and what is below walks through it.
// So a body takes its own bytes and the numbers that it has. Decoded by encoding/json, 8 MB of empty
// objects would take more than a hundred times as much.

// checkJSON returns an error unless a body is one JSON text in UTF-8.
func checkJSON(body []byte) error {
	const expected = "one JSON object with groups"
	if !utf8.Valid(body) {
		return &invalid.Input{Key: "body", Found: "bytes that are not UTF-8", Expected: expected}
	}
	if json.Valid(body) {
		return nil
	}
	found := "text that is not JSON"
	if err := json.Unmarshal(body, new(json.RawMessage)); err != nil {
		found = err.Error()
	}
	switch {
	case strings.Contains(found, "unexpected end"):
		found = "an incomplete JSON object"
	case strings.Contains(found, "after top-level value"):
		found = "text after the object"
	case strings.Contains(found, "exceeded max depth"): // in words that depend on Go's version
		found = "arrays or objects that are nested too deep"
	}
	return &invalid.Input{Key: "body", Found: found, Expected: expected}
}

// fields has a function for each key that an object may have. It gets the path of the key, for errors,
// and the value.
type fields map[string]func(key string, value []byte) error

// readObject calls the functions of fields. It refuses a value that is no object, unknown keys, which
// may be misspelt, and keys that occur twice, of which JSON does not say which counts.
func readObject(path string, value []byte, f fields) error {
	place := cmp.Or(path, "body")
	if value[0] != '{' {
		return &invalid.Input{Key: place, Found: kind(value), Expected: "an object"}
	}
	seen := map[string]bool{}
	for name, v := range items(value) {
		read, known := f[name]
		switch {
		case !known:
			return &invalid.Input{Key: place, Found: "unknown field " + strconv.Quote(shown(name)), Expected: "keys of " + strings.Join(slices.Sorted(maps.Keys(f)), ", ")}
		case seen[name]:
			return &invalid.Input{Key: place, Found: "the key " + name + " twice in an object", Expected: "it once"}
		}
		seen[name] = true
		at := name
		if path != "" {
			at = path + "." + name
		}
		if err := read(at, v); err != nil {
			return err
		}
	}
	return nil
}

// items yields the values of an object, with their unescaped keys, or those of an array, in order.
func items(value []byte) iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		isObject := value[0] == '{'
		for rest := trimmed(value[1:]); rest[0] != '}' && rest[0] != ']'; {
			key, end := "", 0
			if isObject {
				end = length(rest)
				key, rest = unquoted(rest[:end]), trimmed(trimmed(rest[end:])[1:]) // after the colon
			}
			end = length(rest)
			if !yield(key, rest[:end]) {
				return
			}
			if rest = trimmed(rest[end:]); rest[0] == ',' {
				rest = trimmed(rest[1:])
			}
		}
	}
}

// count returns the number of elements of an array, 0 for nil.
func count(array []byte) (n int) {
	if array == nil {
		return 0
	}
	for range items(array) {
		n++
	}
	return n
}

func trimmed(text []byte) []byte { return bytes.TrimLeft(text, " \t\r\n") }

// length returns the length of the value that text begins with.
func length(text []byte) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			for i++; text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case '{', '[':
			depth++
			continue
		case '}', ']':
			depth--
		default:
			if depth > 0 {
				continue
			}
			if end := bytes.IndexAny(text, ",]} \t\r\n"); end >= 0 { // a number, true, false or null
				return end
			}
			return len(text)
		}
		if depth == 0 {
			return i + 1
		}
	}
	return len(text)
}

// unquoted returns the text of a JSON string.
func unquoted(value []byte) (text string) {
	if bytes.IndexByte(value, '\\') < 0 {
		return string(value[1 : len(value)-1])
	}
	_ = json.Unmarshal(value, &text) // the body is valid
	return text
}

// kind names the kind of a value.
func kind(value []byte) string {
	switch value[0] {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a text"
	}
	return shown(string(value))
}

// shown returns a text as an error quotes it.
func shown(text string) string {
	const most = 60 // bytes
	if len(text) > most {
		return text[:most] + "…"
	}
	return text
}

// into returns a function of fields that decodes a text, a number, true or false.
func into(to any, expected string) func(string, []byte) error {
	return func(key string, value []byte) error {
		if err := json.Unmarshal(value, to); err != nil || string(value) == "null" {
			return &invalid.Input{Key: key, Found: kind(value), Expected: expected}
		}
		return nil
	}
}

// array returns a function of fields that keeps the text of an array. null, as encoding/json writes a nil
// slice, is no array.
func array(to *[]byte) func(string, []byte) error {
	return func(key string, value []byte) error {
		if string(value) == "null" {
			return nil
		}
		if value[0] != '[' {
			return &invalid.Input{Key: key, Found: kind(value), Expected: "an array"}
		}
		*to = value
		return nil
	}
}

// numbers returns a function of fields that reads an array of numbers. Errors name them by what.
func numbers(to *[]float64, what string) func(string, []byte) error {
	return func(key string, value []byte) error {
		var text []byte
		if err := array(&text)(key, value); err != nil {
			return err
		}
		if text == nil {
			return nil
		}
		*to = []float64{}
		for _, v := range items(text) {
			number, ok := finite(v)
			if !ok {
				return &invalid.Input{Key: key, Found: kind(v) + what, Expected: "a finite number"}
			}
			*to = append(*to, number)
		}
		return nil
	}
}

// finite returns the number of a value, and false if it is no finite number.
func finite(value []byte) (v float64, ok bool) {
	v, err := strconv.ParseFloat(string(value), 64)
	return v, err == nil && isNumber(value)
}

// isNumber reports whether a value of valid JSON is a number.
func isNumber(value []byte) bool { return value[0] == '-' || value[0] >= '0' && value[0] <= '9' }
